//! Inputs that have no answer get a reason, never a NaN.

use oddsmith::card::Cell;
use oddsmith::data::Weighting;
use oddsmith::eval::{EvalSettings, Evaluation, ScoreScale, ScoredBatch, paired_areas};
use oddsmith::model::Decision;
use oddsmith::stats::Statistics;
use oddsmith::train::{ScoredTable, paired_loss};

fn evaluated(probabilities: &[f64], labels: &[u32], weights: Option<&[f64]>) -> Evaluation {
    let mut evaluation = Evaluation::new(2, ScoreScale::Probability, EvalSettings::default());
    let both: Vec<f64> = probabilities.iter().flat_map(|p| [1.0 - p, *p]).collect();
    evaluation.observe(ScoredBatch { probabilities: &both, log_odds: None, log_true: None, labels, weights, first_row: 0 }).unwrap();
    evaluation
}

/// Figures that say how sure they are.
const SURE: [&str; 13] = [
    "log_loss",
    "bits",
    "bits_saved",
    "brier",
    "auc",
    "calibration_intercept",
    "calibration_slope",
    "ece",
    "accuracy",
    "sensitivity",
    "specificity",
    "precision",
    "negative_predictive_value",
];

/// Every figure has a finite value or a reason, and finite ends of its interval or a reason.
fn check(evaluation: &Evaluation) -> Vec<(String, Option<f64>)> {
    let table = evaluation.table();
    let figures = table.rows().iter().map(|row| {
        let Cell::Text(name) = &row[0] else { panic!("no name") };
        let finite = |cell: &Cell| if let Cell::Number(value) = cell { value.is_finite() } else { *cell == Cell::Empty };
        assert!(row[1..5].iter().all(finite), "{row:?}");
        match &row[1] {
            Cell::Number(value) => {
                let bare = SURE.contains(&name.as_str()) && row[3] == Cell::Empty;
                assert!(!bare || matches!(&row[5], Cell::Text(why) if why.starts_with("no interval: ")), "{row:?}");
                (name.clone(), Some(*value))
            }
            _ => {
                assert!(matches!(&row[5], Cell::Text(reason) if !reason.is_empty()), "{row:?}");
                (name.clone(), None)
            }
        }
    });
    figures.collect()
}

fn reason(evaluation: &Evaluation, name: &str) -> String {
    let figures = evaluation.figures();
    figures.into_iter().find(|(known, _)| *known == name).unwrap().1.unwrap_err().to_string()
}

#[test]
fn no_rows_one_class_and_constant_scores() {
    let empty = evaluated(&[], &[], None);
    assert!(check(&empty).iter().all(|(_, value)| value.is_none()));
    assert_eq!(reason(&empty, "auc"), "there are no rows");

    let one = evaluated(&[0.3, 0.6, 0.9], &[1, 1, 1], None);
    check(&one);
    assert_eq!(reason(&one, "auc"), "there is only one class");
    assert_eq!(reason(&one, "calibration_slope"), "there is only one class");
    assert_eq!(reason(&one, "specificity"), "no row has the class");

    let constant = evaluated(&[0.4; 4], &[0, 1, 0, 1], None);
    let figures = check(&constant);
    assert_eq!(figures.iter().find(|(name, _)| name == "auc").unwrap().1, Some(0.5));
    assert_eq!(reason(&constant, "calibration_slope"), "all scores are equal");
    assert_eq!(reason(&constant, "mcc"), "only one class occurs, or only one is predicted");

    let weightless = evaluated(&[0.1, 0.9], &[0, 1], Some(&[0.0, 0.0]));
    assert_eq!(reason(&weightless, "brier"), "there are no rows");
    check(&evaluated(&[0.1, 0.9], &[0, 1], Some(&[0.0, 2.0])));
}

#[test]
fn what_one_row_cannot_say_has_its_reason() {
    let note = |evaluation: &Evaluation, name: &str| {
        let row = evaluation.table().rows().iter().find(|row| row[0] == name.into()).cloned().unwrap();
        if let Cell::Text(note) = &row[5] { note.clone() } else { String::new() }
    };
    let lonely = evaluated(&[0.2, 0.7, 0.6], &[0, 1, 1], None);
    check(&lonely);
    assert_eq!(note(&lonely, "auc"), "no interval: a class has one row only");
    assert_eq!(note(&lonely, "bits"), "");
    check(&evaluated(&[0.2, 0.7], &[0, 1], None));
    let one = evaluated(&[0.2], &[0], None);
    check(&one);
    for name in ["log_loss", "bits", "bits_saved", "brier"] {
        assert_eq!(note(&one, name), "no interval: there is only one row");
    }
    // A weight of 2 is a second row, by frequency; half a row is none.
    check(&evaluated(&[0.2, 0.7], &[0, 1], Some(&[2.0, 2.0])));
    check(&evaluated(&[0.2, 0.7], &[0, 1], Some(&[0.25, 0.25])));
}

#[test]
fn tests_of_pairs_that_have_no_error_say_so() {
    let labels = [0, 0, 1, 1];
    let (right, wrong) = ([1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]);
    let test = |scores: [&[f64]; 2], labels: &[u32]| paired_areas(scores, labels, None, 1, Weighting::None).map_err(|why| why.to_string());
    assert_eq!(test([&right, &right], &labels).unwrap().p_value(), 1.0);
    assert_eq!(test([&right, &wrong], &labels).unwrap_err(), "the placements of both scores do not vary, so their difference has no error");
    assert_eq!(test([&right, &wrong], &[1; 4]).unwrap_err(), "there is only one class");
    assert_eq!(test([&right, &wrong], &[0, 1, 1, 1]).unwrap_err(), "a class with one row has no variance");
    assert_eq!(test([&[], &[]], &[]).unwrap_err(), "there are no rows");
    let table = |odds: f64| ScoredTable::of_scores(2, vec![0.0, odds], vec![1], None).unwrap();
    assert_eq!(paired_loss(&table(0.1), &table(2.0), Weighting::None).unwrap_err().to_string(), "there is only one row");
}

#[test]
fn certain_and_wrong_is_infinite_and_said_so() {
    let sure = evaluated(&[0.0, 1.0, 0.5, 0.4], &[0, 0, 1, 0], None);
    check(&sure);
    assert_eq!(reason(&sure, "bits"), "1 row is impossible in its class, so the loss is infinite");
    assert_eq!(reason(&sure, "calibration_slope"), "a probability of exactly 0 or 1 has infinite log odds");
    let perfect = evaluated(&[0.1, 0.2, 0.8, 0.9], &[0, 0, 1, 1], None);
    check(&perfect);
    assert_eq!(reason(&perfect, "calibration_slope"), "a threshold separates the classes, so the slope is infinite");
}

#[test]
fn what_is_no_probability_is_refused_with_its_row() {
    let observe = |probabilities: &[f64], weights: Option<&[f64]>| {
        let mut evaluation = Evaluation::new(2, ScoreScale::Probability, EvalSettings::default());
        let rows = ScoredBatch { probabilities, log_odds: None, log_true: None, labels: &[0, 1], weights, first_row: 10 };
        evaluation.observe(rows).unwrap_err().to_string()
    };
    assert_eq!(observe(&[0.5, 0.5, 0.5, f64::NAN], None), "row 12: a probability cannot be `NaN`; probabilities are numbers from 0 to 1");
    assert_eq!(observe(&[1.5, -0.5, 0.5, 0.5], None), "row 11: a probability cannot be `1.5`; probabilities are numbers from 0 to 1");
    assert_eq!(observe(&[0.5, 0.6, 0.5, 0.5], None), "row 11: the probabilities of the classes add up to `1.1`; they must add up to 1");
    assert_eq!(
        observe(&[0.5, 0.5, 0.5, 0.5], Some(&[1.0, -1.0])),
        "row 12: a row weight cannot be `-1`; weights are finite numbers from 0 up"
    );
}

#[test]
fn many_classes_with_one_missing_say_so() {
    let mut evaluation =
        Evaluation::new(3, ScoreScale::Probability, EvalSettings { decision: Decision::MostProbable, ..EvalSettings::default() });
    let probabilities = [0.2, 0.5, 0.3, 0.6, 0.3, 0.1, 0.1, 0.8, 0.1];
    let labels = [0, 0, 1];
    evaluation
        .observe(ScoredBatch {
            probabilities: &probabilities,
            log_odds: None,
            log_true: None,
            labels: &labels,
            weights: None,
            first_row: 0,
        })
        .unwrap();
    check(&evaluation);
    assert_eq!(reason(&evaluation, "auc"), "a class has no rows");
    let classes = oddsmith::data::Classes::new(["a", "b", "c"].map(String::from).to_vec()).unwrap();
    let last = evaluation.class_table(&classes).rows()[2].clone();
    assert_eq!(
        last[3..],
        ["no row is predicted so".into(), "no row has the class".into(), "no row has the class or is predicted so".into()]
    );
}
