//! Σ_j w_kj (x_j − c_j) over number columns. A missing value adds nothing.

use super::times;
use crate::data::{Features, Layout};
use crate::model::Evidence;

/// Weights of number columns.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberTerm {
    /// Positions in the number plane.
    pub columns: Vec<usize>,
    /// What is subtracted from each column first, so that a large offset costs no digits.
    pub centre: Vec<f64>,
    /// Weight per column and class: `weights[at · classes + k]`.
    pub weights: Vec<f64>,
}

impl NumberTerm {
    pub(super) fn add_scores(&self, rows: &Features<'_>, classes: usize, out: &mut [f64]) {
        for (i, scores) in out.chunks_exact_mut(classes).enumerate() {
            for (at, &j) in self.columns.iter().enumerate() {
                let x = rows.numbers.get(i, j) - self.centre[at];
                if !x.is_nan() {
                    let weights = &self.weights[at * classes..(at + 1) * classes];
                    scores.iter_mut().zip(weights).for_each(|(score, w)| *score += times(x, *w));
                }
            }
        }
    }

    pub(super) fn add_evidence(&self, rows: &Features<'_>, layout: &Layout, out: &mut Evidence) {
        let classes = out.base().len();
        for i in 0..rows.rows() {
            for (at, &j) in self.columns.iter().enumerate() {
                let x = rows.numbers.get(i, j) - self.centre[at];
                if !x.is_nan() {
                    let addends = out.addends_mut(i, layout.numbers()[j]);
                    addends.iter_mut().zip(&self.weights[at * classes..]).for_each(|(addend, w)| *addend += times(x, *w));
                }
            }
        }
    }

    pub(super) fn relative_to(&self, reference: usize, classes: usize) -> Option<Self> {
        Some(NumberTerm { weights: super::differences(&self.weights, reference, classes)?, ..self.clone() })
    }
}
