//! Cholesky elimination that skips what it cannot divide by.
//!
//! Columns are taken in order. Column j enters with l = L⁻¹ S_{kept,j} and keeps the residual variance S_jj − |l|², its
//! variance given the columns before it. A column of which at most a share of 1e-10 is left, or no more than rounding may
//! have left, is a combination of the earlier ones: it is skipped, and its combination is the solution of Lᵀβ = l.
//!
//! Rounding: if the residual of column t, a share s_t of its variance, is off by e_t, then l_t² is off by a share
//! e_t/s_t, so that e_j = e + Σ_t (l_t²/S_jj) e_t/s_t. A near combination early on thus blurs all columns along it.
//! Cost O(p³/3).

use nalgebra::DMatrix;

/// Largest share of a column's variance that may be left when earlier columns are known, for it to be their combination.
pub(super) const RANK_TOLERANCE: f64 = 1e-10;
/// How far a variance and its products may be off by rounding, as a share: sums of many products are not exact either.
const NOISE: f64 = 16.0 * f64::EPSILON;

/// S = L Lᵀ over the independent columns of a symmetric matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Elimination {
    /// Independent columns, as indices of the matrix.
    pub(super) kept: Vec<usize>,
    /// Rows of L over the kept columns, row i with i + 1 numbers.
    lower: Vec<Vec<f64>>,
    /// e_t/s_t of the kept columns.
    blur: Vec<f64>,
    /// The others.
    pub(super) skipped: Vec<Skipped>,
}

/// A column that is a combination of the `row.len()` columns kept before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Skipped {
    /// Index of the column.
    pub(super) column: usize,
    /// What is left of its variance, as a share; rounding may make it negative.
    pub(super) residual: f64,
    /// How much of that may be rounding.
    pub(super) noise: f64,
    row: Vec<f64>,
}

impl Elimination {
    /// Eliminates the given columns of `matrix` in order and skips combinations.
    pub(super) fn new(matrix: &DMatrix<f64>, columns: &[usize]) -> Self {
        Self::keeping(matrix, columns, |residual, noise| residual > noise.max(RANK_TOLERANCE))
    }

    /// The same for columns that are known to be independent; `None` when the matrix is not positive definite.
    pub(super) fn of_independent(matrix: &DMatrix<f64>, columns: &[usize]) -> Option<Self> {
        let found = Self::keeping(matrix, columns, |residual, _| residual > 0.0);
        found.skipped.is_empty().then_some(found)
    }

    fn keeping(matrix: &DMatrix<f64>, columns: &[usize], keep: impl Fn(f64, f64) -> bool) -> Self {
        let mut found = Elimination { kept: Vec::new(), lower: Vec::new(), blur: Vec::new(), skipped: Vec::new() };
        for &column in columns {
            let mut row: Vec<f64> = Vec::with_capacity(found.kept.len() + 1);
            for (pivot, above) in found.kept.iter().zip(&found.lower) {
                let dot: f64 = row.iter().zip(above).map(|(a, b)| a * b).sum();
                row.push((matrix[(column, *pivot)] - dot) / above[above.len() - 1]);
            }
            let own = matrix[(column, column)];
            let left = own - row.iter().map(|l| l * l).sum::<f64>();
            let (residual, noise) = match own > 0.0 {
                true => (left / own, NOISE + row.iter().zip(&found.blur).map(|(l, blur)| l * l / own * blur).sum::<f64>()),
                false => (0.0, NOISE),
            };
            if keep(residual, noise) {
                row.push(left.sqrt());
                found.lower.push(row);
                found.blur.push(noise / residual);
                found.kept.push(column);
            } else {
                found.skipped.push(Skipped { column, residual, noise, row });
            }
        }
        found
    }

    /// Σ log L_ii: half the log determinant.
    pub(super) fn half_log_determinant(&self) -> f64 {
        self.lower.iter().map(|row| row[row.len() - 1].ln()).sum()
    }

    /// R = L⁻¹, lower triangular, row after row without the zeros: row i is (e_i − Σ_{t<i} L_it R_t)/L_ii.
    pub(super) fn inverse(&self) -> Vec<f64> {
        let size = self.kept.len();
        let mut inverse: Vec<f64> = Vec::with_capacity(size * (size + 1) / 2);
        for (i, lower) in self.lower.iter().enumerate() {
            let mut row = vec![0.0; i + 1];
            row[i] = 1.0;
            for (t, l) in lower[..i].iter().enumerate() {
                let above = &inverse[t * (t + 1) / 2..][..=t];
                row.iter_mut().zip(above).for_each(|(cell, r)| *cell -= l * r);
            }
            inverse.extend(row.iter().map(|cell| cell / lower[i]));
        }
        inverse
    }

    /// The combination of a skipped column: (kept column, coefficient) for every column kept before it.
    pub(super) fn combination(&self, skipped: &Skipped) -> Vec<(usize, f64)> {
        let mut beta = skipped.row.clone();
        for i in (0..beta.len()).rev() {
            beta[i] /= self.lower[i][i];
            for t in 0..i {
                beta[t] -= self.lower[i][t] * beta[i];
            }
        }
        self.kept.iter().copied().zip(beta).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependent_column_is_skipped_and_its_combination_found() {
        // Columns a, b, 2a − 3b, c from the vectors below.
        let vectors = [[1.0, 0.0, 2.0], [1.0, 1.0, 0.0], [-1.0, -3.0, 4.0], [0.0, 1.0, 5.0]];
        let dot = |i: usize, j: usize| (0..3).map(|t| vectors[i][t] * vectors[j][t]).sum();
        let matrix = DMatrix::from_fn(4, 4, dot);
        let found = Elimination::new(&matrix, &[0, 1, 2, 3]);
        assert_eq!(found.kept, [0, 1, 3]);
        let combination = found.combination(&found.skipped[0]);
        assert!((combination[0].1 - 2.0).abs() < 1e-13 && (combination[1].1 + 3.0).abs() < 1e-13);
        assert_eq!((combination[0].0, combination[1].0), (0, 1));
    }

    #[test]
    fn the_inverse_whitens() {
        let matrix = DMatrix::from_row_slice(3, 3, &[4.0, 2.0, 0.6, 2.0, 3.0, -0.4, 0.6, -0.4, 1.5]);
        let found = Elimination::new(&matrix, &[0, 1, 2]);
        let packed = found.inverse();
        let r = DMatrix::from_fn(3, 3, |i, j| if j <= i { packed[i * (i + 1) / 2 + j] } else { 0.0 });
        let identity = &r * &matrix * r.transpose();
        assert!((identity - DMatrix::identity(3, 3)).abs().max() < 1e-14);
        assert!((2.0 * found.half_log_determinant() - matrix.determinant().ln()).abs() < 1e-13);
    }

    #[test]
    fn rounding_does_not_pass_for_a_dimension() {
        // Three rows span two dimensions; the first two columns are almost opposite, which blurs the third.
        let rows = [[80.0, 0.125, 1e8], [84.0, 0.0, 1e8], [26.0, 1.8093018073051348, 99999999.99902344]];
        for weights in [[1.0, 1.0, 1.0], [1.0, 1.0, 3.0], [7.0, 1.0, 2.0]] {
            let total: f64 = weights.iter().sum();
            let mean = |j: usize| rows.iter().zip(&weights).map(|(row, w)| w * (row[j] - rows[0][j])).sum::<f64>() / total + rows[0][j];
            let cell = |i: usize, j: usize| rows.iter().zip(&weights).map(|(row, w)| w * (row[i] - mean(i)) * (row[j] - mean(j))).sum();
            assert_eq!(Elimination::new(&DMatrix::from_fn(3, 3, cell), &[0, 1, 2]).kept, [0, 1]);
        }
    }
}
