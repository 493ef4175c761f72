//! Matched sets beside R on random rows: estimates, clusters of sets, Firth's likelihood.

use oddsmith::data::{Formula, Kind};
use serde_json::Value;

use super::support::{Csv, Frame, Golden, RowByRow, same_digits};
use super::{fact, options, run, tidy};

const COLUMNS: [(&str, Kind); 4] = [("x", Kind::Number), ("z", Kind::Number), ("set", Kind::Category), ("site", Kind::Category)];

fn frame(case: &Value) -> Frame {
    let column = |name: &str| -> Vec<String> {
        let missing = || vec![Value::from(0); case["y"].as_array().unwrap().len()];
        let cells = case[name].as_array().cloned().unwrap_or_else(missing);
        cells.iter().map(|cell| cell.as_f64().unwrap().to_string()).collect()
    };
    let columns = ["set", "y", "x", "z", "site"].map(column);
    let rows = (0..columns[0].len()).map(|i| columns.iter().map(|column| column[i].clone()).collect()).collect();
    let csv = Csv { names: ["set", "y", "x", "z", "site"].map(str::to_owned).to_vec(), rows };
    Frame::new(&csv, "y", &COLUMNS)
}

fn params(given: &[(&str, &str)]) -> oddsmith::model::Params {
    let formula = Formula::parse("y ~ x + z").unwrap();
    options("conditional-logistic", &[&[("strata", "set")], given].concat()).with_formula(Some(formula)).unwrap()
}

/// R 4.2.2, survival 3.5.3 `clogit(method = "exact")`; scores of sets, and their sums by site, by differences of its likelihood; Firth's likelihood maximised
/// over its likelihood and information.
#[test]
fn random_sets_agree_with_clogit() {
    let golden = Golden::load("clogit_r");
    let cases = golden.at("results/matched").as_array().unwrap();
    assert_eq!(cases.len(), 4);
    for case in cases {
        let frame = frame(case);
        let number = |name: &str, at: usize| case[name][at].as_f64().unwrap();
        let plain = run(&params(&[("ci", "wald")]), &frame.source(), 1).unwrap();
        let robust = run(&params(&[("robust", "HC0")]), &frame.source(), 1).unwrap();
        let cluster = run(&params(&[("cluster", "site")]), &RowByRow(&frame), 3).unwrap();
        let firth = run(&params(&[("firth", "true"), ("ci", "wald")]), &RowByRow(&frame), 2).unwrap();
        for row in 0..2 {
            same_digits(tidy(&plain, row, "estimate"), number("coef", row), 1e-8);
            same_digits(tidy(&plain, row, "std_error"), number("se", row), 1e-8);
            // Differences over 1e-4 leave a relative error of some 1e-7.
            same_digits(tidy(&robust, row, "std_error"), number("robust", row), 1e-6);
            same_digits(tidy(&cluster, row, "std_error"), number("cluster", row), 1e-6);
            // A maximum that was found from values alone is good to the root of their precision.
            same_digits(tidy(&firth, row, "estimate"), number("firth", row), 1e-4);
            same_digits(tidy(&firth, row, "std_error"), number("firth_se", row), 1e-4);
        }
        same_digits(fact(&plain, "log likelihood"), number("loglik", 1), 1e-10);
        same_digits(fact(&plain, "score chi2"), case["score"].as_f64().unwrap(), 1e-9);
        // At the maximum the value is good to twice as many digits.
        same_digits(fact(&firth, "penalised log likelihood"), case["firth_loglik"].as_f64().unwrap(), 1e-9);
    }
}

#[test]
fn separated_sets_have_a_maximum_under_firths_penalty() {
    let golden = Golden::load("clogit_r");
    let case = golden.at("results/separated");
    let frame = frame(case);
    let error = run(&params(&[("ci", "wald")]), &frame.source(), 1).unwrap_err().to_string();
    assert!(error.contains("`x`") && error.contains("firth"), "{error}");
    let firth = run(&params(&[("firth", "true")]), &frame.source(), 1).unwrap();
    for row in 0..2 {
        same_digits(tidy(&firth, row, "estimate"), case["firth"][row].as_f64().unwrap(), 1e-3);
    }
    same_digits(fact(&firth, "penalised log likelihood"), case["firth_loglik"].as_f64().unwrap(), 1e-9);
    assert!(tidy(&firth, 0, "conf_low") < tidy(&firth, 0, "estimate") && tidy(&firth, 0, "estimate") < tidy(&firth, 0, "conf_high"));
}

/// Where there is a maximum it is the one that is told; where there is none, that of Firth's likelihood, with the columns that separate named.
#[test]
fn separated_sets_fall_back_on_request() {
    let golden = Golden::load("clogit_r");
    let separated = frame(golden.at("results/separated"));
    let asked = run(&params(&[("on-separation", "firth")]), &RowByRow(&separated), 2).unwrap();
    let firth = run(&params(&[("firth", "true")]), &separated.source(), 1).unwrap();
    for row in 0..2 {
        for column in ["estimate", "std_error", "conf_low", "conf_high"] {
            same_digits(tidy(&asked, row, column), tidy(&firth, row, column), 1e-7);
        }
    }
    assert_eq!(asked.title, firth.title);
    let told: Vec<String> = asked.notices.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|told| told.contains("W204") && told.contains("`x`")), "{told:?}");
    let sound = frame(golden.at("results/matched/0"));
    let plain = run(&params(&[]), &sound.source(), 1).unwrap();
    let asked = run(&params(&[("on-separation", "firth")]), &sound.source(), 1).unwrap();
    assert_eq!((plain.title.as_str(), plain.notices.len()), (asked.title.as_str(), asked.notices.len()));
    for row in 0..2 {
        for column in ["estimate", "std_error", "conf_low", "conf_high"] {
            same_digits(tidy(&asked, row, column), tidy(&plain, row, column), 1e-8);
        }
    }
    assert!(run(&params(&[("cluster", "site"), ("on-separation", "firth")]), &sound.source(), 1).is_err());
}

#[test]
fn a_set_in_two_clusters_is_refused() {
    let golden = Golden::load("clogit_r");
    let mut case = golden.at("results/matched/0").clone();
    case["site"][1] = Value::from(99);
    let error = run(&params(&[("cluster", "site")]), &frame(&case).source(), 1).unwrap_err().to_string();
    assert!(error.contains("several clusters"), "{error}");
    assert!(run(&params(&[("cluster", "site"), ("firth", "true")]), &frame(&case).source(), 1).is_err());
}
