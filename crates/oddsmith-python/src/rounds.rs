//! Models of rows that stay where they are, as Python sees them.

use std::collections::BTreeMap;

use oddsmith::data::{Order, Weighting};
use oddsmith::error::Error;
use oddsmith::registry;
use oddsmith::train::{self, Advance, Answer, Question, Study};
use oddsmith_io::{ArrowTable, Roles, TextOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::account::found;
use crate::columns::Columns;
use crate::edge::{Told, raise, told};
use crate::frame::{Frame, kinds_of};
use crate::options::{declared_params, params};
use crate::reading::{open_for, roles_of};
use crate::relay::Ended;
use crate::work;

/// Levels by column, and the event.
type DeclaredOrder = (BTreeMap<String, Vec<String>>, Option<String>);

fn order_of(declared: Option<DeclaredOrder>) -> oddsmith::Result<Order> {
    let order = declared.map_or_else(Order::default, |(levels, event)| Order { levels, event });
    order.check()?;
    Ok(order)
}

/// A question to the places of a study.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Round(train::Round);

impl Round {
    /// What is fitted.
    pub(crate) fn study(&self) -> &Study {
        self.0.study()
    }
}

#[pymethods]
impl Round {
    /// The first question about a model of the registry. A formula may name the target and the columns.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
    fn begin(
        py: Python<'_>,
        model: &str,
        options: &Bound<'_, PyDict>,
        formula: Option<&str>,
        target: Option<&str>,
        features: Option<Vec<String>>,
        kinds: BTreeMap<String, String>,
        weight: Option<String>,
        layout: Option<PyRef<'_, Columns>>,
        few_passes: bool,
        order: Option<DeclaredOrder>,
    ) -> PyResult<Self> {
        let entry = registry::find(model).map_err(|error| raise(py, error))?;
        let mut params = params(py, entry, options, formula)?;
        // Profiles and tests are fits of their own, and every pass is a journey.
        if few_passes && params.declares("no-tests") && !params.has("ci") {
            params = params.with_wald_intervals();
        }
        let begun = || {
            let roles = roles_of(&*(entry.build)(&params)?, target)?;
            let weight = weight.map(|name| (name, Weighting::Frequency));
            let (target, features) = (roles.target, roles.features.or(features));
            let study = Study { target, features, weight, kinds: kinds_of(kinds)?, order: order_of(order)?, ..Study::of(&params) };
            match layout {
                Some(columns) => train::Round::with_layout(study, (*columns.0).clone()),
                None => train::Round::begin(study),
            }
        };
        begun().map(Round).map_err(|error| raise(py, error))
    }

    /// The first question about an analysis of the registry, which ends in a card.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
    fn begin_analysis(
        py: Python<'_>,
        analysis: &str,
        options: &Bound<'_, PyDict>,
        formula: Option<&str>,
        target: Option<String>,
        features: Option<Vec<String>>,
        kinds: BTreeMap<String, String>,
        weight: Option<String>,
        order: Option<DeclaredOrder>,
    ) -> PyResult<Self> {
        let entry = found(py, analysis)?;
        let params = declared_params(py, entry.defaults(), entry.params, options, formula)?;
        let begun = || {
            let needs = (entry.build)(&params)?.needs_any()?;
            let study = Study {
                target: target.or(needs.target),
                features: needs.features.or(features),
                weight: weight.map(|name| (name, Weighting::Frequency)),
                kinds: needs.kinds.into_iter().chain(kinds_of(kinds)?).collect(),
                order: order_of(order)?,
                ..Study::of(&params)
            };
            train::Round::begin(study)
        };
        begun().map(Round).map_err(|error| raise(py, error))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        train::Round::from_bytes(bytes).map(Round).map_err(|error| raise(py, error))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.0.to_bytes().map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| raise(py, error))
    }

    /// The number of the question, from 1.
    #[getter]
    fn number(&self) -> usize {
        self.0.number()
    }

    /// What is asked, and what an answer tells of single rows.
    fn question(&self, py: Python<'_>) -> PyResult<(String, Option<String>)> {
        let words = || {
            let question = self.0.question()?;
            Ok((question.purpose()?, question.discloses()?))
        };
        words().map_err(|error| raise(py, error))
    }

    /// The bytes of the question, without the sums of earlier passes.
    fn ask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let asked = || self.0.question()?.to_bytes();
        asked().map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| raise(py, error))
    }

    /// The next question or what was concluded, and what differed between the places.
    fn advance(&self, py: Python<'_>, answers: Vec<(String, Vec<u8>)>) -> PyResult<(Option<Round>, Option<Ended>, Vec<Told>)> {
        let advanced = || {
            let read = answers.iter().map(|(_, bytes)| Answer::from_bytes(bytes)).collect::<oddsmith::Result<Vec<_>>>()?;
            let named: Vec<(&str, &Answer)> = answers.iter().map(|(name, _)| name.as_str()).zip(&read).collect();
            self.0.advance(&named)
        };
        match advanced().map_err(|error| raise(py, error))? {
            Advance::Again(round, notices) => Ok((Some(Round(*round)), None, told(notices))),
            // The name of the column of the weights is put back by the estimator that the fit was begun with.
            Advance::Done(conclusion) => Ok((None, Some(Ended::of(conclusion, None)), Vec::new())),
        }
    }
}

/// The columns of the target and of the weights that a question names.
#[pyfunction]
pub(crate) fn question_columns(py: Python<'_>, ask: &[u8]) -> PyResult<(Option<String>, Option<String>)> {
    let question = Question::from_bytes(ask).map_err(|error| raise(py, error))?;
    let study = question.study();
    Ok((study.target.clone(), study.weight.as_ref().map(|(name, _)| name.clone())))
}

/// The bytes of the answer of the place that has these rows, with the notices of reading them.
#[pyfunction]
pub(crate) fn answer_question<'py>(
    py: Python<'py>,
    ask: &[u8],
    frames: Vec<PyRef<'py, Frame>>,
    site: Option<String>,
    threads: usize,
) -> PyResult<(Bound<'py, PyBytes>, Vec<Told>)> {
    let question = Question::from_bytes(ask).map_err(|error| raise(py, error))?;
    let tables: Vec<ArrowTable> = frames.iter().map(|frame| frame.0.clone()).collect();
    let (bytes, notices) = work::run(py, usize::MAX, |control| {
        let study = question.study();
        let roles = Roles {
            target: study.target.clone(),
            features: study.features.clone(),
            exclude: study.exclude.clone(),
            weight: study.weight.clone(),
            order: study.order_of_levels(),
            ..Roles::default()
        };
        let table = joined(tables)?;
        let opened = open_for(question.needs()?, &table, &roles, (study.kinds.clone(), TextOptions::default()), threads, control)?;
        let answer = question.answer(&*opened.source, site.as_deref(), work::threads(threads), control)?;
        Ok((answer.to_bytes()?, opened.notices))
    })?;
    Ok((PyBytes::new(py, &bytes), told(notices)))
}

/// The batches of all tables as one table.
fn joined(tables: Vec<ArrowTable>) -> oddsmith::Result<ArrowTable> {
    let mut tables = tables.into_iter();
    let mut all = tables.next().ok_or_else(|| Error::data("there is no batch to answer from; one without rows will do"))?;
    for table in tables {
        if table.schema.fields() != all.schema.fields() {
            return Err(Error::data("the batches have different columns"));
        }
        all.batches.extend(table.batches);
    }
    Ok(all)
}

/// The bytes of one answer in place of several to the same question.
#[pyfunction]
pub(crate) fn merge_answers(py: Python<'_>, answers: Vec<(String, Vec<u8>)>) -> PyResult<Bound<'_, PyBytes>> {
    let merged = || {
        let read = answers.iter().map(|(_, bytes)| Answer::from_bytes(bytes)).collect::<oddsmith::Result<Vec<_>>>()?;
        Answer::merged(&answers.iter().map(|(name, _)| name.as_str()).zip(&read).collect::<Vec<_>>())?.to_bytes()
    };
    merged().map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| raise(py, error))
}
