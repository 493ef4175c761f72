//! Laws that every model of the registry keeps, on small random tables with gaps, weights and every kind of column.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[allow(dead_code, reason = "every test file uses its own part")]
mod table;

use std::sync::Arc;

use oddsmith::error::ErrorKind;
use oddsmith::model::{AnyLearner, BoxedStats, Classifier, Contributions, Predictions, Predictor, Scores, Step};
use oddsmith::registry::{self, Entry, MODELS};
use oddsmith::stats::{Parts, TableStats};
use oddsmith::{Result, persist};
use proptest::prelude::*;
use table::{Cell, Encoded, Row, layout_of, rows, summary};

/// Columns (positions in the test table) that a model takes.
fn columns(entry: &Entry) -> Vec<usize> {
    match entry.name {
        "gaussian-nb" | "lda" | "qda" => vec![0, 2, 6],
        "bernoulli-nb" => vec![2, 3, 4, 5],
        "multinomial-nb" | "complement-nb" => vec![0, 3, 5],
        "categorical-nb" => vec![1, 4],
        _ => (0..7).collect(),
    }
}

/// How far rounding may move a score. The covariance of a handful of rows may be as badly conditioned as discriminants
/// accept, 1e10, which leaves six of sixteen digits.
fn digits(entry: &Entry) -> f64 {
    if matches!(entry.name, "lda" | "qda") { 1e-6 } else { 1e-9 }
}

fn finish(learner: &dyn AnyLearner, stats: TableStats) -> Result<Box<dyn Classifier>> {
    match learner.finish_any(&BoxedStats::new(stats))? {
        Step::Done(model) => Ok(model),
        Step::Again(_) => panic!("ordinary numbers need no second pass"),
    }
}

/// The model of the rows, or `None` when the rows admit none; any other failure is a bug.
fn fit(entry: &Entry, predictive: bool, rows: &[Row]) -> Option<Box<dyn Classifier>> {
    let layout = Arc::new(layout_of(rows, &columns(entry)));
    let params = if predictive { entry.defaults().with("predictive", "").unwrap() } else { entry.defaults() };
    let learner = (entry.build)(&params).unwrap();
    match finish(&*learner, summary(rows, &layout, Parts::all(), usize::MAX)) {
        Ok(model) => Some(model),
        Err(error) => match error.kind() {
            ErrorKind::Data(_) | ErrorKind::NoEstimate { .. } => None,
            other => panic!("{}: {other}", entry.name),
        },
    }
}

fn scores(model: &dyn Classifier, encoded: &Encoded) -> Scores {
    let words = encoded.words();
    let mut scores = Scores::new();
    model.score(&encoded.features(&words), &mut scores).unwrap();
    scores
}

#[track_caller]
fn same_scores(left: &Scores, right: &Scores, tolerance: f64, what: &str) {
    for (a, b) in left.values().iter().zip(right.values()) {
        assert!(a == b || (a - b).abs() <= tolerance * (1.0 + a.abs()), "{what}: {a} is not {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_model_gives_probabilities_that_it_can_account_for(rows in rows(40), predictive in any::<bool>()) {
        for entry in MODELS.iter().filter(|entry| entry.one_pass).filter(|entry| !(predictive && entry.name == "complement-nb")) {
            let Some(model) = fit(entry, predictive, &rows) else { continue };
            let encoded = Encoded::new(&rows, &Arc::new(model.layout().clone()), false);
            let words = encoded.words();
            let features = encoded.features(&words);
            let classes = model.layout().classes().len();
            let mut out = Predictions::new();
            Predictor::new(&*model).predict(&features, &mut out).unwrap();
            let mut relative = Predictions::new();
            Predictor::new(&*model).probabilities(&features, &mut relative).unwrap();
            let mut evidence = Contributions::new();
            model.contributions().unwrap().contribute(&features, &mut evidence).unwrap();
            let linear = model.linear().map(|view| {
                let mut odds = Scores::new();
                view.score(&features, &mut odds).unwrap();
                odds
            });
            for (i, row) in rows.iter().enumerate() {
                let p = out.row(i);
                let sum: f64 = p.iter().sum();
                prop_assert!((sum - 1.0).abs() <= classes as f64 * f64::EPSILON, "{}: {p:?}", entry.name);
                prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{}: {p:?}", entry.name);
                prop_assert!(relative.row(i).iter().zip(p).all(|(a, b)| (a - b).abs() < digits(entry)), "{}: {p:?}", entry.name);
                if out.scores().impossible().contains(&i) {
                    continue;
                }
                for (k, &score) in out.scores().row(i).iter().enumerate() {
                    let addends = (0..model.layout().features().len()).map(|j| evidence.addends(i, j)[k]);
                    let total = evidence.base()[k] + addends.sum::<f64>();
                    let tolerance = digits(entry) * (1.0 + score.abs());
                    prop_assert!(score == total || (score - total).abs() <= tolerance, "{}: {score} {total}", entry.name);
                    // What a gap says through the correlations of LDA is not linear in the other columns.
                    let whole = columns(entry).iter().all(|&j| row.cells[j] != Cell::Missing);
                    if let (Some(odds), true) = (&linear, whole || entry.name != "lda") {
                        let (line, model) = (odds.row(i)[k], score - out.scores().row(i)[0]);
                        // A difference of two scores is as exact as the larger of them.
                        let size = score.abs().max(model.abs());
                        prop_assert!((line - model).abs() <= 1e-12 * (1.0 + size), "{}: {line} {model}", entry.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_stored_model_scores_the_same_bits(rows in rows(30), predictive in any::<bool>()) {
        for entry in MODELS.iter().filter(|entry| entry.one_pass).filter(|entry| !(predictive && entry.name == "complement-nb")) {
            let Some(model) = fit(entry, predictive, &rows) else { continue };
            let bytes = persist::save_model(&*model).unwrap();
            let back = persist::load_model(&bytes).unwrap();
            prop_assert_eq!(persist::save_model(&*back).unwrap(), bytes);
            let encoded = Encoded::new(&rows, &Arc::new(model.layout().clone()), false);
            let (left, right) = (scores(&*model, &encoded), scores(&*back, &encoded));
            let bits = |scores: &Scores| scores.values().iter().map(|s| s.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&left), bits(&right), "{}", entry.name);
        }
    }

    #[test]
    fn a_row_of_weight_two_teaches_what_the_row_teaches_twice(rows in rows(25)) {
        let whole: Vec<Row> = rows.iter().map(|row| Row { weight: row.weight.round(), ..row.clone() }).collect();
        let mut twice: Vec<Row> = Vec::new();
        for row in &whole {
            (0..row.weight as usize).for_each(|_| twice.push(Row { weight: 1.0, ..row.clone() }));
        }
        // Rows without weight vanish before anything is discovered.
        let counted: Vec<Row> = whole.iter().filter(|row| row.weight > 0.0).cloned().collect();
        for entry in MODELS.iter().filter(|entry| entry.one_pass) {
            let (left, right) = (fit(entry, false, &counted), fit(entry, false, &twice));
            prop_assert_eq!(left.is_some(), right.is_some(), "{}", entry.name);
            if let (Some(left), Some(right)) = (left, right) {
                let encoded = Encoded::new(&twice, &Arc::new(left.layout().clone()), false);
                same_scores(&scores(&*left, &encoded), &scores(&*right, &encoded), digits(entry), entry.name);
            }
        }
    }

    #[test]
    fn statistics_of_all_parts_and_columns_serve_every_model(rows in rows(30)) {
        let everything = summary(&rows, &Arc::new(layout_of(&rows, &(0..7).collect::<Vec<_>>())), Parts::all(), 7);
        for entry in MODELS.iter().filter(|entry| entry.one_pass) {
            let learner = entry.learner().unwrap();
            let names: Vec<&str> = columns(entry).iter().map(|&j| table::COLUMNS[j].0).collect();
            let chosen: Vec<usize> = names.iter().map(|name| everything.layout().index(name).unwrap()).collect();
            let from_file = persist::load_stats(&persist::save_stats(&everything.select(&chosen).unwrap()).unwrap()).unwrap();
            let direct = fit(entry, false, &rows);
            match (finish(&*learner, from_file), direct) {
                (Ok(left), Some(right)) => {
                    let encoded = Encoded::new(&rows, &Arc::new(right.layout().clone()), false);
                    same_scores(&scores(&*left, &encoded), &scores(&*right, &encoded), digits(entry), entry.name);
                }
                (Err(_), None) => {}
                (left, right) => prop_assert!(false, "{}: {} {}", entry.name, left.is_ok(), right.is_some()),
            }
        }
    }
}

#[test]
fn names_of_models_are_unique_and_every_model_can_be_read_back() {
    let mut names: Vec<&str> = MODELS.iter().flat_map(|entry| entry.aliases.iter().copied().chain([entry.name])).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for entry in MODELS {
        assert!(registry::READERS.iter().any(|reader| reader.tag == entry.name), "{}", entry.name);
    }
    assert_eq!(registry::find("nope").err().unwrap().to_string().split(';').next(), Some("there is no model `nope`"));
}
