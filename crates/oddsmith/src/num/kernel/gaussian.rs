//! Diagonal Gaussian log scores: out[i,k] = c_k − Σ_j a_kj (x_ij − m_kj)².
//!
//! The centred form is kept on purpose: expanding the square would lose every digit of a column whose
//! offset is large against its spread.

use super::Panel;
use super::row_sums::{RowSums, Term};
use crate::num::MatrixView;
use pulp::Simd;

#[derive(Debug, Clone, Copy)]
pub(super) struct Square;

impl Term for Square {
    #[inline(always)]
    fn add<S: Simd>(simd: S, difference: S::f64s, factor: S::f64s, sum: S::f64s) -> S::f64s {
        simd.mul_add_e_f64s(simd.mul_f64s(factor, difference), difference, sum)
    }
}

/// Scores of K Gaussian classes with independent columns.
#[derive(Debug, Clone)]
pub struct GaussianScores(RowSums<Square>);

impl GaussianScores {
    /// `constant` c_k (K), `precision` a_kj = 1/(2σ²) and `mean` m_kj (K × p each).
    ///
    /// # Panics
    /// When the lengths of the slices contradict one another.
    pub fn new(cols: usize, constant: &[f64], precision: &[f64], mean: &[f64]) -> Self {
        let factor: Vec<f64> = precision.iter().map(|a| -a).collect();
        GaussianScores(RowSums::new(cols, constant, mean, &factor))
    }

    /// Writes the scores of the rows (n × K).
    ///
    /// # Panics
    /// When the rows or `out` have another shape than the parameters.
    pub fn score(&self, rows: MatrixView<'_>, panel: &mut Panel, out: &mut [f64]) {
        self.0.score(rows, panel, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_of_1e8_loses_nothing() {
        // Eighths around 1e8 are exact, so the scores must equal those of the centred numbers in every bit.
        let near = [0.125, -0.5, 2.0, 0.25, -1.0, 0.375];
        let mean = [0.25, -0.125, 0.5];
        let far = |numbers: &[f64]| numbers.iter().map(|x| x + 1e8).collect::<Vec<_>>();
        let score = |x: &[f64], mean: &[f64]| {
            let mut out = [0.0; 2];
            let rows = MatrixView::row_major(x, 2, 3).unwrap();
            GaussianScores::new(3, &[-1.0], &[0.5, 2.0, 8.0], mean).score(rows, &mut Panel::new(), &mut out);
            out
        };
        assert_eq!(score(&near, &mean), score(&far(&near), &far(&mean)));
        let by_hand = -1.0 - 0.5 * 0.125f64.powi(2) - 2.0 * 0.375f64.powi(2) - 8.0 * 1.5f64.powi(2);
        assert_eq!(score(&near, &mean)[0], by_hand);
    }
}
