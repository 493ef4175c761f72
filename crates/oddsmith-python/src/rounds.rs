//! Regressions of rows that stay where they are, as Python sees them.

use std::collections::BTreeMap;

use oddsmith::train::{self, Advance, Answer, Study};
use oddsmith_io::Roles;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::edge::{Told, raise, told};
use crate::frame::{Frame, kinds_of};
use crate::knobs::LogisticKnobs;
use crate::model::Model;
use crate::regression::{formula_roles, open_for_regression};
use crate::work;

/// A question to the places of a study.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Round(train::Round);

#[pymethods]
impl Round {
    /// The first question about a formula.
    #[staticmethod]
    fn begin(py: Python<'_>, knobs: LogisticKnobs, kinds: BTreeMap<String, String>, weight: Option<String>) -> PyResult<Self> {
        let begun = || {
            let learner = knobs.learner()?;
            let roles = formula_roles(&learner, weight)?;
            let Roles { target, features, exclude, weight, .. } = roles;
            let kinds = kinds_of(kinds)?;
            train::Round::begin(Study { learner, target, features, exclude, weight, kinds, ..Study::default() })
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
        let question = self.0.question().map_err(|error| raise(py, error))?;
        Ok((question.purpose, question.discloses))
    }

    /// The bytes of the answer of the place that has these rows, with the notices of reading them.
    fn answer<'py>(&self, py: Python<'py>, frame: &Frame, threads: usize) -> PyResult<(Bound<'py, PyBytes>, Vec<Told>)> {
        let study = self.0.study();
        let roles = Roles {
            target: study.target.clone(),
            features: study.features.clone(),
            exclude: study.exclude.clone(),
            weight: study.weight.clone(),
            ..Roles::default()
        };
        let (bytes, notices) = work::run(py, usize::MAX, |control| {
            let opened = open_for_regression(&frame.0, &study.learner, &roles, study.kinds.clone(), threads, control)?;
            let answer = self.0.answer(&*opened.source, work::threads(threads), control)?;
            Ok((answer.to_bytes()?, opened.notices))
        })?;
        Ok((PyBytes::new(py, &bytes), told(notices)))
    }

    /// The next question or the model, and what differed between the places.
    fn advance(&self, py: Python<'_>, answers: Vec<(String, Vec<u8>)>) -> PyResult<(Option<Round>, Option<Model>, Vec<Told>)> {
        let advanced = || {
            let read = answers.iter().map(|(_, bytes)| Answer::from_bytes(bytes)).collect::<oddsmith::Result<Vec<_>>>()?;
            let named: Vec<(&str, &Answer)> = answers.iter().map(|(name, _)| name.as_str()).zip(&read).collect();
            self.0.advance(&named)
        };
        match advanced().map_err(|error| raise(py, error))? {
            Advance::Again(round, notices) => Ok((Some(Round(*round)), None, told(notices))),
            Advance::Done(model) => Ok((None, Some(Model::new(model)), Vec::new())),
        }
    }
}
