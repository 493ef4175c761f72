//! Gaussian columns: log N(x; m_kj, σ²_kj) = −½ log 2π − log σ_kj − ½ ((x − m_kj)/σ_kj)².
//!
//! The centred form is kept: expanding the square would lose all digits at an offset of 1e8.
//! Scoring costs O(rows · columns · K).

use crate::data::{Features, Layout};
use crate::model::term::NumberTerm;
use crate::model::{Contributions, Prepared, Scores};
use crate::num::kernel::GaussianScores;

/// ½ log 2π.
const HALF_LOG_TWO_PI: f64 = 0.918_938_533_204_672_7;

/// Deviations whose squares, and those of a million of them, are ordinary numbers.
const SAFE_TO_SQUARE: std::ops::Range<f64> = 1e-140..1e140;

/// Gaussians of number columns by class.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianPart {
    /// Positions in the number plane.
    pub columns: Vec<usize>,
    /// Means: `means[k · columns + at]`.
    pub means: Vec<f64>,
    /// Standard deviations, in the same order.
    pub deviations: Vec<f64>,
    /// Whether all classes share the deviations of a column.
    pub shared: bool,
    /// The parameters as the scoring kernel wants them.
    pub kernel: Prepared<Option<GaussianScores>>,
}

impl GaussianPart {
    fn log_density(&self, cell: usize, x: f64) -> f64 {
        let z = (x - self.means[cell]) / self.deviations[cell];
        -HALF_LOG_TWO_PI - self.deviations[cell].ln() - 0.5 * z * z
    }

    /// Adds the log densities of a batch to its scores.
    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) {
        let classes = scores.classes();
        let (out, scratch) = scores.parts_mut();
        let every_column = self.columns.iter().copied().eq(0..rows.numbers.cols());
        let (true, Some(kernel)) = (every_column, self.kernel.get(|| self.prepare(classes))) else {
            return out.chunks_exact_mut(classes).enumerate().for_each(|(i, scores)| self.add_row(rows, i, scores));
        };
        scratch.block.resize(out.len(), 0.0);
        kernel.score(rows.numbers, &mut scratch.panel, &mut scratch.block);
        for (i, (scores, sums)) in out.chunks_exact_mut(classes).zip(scratch.block.chunks_exact(classes)).enumerate() {
            // A missing value shows as a sum that is not a number.
            match sums.iter().any(|sum| sum.is_nan()) {
                true => self.add_row(rows, i, scores),
                false => scores.iter_mut().zip(sums).for_each(|(score, sum)| *score += sum),
            }
        }
    }

    fn add_row(&self, rows: &Features<'_>, i: usize, scores: &mut [f64]) {
        for (at, &j) in self.columns.iter().enumerate() {
            let x = rows.numbers.get(i, j);
            if !x.is_nan() {
                scores.iter_mut().enumerate().for_each(|(k, score)| *score += self.log_density(k * self.columns.len() + at, x));
            }
        }
    }

    /// The kernel's parameters; it squares before it divides, so it cannot serve deviations whose squares over- or underflow.
    fn prepare(&self, classes: usize) -> Option<GaussianScores> {
        if !self.deviations.iter().all(|sd| SAFE_TO_SQUARE.contains(sd)) {
            return None;
        }
        let width = self.columns.len();
        let constant = |k: usize| self.deviations[k * width..(k + 1) * width].iter().map(|sd| -HALF_LOG_TWO_PI - sd.ln()).sum();
        let constants: Vec<f64> = (0..classes).map(constant).collect();
        let precisions: Vec<f64> = self.deviations.iter().map(|sd| 0.5 / (sd * sd)).collect();
        Some(GaussianScores::new(width, &constants, &precisions, &self.means))
    }

    /// Adds the log densities column by column.
    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) {
        let width = self.columns.len();
        for i in 0..rows.rows() {
            for (at, &j) in self.columns.iter().enumerate() {
                let x = rows.numbers.get(i, j);
                if !x.is_nan() {
                    let addends = out.addends_mut(i, layout.numbers()[j]);
                    addends.iter_mut().enumerate().for_each(|(k, addend)| *addend += self.log_density(k * width + at, x));
                }
            }
        }
    }

    /// With shared deviations: the term that differs from the log density by the same amount in every class. With
    /// c = mean over classes of m_kj, −(x − m)²/2σ² = −(x − c)²/2σ² + (m − c)/σ² (x − c) − (m − c)²/2σ².
    pub(super) fn linear_term(&self, classes: usize) -> Option<NumberTerm> {
        if !self.shared {
            return None;
        }
        let width = self.columns.len();
        let centre: Vec<f64> = (0..width).map(|at| (0..classes).map(|k| self.means[k * width + at] / classes as f64).sum()).collect();
        let (mut base, mut weights) = (Vec::new(), Vec::new());
        for (at, c) in centre.iter().enumerate() {
            for k in 0..classes {
                let z = (self.means[k * width + at] - c) / self.deviations[k * width + at];
                base.push(-0.5 * z * z);
                weights.push(z / self.deviations[k * width + at]);
            }
        }
        Some(NumberTerm { columns: self.columns.clone(), centre, base, weights })
    }
}
