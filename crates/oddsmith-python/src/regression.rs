//! Logistic regression as scikit-learn asks for it: its own stopping rule and starting point.

use numpy::PyReadonlyArray1;
use oddsmith::data::FeatureBlocks;
use oddsmith::train;
use pyo3::prelude::*;

use crate::arguments::LogisticArguments;
use crate::columns::Columns;
use crate::edge::raise;
use crate::model::Model;
use crate::sums::check_rows;
use crate::table::{Labelled, Table, with_data};
use crate::work;

/// Fits logistic or softmax regression to the columns of an array.
#[pyfunction]
pub(crate) fn fit_logistic(
    py: Python<'_>,
    columns: &Columns,
    x: &Bound<'_, PyAny>,
    labels: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    params: LogisticArguments,
    threads: usize,
) -> PyResult<Model> {
    let labels = labels.as_slice()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let learner = params.learner().map_err(|error| raise(py, error))?;
    let model = with_data(x, |data| {
        // Several passes over many rows: worth a thread of its own, which Ctrl-C can stop.
        let cells = data.cells().saturating_mul(8);
        work::run(py, cells, |control| {
            let table = Table::new(data, &columns.0, None, "LogisticRegression")?;
            check_rows(table.rows(), labels, weights, columns.0.classes())?;
            train::fit(&learner, &Labelled::new(table, labels, weights), work::threads(threads), control)
        })
    })?;
    Ok(Model::new(Box::new(model.model)))
}
