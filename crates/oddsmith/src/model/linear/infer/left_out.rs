//! Residuals of a row as if the row had had no part in the fit, to first order.
//!
//! With r the residuals of all outputs, W their second derivatives and Q = (zᵀ V_kl z) the row's part of the inverse information, leaving
//! the row out turns r into (I − W Q)⁻¹ r; half of the way there is (I − W Q)^−½ r. With one output W Q is the leverage h, and
//! the factors are 1/(1 − h) and 1/√(1 − h). With Q = L Lᵀ the powers are those of the symmetric I − Lᵀ W L. Time O(M³) per row.

use nalgebra::{Cholesky, DMatrix, DVector, SymmetricEigen};

/// How far the row is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Half of the way: right on average where the model holds.
    Half,
    /// Wholly.
    Whole,
}

impl Extent {
    /// (1 − h)^−½ or (1 − h)⁻¹; a row that alone decides its fitted value is held back by rounding only.
    pub(crate) fn factor(self, leverage: f64) -> f64 {
        let rest = (1.0 - leverage).max(f64::EPSILON);
        match self {
            Extent::Half => rest.sqrt().recip(),
            Extent::Whole => rest.recip(),
        }
    }

    /// The residuals of several outputs. Both matrices are symmetric, M × M, row after row.
    pub(crate) fn residuals(self, residuals: &[f64], curvature: &[f64], forms: &[f64]) -> Vec<f64> {
        let outputs = residuals.len();
        if outputs == 1 {
            return vec![residuals[0] * self.factor(curvature[0] * forms[0])];
        }
        let residuals = DVector::from_column_slice(residuals);
        // A row at the centre of a model without intercept has no part in the fit.
        let Some(root) = Cholesky::new(DMatrix::from_row_slice(outputs, outputs, forms)).map(|factor| factor.l()) else {
            return residuals.as_slice().to_vec();
        };
        let middle = root.transpose() * DMatrix::from_row_slice(outputs, outputs, curvature) * &root;
        let SymmetricEigen { eigenvectors, eigenvalues } = middle.symmetric_eigen();
        let mut turned = eigenvectors.transpose() * (root.transpose() * residuals);
        turned.iter_mut().zip(&eigenvalues).for_each(|(part, leverage)| *part *= self.factor(*leverage));
        let back = eigenvectors * turned;
        root.tr_solve_lower_triangular(&back).unwrap_or(back).as_slice().to_vec()
    }
}

/// The largest eigenvalue of W Q: 1 where the row alone decides some combination of its fitted values.
pub(crate) fn largest_leverage(curvature: &[f64], forms: &[f64]) -> f64 {
    let outputs = curvature.len().isqrt();
    let Some(root) = Cholesky::new(DMatrix::from_row_slice(outputs, outputs, forms)).map(|factor| factor.l()) else { return 0.0 };
    let middle = root.transpose() * DMatrix::from_row_slice(outputs, outputs, curvature) * &root;
    middle.symmetric_eigenvalues().max()
}

/// Second derivatives w (p_m [m = l] − p_m p_l) of the outputs, whose probabilities are those of all classes but the first.
pub(crate) fn curvature(weight: f64, probabilities: &[f64]) -> Vec<f64> {
    let pairs = probabilities.iter().enumerate().flat_map(|(m, p)| {
        let entry = move |(l, q): (usize, &f64)| weight * p * (f64::from(u8::from(m == l)) - q);
        probabilities.iter().enumerate().map(entry)
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: [f64; 4] = [0.21, -0.06, -0.06, 0.16];
    const Q: [f64; 4] = [0.8, 0.3, 0.3, 1.1];
    const R: [f64; 2] = [0.4, -0.7];

    #[test]
    fn the_whole_way_solves_the_system() {
        let got = Extent::Whole.residuals(&R, &W, &Q);
        // (I − W Q) r̃ = r.
        let product = |i: usize, j: usize| (0..2).map(|k| W[i * 2 + k] * Q[k * 2 + j]).sum::<f64>();
        for i in 0..2 {
            let left = got[i] - (0..2).map(|j| product(i, j) * got[j]).sum::<f64>();
            assert!((left - R[i]).abs() < 1e-14, "{left} is not {}", R[i]);
        }
    }

    #[test]
    fn twice_half_the_way_is_the_whole_way() {
        let half = Extent::Half.residuals(&R, &W, &Q);
        let twice = Extent::Half.residuals(&half, &W, &Q);
        let whole = Extent::Whole.residuals(&R, &W, &Q);
        assert!(twice.iter().zip(&whole).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn one_output_has_its_leverage() {
        assert_eq!(Extent::Whole.residuals(&[0.5], &[0.25], &[2.0]), [1.0]);
        assert_eq!(curvature(2.0, &[0.25]), [2.0 * 0.25 * 0.75]);
    }
}
