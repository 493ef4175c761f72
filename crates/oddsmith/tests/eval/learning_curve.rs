//! Learning curves: prefixes from merged sums equal separate fits, and short prefixes say what they lack.

use oddsmith::card::Cell;
use oddsmith::control::Control;
use oddsmith::data::{Features, Source, ViewSource};
use oddsmith::eval::{LogLoss, ScoredBatch};
use oddsmith::model::{Predictions, Predictor};
use oddsmith::num::MatrixView;
use oddsmith::stats::Statistics;
use oddsmith::train::{self, Candidate, Comparison, CurvePoint, Folds, curve_table};

use crate::population::Population;
use crate::support::close;

/// A divisor of sixteen: parts that went with folds would leave some without rows.
const FOLDS: usize = 4;
const SEED: u64 = 8;

fn curve(source: &dyn Source, names: &[&str]) -> Vec<CurvePoint> {
    let candidates = Candidate::parse_list(&names.join(",")).unwrap();
    let control = Control::new();
    let comparison = Comparison {
        source,
        candidates: &candidates,
        folds: FOLDS,
        repeats: 1,
        seed: SEED,
        groups: None,
        memory: u64::MAX,
        threads: None,
        control: &control,
    };
    comparison.curve().unwrap()
}

#[test]
fn every_prefix_equals_separate_fits_to_its_rows() {
    let rows = Population::new(960, 0.4, [1.0, 1.0], 51);
    let source = rows.source();
    let folds = Folds::stratified(&rows.labels, FOLDS, SEED).unwrap();
    let cells: Vec<u32> = rows.labels.iter().zip(folds.of_rows()).map(|(label, fold)| label * FOLDS as u32 + u32::from(*fold)).collect();
    let parts = Folds::stratified(&cells, 16, SEED).unwrap();
    let points = curve(&source, &["qda", "logistic"]);
    let shares: Vec<f64> = points.iter().map(|point| point.share).collect();
    assert_eq!(shares, [0.0625, 0.125, 0.25, 0.5, 1.0, 0.0625, 0.125, 0.25, 0.5, 1.0]);
    for point in &points {
        let taught_parts = (16.0 * point.share) as u16;
        let mut bits = Vec::new();
        for fold in 0..FOLDS as u16 {
            let of = |held_out: bool| -> Vec<usize> {
                let own = |&i: &usize| {
                    if held_out { folds.of_rows()[i] == fold } else { folds.of_rows()[i] != fold && parts.of_rows()[i] < taught_parts }
                };
                (0..rows.labels.len()).filter(own).collect()
            };
            let copy = |chosen: &[usize]| -> (Vec<f64>, Vec<u32>) {
                let cells = chosen.iter().flat_map(|&i| (0..3).map(move |j| (i, j))).map(|(i, j)| rows.features().numbers.get(i, j));
                (cells.collect(), chosen.iter().map(|&i| rows.labels[i]).collect())
            };
            let (values, labels) = copy(&of(false));
            let features = Features::of_numbers(MatrixView::row_major(&values, labels.len(), 3).unwrap());
            let taught = ViewSource::new(source.layout(), features, &labels, None).unwrap();
            let learner = &Candidate::parse_list(&point.model).unwrap()[0].learner;
            let model = train::fit(learner, &taught, None, &Control::new()).unwrap().model;
            let (values, labels) = copy(&of(true));
            let features = Features::of_numbers(MatrixView::row_major(&values, labels.len(), 3).unwrap());
            let mut told = Predictions::default();
            Predictor::new(&*model).predict(&features, &mut told).unwrap();
            let mut loss = LogLoss::new(2, source.layout().weighting());
            let judged = ScoredBatch {
                probabilities: told.probabilities(),
                log_odds: None,
                log_true: None,
                labels: &labels,
                weights: None,
                first_row: 0,
            };
            loss.observe(judged).unwrap();
            bits.push(loss.bits().unwrap().value);
        }
        let mean = bits.iter().sum::<f64>() / FOLDS as f64;
        let variance = bits.iter().map(|bits| (bits - mean).powi(2)).sum::<f64>() / (FOLDS - 1) as f64;
        // Iterative fits end within their tolerance, sums within rounding.
        close(point.bits.as_ref().unwrap().value, mean, 1e-7);
        close(point.std_error.unwrap(), (variance / FOLDS as f64).sqrt(), 1e-6);
        close(point.rows, 960.0 * 0.75 * point.share, 1.5);
    }
    let qda: Vec<f64> = points[..5].iter().map(|point| point.bits.as_ref().unwrap().value).collect();
    assert!(qda[0] > qda[2] && qda[2] > qda[4], "{qda:?}");
}

#[test]
fn a_sorted_table_teaches_both_classes_from_the_start_and_too_few_rows_say_so() {
    let mut order: Vec<usize> = (0..800).collect();
    let rows = Population::new(800, 0.3, [1.0, 1.0], 52);
    order.sort_by_key(|&i| rows.labels[i]);
    let values: Vec<f64> =
        order.iter().flat_map(|&i| (0..3).map(move |j| (i, j))).map(|(i, j)| rows.features().numbers.get(i, j)).collect();
    let labels: Vec<u32> = order.iter().map(|&i| rows.labels[i]).collect();
    let view = |count: usize| Features::of_numbers(MatrixView::row_major(&values, count, 3).unwrap());
    let source = rows.source();
    let sorted = ViewSource::new(source.layout(), view(800), &labels, None).unwrap();
    assert!(curve(&sorted, &["lda"]).iter().all(|point| point.bits.is_ok()));
    // A sixteenth of twenty rows has no covariance.
    let few: Vec<u32> = (0..20).map(|i| i % 2).collect();
    let points = curve(&ViewSource::new(source.layout(), view(20), &few, None).unwrap(), &["qda"]);
    assert!(points[0].bits.is_err() && points[0].std_error.is_none());
    let table = curve_table(&points);
    let note = table.position("note").unwrap();
    assert!(matches!(&table.rows()[0][note], Cell::Text(reason) if !reason.is_empty()));
}
