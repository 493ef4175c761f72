//! How good are probabilities, and can they be mended? Naive Bayes counts the same evidence twice; Platt's map takes it back.
//!
//! `cargo run --release -p oddsmith --example calibrating`

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use oddsmith::calibrate::{Adjusted, Method};
use oddsmith::data::Rows;
use oddsmith::prelude::*;
use oddsmith::train::{ScoredTable, calibrated_out_of_fold};

/// Rows whose two columns say nearly the same, so that a model which takes them for independent is too sure.
fn rows(count: usize, seed: u64) -> (Vec<f64>, Vec<u32>) {
    let mut state = seed;
    let mut noise = || {
        let mut sum = 0.0;
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (state >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum - 6.0
    };
    let labels: Vec<u32> = (0..count).map(|i| (i % 2) as u32).collect();
    let values = labels.iter().flat_map(|label| {
        let x = noise() + f64::from(*label);
        [x, x + 0.1 * noise()]
    });
    (values.collect(), labels)
}

/// Fits on some rows, judges on others, and calibrates on those.
pub(crate) fn main() -> oddsmith::Result<()> {
    let classes = Classes::new(vec!["no".into(), "yes".into()])?;
    let layout = Layout::new("y", vec![Feature::number("a"), Feature::number("b")], classes, Weighting::None)?;
    let ((values, labels), (new_values, new_labels)) = (rows(2000, 1), rows(1000, 2));
    let source = ViewSource::new(&layout, Features::of_numbers(MatrixView::row_major(&values, 2000, 2)?), &labels, None)?;
    let model = fit(&NaiveBayes::new(Family::Gaussian), &source, None, &Control::new())?.model;

    let mut scored = ScoredTable::new(2);
    let new_rows = Features::of_numbers(MatrixView::row_major(&new_values, 1000, 2)?);
    scored.add(&model, Rows::new(new_rows, &new_labels, None, 0))?;
    let before = scored.evaluated(EvalSettings::default())?;
    let (map, after) = calibrated_out_of_fold(&scored, Method::Platt, 10, 1, EvalSettings::default())?;
    for (name, evaluation) in [("before", &before), ("after", &after)] {
        let metric = |wanted: &str| evaluation.figures().into_iter().find(|(name, _)| *name == wanted).and_then(|(_, metric)| metric.ok());
        let [slope, loss] = ["calibration_slope", "log_loss"].map(|name| metric(name).map_or(f64::NAN, |estimate| estimate.value));
        println!("{name}: log loss {loss:.3}, calibration slope {slope:.2}");
    }
    assert!(after.loss.nats().map_or(f64::NAN, |loss| loss.value) < before.loss.nats().map_or(f64::NAN, |loss| loss.value));

    // A calibrated model is a model like any other: it predicts, is judged and stored.
    let calibrated = Adjusted::calibrated(Box::new(model), map, ("calibration", "platt".into()))?;
    let bytes = persist::save_model(&calibrated)?;
    assert_eq!(persist::load_model(&bytes)?.card().title, calibrated.card().title);
    Ok(())
}
