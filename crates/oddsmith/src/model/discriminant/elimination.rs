//! Cholesky elimination that skips what it cannot divide by.
//!
//! Columns are taken in order. Column j enters with l = L⁻¹ S_{kept,j} and keeps the residual variance S_jj − |l|², its
//! variance given the columns before it. A residual of at most `tolerance` times S_jj means that the column is a
//! combination of the earlier ones: it is skipped, and its combination is the solution of Lᵀβ = l. Cost O(p³/3).

use nalgebra::DMatrix;

/// S = L Lᵀ over the independent columns of a symmetric matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Elimination {
    /// Independent columns, as indices of the matrix.
    pub(super) kept: Vec<usize>,
    /// Rows of L over the kept columns, row i with i + 1 numbers.
    lower: Vec<Vec<f64>>,
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
    row: Vec<f64>,
}

impl Elimination {
    /// Eliminates the given columns of `matrix` in order.
    pub(super) fn new(matrix: &DMatrix<f64>, columns: &[usize], tolerance: f64) -> Self {
        let mut found = Elimination { kept: Vec::new(), lower: Vec::new(), skipped: Vec::new() };
        for &column in columns {
            let mut row: Vec<f64> = Vec::with_capacity(found.kept.len() + 1);
            for (pivot, above) in found.kept.iter().zip(&found.lower) {
                let dot: f64 = row.iter().zip(above).map(|(a, b)| a * b).sum();
                row.push((matrix[(column, *pivot)] - dot) / above[above.len() - 1]);
            }
            let own = matrix[(column, column)];
            let residual = own - row.iter().map(|l| l * l).sum::<f64>();
            if residual > tolerance * own {
                row.push(residual.sqrt());
                found.lower.push(row);
                found.kept.push(column);
            } else {
                found.skipped.push(Skipped { column, residual: if own > 0.0 { residual / own } else { 0.0 }, row });
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
        let found = Elimination::new(&matrix, &[0, 1, 2, 3], 1e-10);
        assert_eq!(found.kept, [0, 1, 3]);
        let combination = found.combination(&found.skipped[0]);
        assert!((combination[0].1 - 2.0).abs() < 1e-13 && (combination[1].1 + 3.0).abs() < 1e-13);
        assert_eq!((combination[0].0, combination[1].0), (0, 1));
    }

    #[test]
    fn the_inverse_whitens() {
        let matrix = DMatrix::from_row_slice(3, 3, &[4.0, 2.0, 0.6, 2.0, 3.0, -0.4, 0.6, -0.4, 1.5]);
        let found = Elimination::new(&matrix, &[0, 1, 2], 1e-10);
        let packed = found.inverse();
        let r = DMatrix::from_fn(3, 3, |i, j| if j <= i { packed[i * (i + 1) / 2 + j] } else { 0.0 });
        let identity = &r * &matrix * r.transpose();
        assert!((identity - DMatrix::identity(3, 3)).abs().max() < 1e-14);
        assert!((2.0 * found.half_log_determinant() - matrix.determinant().ln()).abs() < 1e-13);
    }
}
