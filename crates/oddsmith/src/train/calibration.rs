//! Calibrating a model on rows it has not seen, and judging the result on rows that the map has not seen.

use super::folds::Folds;
use super::judging::score_scale;
use crate::calibrate::{CalibrationMap, HeldOut, Method};
use crate::data::{Rows, SKIP};
use crate::error::{Error, Result};
use crate::eval::{Evaluation, Judged, Settings};
use crate::model::{Classifier, Scores};
use crate::num::kernel::softmax;
use crate::num::log_sum_exp;
use crate::num::logspace::ln_1p_exp;
use crate::stats::Statistics;

/// Scores, truth and weights of rows, in order.
#[derive(Debug, Clone, Default)]
pub struct ScoredTable {
    classes: usize,
    scores: Vec<f64>,
    labels: Vec<u32>,
    weights: Vec<f64>,
}

impl ScoredTable {
    /// No rows of a model with `classes` classes.
    pub fn new(classes: usize) -> Self {
        ScoredTable { classes, ..ScoredTable::default() }
    }

    /// Rows that something else scored: log p(k|x) up to a constant per row, K per row; the class of a row, or [`SKIP`]; weights.
    pub fn of_scores(classes: usize, scores: Vec<f64>, labels: Vec<u32>, weights: Option<Vec<f64>>) -> Result<Self> {
        let weights = weights.unwrap_or_else(|| vec![1.0; labels.len()]);
        match scores.len() == labels.len() * classes && weights.len() == labels.len() {
            true => Ok(ScoredTable { classes, scores, labels, weights }),
            false => Err(Error::data(format!("{} labels come with {} scores of {classes} classes", labels.len(), scores.len()))),
        }
    }

    /// Adds what a model says about a batch. Rows that do not count are left out.
    pub fn add(&mut self, model: &dyn Classifier, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        let mut scores = Scores::new();
        model.score(&rows.features, &mut scores)?;
        // A row that the model says nothing about has no score.
        for (i, &label) in labels.iter().enumerate().filter(|(i, label)| **label != SKIP && !scores.row(*i)[0].is_nan()) {
            self.scores.extend_from_slice(scores.row(i));
            self.labels.push(label);
            self.weights.push(rows.weights.map_or(1.0, |weights| weights[i]));
        }
        Ok(())
    }

    /// Makes room for a batch in the order of its rows and gives the number of the first one.
    pub(super) fn make_room(&mut self, batch: &Rows<'_>) -> Result<usize> {
        let start = self.labels.len();
        self.labels.extend_from_slice(&batch.counted_labels()?);
        self.weights.resize(self.labels.len(), 1.0);
        if let Some(weights) = batch.weights {
            self.weights[start..].copy_from_slice(weights);
        }
        self.scores.resize(self.labels.len() * self.classes, 0.0);
        Ok(start)
    }

    /// Writes the scores of a row.
    pub(super) fn put(&mut self, row: usize, scores: &[f64]) {
        self.scores[row * self.classes..(row + 1) * self.classes].copy_from_slice(scores);
    }

    /// Leaves a row out: some model has nothing to say about it.
    pub(super) fn skip(&mut self, row: usize) {
        self.labels[row] = SKIP;
    }

    /// Adds the rows of another table.
    pub(super) fn append(&mut self, other: &Self) {
        self.scores.extend_from_slice(&other.scores);
        self.labels.extend_from_slice(&other.labels);
        self.weights.extend_from_slice(&other.weights);
    }

    /// Weight of the rows that count.
    pub(super) fn weight(&self) -> f64 {
        self.labels.iter().zip(&self.weights).filter(|(label, _)| **label != SKIP).map(|(_, weight)| weight).sum()
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        8 * self.scores.len() + 12 * self.labels.len()
    }

    /// Log odds of the second of two classes, in the order of rows.
    pub fn log_odds(&self) -> Vec<f64> {
        self.scores.chunks_exact(self.classes.max(2)).map(|row| row[1] - row[0]).collect()
    }

    /// Weight of every row.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// −log p of the true class of every row, in nats; 0 for rows that do not count.
    pub fn losses(&self) -> Vec<f64> {
        let rows = self.scores.chunks_exact(self.classes.max(1)).zip(&self.labels);
        rows.map(|(row, &label)| if label == SKIP { 0.0 } else { loss(row, label as usize) }).collect()
    }

    /// Class of every row, or [`SKIP`].
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The rows, to learn a map from.
    pub fn held_out(&self) -> HeldOut<'_> {
        HeldOut { classes: self.classes, scores: &self.scores, labels: &self.labels, weights: Some(&self.weights) }
    }

    /// Judges the rows as they are.
    pub fn evaluated(&self, settings: Settings) -> Result<Evaluation> {
        let mut evaluation = Evaluation::new(self.classes, score_scale(self.classes), settings);
        let mut probabilities = self.scores.clone();
        softmax(&mut probabilities, self.classes, None);
        let log_odds = if self.classes == 2 { self.log_odds() } else { Vec::new() };
        let log_true: Vec<f64> = self.losses().into_iter().map(|loss| -loss).collect();
        evaluation.observe(Judged {
            probabilities: &probabilities,
            log_odds: (self.classes == 2).then_some(&log_odds[..]),
            log_true: Some(&log_true),
            labels: &self.labels,
            weights: Some(&self.weights),
            first_row: 0,
        })?;
        Ok(evaluation)
    }
}

/// −log p of class `k` from scores.
fn loss(scores: &[f64], k: usize) -> f64 {
    match scores {
        [_, _] => ln_1p_exp(scores[1 - k] - scores[k]),
        _ => log_sum_exp(scores) - scores[k],
    }
}

/// The map that all rows teach, and figures in which every row was mapped by what the other folds teach.
pub fn calibrated_out_of_fold(
    rows: &ScoredTable,
    method: Method,
    folds: usize,
    seed: u64,
    settings: Settings,
) -> Result<(CalibrationMap, Evaluation)> {
    let map = method.fit(&rows.held_out())?;
    let folds = Folds::stratified(&rows.labels, folds, seed)?;
    let mut mapped = rows.clone();
    for fold in 0..folds.count() {
        let own = |i: usize| folds.of_rows()[i] as usize == fold;
        let labels: Vec<u32> = rows.labels.iter().enumerate().map(|(i, label)| if own(i) { SKIP } else { *label }).collect();
        let others = method.fit(&HeldOut { labels: &labels, ..rows.held_out() })?;
        mapped.scores.chunks_exact_mut(rows.classes.max(1)).enumerate().filter(|(i, _)| own(*i)).for_each(|(_, row)| others.apply(row));
    }
    Ok((map, mapped.evaluated(settings)?))
}
