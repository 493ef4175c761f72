//! Fit and predict from arrays of `ndarray`, without a copy of the rows.
//!
//! `cargo run --release -p oddsmith --example arrays`

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use ndarray::{Array1, Array2, array};
use oddsmith::prelude::*;

/// A view of an array of rows, in either order of memory.
fn view(rows: &Array2<f64>) -> oddsmith::Result<MatrixView<'_>> {
    let (count, columns) = rows.dim();
    match (rows.as_slice(), rows.as_slice_memory_order()) {
        (Some(data), _) => MatrixView::row_major(data, count, columns),
        (None, Some(data)) => MatrixView::column_major(data, count, columns),
        (None, None) => Err(Error::data("an array with gaps in memory: make it one with `to_owned()`")),
    }
}

/// Learns from the first rows and asks about others.
pub(crate) fn main() -> oddsmith::Result<()> {
    let rows: Array2<f64> = array![[1.0, 5.0], [2.0, 4.0], [4.0, 4.5], [5.0, 1.0], [6.0, 2.0], [9.0, 1.5], [4.5, 3.0], [3.9, 2.9]];
    let labels: Array1<u32> = array![0, 0, 0, 1, 1, 1, 0, 1];
    let classes = Classes::new(vec!["healthy".into(), "ill".into()])?;
    let layout = Layout::new("state", vec![Feature::number("age"), Feature::number("dose")], classes, Weighting::None)?;

    let labels = labels.as_slice().ok_or_else(|| Error::data("labels with gaps in memory"))?;
    let source = ViewSource::new(&layout, Features::of_numbers(view(&rows)?), labels, None)?;
    let fitted = fit(&Lda::default(), &source, None, &Control::new())?;

    let new: Array2<f64> = array![[2.0, 4.5], [7.0, 1.0]];
    let mut predictions = Predictions::new();
    Predictor::new(&fitted.model).predict(&Features::of_numbers(view(&new)?), &mut predictions)?;
    let ill = Array1::from_iter((0..new.nrows()).map(|i| predictions.row(i)[1]));
    assert!(ill[0] < 0.5 && ill[1] > 0.5);
    println!("{}: probabilities of being ill {ill:.3}", fitted.model.card().title);
    Ok(())
}
