//! Naive Bayes against R's e1071.

use crate::support::{Frame, Golden, RowByRow, close, flat, same_digits};
use oddsmith::control::Control;
use oddsmith::data::{Kind, Source};
use oddsmith::model::bayes::{Family, NaiveBayes, NaiveBayesModel};
use oddsmith::model::{Classifier, Divisor, Predictions, Predictor};
use oddsmith::train::fit;

/// Fits as e1071 does (sample standard deviations, λ for categories) and compares parameters and posteriors.
fn check(id: &str) {
    let golden = Golden::load(id);
    let csv = golden.table("data");
    let tables = golden.at("results/tables").as_object().expect("tables");
    let names = golden.texts("model/features");
    let kind = |name: &str| if tables[name]["type"] == "gaussian" { Kind::Number } else { Kind::Category };
    let columns: Vec<(&str, Kind)> = names.iter().map(|name| (name.as_str(), kind(name))).collect();
    let frame = Frame::new(&csv, golden.at("model/response").as_str().unwrap(), &columns);
    let learner = NaiveBayes { smoothing: golden.number("model/laplace"), divisor: Divisor::Unbiased, ..NaiveBayes::new(Family::Mixed) };
    let whole = fit(&learner, &frame.source(), None, &Control::new()).unwrap().model;
    let pieces = fit(&learner, &RowByRow(&frame), None, &Control::new()).unwrap().model;
    for model in [&whole, &pieces] {
        check_tables(model, &golden);
        check_posterior(model, &frame, &golden);
    }
    assert_eq!(whole.card().notices, []);
}

fn check_tables(model: &NaiveBayesModel, golden: &Golden) {
    let tables = golden.at("results/tables").as_object().unwrap();
    let classes = golden.texts("results/classes");
    let mut compared = 0;
    for row in model.card().tidy.rows() {
        let text = |cell: &oddsmith::card::Cell| match cell {
            oddsmith::card::Cell::Text(text) => text.clone(),
            _ => String::new(),
        };
        let (class, column, level, parameter) = (text(&row[0]), text(&row[1]), text(&row[2]), text(&row[3]));
        let oddsmith::card::Cell::Number(got) = row[4] else { panic!("no estimate") };
        let Some(table) = tables.get(&column) else { continue };
        let k = classes.iter().position(|c| *c == class).unwrap();
        let want = match parameter.as_str() {
            "probability" => {
                let at = table["levels"].as_array().unwrap().iter().position(|l| *l == level.as_str()).unwrap();
                flat(&table["prob"][k])[at]
            }
            name => flat(&table[name])[k],
        };
        same_digits(got, want, 1e-12);
        compared += 1;
    }
    assert!(compared >= 2 * tables.len());
}

fn check_posterior(model: &NaiveBayesModel, frame: &Frame, golden: &Golden) {
    let mut out = Predictions::new();
    Predictor::new(model).predict(&frame.features(), &mut out).unwrap();
    let want = golden.numbers("results/posterior");
    let rows: Vec<usize> = match golden.at("model/rows_predicted").as_array() {
        Some(rows) => rows.iter().map(|r| r.as_u64().unwrap() as usize - 1).collect(),
        None => (0..frame.rows()).collect(),
    };
    let classes = frame.source().layout().classes().len();
    assert_eq!(want.len(), rows.len() * classes);
    let chosen = golden.texts("results/class");
    for (at, &i) in rows.iter().enumerate() {
        for k in 0..classes {
            close(out.row(i)[k], want[at * classes + k], 1e-10);
            if want[at * classes + k] > 1e-200 {
                same_digits(out.row(i)[k], want[at * classes + k], 1e-10);
            }
        }
        let best = oddsmith::model::Decision::MostProbable.choose(out.row(i));
        assert_eq!(frame.layout.classes().label(best), chosen[at]);
    }
}

#[test]
fn gaussian_columns_agree_with_r() {
    check("nb_iris");
}

#[test]
fn mixed_columns_agree_with_r() {
    check("nb_birthwt_mixed");
}

#[test]
fn categories_agree_with_r() {
    check("nb_titanic_laplace1");
}

#[test]
fn missing_votes_are_marginalised_as_in_r() {
    check("nb_housevotes_na_laplace3");
}
