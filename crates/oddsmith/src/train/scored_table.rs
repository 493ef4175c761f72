//! What a model says about labelled rows, kept row by row.

use std::sync::Arc;

use super::evaluator::score_scale;
use super::judged_scores::{JudgedScores, ScoredTruth};
use crate::calibrate::HeldOut;
use crate::data::{Rows, SKIP};
use crate::error::{Error, Result};
use crate::eval::{EvalSettings, Evaluation, ScoredBatch};
use crate::model::{Classifier, Scale, Scores};
use crate::stats::Statistics;

/// Rows that are judged together: their probabilities stay in the cache.
const BLOCK_ROWS: usize = 1024;

/// Scores, truth and weights of rows, in order.
#[derive(Debug, Clone, Default)]
pub struct ScoredTable {
    classes: usize,
    scores: Vec<f64>,
    /// Shared by the tables of several models of the same rows.
    truth: Arc<Truth>,
    silent: u64,
    /// Whether the scores are margins and no log probabilities.
    margins: bool,
}

/// Truth and weights of rows, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Truth {
    /// Class of every row, or [`SKIP`].
    pub(super) labels: Vec<u32>,
    pub(super) weights: Vec<f64>,
}

impl Truth {
    /// Adds the rows of a batch.
    pub(super) fn add(&mut self, batch: &Rows<'_>) -> Result<()> {
        self.labels.extend_from_slice(&batch.counted_labels()?);
        match batch.weights {
            Some(weights) => self.weights.extend_from_slice(weights),
            None => self.weights.resize(self.labels.len(), 1.0),
        }
        Ok(())
    }

    /// Weight of the rows that count.
    pub(super) fn weight(&self) -> f64 {
        self.labels.iter().zip(&self.weights).filter(|(label, _)| **label != SKIP).map(|(_, weight)| weight).sum()
    }
}

impl ScoredTable {
    /// No rows of a model with `classes` classes.
    pub fn new(classes: usize) -> Self {
        ScoredTable { classes, ..ScoredTable::default() }
    }

    /// Scores of rows with their truth.
    pub(super) fn of(classes: usize, scores: Vec<f64>, truth: Arc<Truth>, silent: u64) -> Self {
        ScoredTable { classes, scores, truth, silent, margins: false }
    }

    /// Rows that something else scored: log p(k|x) up to a constant per row, K per row; the class of a row, or [`SKIP`]; weights.
    pub fn of_scores(classes: usize, scores: Vec<f64>, labels: Vec<u32>, weights: Option<Vec<f64>>) -> Result<Self> {
        let weights = weights.unwrap_or_else(|| vec![1.0; labels.len()]);
        match scores.len() == labels.len() * classes && weights.len() == labels.len() {
            true => Ok(ScoredTable::of(classes, scores, Arc::new(Truth { labels, weights }), 0)),
            false => Err(Error::data(format!("{} labels come with {} scores of {classes} classes", labels.len(), scores.len()))),
        }
    }

    /// The same table where the scores are margins.
    pub(super) fn of_margins(mut self, margins: bool) -> Self {
        self.margins = margins;
        self
    }

    /// Whether the scores are margins and no log probabilities.
    pub fn holds_margins(&self) -> bool {
        self.margins
    }

    /// Adds what a model says about a batch. Rows that do not count, or that the model says nothing about, are left out.
    pub fn add(&mut self, model: &dyn Classifier, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        self.margins |= model.scale() == Scale::Margin;
        let mut scores = Scores::new();
        model.score(&rows.features, &mut scores)?;
        let truth = Arc::make_mut(&mut self.truth);
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            if scores.row(i)[0].is_nan() {
                self.silent += 1;
                continue;
            }
            self.scores.extend_from_slice(scores.row(i));
            truth.labels.push(label);
            truth.weights.push(rows.weights.map_or(1.0, |weights| weights[i]));
        }
        Ok(())
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many rows that count were left out because the model said nothing about them.
    pub fn silent(&self) -> u64 {
        self.silent
    }

    /// Changes the scores of some rows into log probabilities.
    pub(super) fn map_rows(&mut self, some: impl Fn(usize) -> bool, change: impl Fn(&mut [f64])) {
        self.scores.chunks_exact_mut(self.classes.max(1)).enumerate().filter(|(i, _)| some(*i)).for_each(|(_, row)| change(row));
    }

    /// Log odds of the second of two classes, in the order of rows.
    pub fn log_odds(&self) -> Vec<f64> {
        self.scores.chunks_exact(self.classes.max(2)).map(|row| row[1] - row[0]).collect()
    }

    /// Weight of every row.
    pub fn weights(&self) -> &[f64] {
        &self.truth.weights
    }

    /// −log p of the true class of every row, in nats; 0 for rows that do not count.
    pub fn losses(&self) -> Vec<f64> {
        let mut losses = vec![0.0; self.labels().len()];
        for (block, losses) in losses.chunks_mut(BLOCK_ROWS).enumerate() {
            self.block(block * BLOCK_ROWS, losses.len(), true).losses(losses);
        }
        losses
    }

    /// The rows of a block; weights are left out where all are 1.
    fn block(&self, first: usize, rows: usize, plain: bool) -> ScoredTruth<'_> {
        ScoredTruth {
            classes: self.classes,
            scores: &self.scores[first * self.classes..(first + rows) * self.classes],
            labels: &self.labels()[first..first + rows],
            weights: (!plain).then(|| &self.weights()[first..first + rows]),
            first_row: first as u64,
        }
    }

    /// How many rows count.
    pub fn counted(&self) -> u64 {
        self.labels().iter().filter(|label| **label != SKIP).count() as u64
    }

    /// Class of every row, or [`SKIP`].
    pub fn labels(&self) -> &[u32] {
        &self.truth.labels
    }

    /// The rows, to learn a map from.
    pub fn held_out(&self) -> HeldOut<'_> {
        HeldOut { classes: self.classes, scores: &self.scores, labels: self.labels(), weights: Some(self.weights()) }
    }

    /// Judges the rows as they are.
    pub fn evaluated(&self, settings: EvalSettings) -> Result<Evaluation> {
        let settings = EvalSettings { margins: settings.margins || self.margins, ..settings };
        let mut evaluation = Evaluation::new(self.classes, score_scale(self.classes), settings);
        evaluation.reserve(self.labels().len());
        self.for_blocks(&mut |rows| evaluation.observe(rows))?;
        Ok(evaluation)
    }

    /// Gives the rows, a block at a time, to whoever judges them.
    pub(super) fn for_blocks(&self, judge: &mut dyn FnMut(ScoredBatch<'_>) -> Result<()>) -> Result<()> {
        let plain = self.weights().iter().all(|weight| *weight == 1.0);
        let mut judged = JudgedScores::default();
        for (block, labels) in self.labels().chunks(BLOCK_ROWS).enumerate() {
            judged.judge(self.block(block * BLOCK_ROWS, labels.len(), plain), &mut *judge)?;
        }
        Ok(())
    }
}
