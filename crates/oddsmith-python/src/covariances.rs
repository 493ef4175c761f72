//! Shrunk covariance matrices of the classes, which no model file holds.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use oddsmith::data::FeatureBlocks;
use oddsmith::model::discriminant::Qda;
use oddsmith::train;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arguments::DiscriminantArguments;
use crate::columns::Columns;
use crate::edge::raise;
use crate::sums::check_rows;
use crate::table::{Labelled, Table, with_data};
use crate::work;

/// Covariance matrices of the classes, shrunk by the shares that Ledoit and Wolf's formula gives.
#[pyfunction]
#[pyo3(signature = (columns, x, labels, weights, params, threads))]
pub(crate) fn shrunk_covariances<'py>(
    py: Python<'py>,
    columns: &Columns,
    x: &Bound<'py, PyAny>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    params: DiscriminantArguments,
    threads: usize,
) -> PyResult<Bound<'py, PyList>> {
    let labels = labels.as_slice()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let (classes, p) = (columns.0.classes().len(), columns.0.features().len());
    let learner = Qda::new(params.settings(columns.0.classes()).map_err(|error| raise(py, error))?);
    let matrices: Vec<Vec<f64>> = with_data(x, |data| {
        let cells = data.cells();
        work::run(py, cells, |control| {
            let table = Table::new(data, &columns.0, None, "")?;
            check_rows(table.rows(), labels, weights, columns.0.classes())?;
            let model = train::fit(&learner, &Labelled::new(table, labels, weights), work::threads(threads), control)?.model;
            let matrix = |k: usize| (0..p * p).map(|at| model.covariance(k, at / p, at % p)).collect();
            Ok((0..classes).map(matrix).collect())
        })
    })?;
    let arrays = matrices.iter().map(|matrix| PyArray1::from_slice(py, matrix).reshape([p, p])).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, arrays)
}
