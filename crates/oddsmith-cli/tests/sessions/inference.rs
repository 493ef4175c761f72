//! What regressions say about their terms, their rows and their units.

use serde_json::Value;

use crate::session::Session;

fn json(session: &Session, line: &str) -> Value {
    let output = session.shell(line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn rows(session: &Session, line: &str) -> Vec<Value> {
    json(session, line).as_array().unwrap().clone()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("{name} is missing in {row}"))
}

/// Rows with a number, twice the number, a constant, another number, and classes that neither tells apart.
fn dependent(session: &Session) {
    let row = |i: u32| {
        let (a, c) = (i * 37 % 101, i * 53 % 17);
        format!("{a},{c},{},1,{}\n", 2 * a, if (a + 7 * c + i * i % 11).is_multiple_of(3) { "yes" } else { "no" })
    };
    session.write("t.csv", format!("a,c,b,k,y\n{}", (0..120).map(row).collect::<String>()));
}

#[test]
fn a_term_that_others_explain_takes_no_other_term_away() {
    let session = Session::new();
    dependent(&session);
    let tests = |formula: &str, test: &str| {
        let all = rows(&session, &format!("oddsmith fit t.csv '{formula}' --tests --json -q"));
        let own = all.into_iter().filter(|row| row["test"] == test);
        own.map(|row| (row["term"].as_str().unwrap().to_owned(), number(&row, "df"), number(&row, "chi2"))).collect::<Vec<_>>()
    };
    let close = |got: Vec<(String, f64, f64)>, want: &[(&str, f64, f64)]| {
        assert_eq!(got.len(), want.len(), "{got:?}");
        for ((term, df, chi2), (want_term, want_df, want_chi2)) in got.iter().zip(want) {
            assert!(term == want_term && df == want_df && (chi2 - want_chi2).abs() < 1e-9, "{got:?} is not {want:?}");
        }
    };
    let plain = tests("y ~ a + c", "anova");
    let (a, c) = (plain[0].2, plain[1].2);
    // R: a column that others explain has no degree of freedom and changes no other row.
    close(tests("y ~ a + c + b", "anova"), &[("a", 1.0, a), ("c", 1.0, c), ("b", 0.0, 0.0)]);
    close(tests("y ~ a + c + k", "anova"), &[("a", 1.0, a), ("c", 1.0, c), ("k", 0.0, 0.0)]);
    close(tests("y ~ a + b + c", "anova"), &[("a", 1.0, a), ("b", 0.0, 0.0), ("c", 1.0, c)]);
    close(tests("y ~ k + a + c", "anova"), &[("k", 0.0, 0.0), ("a", 1.0, a), ("c", 1.0, c)]);
    let alone = tests("y ~ a + c", "drop1");
    // Without `a` the model still has `b`, and is the same.
    close(tests("y ~ a + c + b", "drop1"), &[("a", 0.0, 0.0), ("c", 1.0, alone[1].2), ("b", 0.0, 0.0)]);
    close(tests("y ~ a + c + k", "drop1"), &[("a", 1.0, alone[0].2), ("c", 1.0, alone[1].2), ("k", 0.0, 0.0)]);
}

#[test]
fn a_category_within_another_loses_what_the_other_does_not_tell() {
    let session = Session::new();
    // Wards lie within two regions: knowing the ward is knowing the region.
    let row = |i: u32| {
        let ward = i * 7 % 5;
        format!(
            "w{ward},{},{}\n",
            if ward < 2 { "north" } else { "south" },
            if (i / 5 * 7 + ward).is_multiple_of(3) { "yes" } else { "no" }
        )
    };
    session.write("t.csv", format!("ward,region,y\n{}", (0..100).map(row).collect::<String>()));
    let all = rows(&session, "oddsmith fit t.csv 'y ~ region + ward' --tests --json -q");
    let of = |test: &str, term: &str| all.iter().find(|row| row["test"] == test && row["term"] == term).unwrap().clone();
    assert_eq!((number(&of("drop1", "region"), "df"), number(&of("drop1", "region"), "chi2")), (0.0, 0.0));
    assert_eq!(number(&of("drop1", "ward"), "df"), 3.0);
    assert!((number(&of("drop1", "ward"), "chi2") - number(&of("anova", "ward"), "chi2")).abs() < 1e-9);
    assert!(of("drop1", "region")["p_value"].is_null());
}

#[test]
fn tests_of_terms_are_one_table_in_every_format() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age * smoke' --tests -q --format table",
        "oddsmith fit births.csv 'low ~ age * smoke' --tests -q --format csv",
        "oddsmith fit births.csv 'low ~ age * smoke' --tests -q --format md",
        "oddsmith fit births.csv 'low ~ age * smoke' --tests -q --format latex",
        "oddsmith fit births.csv 'low ~ age * smoke' --tests -q --format html",
    ]));
    let csv = String::from_utf8(session.shell("oddsmith fit births.csv 'low ~ age * smoke' --tests -q --format csv").stdout).unwrap();
    let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(widths.len() == 5 && widths.iter().all(|width| *width == widths[0]), "{csv}");
}

#[test]
fn a_unit_holds_wherever_its_column_enters_as_it_is() {
    let session = Session::new();
    let fit = "oddsmith fit births.csv 'low ~ age * smoke + age:lwt + log(age)' --ci wald --tidy --json -q";
    let (plain, scaled) = (rows(&session, fit), rows(&session, &format!("{fit} --unit age=10 --unit lwt=5")));
    for (plain, scaled) in plain.iter().zip(&scaled) {
        let unit = match plain["term"].as_str().unwrap() {
            "age" | "age:smoke" => 10.0,
            "age:lwt" => 50.0,
            _ => 1.0,
        };
        assert_eq!((number(scaled, "unit"), number(scaled, "estimate")), (unit, number(plain, "estimate")));
        for (of_odds, of_estimate) in [("odds_ratio", "estimate"), ("odds_low", "conf_low"), ("odds_high", "conf_high")] {
            let want = (number(plain, of_estimate) * unit).exp();
            assert!((number(scaled, of_odds) / want - 1.0).abs() < 1e-12, "{scaled}");
        }
    }
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age * smoke + log(age)' --unit age=10 --format table -q",
        "oddsmith fit births.csv 'low ~ age + lwt' --unit agee=10",
        "oddsmith fit births.csv 'low ~ age + race' --unit race=2",
        "oddsmith fit births.csv 'low ~ poly(age, 2)' --unit age=10",
        "oddsmith fit births.csv 'low ~ age' --unit bwt=10",
        "oddsmith fit births.csv 'low ~ age' --unit age=0",
        "oddsmith fit births.csv 'low ~ age' --unit age=-10",
        "oddsmith fit births.csv 'low ~ age' --unit age=inf",
    ]));
}

#[test]
fn a_row_that_lacks_a_predictor_has_no_residual() {
    let session = Session::new();
    let table = "x,g,y\n1,u,no\n2,v,yes\n,u,no\n3,,yes\n5,u,yes\n4,v,no\n2,u,no\n6,v,yes\n3,u,\n";
    session.write("t.csv", table);
    for line in ["oddsmith fit t.csv 'y ~ x + g' --augment --json -q -o t.odds", "oddsmith show t.odds --augment t.csv --json -q"] {
        let rows = rows(&session, line);
        assert_eq!(rows.iter().map(|row| row["row"].as_u64().unwrap()).collect::<Vec<_>>(), (1..=9).collect::<Vec<_>>());
        for (i, row) in rows.iter().enumerate() {
            let lacking = i == 2 || i == 3;
            for figure in ["fitted", "log_odds", "std_error", "leverage"] {
                assert_eq!(row[figure].is_null(), lacking, "{figure} of {row}");
            }
            // The last row has no class.
            for figure in ["resid_deviance", "resid_pearson", "std_resid_deviance", "cooks_distance"] {
                assert_eq!(row[figure].is_null(), lacking || i == 8, "{figure} of {row}");
            }
        }
    }
}

#[test]
fn rows_of_weight_zero_keep_their_numbers() {
    let session = Session::new();
    let row = |i: u32| format!("{},{},{}\n", i * 37 % 101, ["no", "yes"][(i * i % 7 % 2) as usize], i % 3);
    session.write("w.csv", format!("x,y,w\n{}", (0..30).map(row).collect::<String>()));
    let of = |line: &str| rows(&session, line);
    let all = of("oddsmith fit w.csv 'y ~ x' --weight w --augment --json -q");
    assert_eq!(all.iter().map(|row| row["row"].as_u64().unwrap()).collect::<Vec<_>>(), (1..=30).collect::<Vec<_>>());
    assert_eq!(of("cat w.csv | oddsmith fit - 'y ~ x' --weight w --augment --json -q"), all);
    // A row of weight two is the row twice: together the copies have its leverage, each has half of its squared residuals.
    let twice = (0..30).flat_map(|i| std::iter::repeat_n(row(i), (i % 3) as usize)).collect::<String>();
    session.write("twice.csv", format!("x,y,w\n{twice}"));
    let copies = of("oddsmith fit twice.csv 'y ~ x' --augment --json -q");
    let mut copy = copies.iter();
    for (i, row) in all.iter().enumerate() {
        let own: Vec<&Value> = copy.by_ref().take(i % 3).collect();
        let sum = |figure: &str, power: i32| own.iter().map(|row| number(row, figure).powi(power)).sum::<f64>();
        assert!((number(row, "leverage") - sum("leverage", 1)).abs() < 1e-10, "{row}");
        assert!((number(row, "resid_deviance").powi(2) - sum("resid_deviance", 2)).abs() < 1e-10, "{row}");
    }
}

#[test]
fn a_row_that_decides_its_fitted_value_has_no_distance() {
    let session = Session::new();
    session.write("s.csv", "g,y,n\nu,3,10\nv,4,9\nw,2,7\n");
    for row in rows(&session, "oddsmith fit s.csv 'y/n ~ g' --augment --json -q") {
        assert!((number(&row, "leverage") - 1.0).abs() < 1e-9 && number(&row, "resid_deviance").abs() < 1e-6, "{row}");
        for figure in ["cooks_distance", "std_resid_deviance", "std_resid_pearson"] {
            assert!(row[figure].is_null(), "{figure} of {row}");
        }
    }
}

#[test]
fn levels_tell_their_rows_and_events() {
    let session = Session::new();
    let tidy = rows(&session, "oddsmith fit births.csv 'low ~ age + race' --tidy --json -q");
    let text = String::from_utf8(session.read("births.csv")).unwrap();
    let cells: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let at = |name: &str| cells[0].iter().position(|column| *column == name).unwrap();
    for row in tidy.iter().filter(|row| row["term"] == "race") {
        let own = cells[1..].iter().filter(|cells| row["level"] == cells[at("race")]);
        let events = own.clone().filter(|cells| cells[at("low")] == "yes").count();
        assert_eq!((row["n"].as_u64(), row["events"].as_u64()), (Some(own.count() as u64), Some(events as u64)), "{row}");
    }
    assert!(tidy.iter().filter(|row| row["term"] != "race").all(|row| row["n"].is_null()));
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age + race' --format table -q",
        "oddsmith fit births.csv 'low ~ age + C(race, contrast = sum)' --format table -q",
        "oddsmith fit births.csv 'race ~ age + smoke' --format table -q",
        "oddsmith fit births.csv 'low ~ age + race' --format md -q",
    ]));
}

#[test]
fn crude_odds_ratios_are_those_of_terms_alone_on_the_same_rows() {
    let session = Session::new();
    // Ages of some rows are missing: the crude odds ratio of smoking must do without these rows too.
    let text = String::from_utf8(session.read("births.csv")).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let at = header.split(',').position(|column| column == "age").unwrap();
    let (mut gaps, mut whole) = (format!("{header}\n"), format!("{header}\n"));
    for (i, line) in lines.enumerate() {
        let mut cells: Vec<&str> = line.split(',').collect();
        if i % 9 == 4 {
            cells[at] = "";
        } else {
            whole.push_str(&format!("{line}\n"));
        }
        gaps.push_str(&format!("{}\n", cells.join(",")));
    }
    session.write("gaps.csv", gaps).write("whole.csv", whole);
    let tidy = rows(&session, "oddsmith fit gaps.csv 'low ~ age + smoke + race' --crude --tidy --json -q --unit age=10");
    for term in ["age", "smoke", "race"] {
        let unit = if term == "age" { "--unit age=10" } else { "" };
        let alone = rows(&session, &format!("oddsmith fit whole.csv 'low ~ {term}' --tidy --json -q {unit}"));
        for alone in alone.iter().filter(|row| row["term"] == term && !row["column"].is_null()) {
            let row = tidy.iter().find(|row| row["column"] == alone["column"]).unwrap();
            for (crude, own) in
                [("crude_odds_ratio", "odds_ratio"), ("crude_low", "odds_low"), ("crude_high", "odds_high"), ("crude_p_value", "p_value")]
            {
                assert!((number(row, crude) / number(alone, own) - 1.0).abs() < 1e-8, "{crude} of {row}");
            }
        }
    }
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age * smoke + race' --crude --format table -q",
        "oddsmith fit births.csv 'low ~ smoke + race - 1' --crude -q",
        "oddsmith fit births.csv --target low --model nb --crude -q",
    ]));
}

#[test]
fn a_known_prevalence_moves_the_intercept_and_leaves_the_odds_ratios() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age + smoke' -o low.odds -q --format table",
        "oddsmith calibrate low.odds --prevalence yes=0.01 -o p.odds --format table",
        "oddsmith show p.odds --format table",
        "oddsmith calibrate low.odds births.csv --method platt -o platt.odds -q --format csv",
        "oddsmith predict platt.odds births.csv --interval -q",
    ]));
    let of = |file: &str| rows(&session, &format!("oddsmith show {file} --tidy --json -q"));
    // ln(0.01/0.99) − ln(59/130), the shares of the rows.
    let by = (0.01f64 / 0.99).ln() - (59.0f64 / 130.0).ln();
    for (before, after) in of("low.odds").iter().zip(of("p.odds")) {
        let by = if before["term"] == "(intercept)" { by } else { 0.0 };
        for figure in ["estimate", "conf_low", "conf_high"] {
            assert!((number(&after, figure) - number(before, figure) - by).abs() < 1e-12, "{figure} of {after}");
        }
        assert_eq!(number(&after, "std_error"), number(before, "std_error"));
    }
    let intervals = |file: &str| rows(&session, &format!("oddsmith predict {file} births.csv --interval --json -q"));
    let log_odds = |p: f64| (p / (1.0 - p)).ln();
    for (before, after) in intervals("low.odds").iter().zip(intervals("p.odds")) {
        for figure in ["p_yes", "low_yes", "high_yes"] {
            let moved = log_odds(number(&after, figure)) - log_odds(number(before, figure));
            assert!((moved - by).abs() < 1e-10, "{figure}: {moved} is not {by}");
        }
    }
    // Back to where it came from.
    session.shell("oddsmith calibrate p.odds --prevalence yes=0.31216931216931215 -o q.odds -q");
    for (before, after) in intervals("low.odds").iter().zip(intervals("q.odds")) {
        assert!((number(before, "p_yes") - number(&after, "p_yes")).abs() < 1e-14);
    }
}

#[test]
fn class_weights_do_not_change_the_shares_of_the_rows() {
    let session = Session::new();
    for (flags, want) in [
        ("", 59.0 / 189.0),
        ("--class-weight balanced", 59.0 / 189.0),
        ("--class-weight yes=3", 59.0 / 189.0),
        ("--class-weight balanced --keep-class-weights", 0.5),
        ("--class-weight yes=3 --keep-class-weights", 177.0 / 307.0),
    ] {
        session.shell(&format!("oddsmith fit births.csv 'low ~ age' {flags} -o m.odds -q"));
        let card = json(&session, "oddsmith calibrate m.odds --prevalence yes=0.1 --json -q");
        let mix = card["class_proportions"].as_array().unwrap();
        assert!((number(&mix[1], "sampled") - want).abs() < 1e-12, "{flags}: {card}");
        assert_eq!(json(&session, "oddsmith show m.odds --glance --json -q")[0]["events"], 59, "{flags}");
    }
}

#[test]
fn columns_at_the_ends_of_what_numbers_hold_are_named() {
    let session = Session::new();
    let rows = || (0..60).map(|i| (i % 3 == 0 || i % 7 == 0, f64::from((i * 37) % 60)));
    let table = |factor: f64| -> String {
        let lines: String = rows().map(|(y, x)| format!("{},{:e}\n", u8::from(y), x * factor)).collect();
        format!("y,x\n{lines}")
    };
    for factor in [1e170, 1e-170] {
        session.write("far.csv", table(factor));
        let done = session.shell("oddsmith fit far.csv 'y ~ x' --tidy --json");
        let (told, said) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
        assert!(done.status.success() && told.contains("\"std_error\": null") && !told.contains("\"p_value\": 0"), "×{factor:e}: {told}");
        assert!(said.contains("W209 x: in the units of the column"), "×{factor:e}: {said}");
    }
    session.write("far.csv", table(1e-312));
    let done = session.shell("oddsmith fit far.csv 'y ~ x'");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.code() == Some(3) && said.contains("column `x`: has no value larger than"), "{said}");
    // A penalty in the units of the column leaves nothing of a tiny column's effect, and nothing but it of a huge one's.
    for factor in [1e-170, 1e-120, 1e170] {
        session.write("far.csv", table(factor));
        let rows = json(&session, "oddsmith fit far.csv 'y ~ x' --l2 1 --tidy --json -q");
        let own = (number(&rows[1], "estimate") * factor).abs();
        assert!(if factor < 1.0 { own < 1e-12 } else { own > 1e-3 }, "×{factor:e}: {own}");
    }
    let done = session.shell("oddsmith fit far.csv --target y --model perceptron -o far.odds");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.code() == Some(5) && said.contains("measure columns in other units"), "{said}");
    // As far as variances reach, units change nothing but the units.
    let z = |factor: f64| {
        session.write("near.csv", table(factor));
        number(&json(&session, "oddsmith fit near.csv 'y ~ x' --tidy --json -q")[1], "statistic")
    };
    for factor in [1e-120, 1e120] {
        assert!((z(factor) / z(1.0) - 1.0).abs() < 1e-9, "×{factor:e}");
    }
}

#[test]
fn weights_beyond_what_sums_hold_are_named() {
    let session = Session::new();
    for weight in ["1e308", "1e150"] {
        let done = session.shell(&format!("oddsmith fit births.csv 'low ~ age' --class-weight yes={weight}"));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(3) && said.contains("the weights of the rows"), "{weight}: {said}");
    }
    let z = |flags: &str| number(&json(&session, &format!("oddsmith fit births.csv 'low ~ age' {flags} --tidy --json -q"))[1], "estimate");
    assert!((z("--class-weight yes=1e13,no=1e13") / z("") - 1.0).abs() < 1e-9);
}
