//! Linear scores of centred columns: out[i,k] = b_k + Σ_j w_kj (x_ij − centre_j).

use super::Panel;
use super::row_sums::{RowSums, Term};
use crate::num::MatrixView;
use pulp::Simd;

#[derive(Debug, Clone, Copy)]
pub(super) struct Product;

impl Term for Product {
    #[inline(always)]
    fn add<S: Simd>(simd: S, difference: S::f64s, factor: S::f64s, sum: S::f64s) -> S::f64s {
        simd.mul_add_e_f64s(factor, difference, sum)
    }
}

/// Scores of K linear functions.
#[derive(Debug, Clone)]
pub struct LinearScores(RowSums<Product>);

impl LinearScores {
    /// `intercept` b_k (K), `weight` w_kj (K × p), `centre` (p): zeros when the columns need no shift.
    ///
    /// # Panics
    /// When the lengths of the slices contradict one another.
    pub fn new(intercept: &[f64], weight: &[f64], centre: &[f64]) -> Self {
        LinearScores(RowSums::new(centre.len(), intercept, &centre.repeat(intercept.len()), weight))
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
    fn scores_two_functions_of_centred_columns() {
        let rows = MatrixView::row_major(&[3.0, 5.0, 1.0, 1.0], 2, 2).unwrap();
        let mut out = [0.0; 4];
        LinearScores::new(&[0.5, -1.0], &[2.0, 1.0, -1.0, 4.0], &[1.0, 2.0]).score(rows, &mut Panel::new(), &mut out);
        assert_eq!(out, [7.5, 9.0, -0.5, -5.0]);
    }
}
