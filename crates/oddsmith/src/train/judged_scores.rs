//! From scores to judged rows: probabilities, log odds, and the log probability of the truth. Models judged on the fly and rows that were
//! kept go this one way.
//!
//! log p(y|x) comes from the scores and not from the probability, which rounds to zero long before its logarithm overflows: for two
//! classes −ln(1 + e^∓η) with η the log odds, else s_y − ln Σ e^s.

use crate::data::SKIP;
use crate::error::Result;
use crate::eval::ScoredBatch;
use crate::model::normalise;
use crate::num::kernel::softplus_all;
use crate::num::log_sum_exp;

/// Buffers of a batch, used again.
#[derive(Debug, Clone, Default)]
pub(super) struct JudgedScores {
    probabilities: Vec<f64>,
    log_odds: Vec<f64>,
    log_true: Vec<f64>,
}

/// Scores of rows, log p(k|x) up to a constant per row, and what is true of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoredTruth<'a> {
    pub(super) classes: usize,
    /// K per row.
    pub(super) scores: &'a [f64],
    /// Class of every row, or [`SKIP`].
    pub(super) labels: &'a [u32],
    pub(super) weights: Option<&'a [f64]>,
    /// Place of the first row in its table.
    pub(super) first_row: u64,
}

impl JudgedScores {
    /// Gives the rows, judged, to `sink`.
    pub(super) fn judge(&mut self, rows: ScoredTruth<'_>, sink: impl FnOnce(ScoredBatch<'_>) -> Result<()>) -> Result<()> {
        let ScoredTruth { classes, scores, labels, weights, first_row } = rows;
        let JudgedScores { probabilities, log_odds, log_true } = self;
        log_odds.clear();
        if classes == 2 {
            log_odds.extend(scores.as_chunks::<2>().0.iter().map(|row| row[1] - row[0]));
        }
        probabilities.clear();
        probabilities.extend_from_slice(scores);
        normalise(probabilities, classes);
        log_true.resize(labels.len(), 0.0);
        rows.losses(log_true);
        log_true.iter_mut().for_each(|loss| *loss = -*loss);
        let log_odds = (classes == 2).then_some(&log_odds[..]);
        sink(ScoredBatch { probabilities, log_odds, log_true: Some(log_true), labels, weights, first_row })
    }
}

impl ScoredTruth<'_> {
    /// −log p of the true class of every row, in nats; 0 for rows that do not count.
    pub(super) fn losses(&self, losses: &mut [f64]) {
        match self.classes {
            2 => {
                let sign = [1.0, -1.0];
                for ((loss, row), &label) in losses.iter_mut().zip(self.scores.as_chunks::<2>().0).zip(self.labels) {
                    *loss = if label == SKIP { f64::NEG_INFINITY } else { sign[label as usize & 1] * (row[1] - row[0]) };
                }
                softplus_all(losses);
            }
            classes => {
                for ((loss, row), &label) in losses.iter_mut().zip(self.scores.chunks_exact(classes.max(1))).zip(self.labels) {
                    *loss = if label == SKIP { 0.0 } else { log_sum_exp(row) - row[label as usize] };
                }
            }
        }
    }
}
