//! Lists of neighbours, as Python sees them.

use numpy::PyArray1;
use oddsmith::error::ErrorKind;
use oddsmith::model::{Classifier, Neighbour, Neighbours};
use pyo3::prelude::*;

/// Counts of neighbours by row, then distances, numbers of rows, classes and votes.
pub(crate) type Nearest<'py> =
    (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<f64>>);

/// The rows that answer for others, where a model keeps rows.
pub(crate) fn neighbours_of(model: &dyn Classifier) -> oddsmith::Result<&dyn Neighbours> {
    model.neighbours().ok_or_else(|| {
        let (model, what) = (model.card().title, "list neighbours".to_owned());
        ErrorKind::Unsupported { model, what, advice: "it keeps no rows".into() }.into()
    })
}

/// Lists of neighbours as arrays.
pub(crate) fn listed(py: Python<'_>, found: Vec<Vec<Neighbour>>) -> Nearest<'_> {
    let counts = found.iter().map(|row| row.len() as u64).collect();
    let all: Vec<Neighbour> = found.into_iter().flatten().collect();
    (
        PyArray1::from_vec(py, counts),
        PyArray1::from_vec(py, all.iter().map(|neighbour| neighbour.distance).collect()),
        PyArray1::from_vec(py, all.iter().map(|neighbour| neighbour.row - 1).collect()),
        PyArray1::from_vec(py, all.iter().map(|neighbour| neighbour.class as u64).collect()),
        PyArray1::from_vec(py, all.iter().map(|neighbour| neighbour.vote).collect()),
    )
}
