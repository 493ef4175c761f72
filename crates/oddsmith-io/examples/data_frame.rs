//! A model of a polars data frame, or of any other table that speaks Arrow: the frame goes in as the bytes of an Arrow file, which hold
//! its types, its categories and its gaps.
//!
//! polars itself is a large dependency, so this program writes the file with `arrow-ipc`. In a program that has polars
//! (`polars = { version = "…", features = ["ipc"] }`) these lines take the place of [`arrow_bytes`]:
//!
//! ```text
//! use polars::prelude::*;
//!
//! fn arrow_bytes(frame: &mut DataFrame) -> PolarsResult<Vec<u8>> {
//!     let mut bytes = Vec::new();
//!     IpcWriter::new(&mut bytes).finish(frame)?;
//!     Ok(bytes)
//! }
//! ```
//!
//! Record batches that are there already need no bytes: [`oddsmith_io::open_arrow`] takes them as they are.
//!
//! `cargo run --release -p oddsmith-io --example data_frame`.

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringViewArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use oddsmith::prelude::*;
use oddsmith_io::{ArrowTable, Input, ReadOptions, Roles, open, open_arrow, open_for_prediction};

/// Forty patients; texts are views, as polars writes them.
fn patients() -> Result<RecordBatch, ArrowError> {
    let ill = |i: i32| i % 3 == 0;
    let age = (0..40).map(|i| (i % 5 != 4).then(|| 30.0 + f64::from(i * 7 % 40) + if ill(i) { 12.0 } else { 0.0 }));
    let ward = (0..40).map(|i| Some(["east", "north", "west"][(i * 5 % 7 % 3) as usize]));
    let smokes = (0..40).map(|i| Some((i * 3 % 4 == 0) || (ill(i) && i % 2 == 0)));
    let state = (0..40).map(|i| Some(if ill(i) { "ill" } else { "well" }));
    let columns: [(&str, ArrayRef); 4] = [
        ("age", Arc::new(Float64Array::from_iter(age))),
        ("ward", Arc::new(StringViewArray::from_iter(ward))),
        ("smokes", Arc::new(BooleanArray::from_iter(smokes))),
        ("state", Arc::new(StringViewArray::from_iter(state))),
    ];
    RecordBatch::try_from_iter(columns)
}

/// The bytes of an Arrow file.
fn arrow_bytes(frame: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let mut writer = FileWriter::try_new(Vec::new(), &frame.schema())?;
    writer.write(frame)?;
    writer.into_inner()
}

/// Fits naive Bayes to the frame and predicts its rows.
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let frame = patients()?;
    let input = Input::Bytes { name: "patients".into(), bytes: arrow_bytes(&frame)?.into() };
    let (options, control) = (ReadOptions::default(), Control::new());
    let opened = open(&input, &options, &Roles::target("state"), &control)?;
    let (entry, params) = registry::parse("nb")?;
    let learner = (entry.build)(&params)?;
    let model = fit(&learner, &*opened.source, None, &control)?.model;

    let mut probabilities = Vec::new();
    let rows = open_for_prediction(&input, &options, model.layout(), &[])?;
    rows.scan(&control, &mut |batch| {
        let mut predictions = Predictions::new();
        Predictor::new(&*model).probabilities(&batch.features, &mut predictions)?;
        probabilities.extend_from_slice(predictions.probabilities());
        Ok(())
    })?;
    println!("{}: the first row is ill with probability {:.3}", model.card().title, probabilities[0]);
    assert_eq!(probabilities.len(), 2 * 40);

    // The same record batches without any file between.
    let table = ArrowTable { name: "patients".into(), schema: frame.schema(), batches: vec![frame] };
    let opened = open_arrow(&table, &options, &Roles::target("state"), &control)?;
    let again = fit(&learner, &*opened.source, None, &control)?.model;
    assert_eq!(again.card(), model.card());
    Ok(())
}
