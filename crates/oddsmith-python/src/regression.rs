//! Regressions from arrays and from data frames.

use std::collections::BTreeMap;

use numpy::PyReadonlyArray1;
use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{FeatureBlocks, Formula, Kind, RelabelledSource, Response, Weighting};
use oddsmith::error::Error;
use oddsmith::model::linear::Logistic;
use oddsmith::model::{AnyProcedure, Classifier, Inference, Learner};
use oddsmith::train;
use oddsmith_io::{ArrowTable, Opened, ReadOptions, Roles, open_arrow};
use pyo3::prelude::*;

use crate::arrow::{self, Beside};
use crate::columns::Columns;
use crate::edge::{Told, raise, told};
use crate::frame::{Frame, kinds_of};
use crate::knobs::LogisticKnobs;
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
    knobs: LogisticKnobs,
    threads: usize,
) -> PyResult<Model> {
    let labels = labels.as_slice()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let learner = knobs.learner().map_err(|error| raise(py, error))?;
    let model = with_data(x, |data| {
        // Several passes over many rows: worth a thread of its own, which Ctrl-C can stop.
        let cells = data.cells().saturating_mul(8);
        work::run(py, cells, |control| {
            let table = Table::new(data, &columns.0, None, "LogisticRegression")?;
            check_rows(table.rows(), labels, weights, columns.0.classes())?;
            train::fit(&learner, &Labelled { table, labels, weights }, work::threads(threads), control)
        })
    })?;
    Ok(Model::new(Box::new(model.model)))
}

/// A target that stands beside a data frame: its name, its classes, the class of every row, and weights.
type Target<'py> = (String, Vec<String>, PyReadonlyArray1<'py, u32>, Option<PyReadonlyArray1<'py, f64>>);

/// Fits the regression that a formula describes to a data frame; its left side names the target.
#[pyfunction]
pub(crate) fn fit_formula(
    py: Python<'_>,
    frame: &Frame,
    knobs: LogisticKnobs,
    kinds: BTreeMap<String, String>,
    weight: Option<String>,
    beside: Option<Target<'_>>,
    threads: usize,
) -> PyResult<(Model, Vec<Told>)> {
    let learner = knobs.learner().map_err(|error| raise(py, error))?;
    let kinds = kinds_of(kinds).map_err(|error| raise(py, error))?;
    let mut roles = formula_roles(&learner, weight).map_err(|error| raise(py, error))?;
    roles.order = frame.1.clone();
    let joined = match &beside {
        None => None,
        Some((target, classes, codes, weights)) => {
            let name = frame.free_name("weight", target);
            let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
            let weights = weights.map(|weights| (name.as_str(), weights));
            if weights.is_some() {
                roles.weight = Some((name.clone(), Weighting::Frequency));
            }
            Some(arrow::beside(&frame.0, &Beside { target, classes, codes: codes.as_slice()?, weights })?)
        }
    };
    let table = joined.as_ref().unwrap_or(&frame.0);
    // Weights that stand beside a frame have no column that a later table could have.
    let weight_column = roles.weight.clone().filter(|_| beside.is_none());
    let (model, notices) = work::run(py, usize::MAX, |control| {
        let opened = open_for(&learner, table, &roles, kinds, threads, control)?;
        let model = train::fit(&learner, &*opened.source, work::threads(threads), control)?.model;
        let model: Box<dyn Classifier> = match &weight_column {
            Some((column, _)) => model.weighted_by(column),
            None => Box::new(model),
        };
        Ok((model, opened.notices))
    })?;
    Ok((Model::new(model), told(notices)))
}

/// The parts that the columns of a formula play.
pub(crate) fn formula_roles(learner: &Logistic, weight: Option<String>) -> Result<Roles> {
    let formula = learner.formula.as_ref().map(Formula::response);
    if formula.is_none_or(|response| matches!(response, Response::None)) {
        return Err(Error::knob("formula", "…", "write the target on the left side, as in `died ~ age + sex`"));
    }
    let needs = learner.needs()?;
    Ok(Roles {
        target: needs.target,
        features: needs.features,
        weight: weight.map(|name| (name, Weighting::Frequency)),
        ..Roles::default()
    })
}

/// The rows that a model is fitted to.
pub(crate) fn open_for(
    procedure: &dyn AnyProcedure,
    table: &ArrowTable,
    roles: &Roles,
    mut kinds: BTreeMap<String, Kind>,
    threads: usize,
    control: &Control,
) -> Result<Opened> {
    let needs = procedure.needs_any()?;
    for (column, kind) in needs.kinds {
        kinds.entry(column).or_insert(kind);
    }
    let options = ReadOptions { kinds, threads, ..ReadOptions::default() };
    let mut opened = open_arrow(table, &options, roles, control)?;
    if let Some((target, classes)) = needs.response {
        opened.source = Box::new(RelabelledSource::with_response_in_columns(opened.source, &target, classes)?);
    }
    Ok(opened)
}
