//! One of two addends per number column: whether its value exceeds a threshold or not. A missing value adds nothing.

use crate::data::{Features, Layout};
use crate::model::{Contributions, Scores};
use crate::num::kernel::FlagScores;

/// Rows from which the vector kernel pays for its tables.
const FEWEST_ROWS: usize = 16;

/// Addends of number columns read as flags.
#[derive(Debug, Clone, PartialEq)]
pub struct FlagTerm {
    /// Positions in the number plane.
    pub columns: Vec<usize>,
    /// A value above it sets the flag.
    pub threshold: f64,
    /// Addends while the flag is not set: `absent[at · classes + k]`.
    pub absent: Vec<f64>,
    /// Addends when it is set.
    pub present: Vec<f64>,
}

impl FlagTerm {
    fn addends(&self, x: f64, at: usize, classes: usize) -> Option<&[f64]> {
        let table = if x > self.threshold { &self.present } else { &self.absent };
        (!x.is_nan()).then(|| &table[at * classes..(at + 1) * classes])
    }

    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) {
        let classes = scores.classes();
        let all_columns = rows.numbers.cols() == self.columns.len() && self.columns.iter().enumerate().all(|(at, j)| at == *j);
        if all_columns && rows.rows() >= FEWEST_ROWS {
            let kernel = FlagScores::new(self.threshold, &self.absent, &self.present, classes);
            let (scores, scratch) = scores.parts_mut();
            kernel.add(rows.numbers, &mut scratch.panel, scores);
            return;
        }
        for (i, scores) in scores.parts_mut().0.chunks_exact_mut(classes).enumerate() {
            for (at, &j) in self.columns.iter().enumerate() {
                if let Some(addends) = self.addends(rows.numbers.get(i, j), at, classes) {
                    scores.iter_mut().zip(addends).for_each(|(score, addend)| *score += addend);
                }
            }
        }
    }

    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) {
        let classes = out.base().len();
        for i in 0..rows.rows() {
            for (at, &j) in self.columns.iter().enumerate() {
                if let Some(addends) = self.addends(rows.numbers.get(i, j), at, classes) {
                    let sums = out.addends_mut(i, layout.numbers()[j]);
                    sums.iter_mut().zip(addends).for_each(|(sum, addend)| *sum += addend);
                }
            }
        }
    }

    pub(super) fn relative_to(&self, reference: usize, classes: usize) -> Option<Self> {
        let absent = super::differences(&self.absent, reference, classes)?;
        let present = super::differences(&self.present, reference, classes)?;
        Some(FlagTerm { absent, present, ..self.clone() })
    }
}
