//! Calibrating a model on rows it has not seen, and judging the result on rows that the map has not seen.

use super::folds::Folds;
use super::judging::score_scale;
use crate::calibrate::{CalibrationMap, HeldOut, Method};
use crate::data::{Rows, SKIP};
use crate::error::Result;
use crate::eval::{Evaluation, Judged, Settings};
use crate::model::{Classifier, Scores};
use crate::num::kernel::softmax;
use crate::num::log_sum_exp;
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

    /// Adds what a model says about a batch. Rows that do not count are left out.
    pub fn add(&mut self, model: &dyn Classifier, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        let mut scores = Scores::new();
        model.score(&rows.features, &mut scores)?;
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            self.scores.extend_from_slice(scores.row(i));
            self.labels.push(label);
            self.weights.push(rows.weights.map_or(1.0, |weights| weights[i]));
        }
        Ok(())
    }

    /// Class of every row.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The rows, to learn a map from.
    pub fn held_out(&self) -> HeldOut<'_> {
        HeldOut { classes: self.classes, scores: &self.scores, labels: &self.labels, weights: Some(&self.weights) }
    }

    /// Judges the rows as they are.
    pub fn evaluated(&self, settings: Settings) -> Result<Evaluation> {
        self.judged(&self.scores, settings)
    }

    fn judged(&self, scores: &[f64], settings: Settings) -> Result<Evaluation> {
        let mut evaluation = Evaluation::new(self.classes, score_scale(self.classes), settings);
        let mut probabilities = scores.to_vec();
        softmax(&mut probabilities, self.classes, None);
        let rows = scores.chunks_exact(self.classes.max(1));
        let log_odds: Vec<f64> = if self.classes == 2 { rows.clone().map(|row| row[1] - row[0]).collect() } else { Vec::new() };
        let log_true: Vec<f64> = rows.zip(&self.labels).map(|(row, label)| row[*label as usize] - log_sum_exp(row)).collect();
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
    let mut scores = rows.scores.clone();
    for fold in 0..folds.count() {
        let own = |i: usize| folds.of_rows()[i] as usize == fold;
        let labels: Vec<u32> = rows.labels.iter().enumerate().map(|(i, label)| if own(i) { SKIP } else { *label }).collect();
        let others = method.fit(&HeldOut { labels: &labels, ..rows.held_out() })?;
        scores.chunks_exact_mut(rows.classes.max(1)).enumerate().filter(|(i, _)| own(*i)).for_each(|(_, row)| others.apply(row));
    }
    Ok((map, rows.judged(&scores, settings)?))
}
