//! Tables and files that are meant to break something: what comes out is an answer or a refusal that says why.

use serde_json::Value;

use crate::session::Session;

/// Runs a line: exit code, standard output and standard error.
fn run(session: &Session, line: &str) -> (Option<i32>, String, String) {
    let output = session.shell(line);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The estimates that a line prints as JSON.
fn estimates(session: &Session, line: &str) -> Vec<f64> {
    let (code, out, err) = run(session, &format!("{line} --tidy --json -q"));
    assert_eq!(code, Some(0), "{line}: {err}");
    let rows: Vec<Value> = serde_json::from_str(&out).unwrap();
    rows.iter().map(|row| row["estimate"].as_f64().unwrap()).collect()
}

#[test]
fn firths_estimates_exist_where_the_first_step_goes_far_too_far() {
    let session = Session::new();
    session.write("far.csv", "x,y,n\n0.46,yes,5\n2.16,no,27\n0.65,no,1000\n").write("zero.csv", "x,y,n\n0,no,2\n0,yes,8\n1,no,27\n");
    // Newton's method on the modified score equations, with derivatives by differences, in double precision.
    for (table, known) in [("far.csv", [26.6067210590919, -52.627882144116356]), ("zero.csv", [1.2237754316221159, -5.231108616854587])] {
        let found = estimates(&session, &format!("oddsmith fit {table} 'y ~ x' --weight n --firth"));
        for (found, known) in found.iter().zip(known) {
            assert!((found - known).abs() <= 1e-8 * known.abs(), "{table}: {found} is not {known}");
        }
        let (code, _, err) = run(&session, &format!("oddsmith fit {table} 'y ~ x' --weight n --firth"));
        assert!(code == Some(0) && !err.contains("W214"), "{table}: {err}");
    }
}

#[test]
fn separating_columns_are_left_out_on_request() {
    let session = Session::new();
    let row = |i: usize| {
        let (stage, z) = (if i.is_multiple_of(8) { "IV" } else { "I" }, i * 7 % 11);
        let y = if i.is_multiple_of(8) || (i * i + i / 3) % 5 < 2 { "yes" } else { "no" };
        format!("{stage},{z},{},{y}\n", i % 3)
    };
    session.write("quasi.csv", format!("stage,z,w,y\n{}", (0..48).map(row).collect::<String>()));
    let line = "oddsmith fit quasi.csv 'y ~ stage * w + z' --on-separation drop";
    let (code, out, err) = run(&session, &format!("{line} --tidy --json"));
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("W204 quasi-complete separation: the likelihood has no finite maximum with `stage"), "{err}");
    // What is left is the model without the column and its products.
    let rows: Vec<Value> = serde_json::from_str(&out).unwrap();
    let left: Vec<f64> = rows.iter().filter_map(|row| row["estimate"].as_f64()).collect();
    assert_eq!(left.len(), 3, "{out}");
    for (left, without) in left.iter().zip(estimates(&session, "oddsmith fit quasi.csv 'y ~ w + z'")) {
        assert!((left - without).abs() <= 1e-9 * (1.0 + without.abs()), "{left} is not {without}");
    }
    let (code, _, err) = run(&session, "oddsmith fit quasi.csv 'y ~ stage + z' --strict --on-separation drop");
    assert_eq!(code, Some(7), "{err}");
    let (code, _, err) = run(&session, "oddsmith fit quasi.csv 'y ~ stage' --on-separation dorp");
    assert_eq!(code, Some(2), "{err}");
}

#[test]
fn columns_that_know_too_much_are_told_at_the_fit() {
    let session = Session::new();
    let class = |i: usize| if (i * 7 + i / 5).is_multiple_of(3) { "yes" } else { "no" };
    let leak = |i: usize| f64::from(u8::from((class(i) == "yes") != (i == 50))) + (i * 13 % 17) as f64 / 100.0;
    let rows: String = (0..120).map(|i| format!("p{i},{},{},{}\n", i * 31 % 23, leak(i), class(i))).collect();
    session.write("leak.csv", format!("id,x,late,y\n{rows}"));
    for (line, columns) in [
        ("oddsmith fit leak.csv 'y ~ x + late'", vec!["late"]),
        ("oddsmith fit leak.csv --target y", vec!["id", "late"]),
        ("oddsmith fit leak.csv --target y --features x,late --model lda", vec!["late"]),
        ("oddsmith fit leak.csv 'y ~ x'", vec![]),
    ] {
        let (code, _, err) = run(&session, line);
        let told: Vec<&str> = err.lines().filter_map(|line| line.strip_prefix("W131 ")?.split(':').next()).collect();
        assert_eq!((code, told), (Some(0), columns), "{line}: {err}");
        let (code, ..) = run(&session, &format!("{line} --strict"));
        assert_eq!(code, Some(if line.contains("late") || line.contains("--target y") { 7 } else { 0 }), "{line}");
    }
}

#[test]
fn a_category_of_more_than_a_hundred_thousand_levels_is_fitted_with_a_penalty_and_its_products_are_refused_with_the_amount() {
    let session = Session::new();
    // Every level has two rows; those of one class are separated without a penalty.
    let row = |i: usize| format!("p{},{},{}\n", i % 120_000, i * 31 % 23, if (i * 7 + i / 9).is_multiple_of(3) { "yes" } else { "no" });
    session.write("ids.csv", format!("id,x,y\n{}", (0..240_000).map(row).collect::<String>()));
    let (code, out, err) = run(&session, "oddsmith fit ids.csv 'y ~ id + x' --l2 1 --glance --format csv -q -o ids.odds");
    assert_eq!(code, Some(0), "{err}{out}");
    let (code, out, err) = run(&session, "oddsmith predict ids.odds ids.csv -q --format csv | tail -n +2 | wc -l");
    assert_eq!((code, out.trim()), (Some(0), "240000"), "{err}");
    let (code, _, err) = run(&session, "oddsmith fit ids.csv 'y ~ id + x' --firth -q");
    assert_eq!(code, Some(6), "{err}");
    assert!(err.contains("`id` has 120000 levels") && err.contains("GiB of memory") && err.contains("pool rare levels"), "{err}");
}

#[test]
fn hashed_words_that_nobody_saw_take_one_line() {
    let session = Session::new();
    session.write("mail.csv", "t,y\nred fox jumps,a\nold hen sits,b\nred hen runs,a\nold fox sleeps,b\n");
    for model in ["multinomial-nb", "bernoulli-nb", "complement-nb", "logistic --l2 1", "multinomial-nb --predictive"] {
        let line = format!("oddsmith fit mail.csv --target y --kind t=text --model {model} --hash-width 1000000 --tidy --format csv -q");
        let (code, out, err) = run(&session, &line);
        assert_eq!(code, Some(0), "{model}: {err}");
        assert!(out.lines().count() < 40, "{model}: {} lines", out.lines().count());
        assert!(out.contains("(each other)"), "{model}: {out}");
    }
}

#[test]
fn columns_beyond_every_unit_are_refused_by_every_model_that_has_units() {
    let session = Session::new();
    let row = |i: usize, power: &str| {
        format!("{}{power},{},{}\n", 1 + i * 31 % 23, i * 7 % 11, if (i * i + i / 3) % 5 < 2 { "yes" } else { "no" })
    };
    for (name, power) in [("tiny", "e-312"), ("small", "e-170"), ("large", "e170")] {
        session.write(&format!("{name}.csv"), format!("x,z,y\n{}", (0..60).map(|i| row(i, power)).collect::<String>()));
    }
    for model in ["lda", "qda", "least-squares", "knn", "logistic"] {
        let (code, _, err) = run(&session, &format!("oddsmith fit tiny.csv --target y --model {model} -q"));
        assert_eq!(code, Some(3), "{model}: {err}");
        assert!(err.contains("column `x`: has no value larger than") && err.contains("power of ten"), "{model}: {err}");
    }
    // What has a unit is no constant, and says what it says in any other unit.
    session.write("plain.csv", format!("x,z,y\n{}", (0..60).map(|i| row(i, "e0")).collect::<String>()));
    let predicted = |table: &str, model: &str| {
        let (code, out, err) = run(
            &session,
            &format!(
                "oddsmith fit {table}.csv --target y --model {model} -q -o m.odds > f.txt && oddsmith predict m.odds {table}.csv -q --format csv"
            ),
        );
        assert_eq!(code, Some(0), "{table}, {model}: {err}");
        out.lines().skip(1).map(|line| line.split(',').next_back().unwrap().parse::<f64>().unwrap_or(f64::NAN)).collect::<Vec<_>>()
    };
    for model in ["nb", "lda", "qda", "logistic", "tree", "forest", "boosting", "least-squares", "knn", "network", "kernel-logistic"] {
        let plain = predicted("plain", model);
        for table in ["small", "large"] {
            for (there, here) in predicted(table, model).iter().zip(&plain) {
                assert!((there - here).abs() <= 1e-6 || (there.is_nan() && here.is_nan()), "{table}, {model}: {there} is not {here}");
            }
        }
    }
}

/// Shows the places of a JSON value that hold no further values to `change`, until it has changed one.
fn changed(value: &mut Value, change: &mut dyn FnMut(&mut Value) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter_mut().any(|item| changed(item, change)),
        Value::Object(fields) => fields.values_mut().any(|field| changed(field, change)),
        leaf => change(leaf),
    }
}

#[test]
fn forged_rounds_are_faults_of_their_files() {
    let session = Session::new();
    let begun = run(&session, "oddsmith rounds begin 'low ~ age + race' --firth -q -o low.round");
    assert_eq!(begun.0, Some(0), "{}", begun.2);
    let step = "oddsmith rounds answer -q low.round births.csv -o a.answer > o.txt && oddsmith rounds advance -q low.round a.answer -o m.odds > o.txt";
    assert_eq!(run(&session, step).0, Some(0));
    let genuine = session.read("low.round");
    let mut tried = 0;
    for nth in 0.. {
        let (kind, mut record) = oddsmith::persist::from_bytes(&genuine, None).unwrap();
        let mut seen = 0;
        let found = changed(&mut record.head, &mut |leaf| {
            seen += 1;
            if seen <= nth {
                return false;
            }
            *leaf = match leaf {
                Value::Number(_) => Value::from(-7),
                Value::String(_) => Value::from("zzz"),
                Value::Bool(known) => Value::from(!*known),
                _ => Value::from("zzz"),
            };
            true
        });
        if !found {
            break;
        }
        tried += 1;
        session.write("low.round", oddsmith::persist::to_bytes(&record, kind).unwrap());
        let (code, _, err) = run(&session, step);
        assert!(matches!(code, Some(0 | 3 | 4 | 5)), "leaf {nth}: exit {code:?}: {err}");
    }
    assert!(tried > 5, "{tried} places of the head were changed");
}

#[test]
fn statistics_that_overlap_are_not_added_up() {
    let session = Session::new();
    session.shell(
        "for s in a b c; do case $s in a) r=2,70;; b) r=71,131;; c) r=132,190;; esac; \
                   (head -1 births.csv; sed -n ${r}p births.csv) > $s.csv; \
                   oddsmith stats gather $s.csv --target low -q -o $s.stats > o.txt; done",
    );
    let merge = |line: &str| run(&session, &format!("oddsmith stats merge {line} -q > o.txt"));
    assert_eq!(merge("a.stats b.stats -o ab.stats").0, Some(0));
    assert_eq!(merge("ab.stats c.stats -o abc.stats").0, Some(0));
    session.shell("cp b.stats renamed.stats; cp ab.stats whole.stats");
    for (line, names) in [
        ("ab.stats renamed.stats", ["ab.stats", "renamed.stats"]),
        ("c.stats abc.stats", ["c.stats", "abc.stats"]),
        ("ab.stats whole.stats", ["ab.stats", "whole.stats"]),
    ] {
        let (code, _, err) = merge(&format!("{line} -o twice.stats"));
        assert_eq!(code, Some(3), "{line}: {err}");
        assert!(names.iter().all(|name| err.contains(name)) && err.contains("would count twice"), "{line}: {err}");
    }
    // What was taken away may come back, and what is left may not be added to itself.
    assert_eq!(run(&session, "oddsmith stats subtract abc.stats c.stats -q -o rest.stats > o.txt").0, Some(0));
    assert_eq!(merge("rest.stats c.stats -o again.stats").0, Some(0));
    assert_eq!(merge("rest.stats a.stats -o twice.stats").0, Some(3));
    let facts = |name: &str| run(&session, &format!("oddsmith show {name} --format csv -q")).1;
    assert_eq!(facts("again.stats").lines().count(), facts("abc.stats").lines().count());
}

/// Sets in which all rows are alike separate the classes, and are what is to be conditioned on.
#[test]
fn a_separation_by_matched_sets_names_the_likelihood_within_them() {
    let session = Session::new();
    let mut text = String::from("set,x,y\n");
    for set in 0..24 {
        for member in 0..3 {
            // Two sets hold cases alone.
            let case = member == 0 || set < 2;
            text.push_str(&format!("s{set:02},{},{}\n", (set * 7 + member * 5) % 11, if case { "yes" } else { "no" }));
        }
    }
    session.write("sets.csv", &text);
    let (code, _, err) = run(&session, "oddsmith fit sets.csv 'y ~ x + C(set)'");
    assert_eq!(code, Some(5), "{err}");
    assert!(err.contains("compare rows within the sets if `set` numbers matched ones (strata(set) in the formula)"), "{err}");
    let (code, _, err) = run(&session, "oddsmith fit sets.csv 'y ~ x + C(set)' --on-separation firth");
    assert!(
        code == Some(0) && err.contains("if `set` numbers matched sets, strata(set) in the formula compares rows within them"),
        "{err}"
    );
    let (code, _, err) = run(&session, "oddsmith fit sets.csv 'y ~ x + strata(set)'");
    assert_eq!(code, Some(0), "{err}");
}
