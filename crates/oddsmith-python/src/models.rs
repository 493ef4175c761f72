//! The registry, as Python sees it: every model with its options, and the one road of all of them from rows to a fitted model.

use std::collections::BTreeMap;

use numpy::PyReadonlyArray1;
use oddsmith::Result;
use oddsmith::card::Table as CardTable;
use oddsmith::control::Control;
use oddsmith::data::{FeatureBlocks, Kind, Source, Weighting};
use oddsmith::model::linear::beside_crude;
use oddsmith::model::{AnyLearner, Classifier, Param, ParamKind, Params};
use oddsmith::registry::{self, Entry, MODELS, Text};
use oddsmith::train::{self, Trace};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrow::{self, Beside};
use crate::columns::Columns;
use crate::edge::{Told, raise, told};
use crate::frame::{Frame, kinds_of};
use crate::model::Model;
use crate::options::params;
use crate::reading::{open_for, roles_of};
use crate::sums::check_rows;
use crate::table::{Labelled, Table, with_data};
use crate::work;

/// Every model of the registry: its names, what it takes and its options.
#[pyfunction]
pub(crate) fn models(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    PyList::new(py, MODELS.iter().map(|entry| described(py, entry)).collect::<PyResult<Vec<_>>>()?)
}

fn described<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let model = PyDict::new(py);
    model.set_item("name", entry.name)?;
    model.set_item("aliases", entry.aliases.to_vec())?;
    model.set_item("python", entry.python)?;
    model.set_item("family", entry.family)?;
    model.set_item("summary", entry.summary)?;
    model.set_item("takes_formula", entry.takes_formula)?;
    model.set_item("searches", entry.learner().is_ok_and(|learner| learner.searches_any()))?;
    for (name, kind) in [("takes_numbers", Kind::Number), ("takes_categories", Kind::Category), ("takes_booleans", Kind::Boolean)] {
        model.set_item(name, entry.takes.kind(kind))?;
    }
    model.set_item("takes_text", entry.takes.text != Text::No)?;
    model.set_item("params", PyList::new(py, entry.params.iter().map(|param| declared(py, param)).collect::<PyResult<Vec<_>>>()?)?)?;
    Ok(model)
}

fn declared<'py>(py: Python<'py>, param: &Param) -> PyResult<Bound<'py, PyDict>> {
    let option = PyDict::new(py);
    option.set_item("name", param.python_name())?;
    option.set_item("option", param.name)?;
    option.set_item("kind", param.kind.name())?;
    option.set_item("accepted", param.kind.accepted())?;
    if let ParamKind::Choice(words) = param.kind {
        option.set_item("choices", words.to_vec())?;
    }
    option.set_item("doc", param.doc)?;
    option.set_item("default_words", param.default)?;
    match (param.kind, param.default) {
        (ParamKind::Flag, _) => option.set_item("default", false)?,
        (ParamKind::Number { .. } | ParamKind::Between { .. }, text) => option.set_item("default", text.parse::<f64>().ok())?,
        (ParamKind::Whole { .. }, text) => option.set_item("default", text.parse::<u64>().ok())?,
        (ParamKind::Choice(words), text) => option.set_item("default", words.contains(&text).then_some(text))?,
        _ => option.set_item("default", None::<&str>)?,
    }
    Ok(option)
}

/// The model that is meant when only a formula is given.
#[pyfunction]
pub(crate) fn model_of_formulas() -> &'static str {
    registry::default_for(true).name
}

/// The models that a comparison takes where none are named.
#[pyfunction]
pub(crate) fn compared_models() -> Vec<&'static str> {
    registry::COMPARED.split(',').collect()
}

/// Fits a model of the registry to the columns of an array.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
pub(crate) fn fit_rows(
    py: Python<'_>,
    model: &str,
    options: &Bound<'_, PyDict>,
    formula: Option<&str>,
    columns: &Columns,
    x: &Bound<'_, PyAny>,
    labels: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    gaps: bool,
    trace: bool,
    threads: usize,
) -> PyResult<Model> {
    let entry = registry::find(model).map_err(|error| raise(py, error))?;
    let params = params(py, entry, options, formula)?;
    let labels = labels.as_slice()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let (model, steps) = with_data(x, |data| {
        // Several passes over many rows: worth a thread of its own, which Ctrl-C can stop.
        let cells = data.cells().saturating_mul(8);
        work::run(py, cells, |control| {
            let table = Table::new(data, &columns.0, None, entry.python)?.with_gaps(gaps);
            check_rows(table.rows(), labels, weights, columns.0.classes())?;
            let rows = Labelled::new(table, labels, weights);
            let learner = (entry.build)(&affordable(&params, &rows)?)?;
            fitted(learner, &rows, trace, threads, control)
        })
    })?;
    Ok(Model::new(model).with_trace(steps))
}

/// A model, and the steps of its search where they are asked for.
fn fitted(
    learner: Box<dyn AnyLearner>,
    source: &dyn Source,
    trace: bool,
    threads: usize,
    control: &Control,
) -> Result<(Box<dyn Classifier>, Option<CardTable>)> {
    if !trace {
        return Ok((train::fit(&learner, source, work::threads(threads), control)?.model, None));
    }
    let mut steps = Trace::default();
    let fitted = train::conclude_traced(&learner, source, work::threads(threads), control, &mut steps)?;
    Ok((fitted.model, Some(steps.table())))
}

/// A target that stands beside a data frame: its name, its classes, the class of every row, and weights.
type Target<'py> = (String, Vec<String>, PyReadonlyArray1<'py, u32>, Option<PyReadonlyArray1<'py, f64>>);

/// Fits a model of the registry to a data frame. Without a target beside the frame the left side of the formula names it.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
pub(crate) fn fit_frame(
    py: Python<'_>,
    model: &str,
    options: &Bound<'_, PyDict>,
    formula: Option<&str>,
    frame: &Frame,
    kinds: BTreeMap<String, String>,
    weight: Option<String>,
    beside: Option<Target<'_>>,
    crude: bool,
    trace: bool,
    threads: usize,
) -> PyResult<(Model, Vec<Told>)> {
    let entry = registry::find(model).map_err(|error| raise(py, error))?;
    let params = params(py, entry, options, formula)?;
    let kinds = kinds_of(kinds).map_err(|error| raise(py, error))?;
    let learner = (entry.build)(&params).map_err(|error| raise(py, error))?;
    let mut roles = roles_of(&*learner, beside.as_ref().map(|target| target.0.as_str())).map_err(|error| raise(py, error))?;
    roles.weight = weight.map(|name| (name, Weighting::Frequency));
    roles.order = frame.1.clone();
    // Weights that stand beside a frame have no column that a later table could have.
    let weight_column = roles.weight.as_ref().map(|(column, _)| column.clone());
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
    let (model, card, steps, notices) = work::run(py, usize::MAX, |control| {
        let opened = open_for(learner.needs_any()?, table, &roles, (kinds, frame.2.clone()), threads, control)?;
        let params = affordable(&params, &*opened.source)?;
        let (model, steps) = fitted((entry.build)(&params)?, &*opened.source, trace, threads, control)?;
        let card = match crude {
            true => {
                let mut card = model.card();
                beside_crude(&mut card, &train::crude_cards(entry, &params, &*model, &*opened.source, work::threads(threads), control)?);
                Some(card)
            }
            false => None,
        };
        Ok((with_weights_of(model, weight_column.as_deref()), card, steps, opened.notices))
    })?;
    Ok((Model::new(model).with_card(card).with_trace(steps), told(notices)))
}

/// Intervals of the kind that the command gives where nobody asks for one: from the profile of the likelihood, unless that would take long.
fn affordable(params: &Params, source: &dyn Source) -> Result<Params> {
    match !params.has("ci") && train::inference_is_costly(params, source) {
        true => params.clone().with("ci", "wald"),
        false => Ok(params.clone()),
    }
}

/// The model with the name of the column that its rows' weights stand in, where it remembers such things.
pub(crate) fn with_weights_of(model: Box<dyn Classifier>, column: Option<&str>) -> Box<dyn Classifier> {
    match (column, model.inference()) {
        (Some(column), Some(inference)) => inference.weighted_by(column),
        _ => model,
    }
}
