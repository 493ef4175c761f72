//! Classes that columns tell apart: infinite odds ratios on request, and levels among thousands.

use serde_json::Value;

use crate::session::Session;

/// Runs a line: exit code, standard output and standard error.
fn run(session: &Session, line: &str) -> (Option<i32>, String, String) {
    let output = session.shell(line);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// 8 events of 20 where `x` is 0, 7 of 7 where it is 1.
fn quasi(session: &Session) {
    let rows = "0,no\n".repeat(12) + &"0,yes\n".repeat(8) + &"1,yes\n".repeat(7);
    session.write("quasi.csv", format!("x,y\n{rows}"));
}

#[test]
fn an_infinite_odds_ratio_has_one_limit_in_every_output_and_in_the_file() {
    let session = Session::new();
    quasi(&session);
    let line = "oddsmith fit quasi.csv 'y ~ x' --on-separation infinite";
    let (code, out, err) = run(&session, &format!("{line} --tidy --json -o quasi.odds"));
    assert!(code == Some(0) && err.contains("W204") && err.contains("`x`"), "{err}");
    let rows: Vec<Value> = serde_json::from_str(&out).unwrap();
    let [intercept, x] = &rows[..] else { panic!("{out}") };
    assert!((intercept["estimate"].as_f64().unwrap() - (8.0f64 / 12.0).ln()).abs() < 1e-12, "{out}");
    // The limit by mpmath with 40 digits; the others in the words that JSON has for infinities here.
    assert!((x["conf_low"].as_f64().unwrap() - 1.396_023_091_808_583_7).abs() < 1e-9, "{out}");
    assert!((x["odds_low"].as_f64().unwrap() - 1.396_023_091_808_583_7f64.exp()).abs() < 1e-8, "{out}");
    for name in ["estimate", "conf_high", "odds_ratio", "odds_high"] {
        assert_eq!(x[name], Value::from("Infinity"), "{name}: {out}");
    }
    assert!(x["std_error"].is_null() && x["p_value"].is_null(), "{out}");
    let (_, shown, _) = run(&session, "oddsmith show quasi.odds --tidy --json -q");
    assert_eq!(shown, out);
    let (_, table, _) = run(&session, &format!("{line} --format table -q"));
    assert!(table.contains('∞') && table.contains("4.04"), "{table}");
    for format in ["csv", "md", "html", "latex", "svg"] {
        let (code, out, err) = run(&session, &format!("{line} --format {format} -q"));
        assert!(code == Some(0) && !out.contains("NaN"), "{format}: {err}{out}");
    }
}

#[test]
fn rows_that_are_decided_have_probabilities_of_zero_and_one() {
    let session = Session::new();
    quasi(&session);
    session.write("new.csv", "x\n0\n1\n0.5\n-1\n");
    run(&session, "oddsmith fit quasi.csv 'y ~ x' --on-separation infinite -q -o quasi.odds");
    let (code, out, err) = run(&session, "oddsmith predict quasi.odds new.csv -q --format json");
    assert_eq!(code, Some(0), "{err}");
    let rows: Vec<Value> = serde_json::from_str(&out).unwrap();
    let events: Vec<f64> = rows.iter().map(|row| row["p_yes"].as_f64().unwrap()).collect();
    assert!((events[0] - 0.4).abs() < 1e-12 && events[1..] == [1.0, 1.0, 0.0], "{out}");
    let (code, out, err) = run(&session, "oddsmith evaluate quasi.odds quasi.csv -q --json");
    assert!(code == Some(0) && !out.contains("NaN"), "{err}{out}");
    for (line, what) in [("explain quasi.odds new.csv --row 1", "finite"), ("predict quasi.odds new.csv --interval", "interval")] {
        let (code, _, err) = run(&session, &format!("oddsmith {line} -q"));
        assert!(!matches!(code, Some(0 | 70)), "{what}: {code:?} {err}");
    }
}

#[test]
fn infinite_estimates_are_refused_where_they_would_not_be_sound() {
    let session = Session::new();
    quasi(&session);
    for words in ["--robust HC1", "--class-weight balanced", "--solver gradient", "--model one-vs-rest"] {
        let line = if words.contains("one-vs-rest") { format!("--target y {words}") } else { format!("'y ~ x' {words}") };
        let (code, _, err) = run(&session, &format!("oddsmith fit quasi.csv {line} --on-separation infinite"));
        assert!(code == Some(2) && err.contains("on-separation"), "{words}: {err}");
    }
}

#[test]
fn a_level_among_thousands_that_is_always_of_one_class_is_named() {
    let session = Session::new();
    // Three rows of every level, of both classes, and one level of one class. Enough levels that work which grows with their square would take minutes.
    let class = |i: usize| if i / 3 == 2500 || (i + i / 3).is_multiple_of(3) { "yes" } else { "no" };
    let rows: String = (0..45_000).map(|i| format!("p{},{},{}\n", i / 3, i * 31 % 23, class(i))).collect();
    session.write("levels.csv", format!("id,x,y\n{rows}"));
    let (code, _, err) = run(&session, "oddsmith fit levels.csv 'y ~ id + x' --memory 256M -q");
    assert!(code == Some(5) && err.contains("separation") && err.contains("`idp2500`"), "{code:?} {err}");
}

#[test]
fn thousands_of_levels_without_standard_errors_are_told() {
    let session = Session::new();
    let class = |i: usize| if (i + i / 3).is_multiple_of(3) { "yes" } else { "no" };
    let rows: String = (0..12_000).map(|i| format!("p{},{},{}\n", i / 3, i * 31 % 23, class(i))).collect();
    session.write("levels.csv", format!("id,x,y\n{rows}"));
    let (code, out, err) = run(&session, "oddsmith fit levels.csv 'y ~ id + x' --tidy --format csv");
    assert!(code == Some(0) && err.contains("W219 4001 parameters: standard errors"), "{code:?} {err}");
    assert!(out.lines().any(|line| line.starts_with("yes,x,,x,") && line.contains(",,,,")), "{out}");
    let (code, _, err) = run(&session, "oddsmith fit levels.csv 'y ~ id + x' --l2 1 --glance");
    assert!(code == Some(0) && !err.contains("W219"), "{code:?} {err}");
}
