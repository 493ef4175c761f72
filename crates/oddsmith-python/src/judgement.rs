//! Probabilities judged against the truth, all figures from one pass.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use oddsmith::Result;
use oddsmith::card::Card;
use oddsmith::data::Classes;
use oddsmith::eval::{self, EvalSettings, ScoredBatch};
use oddsmith::model::Decision;
use oddsmith::num::kernel::softmax;
use oddsmith::num::log_sum_exp;
use oddsmith::stats::Statistics;
use oddsmith::train;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::edge::{raise, undefined};
use crate::pictures::Picture;
use crate::ranking::{Interval, interval, weighting};
use crate::shown::{rendered, table_columns};
use crate::work;

/// Rows that are judged together.
const BATCH: usize = 8192;

/// Figures of judged rows.
#[pyclass(frozen, module = "oddsmith._core")]
pub(crate) struct Evaluation {
    evaluation: eval::Evaluation,
    classes: Classes,
}

impl Evaluation {
    /// What was judged, with the classes in their order.
    pub(crate) fn new(evaluation: eval::Evaluation, classes: Classes) -> Self {
        Evaluation { evaluation, classes }
    }
}

/// How rows are judged, from keyword arguments.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct JudgingArguments {
    threshold: Option<f64>,
    weighting: String,
    bins: usize,
    groups: usize,
}

impl JudgingArguments {
    fn settings(&self, classes: usize) -> Result<EvalSettings> {
        let decision = self.threshold.map_or(Ok(Decision::MostProbable), |threshold| Decision::threshold(threshold, classes))?;
        Ok(EvalSettings {
            decision,
            weighting: weighting(&self.weighting)?,
            memory: usize::MAX,
            bins: self.bins,
            groups: self.groups,
            margins: false,
        })
    }
}

/// Judges log probabilities (`logarithms`) or probabilities, one row per label.
#[pyfunction]
pub(crate) fn judge(
    py: Python<'_>,
    answers: PyReadonlyArray2<'_, f64>,
    logarithms: bool,
    labels: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    classes: Vec<String>,
    params: JudgingArguments,
) -> PyResult<Evaluation> {
    let fault = |error| raise(py, error);
    let classes = Classes::new(classes).map_err(fault)?;
    let settings = params.settings(classes.len()).map_err(fault)?;
    let (answers, labels) = (answers.as_slice()?, labels.as_slice()?);
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let scale = if logarithms { train::score_scale(classes.len()) } else { eval::ScoreScale::Probability };
    let mut evaluation = eval::Evaluation::new(classes.len(), scale, settings);
    let evaluation = work::run(py, answers.len().saturating_mul(4), |control| {
        let width = classes.len();
        for (batch, labels) in labels.chunks(BATCH).enumerate() {
            let first = batch * BATCH;
            control.advance(labels.len() as u64)?;
            let rows = answers.get(first * width..(first + labels.len()) * width);
            let rows = rows.ok_or_else(|| oddsmith::error::Error::data("there are more labels than rows"))?;
            let weights = weights.and_then(|weights| weights.get(first..first + labels.len()));
            let judged = ScoredBatch { probabilities: rows, log_odds: None, log_true: None, labels, weights, first_row: first as u64 };
            match logarithms {
                true => observe_logarithms(&mut evaluation, judged, width)?,
                false => evaluation.observe(judged)?,
            }
        }
        Ok(evaluation)
    })?;
    Ok(Evaluation { evaluation, classes })
}

/// Judges rows of log probabilities, which say more than probabilities where those round to 0 or 1.
fn observe_logarithms(evaluation: &mut eval::Evaluation, rows: ScoredBatch<'_>, classes: usize) -> Result<()> {
    let scores = rows.probabilities;
    let mut probabilities = scores.to_vec();
    softmax(&mut probabilities, classes, None);
    let each = || scores.chunks_exact(classes);
    let log_odds: Vec<f64> = if classes == 2 { each().map(|row| row[1] - row[0]).collect() } else { Vec::new() };
    let log_true: Vec<f64> =
        each().zip(rows.labels).map(|(row, label)| row.get(*label as usize).map_or(0.0, |own| own - log_sum_exp(row))).collect();
    let log_odds = (classes == 2).then_some(&log_odds[..]);
    evaluation.observe(ScoredBatch { probabilities: &probabilities, log_odds, log_true: Some(&log_true), ..rows })
}

#[pymethods]
impl Evaluation {
    /// Figures of the rows of both.
    fn merged(&self, py: Python<'_>, other: &Evaluation) -> PyResult<Evaluation> {
        let mut evaluation = self.evaluation.clone();
        evaluation.merge(&other.evaluation).map_err(|error| raise(py, error))?;
        Ok(Evaluation { evaluation, classes: self.classes.clone() })
    }

    /// One figure by name; an error where the rows do not determine it.
    fn figure(&self, py: Python<'_>, name: &str) -> PyResult<Interval> {
        let found = self.evaluation.figures().into_iter().find(|(known, _)| *known == name);
        let missing = || raise(py, oddsmith::error::Error::option("metric", name, "there is no such figure of these rows"));
        let (_, figure) = found.ok_or_else(missing)?;
        figure.map(interval).map_err(|reason| undefined(py, name, &reason))
    }

    /// All metrics: columns metric, estimate, std_error, conf_low, conf_high and note.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table_columns(py, &self.evaluation.table())
    }

    /// Precision, recall and F1 of every class.
    fn class_table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table_columns(py, &self.evaluation.class_table(&self.classes))
    }

    /// Weights by true and predicted class.
    fn confusion<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let classes = self.classes.len();
        let cells = (0..classes * classes).map(|at| self.evaluation.confusion.cell(at / classes, at % classes)).collect();
        PyArray1::from_vec(py, cells).reshape([classes, classes])
    }

    /// A picture by its name, with a threshold to mark; an error where the rows do not determine it.
    fn picture(&self, py: Python<'_>, name: &str, threshold: Option<f64>) -> PyResult<Picture> {
        let judged = eval::pictures::Judged { evaluation: &self.evaluation, classes: &self.classes, target: "", threshold, no_rows: false };
        let missing =
            || raise(py, oddsmith::error::Error::option("picture", name, format!("one of: {}", eval::pictures::PICTURES.join(" "))));
        let picture = judged.picture(name).ok_or_else(missing)?;
        picture.map(Picture::new).map_err(|reason| undefined(py, name, &reason))
    }

    /// The figures for people.
    fn render(&self, py: Python<'_>, title: String, format: &str) -> PyResult<String> {
        let rows = self.evaluation.loss.class_weights().total_rows();
        let facts =
            vec![("rows".to_owned(), rows.into()), ("predicted class".to_owned(), self.evaluation.confusion.decision().describe().into())];
        rendered(py, &Card { title, facts, tidy: self.evaluation.table(), ..Card::default() }, format)
    }
}
