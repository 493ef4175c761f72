//! Fits against solutions of 50 digits (`testdata/certified`, made by the script beside them).
//!
//! Agreement is counted in digits, −log10 of the relative error of the worst figure. What is promised:
//!   well-posed        coefficients 11, standard errors 10, log likelihood 12
//!   near separation   coefficients 8, standard errors 7, log likelihood 8
//!   collinear         what the cells allow. A relative error of one rounding, 2⁻⁵³, in every cell moves a coefficient by up to
//!                     `condition` · 2⁻⁵³ of itself. Columns that are 1e-6 and 1e-8 apart have conditions of 1e7 and 5e8, so
//!                     9.0 and 7.2 digits are the most that can be promised whatever the cells. Measured: 10.6 and 8.7;
//!                     the intercept is the worst figure, a small difference of two coefficients that are huge.

use std::path::Path;

use oddsmith::model::linear::Logistic;
use serde_json::Value;

use crate::problem::{Problem, errors};

struct Certified {
    json: Value,
}

/// Digits that two numbers share; 16 when they are the same.
fn digits(got: f64, want: f64) -> f64 {
    let error = (got - want).abs() / want.abs();
    if error == 0.0 { 16.0 } else { (-error.log10()).clamp(0.0, 16.0) }
}

impl Certified {
    fn load(path: &Path) -> Self {
        Certified { json: serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap() }
    }

    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/certified");
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.iter().filter(|path| path.extension().is_some_and(|e| e == "json")).map(|path| Certified::load(path)).collect()
    }

    fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap()
    }

    /// A number that is written as a text with all its digits.
    fn certified(&self, key: &str) -> f64 {
        self.text(key).parse().unwrap()
    }

    fn certified_list(&self, key: &str) -> Vec<f64> {
        self.json[key].as_array().unwrap().iter().map(|v| v.as_str().unwrap().parse().unwrap()).collect()
    }

    fn numbers(&self, key: &str) -> Option<Vec<f64>> {
        self.json.get(key).map(|list| list.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect())
    }

    fn problem(&self) -> Problem {
        let classes = self.json.get("classes").map_or(2, |k| k.as_u64().unwrap() as usize);
        if let Some(rule) = self.json.get("rule") {
            return ruled(rule, classes);
        }
        let row = |row: &Value| row.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>();
        let x: Vec<Vec<f64>> = self.json["x"].as_array().unwrap().iter().map(row).collect();
        let y = self.numbers("y").unwrap();
        let mut weights = self.numbers("weights");
        let mut labels: Vec<u32> = y.iter().map(|y| *y as u32).collect();
        let counts = self.json.get("grouped").and_then(|_| weights.take()).map(|trials| {
            labels.fill(0);
            y.iter().zip(trials).map(|(share, trials)| [share * trials, (1.0 - share) * trials]).collect()
        });
        Problem {
            counts,
            weights,
            offset: self.numbers("offset"),
            no_intercept: !self.json["intercept"].as_bool().unwrap(),
            ..Problem::new(x, labels, classes)
        }
    }
}

/// The rows of a rule in integers, as `make.py` writes it down.
fn ruled(rule: &Value, classes: usize) -> Problem {
    let integer = |v: &Value| v.as_i64().unwrap();
    let mix = |i: i64, factor: i64| (((i + 1) * factor) % (1 << 32)) >> 8;
    let columns: Vec<(i64, i64)> =
        rule["columns"].as_array().unwrap().iter().map(|c| (integer(&c["factor"]), integer(&c["levels"]))).collect();
    let cuts: Vec<Vec<i64>> =
        rule["cuts"].as_array().unwrap().iter().map(|cut| cut.as_array().unwrap().iter().map(integer).collect()).collect();
    let label_factor = integer(&rule["label_factor"]);
    let (mut x, mut labels) = (Vec::new(), Vec::new());
    for i in 0..integer(&rule["rows"]) {
        let steps: Vec<i64> = columns.iter().map(|(factor, levels)| 2 * (mix(i, *factor) % levels) - levels + 1).collect();
        let draw = mix(i, label_factor) % 1024;
        let cut = |cut: &&Vec<i64>| cut[0] + cut[1..].iter().zip(&steps).map(|(c, s)| c * s).sum::<i64>() <= draw;
        labels.push(cuts.iter().filter(cut).count() as u32);
        x.push(steps.iter().map(|step| *step as f64 / 8.0).collect());
    }
    Problem::new(x, labels, classes)
}

/// Digits promised of coefficients, standard errors and log likelihood.
fn promised(certified: &Certified) -> [f64; 3] {
    match certified.text("class") {
        "well-posed" => [11.0, 10.0, 12.0],
        "near-separation" => [8.0, 7.0, 8.0],
        "collinear" => {
            let allowed = -(certified.certified("condition") * f64::EPSILON / 2.0).log10();
            [allowed, allowed, 11.0]
        }
        other => panic!("unknown class {other}"),
    }
}

#[test]
fn fits_agree_with_solutions_of_fifty_digits() {
    let all = Certified::all();
    assert!(all.len() >= 24, "only {} designs", all.len());
    let mut short = Vec::new();
    println!("{:32}{:>16}{:>10}{:>7}{:>7}{:>7}{:>10}", "design", "class", "|η| to", "coef", "se", "loglik", "deviance");
    for certified in &all {
        let id = certified.text("id");
        let model = match certified.problem().fit(&Logistic::new()) {
            Ok(model) => model,
            Err(error) => {
                println!("{id:32}{error}");
                short.push(format!("{id}: {error}"));
                continue;
            }
        };
        let worst = |got: &[f64], want: &[f64]| {
            assert_eq!(got.len(), want.len(), "{id}: number of coefficients");
            got.iter().zip(want).map(|(got, want)| digits(*got, *want)).fold(16.0, f64::min)
        };
        let coefficients = worst(&model.parameters().estimates(), &certified.certified_list("coef"));
        let standard_errors = worst(&errors(&model), &certified.certified_list("se"));
        let likelihood = digits(model.account().log_likelihood, certified.certified("loglik"));
        let deviance = digits(model.account().deviance(), certified.certified("deviance"));
        println!(
            "{id:32}{:>16}{:>10.1}{coefficients:>7.1}{standard_errors:>7.1}{likelihood:>7.1}{deviance:>10.1}",
            certified.text("class"),
            certified.certified("reach")
        );
        let reached = [coefficients, standard_errors, likelihood.min(deviance)];
        for (what, (reached, promised)) in
            ["coefficients", "standard errors", "log likelihood"].iter().zip(reached.iter().zip(promised(certified)))
        {
            if *reached < promised {
                short.push(format!("{id}: {what} agree in {reached:.2} digits, not {promised:.2}"));
            }
        }
    }
    assert!(short.is_empty(), "{}", short.join("\n"));
}
