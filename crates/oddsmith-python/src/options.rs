//! The options of a model from keyword arguments: checked by their declarations, refused in the words of Python.

use oddsmith::Result;
use oddsmith::data::Formula;
use oddsmith::error::Error;
use oddsmith::model::{Param, ParamKind, Params, join_list};
use oddsmith::registry::Entry;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::edge::raise;

/// The options that were given, by the names of the registry or of Python; `None` is the model's own default.
pub(crate) fn params(py: Python<'_>, entry: &Entry, given: &Bound<'_, PyDict>, formula: Option<&str>) -> PyResult<Params> {
    declared_params(py, entry.defaults(), entry.params, given, formula)
}

/// The same for anything that declares options.
pub(crate) fn declared_params(
    py: Python<'_>,
    mut params: Params,
    declared: &'static [&'static Param],
    given: &Bound<'_, PyDict>,
    formula: Option<&str>,
) -> PyResult<Params> {
    for (name, value) in given {
        if value.is_none() {
            continue;
        }
        let name: String = name.extract()?;
        let declared = declared.iter().find(|param| param.is_called(&name));
        let set = match declared {
            Some(param) => texts(param, &value)?.and_then(|texts| texts.iter().try_for_each(|text| params.set(param.name, text))),
            None => params.set(&name, ""),
        };
        set.map_err(|error| raise(py, error))?;
    }
    let formula = formula.map(Formula::parse).transpose().map_err(|error| raise(py, error))?;
    params.with_formula(formula).map_err(|error| raise(py, error))
}

/// The texts in which an option takes a value.
fn texts(param: &Param, value: &Bound<'_, PyAny>) -> PyResult<Result<Vec<String>>> {
    let one = |text: String| Ok(Ok(vec![text]));
    let is_flag = value.extract::<bool>().is_ok() && value.extract::<&str>().is_err();
    match param.kind {
        ParamKind::Flag if is_flag => one(value.extract::<bool>()?.to_string()),
        // Python's truth values are numbers, which nobody means.
        ParamKind::Number { .. } | ParamKind::Between { .. } if !value.is_instance_of::<PyBool>() => match value.extract::<f64>() {
            Ok(number) => one(number.to_string()),
            Err(_) => Ok(Err(refused(param, value))),
        },
        ParamKind::Whole { .. } if !value.is_instance_of::<PyBool>() => match value.extract::<u64>() {
            Ok(number) => one(number.to_string()),
            Err(_) => Ok(Err(refused(param, value))),
        },
        ParamKind::Choice(_) | ParamKind::Column if value.is_instance_of::<PyString>() => one(value.extract()?),
        ParamKind::Text(_) if value.is_instance_of::<PyDict>() => one(join_list(&pairs(value)?)),
        ParamKind::Text(_) if !is_flag => one(value.str()?.to_string()),
        ParamKind::Pairs(_) if value.is_instance_of::<PyDict>() => Ok(Ok(vec![join_list(&pairs(value)?)])),
        ParamKind::Columns => match value.extract::<Vec<String>>() {
            Ok(names) => one(join_list(&names)),
            Err(_) => Ok(Err(refused(param, value))),
        },
        _ => Ok(Err(refused(param, value))),
    }
}

/// The items of a dictionary as `name=value`.
fn pairs(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let items = value.cast::<PyDict>()?.iter();
    items.map(|(left, right)| Ok(format!("{}={}", left.str()?, right.str()?))).collect()
}

/// Says what is accepted, in Python's types.
fn refused(param: &Param, value: &Bound<'_, PyAny>) -> Error {
    let shown = value.repr().map_or_else(|_| "…".into(), |text| text.to_string());
    let accepted = match param.kind {
        ParamKind::Flag => "True or False".into(),
        ParamKind::Pairs(_) => format!("a dict of {}", param.kind.accepted()),
        ParamKind::Columns => "a list of names of columns".into(),
        kind => kind.accepted(),
    };
    Error::option(&param.python_name(), shown, accepted)
}
