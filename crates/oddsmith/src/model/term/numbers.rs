//! Σ_j [b_kj + w_kj (x_j − c_j)] over number columns. A missing value adds nothing, not even its base.

use super::{limits, times};
use crate::data::{Features, Layout};
use crate::model::{Contributions, Scores};

/// Weights of number columns.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberTerm {
    /// Positions in the number plane.
    pub columns: Vec<usize>,
    /// What is subtracted from each column first, so that a large offset costs no digits.
    pub centre: Vec<f64>,
    /// What a present value adds whatever it is, per column and class: `base[at · classes + k]`.
    pub base: Vec<f64>,
    /// Weight per column and class: `weights[at · classes + k]`.
    pub weights: Vec<f64>,
}

impl NumberTerm {
    fn add_cell(&self, x: f64, at: usize, sums: &mut [f64]) {
        if x.is_nan() {
            return;
        }
        let cell = at * sums.len()..(at + 1) * sums.len();
        let addends = self.base[cell.clone()].iter().zip(&self.weights[cell]);
        sums.iter_mut().zip(addends).for_each(|(sum, (base, weight))| *sum += base + times(x, *weight));
    }

    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) {
        let classes = scores.classes();
        let mut before = vec![0.0; classes];
        for (i, scores) in scores.parts_mut().0.chunks_exact_mut(classes).enumerate() {
            before.copy_from_slice(scores);
            for (at, &j) in self.columns.iter().enumerate() {
                let x = rows.numbers.get(i, j) - self.centre[at];
                self.add_cell(x, at, scores);
            }
            if limits::is_lost(scores) {
                scores.copy_from_slice(&before);
                self.add_limits(rows, i, scores);
            }
        }
    }

    /// Adds the term to the scores of a row whose addends leave the range of numbers.
    #[cold]
    fn add_limits(&self, rows: &Features<'_>, i: usize, scores: &mut [f64]) {
        let classes = scores.len();
        let present =
            || self.columns.iter().enumerate().map(|(at, &j)| (at, rows.numbers.get(i, j) - self.centre[at])).filter(|(_, x)| !x.is_nan());
        for (at, _) in present() {
            scores.iter_mut().zip(&self.base[at * classes..(at + 1) * classes]).for_each(|(score, base)| *score += base);
        }
        limits::add_cells(present().map(|(at, x)| (x, &self.weights[at * classes..(at + 1) * classes])), scores);
    }

    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) {
        for i in 0..rows.rows() {
            for (at, &j) in self.columns.iter().enumerate() {
                let x = rows.numbers.get(i, j) - self.centre[at];
                self.add_cell(x, at, out.addends_mut(i, layout.numbers()[j]));
            }
        }
    }

    pub(super) fn relative_to(&self, reference: usize, classes: usize) -> Option<Self> {
        let base = super::differences(&self.base, reference, classes)?;
        Some(NumberTerm { base, weights: super::differences(&self.weights, reference, classes)?, ..self.clone() })
    }
}
