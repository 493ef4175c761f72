//! A batch of judged rows: what was said about them, and what was true.

use std::borrow::Cow;

use crate::data::SKIP;
use crate::error::{DataFault, Error, Result};

/// How far the probabilities of a row may be from adding up to 1; what is further off is no distribution.
const SUM_TOLERANCE: f64 = 1e-6;
/// Rows whose terms are added plainly before the sum of all is compensated for rounding.
pub(super) const BLOCK_ROWS: usize = 1024;

/// Probabilities, truth and weights of a batch.
#[derive(Debug, Clone, Copy)]
pub struct ScoredBatch<'a> {
    /// Probabilities, K per row, row after row.
    pub probabilities: &'a [f64],
    /// Log odds of the second of two classes, where they are known better than from the probability, which rounds to 0
    /// and 1.
    pub log_odds: Option<&'a [f64]>,
    /// Log probability of the true class, where it is known better than from the probability. What it holds for rows
    /// that do not count does not matter.
    pub log_true: Option<&'a [f64]>,
    /// Class of each row, or [`SKIP`].
    pub labels: &'a [u32],
    /// Weight of each row; `None` means 1.
    pub weights: Option<&'a [f64]>,
    /// Index of the first row in the whole table, from 0, for messages.
    pub first_row: u64,
}

impl ScoredBatch<'_> {
    /// Weight of row `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// Checks the batch against the number of classes and gives the labels of the rows that count: those of weight zero
    /// become [`SKIP`].
    pub fn counted_labels(&self, classes: usize) -> Result<Cow<'_, [u32]>> {
        let rows = self.labels.len();
        let lengths = [self.log_odds, self.log_true, self.weights];
        if self.probabilities.len() != rows * classes || lengths.iter().flatten().any(|column| column.len() != rows) {
            return Err(Error::internal(format!(
                "{rows} labels come with {} probabilities of {classes} classes",
                self.probabilities.len()
            )));
        }
        if !self.sound(classes) {
            self.find_fault(classes)?;
        }
        match self.weights.is_some_and(|weights| weights.contains(&0.0)) {
            false => Ok(Cow::Borrowed(self.labels)),
            true => Ok(Cow::Owned((0..rows).map(|i| if self.weight(i) == 0.0 { SKIP } else { self.labels[i] }).collect())),
        }
    }

    /// Whether every row that counts has a class, a weight and a distribution: one look without asking which does not.
    fn sound(&self, classes: usize) -> bool {
        let counts = |i: usize| self.labels[i] != SKIP;
        let rows = 0..self.labels.len();
        let mut sound = self.labels.iter().fold(true, |sound, &label| sound & ((label as usize) < classes || label == SKIP));
        if let [_, _] = self.probabilities.get(..classes).unwrap_or_default() {
            for (row, &label) in self.probabilities.as_chunks::<2>().0.iter().zip(self.labels) {
                // A NaN fails every comparison.
                let inside = (row[0] >= 0.0) & (row[0] <= 1.0) & (row[1] >= 0.0) & (row[1] <= 1.0);
                sound &= (inside & ((row[0] + row[1] - 1.0).abs() <= SUM_TOLERANCE)) | (label == SKIP);
            }
        } else {
            let inside =
                |row: &[f64]| row.iter().all(|p| (0.0..=1.0).contains(p)) && (row.iter().sum::<f64>() - 1.0).abs() <= SUM_TOLERANCE;
            sound &= rows.clone().all(|i| !counts(i) || inside(&self.probabilities[i * classes..(i + 1) * classes]));
        }
        sound &= self.log_odds.is_none_or(|odds| rows.clone().fold(true, |sound, i| sound & (!odds[i].is_nan() | !counts(i))));
        sound & self.weights.is_none_or(|weights| rows.clone().all(|i| (0.0..f64::INFINITY).contains(&weights[i]) || !counts(i)))
    }

    /// The first fault, with its row.
    fn find_fault(&self, classes: usize) -> Result<()> {
        let rows = self.labels.len();
        let fault = |i: usize, what: &str, value: f64, accepted: &str| {
            DataFault::new(what).row(self.first_row + i as u64 + 1).value(value.to_string()).accepted(accepted)
        };
        for i in (0..rows).filter(|&i| self.labels[i] != SKIP) {
            let weight = self.weight(i);
            if !(0.0..f64::INFINITY).contains(&weight) {
                return Err(fault(i, "a row weight cannot be", weight, "weights are finite numbers from 0 up").into());
            }
            if self.labels[i] as usize >= classes {
                return Err(Error::internal(format!("a row has label {} of {classes} classes", self.labels[i])));
            }
            let row = &self.probabilities[i * classes..(i + 1) * classes];
            if let Some(p) = row.iter().find(|p| !(0.0..=1.0).contains(*p)) {
                return Err(fault(i, "a probability cannot be", *p, "probabilities are numbers from 0 to 1").into());
            }
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                return Err(fault(i, "the probabilities of the classes add up to", sum, "they must add up to 1").into());
            }
        }
        if let Some(i) = self.log_odds.and_then(|odds| (0..rows).find(|&i| self.labels[i] != SKIP && odds[i].is_nan())) {
            return Err(fault(i, "log odds cannot be", f64::NAN, "log odds are numbers or infinite").into());
        }
        Ok(())
    }
}
