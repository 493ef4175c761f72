//! Scores of rows that a model was not fitted to, with their truth: what calibration maps are learned from.

use super::logit_line::Outcomes;
use crate::data::SKIP;
use crate::num::log_sum_exp;

/// Scores and truth.
#[derive(Debug, Clone, Copy)]
pub struct HeldOut<'a> {
    /// Number of classes, K.
    pub classes: usize,
    /// log p(k|x) up to a constant per row, K per row, row after row.
    pub scores: &'a [f64],
    /// Class of each row, or [`SKIP`].
    pub labels: &'a [u32],
    /// Weight of each row; `None` means 1.
    pub weights: Option<&'a [f64]>,
}

impl HeldOut<'_> {
    /// Rows that count: scores, class, weight.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&[f64], usize, f64)> + Clone {
        let weight = |i: usize| self.weights.map_or(1.0, |weights| weights[i]);
        let counted = (0..self.labels.len()).filter(move |&i| self.labels[i] != SKIP && weight(i) > 0.0);
        counted.map(move |i| (&self.scores[i * self.classes..(i + 1) * self.classes], self.labels[i] as usize, weight(i)))
    }

    /// Class `k` against the rest: log odds with the weights of events and others, in rising order of log odds, equal ones
    /// together.
    pub(super) fn outcomes(&self, k: usize) -> Vec<Outcomes> {
        let mut points: Vec<Outcomes> = self
            .rows()
            .map(|(scores, label, weight)| {
                let (events, others) = if label == k { (weight, 0.0) } else { (0.0, weight) };
                Outcomes { score: log_odds(scores, k), events, others }
            })
            .collect();
        points.sort_by(|a, b| a.score.total_cmp(&b.score));
        points.dedup_by(|next, kept| {
            let same = next.score == kept.score;
            if same {
                kept.events += next.events;
                kept.others += next.others;
            }
            same
        });
        points
    }
}

/// log p(k|x) − log(1 − p(k|x)) of a row of scores.
pub(super) fn log_odds(scores: &[f64], k: usize) -> f64 {
    match scores {
        [first, second] => {
            if k == 1 {
                second - first
            } else {
                first - second
            }
        }
        _ => scores[k] - log_sum_exp(scores.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, score)| *score)),
    }
}
