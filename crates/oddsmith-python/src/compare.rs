//! Models compared on the same folds: those of the library over a data frame or an array, and those that Python scored.

use std::collections::BTreeMap;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use oddsmith::Result;
use oddsmith::card::Card;
use oddsmith::data::{FeatureBlocks, Source, Weighting};
use oddsmith::error::Error;
use oddsmith::eval::{EvalSettings, Undefined};
use oddsmith::train::pictures::{comparison_picture, curve_picture};
use oddsmith::train::{self, Candidate, CandidateMetrics, CandidateResult, Comparison, CurvePoint, Folds, ScoredTable};
use oddsmith_io::{ReadOptions, Roles, open_arrow};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrow::{self, Beside};
use crate::columns::Columns;
use crate::edge::{Told, raise, told};
use crate::frame::{Frame, kinds_of};
use crate::pictures::Picture;
use crate::shown::{rendered, table_columns};
use crate::sums::check_rows;
use crate::table::{Labelled, Table, with_data};
use crate::work;

/// Models after a comparison.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Results {
    models: Vec<CandidateResult>,
    curve: Vec<CurvePoint>,
}

/// How rows are dealt to folds, from keyword arguments.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Deal {
    folds: usize,
    repeats: u64,
    seed: u64,
    groups: Option<Vec<u32>>,
    threads: usize,
    curve: bool,
}

impl Deal {
    fn run(&self, source: &dyn Source, names: &[String], flags: &[String], control: &oddsmith::control::Control) -> Result<Results> {
        let candidates = Candidate::parse_list_for(&names.join(","), flags)?;
        let comparison = Comparison {
            source,
            candidates: &candidates,
            folds: self.folds,
            repeats: self.repeats,
            seed: self.seed,
            groups: self.groups.as_deref(),
            // The rows are in memory already, and Python has no budget for them.
            memory: u64::MAX,
            threads: work::threads(self.threads),
            control,
        };
        let curve = if self.curve { comparison.curve()? } else { Vec::new() };
        Ok(Results { models: comparison.run()?, curve })
    }
}

/// The fold of every row.
#[pyfunction]
pub(crate) fn deal<'py>(
    py: Python<'py>,
    labels: PyReadonlyArray1<'py, u32>,
    folds: usize,
    seed: u64,
    groups: Option<Vec<u32>>,
) -> PyResult<Bound<'py, PyArray1<u16>>> {
    let dealt = match &groups {
        Some(groups) => Folds::grouped(groups, labels.as_slice()?, folds, seed),
        None => Folds::stratified(labels.as_slice()?, folds, seed),
    };
    Ok(PyArray1::from_slice(py, dealt.map_err(|error| raise(py, error))?.of_rows()))
}

/// Compares named models on the rows of a data frame.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Called from one place in Python, by position.
pub(crate) fn compare_frame(
    py: Python<'_>,
    frame: &Frame,
    target: &str,
    classes: Vec<String>,
    codes: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    kinds: BTreeMap<String, String>,
    models: Vec<String>,
    deal: Deal,
) -> PyResult<(Results, Vec<Told>)> {
    let weight_name = frame.free_name("weight", target);
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let weights = weights.map(|weights| (weight_name.as_str(), weights));
    let table = arrow::beside(&frame.0, &Beside { target, classes: &classes, codes: codes.as_slice()?, weights })?;
    let kinds = kinds_of(kinds).map_err(|error| raise(py, error))?;
    let options = ReadOptions { kinds, threads: deal.threads, text: frame.2.clone(), ..ReadOptions::default() };
    let weight = weights.map(|(name, _)| (name.to_owned(), Weighting::Frequency));
    let roles = Roles { weight, order: frame.1.clone(), ..Roles::target(target) };
    let (results, notices) = work::run(py, usize::MAX, |control| {
        let opened = open_arrow(&table, &options, &roles, control)?;
        Ok((deal.run(&*opened.source, &models, &opened.flags, control)?, opened.notices))
    })?;
    Ok((results, told(notices)))
}

/// Compares named models on the rows of an array.
#[pyfunction]
pub(crate) fn compare_rows(
    py: Python<'_>,
    columns: &Columns,
    x: &Bound<'_, PyAny>,
    labels: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    models: Vec<String>,
    deal: Deal,
) -> PyResult<Results> {
    let labels = labels.as_slice()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    with_data(x, |data| {
        work::run(py, usize::MAX, |control| {
            let table = Table::new(data, &columns.0, None, "compare")?;
            check_rows(table.rows(), labels, weights, columns.0.classes())?;
            deal.run(&Labelled::new(table, labels, weights), &models, &[], control)
        })
    })
}

#[pymethods]
impl Results {
    /// No models.
    #[new]
    fn new() -> Self {
        Results { models: Vec::new(), curve: Vec::new() }
    }

    /// These models and one more, judged by its out-of-fold log probabilities; every repeat is one array.
    fn with_scores(
        &self,
        py: Python<'_>,
        name: String,
        repeats: Vec<PyReadonlyArray2<'_, f64>>,
        labels: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        seconds: f64,
    ) -> PyResult<Self> {
        let labels = labels.as_slice()?;
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let weighting = if weights.is_some() { Weighting::Frequency } else { Weighting::None };
        let settings = EvalSettings { weighting, memory: usize::MAX, ..EvalSettings::default() };
        let fault = |error| raise(py, error);
        let mut outcome: Option<CandidateMetrics> = None;
        for (repeat, scores) in repeats.iter().enumerate() {
            let classes = scores.shape()[1];
            let rows = ScoredTable::of_scores(classes, scores.as_slice()?.to_vec(), labels.to_vec(), weights.map(<[f64]>::to_vec));
            let rows = rows.map_err(fault)?;
            let judged = work::run(py, usize::MAX, |_| train::metrics_of(std::slice::from_ref(&rows), classes, &settings, None))?;
            let metrics = judged.into_iter().next().ok_or_else(|| fault(Error::internal("a model was not judged")))?;
            match &mut outcome {
                Some(outcome) => outcome.metrics = train::mean(&outcome.metrics, &metrics, repeat as u64),
                none => *none = Some(CandidateMetrics { metrics, rows, parameters: None, seconds }),
            }
        }
        let outcome = outcome.ok_or_else(|| "the model was not judged".to_owned());
        Ok(self.and(CandidateResult { name, outcome }))
    }

    /// These models and one that failed.
    fn with_failure(&self, name: String, reason: String) -> Self {
        self.and(CandidateResult { name, outcome: Err(reason) })
    }

    /// The models in the order of these names.
    fn ordered(&self, names: Vec<String>) -> Self {
        let models = names.iter().filter_map(|name| self.models.iter().find(|result| result.name == *name)).cloned().collect();
        let curve = names.iter().flat_map(|name| self.curve.iter().filter(move |point| point.model == *name)).cloned().collect();
        Results { models, curve }
    }

    /// Names of the models.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.models.iter().map(|result| result.name.clone()).collect()
    }

    /// One row per model.
    fn models<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table_columns(py, &train::model_table(&self.models))
    }

    /// These models, with one of them learned from a share of the rows: its bits in every fold, or why there are none.
    fn with_curve_point(&self, name: &str, share: f64, rows: f64, bits: Option<Vec<f64>>, reason: String) -> Self {
        let point = CurvePoint::of_folds(name, share, rows, bits.ok_or(Undefined(reason)));
        Results { models: self.models.clone(), curve: self.curve.iter().cloned().chain([point]).collect() }
    }

    /// Learning curves, one row per model and prefix.
    fn curve<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table_columns(py, &train::curve_table(&self.curve))
    }

    /// Every model against the one with the fewest bits.
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table_columns(py, &train::pair_table(&self.models, Weighting::Frequency))
    }

    /// The models beside each other, or their learning curves.
    fn picture(&self, curve: bool) -> Picture {
        Picture::new(if curve { curve_picture(&self.curve, None) } else { comparison_picture(&self.models) })
    }

    /// The one sentence that may name a winner.
    fn verdict(&self) -> String {
        train::verdict(&self.models, Weighting::Frequency)
    }

    /// Both tables for people.
    fn render(&self, py: Python<'_>, title: String, format: &str) -> PyResult<String> {
        let card = |title: String, facts, tidy| Card { title, facts, tidy, ..Card::default() };
        let models = card(
            title,
            vec![("verdict".to_owned(), train::verdict(&self.models, Weighting::Frequency).into())],
            train::model_table(&self.models),
        );
        let pairs =
            card("Against the model with the fewest bits".into(), Vec::new(), train::pair_table(&self.models, Weighting::Frequency));
        let cards: &[(&str, &Card)] = &[("models", &models), ("pairs", &pairs)];
        rendered(py, cards, format)
    }
}

impl Results {
    fn and(&self, result: CandidateResult) -> Self {
        Results { models: self.models.iter().cloned().chain([result]).collect(), curve: self.curve.clone() }
    }
}
