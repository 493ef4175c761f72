//! Regressions: what people see, what programs get, and what stands in the way of an estimate.

use serde_json::Value;

use crate::session::Session;

#[test]
fn a_formula_and_its_odds_ratios() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age + lwt + C(race, ref=white) + smoke' --unit age=10 --format table -o low.odds",
        "oddsmith show low.odds --format table",
        "oddsmith show low.odds --tests --format table",
        "oddsmith show low.odds --glance --format csv | cut -d, -f1-8",
        "oddsmith show low.odds --tidy --format csv | cut -d, -f1-4,15-16",
        "oddsmith show low.odds --augment births.csv --format table -q | head -4",
        "oddsmith fit births.csv 'low ~ age * smoke' --ci wald --level 0.9 --no-tests --format table -q",
        "oddsmith fit births.csv 'low ~ age + race' --format md -q",
        "oddsmith fit births.csv --target low --model logistic --features age,smoke --robust HC3 --format table -q",
        "oddsmith fit births.csv 'low ~ age + smoke' --cluster race --format table -q",
        "oddsmith fit births.csv 'low ~ age + smoke' --ref low=yes --format table -q",
    ]));
}

#[test]
fn more_than_two_classes() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit iris.csv 'Species ~ Sepal.Length' --ref Species=virginica --format table -o iris.odds",
        "oddsmith fit iris.csv 'Species ~ Sepal.Length' --augment --format table -q | head -3",
        "oddsmith predict iris.odds iris.csv --interval --format table -q | head -3",
        "oddsmith explain iris.odds iris.csv --row 1 --format table",
        "oddsmith fit iris.csv 'Species ~ Sepal.Length + Petal.Length'",
    ]));
}

#[test]
fn other_solvers_and_one_regression_per_class() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age + smoke' --route gradient --format table -q",
        "oddsmith fit births.csv 'low ~ age + smoke' --route gradient --rate -1",
        "oddsmith fit births.csv 'low ~ age + smoke' --rate 1",
        "oddsmith fit births.csv 'race ~ age + lwt' --model one-vs-rest --format table -o race.odds",
        "oddsmith predict race.odds births.csv --format table -q | head -3",
        "oddsmith fit births.csv 'race ~ age' --model one-vs-rest --cluster low",
    ]));
}

#[test]
fn keys_and_offsets_are_given_by_options_or_by_the_formula() {
    let session = Session::new();
    session.write(
        "wards.csv",
        "x,t,ward,died\n1,0,a,no\n2,1,a,yes\n3,0,b,no\n4,1,b,yes\n5,0,c,yes\n6,1,c,no\n7,0,,yes\n8,1,NA,no\n9,0,d,yes\n",
    );
    let tidy = |arguments: &str| {
        let run = session.shell(&format!("oddsmith fit {arguments} --ci wald --no-tests --tidy --format csv -q"));
        assert_eq!(run.status.code(), Some(0), "{arguments}: {}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    };
    let clustered = tidy("births.csv 'low ~ age + smoke' --cluster race");
    assert_eq!(tidy("births.csv 'low ~ age + smoke + cluster(race)'"), clustered);
    assert_eq!(tidy("births.csv 'low ~ age + smoke + cluster(race)' --cluster race"), clustered);
    assert_eq!(tidy("births.csv --model logistic --target low --features age,smoke --cluster race"), clustered);
    assert_ne!(tidy("births.csv 'low ~ age + smoke' --robust HC1"), clustered);
    // A column may be a predictor and a key.
    assert_eq!(tidy("births.csv 'low ~ age + race' --cluster race"), tidy("births.csv 'low ~ age + race + cluster(race)'"));
    let offset = tidy("births.csv 'low ~ age + offset(ftv)'");
    assert_eq!(tidy("births.csv 'low ~ age' --offset ftv"), offset);
    assert_eq!(tidy("births.csv --model logistic --target low --features age --offset ftv"), offset);
    assert_session!(session.transcript(&[
        "oddsmith fit wards.csv 'died ~ x' --cluster ward --format table",
        "oddsmith fit births.csv 'low ~ age + cluster(rce)'",
        "oddsmith fit births.csv 'low ~ age + cluster(race)' --cluster smoke",
        "oddsmith fit births.csv 'low ~ age + cluster(race)' --robust HC3",
        "oddsmith fit births.csv 'low ~ age + cluster(race)' --ci profile",
        "oddsmith fit births.csv 'low ~ age + strata(race)'",
        "oddsmith fit births.csv 'race ~ age + cluster(low)' --model one-vs-rest",
        "oddsmith fit births.csv --target low --features age,race --cluster race --model logistic",
        "oddsmith rounds begin 'low ~ age + cluster(race)' --format table -o low.round",
    ]));
}

#[test]
fn formulas_that_cannot_be_read() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age +'",
        "oddsmith fit births.csv 'low ~ age + rce'",
        "oddsmith fit births.csv 'lwo ~ age'",
        "oddsmith fit births.csv 'low ~ age + low'",
        "oddsmith fit births.csv 'low ~ lg(age)'",
        "oddsmith fit births.csv 'low ~ C(race, ref=green)'",
        "oddsmith fit births.csv 'low ~ log(race)'",
        "oddsmith fit births.csv 'low ~ age + rce' --json",
        "oddsmith fit births.csv 'low ~ age' --target age",
        "oddsmith fit births.csv 'low ~ age' --features age",
        "oddsmith fit births.csv 'low ~ age' --exclude race",
        "oddsmith fit births.csv 'low ~ age' --model lda",
        "oddsmith fit births.csv --target low --l2 1",
        "oddsmith fit births.csv --target low --tests",
        "oddsmith fit births.csv 'low ~ age' --smoothing 1",
        "oddsmith fit births.csv 'low ~ age' --ref race",
        "oddsmith fit births.csv 'low ~ race' --ref race=green",
        "oddsmith fit births.csv 'low ~ race' --ref low=maybe",
        "oddsmith fit births.csv 'low ~ age' --unit age=ten",
        "oddsmith fit births.csv 'low ~ age' --class-weight heavy",
        "oddsmith fit births.csv 'low ~ age' --robust HC1 --ci profile",
        "oddsmith fit births.csv 'low ~ age' --l2 -1",
        "oddsmith fit births.csv 'low ~ age' --firth --l2 1",
    ]));
}

/// Rows of a table with `y` decided by `rule`.
fn table(header: &str, row: impl Fn(u32) -> String) -> String {
    std::iter::once(format!("{header}\n")).chain((0..40).map(|i| row(i) + "\n")).collect()
}

#[test]
fn when_there_is_no_estimate() {
    let session = Session::new();
    let noisy = |i: u32| if (i * 7919) % 13 < 6 { "yes" } else { "no" };
    session
        .write("apart.csv", table("x,z,y", |i| format!("{i},{},{}", i * 7 % 11, if i < 20 { "no" } else { "yes" })))
        .write(
            "quasi.csv",
            table("stage,z,y", |i| {
                format!("{},{},{}", if i % 8 == 0 { "IV" } else { "I" }, i * 7 % 11, if i % 8 == 0 { "yes" } else { noisy(i) })
            }),
        )
        .write("alias.csv", table("a,b,c,k,y", |i| format!("{},{},{},7,{}", i * i % 17, i % 5, 2 * (i * i % 17) + 3 * (i % 5), noisy(i))))
        .write("few.csv", "a,b,c,y\n1,2,3,no\n2,1,1,yes\n4,1,5,no\n")
        .write("one.csv", "a,y\n1,no\n2,no\n");
    assert_session!(session.transcript(&[
        "oddsmith fit apart.csv 'y ~ x + z'",
        "oddsmith fit apart.csv 'y ~ x + z' --json",
        "oddsmith fit quasi.csv 'y ~ stage + z'",
        "oddsmith fit quasi.csv 'y ~ stage + z' --on-separation firth --format table",
        "oddsmith fit quasi.csv 'y ~ stage + z' --l2 1 --format table",
        "oddsmith fit alias.csv 'y ~ a + b + c + k' --format table",
        "oddsmith fit alias.csv 'y ~ a + b + c + k' --strict",
        "oddsmith fit few.csv 'y ~ a + b + c'",
        "oddsmith fit one.csv 'y ~ a'",
        "oddsmith fit alias.csv 'y ~ a + b' --max-steps 1",
    ]));
}

#[test]
fn rows_that_lack_a_value() {
    let session = Session::new();
    let noisy = |i: u32| if (i * 7919) % 13 < 6 { "yes" } else { "no" };
    let gap = |i: u32, value: String| if i % 9 == 4 { String::new() } else { value };
    session.write(
        "t.csv",
        table("a,g,y", |i| format!("{},{},{}", gap(i, (i * i % 17).to_string()), gap(i + 3, ["u", "v"][i as usize % 2].into()), noisy(i))),
    );
    session.write("new.csv", "a,g\n3,u\n,v\n4,w\n5,v\n");
    assert_session!(session.transcript(&[
        "oddsmith fit t.csv 'y ~ a + g' --format table -o t.odds",
        "oddsmith predict t.odds new.csv --format table",
        "oddsmith predict t.odds new.csv --strict -q --format csv",
        "oddsmith explain t.odds new.csv --row 2 --format table",
        "oddsmith evaluate t.odds t.csv --show classes --format table",
        "oddsmith fit t.csv 'y ~ a + g' --missing error",
        "oddsmith fit t.csv 'y ~ a + g' --missing indicator --format table -o t.odds",
        "oddsmith predict t.odds new.csv --format table -q",
        "oddsmith fit t.csv 'y ~ a + g' --missing mean --format table",
    ]));
}

#[test]
fn labels_of_every_coding_give_the_same_regression() {
    let session = Session::new();
    let event = |i: u32| usize::from((i * 7919) % 13 < 6);
    for (name, labels) in [("text", ["no", "yes"]), ("zero", ["0", "1"]), ("sign", ["-1", "+1"]), ("flag", ["false", "true"])] {
        session.write(&format!("{name}.csv"), table("x,y", |i| format!("{},{}", i * i % 17, labels[event(i)])));
    }
    let shares = table("x,no,yes", |i| format!("{},{},{}", i * i % 17, 1 - event(i), event(i)));
    session.write("shares.csv", shares);
    let estimates = |line: &str| {
        let output = session.shell(line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        let figures = |row: &Value| ["estimate", "std_error", "p_value", "conf_low", "conf_high"].map(|name| row[name].as_f64().unwrap());
        rows.as_array().unwrap().iter().map(figures).collect::<Vec<_>>()
    };
    let text = estimates("oddsmith fit text.csv 'y ~ x' --tidy --json -q");
    for name in ["zero", "sign", "flag"] {
        assert_eq!(estimates(&format!("oddsmith fit {name}.csv 'y ~ x' --tidy --json -q")), text, "{name}");
    }
    assert_eq!(estimates("oddsmith fit shares.csv '~ x' --shares no,yes --tidy --json -q"), text);
    assert_eq!(estimates("oddsmith fit text.csv --target y --model logistic --tidy --json -q"), text);
}

#[test]
fn text_columns_with_a_penalty() {
    let session = Session::new();
    let words = "__label__spam cheap pills now\n__label__ham meeting at noon\n__label__spam cheap meeting pills\n__label__ham noon now\n";
    session.write("words.txt", words).write("new.txt", "cheap noon pills\n");
    assert_session!(session.transcript(&[
        "oddsmith fit words.txt --model logistic",
        "oddsmith fit words.txt --model logistic --l2 1 --format table -o words.odds",
        "oddsmith predict words.odds words.txt --format table -q",
        "oddsmith show words.odds --tests",
        "oddsmith predict words.odds words.txt --interval",
    ]));
}

#[test]
fn weights_of_classes_move_the_intercept_back() {
    let session = Session::new();
    let mean = |flags: &str| {
        let fit = session.shell(&format!("oddsmith fit births.csv 'low ~ age + lwt + smoke' {flags} -o m.odds -q"));
        assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
        let rows: Value = serde_json::from_slice(&session.shell("oddsmith predict m.odds births.csv --json -q").stdout).unwrap();
        let rows = rows.as_array().unwrap();
        rows.iter().map(|row| row["p_yes"].as_f64().unwrap()).sum::<f64>() / rows.len() as f64
    };
    // Maximum likelihood with an intercept reproduces the share of the event, 59 of 189.
    assert!((mean("") - 59.0 / 189.0).abs() < 1e-10);
    assert!((mean("--class-weight balanced") - 59.0 / 189.0).abs() < 0.01);
    assert!((mean("--class-weight balanced --keep-class-weights") - 0.5).abs() < 0.02);
    assert!((mean("--class-weight yes=2,no=2") - 59.0 / 189.0).abs() < 1e-10);
}

#[test]
fn threads_and_memory_change_no_bit_of_a_regression() {
    let session = Session::new();
    let rows: String =
        (0..20_000u64).map(|i| format!("{},{},{}\n", i * 7919 % 1000, i * 31 % 17, ["a", "b", "c"][(i * 13 % 7 % 3) as usize])).collect();
    session.write("t.csv", format!("x,z,y\n{rows}"));
    let model = |flags: &str| {
        let fit = session.shell(&format!("oddsmith fit -q t.csv 'y ~ x + C(z)' {flags} -o t.odds"));
        assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
        session.read("t.odds")
    };
    let one = model("--threads 1");
    assert!(one == model("--threads 3") && one == model("--memory 1M"));
}

/// Rows of `fit … --augment`.
fn augmented(session: &Session, line: &str) -> Vec<Value> {
    let output = session.shell(line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).unwrap().as_array().unwrap().clone()
}

#[test]
fn standard_errors_of_a_saturated_softmax_are_those_of_shares() {
    let session = Session::new();
    let counts = [("u", [5, 9, 14]), ("v", [11, 3, 7])];
    let mut text = "g,y\n".to_owned();
    for (group, counts) in counts {
        for (label, count) in ["a", "b", "c"].iter().zip(counts) {
            text.push_str(&format!("{group},{label}\n").repeat(count));
        }
    }
    session.write("t.csv", text);
    // One probability per group and class: the log odds of a share p of n rows have the variance 1/(n p (1 − p)).
    for (i, row) in augmented(&session, "oddsmith fit t.csv 'y ~ g' --augment --json -q").iter().enumerate() {
        let (_, counts) = counts[usize::from(i >= 28)];
        let rows = counts.iter().sum::<usize>() as f64;
        for (label, count) in ["a", "b", "c"].iter().zip(counts) {
            let share = count as f64 / rows;
            let error = (rows * share * (1.0 - share)).sqrt().recip();
            let figure = |name: &str| row[format!("{name}_{label}")].as_f64().unwrap();
            assert!((figure("fitted") - share).abs() < 1e-10, "{row}");
            assert!((figure("std_error") - error).abs() < 1e-9 * error, "{row}");
            let low = 1.0 / (1.0 + (1.959_963_984_540_054 * error - (share / (1.0 - share)).ln()).exp());
            assert!((figure("conf_low") - low).abs() < 1e-9, "{row}");
        }
    }
}

#[test]
fn a_large_offset_costs_no_digits_of_a_standard_error() {
    let session = Session::new();
    let event = |i: u32| ["no", "yes"][usize::from((i * 7919) % 13 < 6)];
    for (name, offset) in [("near", 0), ("far", 1 << 40)] {
        session.write(&format!("{name}.csv"), table("x,y", |i| format!("{},{}", u64::from(i * i % 17) + offset, event(i))));
    }
    let rows = |name: &str| augmented(&session, &format!("oddsmith fit {name}.csv 'y ~ x' --augment --json -q"));
    for (near, far) in rows("near").iter().zip(rows("far")) {
        for figure in ["fitted", "std_error", "leverage", "cooks_distance", "resid_deviance"] {
            let (near, far) = (near[figure].as_f64().unwrap(), far[figure].as_f64().unwrap());
            assert!((near - far).abs() < 1e-9, "{figure}: {near} and {far}");
        }
    }
}

#[test]
fn class_shares_alone() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ 1' --format table -o one.odds",
        "oddsmith show one.odds --tidy --format table",
        "oddsmith predict one.odds births.csv --format table -q | head -3",
    ]));
}

#[test]
fn counts_in_place_of_labels() {
    let session = Session::new();
    session.write("dose.csv", "dose,dead,total\n0,1,20\n1,4,20\n2,9,20\n3,13,20\n4,18,20\n");
    session.write("bad.csv", "dose,dead,total\n0,1,20\n1,24,20\n");
    assert_session!(session.transcript(&[
        "oddsmith fit dose.csv 'dead/total ~ dose' --format table -o dose.odds",
        "oddsmith fit dose.csv 'cbind(dead, total - dead) ~ dose' --augment --format table -q",
        "oddsmith predict dose.odds dose.csv --interval 0.9 --format table",
        "oddsmith fit bad.csv 'dead/total ~ dose'",
    ]));
}

#[test]
fn curves_and_products_of_columns() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ ns(age, df = 3) + poly(lwt, 2) + log(lwt):smoke' --format table -o low.odds",
        "oddsmith show low.odds --tests --format table",
        "oddsmith predict low.odds births.csv --format table -q | head -4",
        "oddsmith show low.odds --weights",
    ]));
    // Neither column alone tells the classes apart, their product does; noise keeps the estimate finite.
    let rows = table("a,b,y", |i| {
        let (a, b) = (i % 2, i / 2 % 2);
        format!("{a},{b},{}", if (a ^ b == 1) == (i % 7 != 0) { "yes" } else { "no" })
    });
    session.write("xor.csv", rows);
    let accuracy = |formula: &str| {
        let fit = session.shell(&format!("oddsmith fit -q xor.csv '{formula}' -o xor.odds"));
        assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
        let rows: Value = serde_json::from_slice(&session.shell("oddsmith predict -q xor.odds xor.csv --id y --json").stdout).unwrap();
        let rows = rows.as_array().unwrap();
        rows.iter().filter(|row| row["y"] == row["predicted"]).count() as f64 / rows.len() as f64
    };
    assert!(accuracy("y ~ a + b") < 0.7 && accuracy("y ~ a * b") > 0.84);
}
