//! One model from sums that were gathered apart: batches larger than memory, threads, or hospitals that keep their rows.
//!
//! `cargo run --release -p oddsmith --example merging`

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::sync::Arc;

use oddsmith::model::{Learner, PassInfo, Step};
use oddsmith::prelude::*;
use oddsmith::stats::Statistics;

/// Numbers between 0 and 1 that look random and are the same in every run.
fn noise() -> impl Iterator<Item = f64> {
    let next = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(1_u64), next).map(|state| (state >> 11) as f64 / (1_u64 << 53) as f64)
}

/// Adds batches up one after the other, and parts of them at two places; both give the same model.
pub(crate) fn main() -> oddsmith::Result<()> {
    let classes = Classes::new(vec!["no".into(), "yes".into()])?;
    let layout = Arc::new(Layout::new("y", vec![Feature::number("a"), Feature::number("b")], classes, Weighting::None)?);
    let labels: Vec<u32> = (0..1000).map(|i| i % 2).collect();
    let values: Vec<f64> = noise().take(2000).enumerate().map(|(at, x)| x + 0.5 * f64::from(labels[at / 2])).collect();

    let learner = Qda::default();
    let all = Features::of_numbers(MatrixView::row_major(&values, 1000, 2)?);
    let whole = fit(&learner, &ViewSource::new(&layout, all, &labels, None)?, None, &Control::new())?;

    // Every place observes its own rows; the sums merge in any order.
    let empty = learner.begin(&layout, &PassInfo::default())?;
    let mut pooled = empty.clone();
    for part in [0..300, 300..1000] {
        let mut sums = empty.clone();
        let rows = Features::of_numbers(MatrixView::row_major(&values[2 * part.start..2 * part.end], part.len(), 2)?);
        sums.observe(oddsmith::data::Rows::new(rows, &labels[part.clone()], None, part.start as u64))?;
        pooled.merge(&sums)?;
    }
    let Step::Done(model) = learner.finish(&pooled)? else { return Err(Error::data("another pass is wanted")) };

    let row = Features::of_numbers(MatrixView::row_major(&[0.9, 0.8], 1, 2)?);
    let (mut one, mut other) = (Predictions::new(), Predictions::new());
    Predictor::new(&whole.model).predict(&row, &mut one)?;
    Predictor::new(&model).predict(&row, &mut other)?;
    assert!((one.row(0)[1] - other.row(0)[1]).abs() < 1e-12);
    println!("{}: p = {:.4} from all rows, {:.4} from two places", model.card().title, one.row(0)[1], other.row(0)[1]);
    Ok(())
}
