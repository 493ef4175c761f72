//! The layout of a problem, as Python describes it.

use std::sync::Arc;

use oddsmith::Result;
use oddsmith::data::{Classes, Feature, Layout, Levels, Vocabulary, Weighting, WordValue};
use oddsmith::error::Error;
use pyo3::prelude::*;

use crate::edge::raise;

/// The name of the sparse block that all columns of a sparse array are; a text column has a name of its own.
pub(crate) const SPARSE: &str = "x";

/// Columns and classes that rows are read against. Weights stand for repeated rows.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Columns(pub(crate) Arc<Layout>);

/// Names of columns, or how many there are when nobody named them: they are then x0, x1 and so on.
#[derive(FromPyObject)]
enum Names {
    Counted(usize),
    Listed(Vec<String>),
}

/// The kind of a column: a word, or the levels of a category.
#[derive(FromPyObject)]
enum ColumnKind {
    Named(String),
    Levels(Vec<String>),
}

/// x0, x1, x2 … Ten names share their beginning, which is written once.
fn counted(count: usize) -> Vec<String> {
    let mut start = String::from("x");
    let name = |j: usize| {
        if j.is_multiple_of(10) && j > 0 {
            start = format!("x{}", j / 10);
        }
        let mut name = String::with_capacity(start.len() + 1);
        name.push_str(&start);
        name.push(char::from(b'0' + (j % 10) as u8));
        name
    };
    (0..count).map(name).collect()
}

fn layout(features: Vec<Feature>, classes: Vec<String>) -> Result<Columns> {
    Ok(Columns(Arc::new(Layout::new("y", features, Classes::new(classes)?, Weighting::Frequency)?)))
}

#[pymethods]
impl Columns {
    /// Number columns.
    #[staticmethod]
    fn numbers(py: Python<'_>, names: Vec<String>, classes: Vec<String>) -> PyResult<Self> {
        layout(names.into_iter().map(Feature::number).collect(), classes).map_err(|error| raise(py, error))
    }

    /// Columns of codes; `counts` are their numbers of levels.
    #[staticmethod]
    fn levels(py: Python<'_>, names: Vec<String>, counts: Vec<usize>, classes: Vec<String>) -> PyResult<Self> {
        let levels = |count: usize| Levels::in_order((0..count).map(|level| level.to_string()).collect());
        let features = names.into_iter().zip(counts).map(|(name, count)| Feature::category(name, levels(count))).collect();
        layout(features, classes).map_err(|error| raise(py, error))
    }

    /// Columns of every kind: "number", "boolean", or the levels of a category, with the name of the target and its classes.
    #[staticmethod]
    fn mixed(py: Python<'_>, columns: Vec<(String, ColumnKind)>, target: &str, classes: Vec<String>, weighted: bool) -> PyResult<Self> {
        let feature = |(name, kind): (String, ColumnKind)| match kind {
            ColumnKind::Levels(levels) => Ok(Feature::category(name, Levels::in_order(levels))),
            ColumnKind::Named(kind) if kind == "number" => Ok(Feature::number(name)),
            ColumnKind::Named(kind) if kind == "boolean" => Ok(Feature::boolean(name)),
            ColumnKind::Named(kind) => Err(Error::option("layout", kind, "number, boolean, or a list of the levels of a category")),
        };
        let weighting = if weighted { Weighting::Frequency } else { Weighting::None };
        let made = || {
            let features = columns.into_iter().map(feature).collect::<Result<Vec<_>>>()?;
            Ok(Columns(Arc::new(Layout::new(target, features, Classes::new(classes)?, weighting)?)))
        };
        made().map_err(|error| raise(py, error))
    }

    /// One sparse block of columns.
    #[staticmethod]
    fn words(py: Python<'_>, names: Names, classes: Vec<String>) -> PyResult<Self> {
        let names = match names {
            Names::Listed(names) => names,
            Names::Counted(count) => counted(count),
        };
        let feature = Feature::words(SPARSE, Vocabulary::Listed(names), WordValue::Count);
        layout(vec![feature], classes).map_err(|error| raise(py, error))
    }
}
