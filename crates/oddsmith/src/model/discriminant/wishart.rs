//! Means and covariance integrated out: the normal-inverse-Wishart posterior and what follows from it.
//!
//! Prior: Σ ~ IW(Ψ0, ν0) and m_k | Σ ~ N(0, Σ/κ0) in coordinates around the mean of the class means. With n_k rows of
//! class k, mean d_k, products P_k and classes that share Σ:
//! κ_k = κ0 + n_k, ν = ν0 + Σ n_k, Ψ = Ψ0 + Σ [P_k + (κ0 n_k/κ_k) d_k d_kᵀ]. A new row of class k has a t density with
//! ν − p + 1 degrees of freedom, location n_k d_k/κ_k and scale Ψ (κ_k + 1)/(κ_k (ν − p + 1)). The evidence is
//! ln p(X|y) = −(n p/2) ln π + lnΓ_p(ν/2) − lnΓ_p(ν0/2) + (ν0/2) ln|Ψ0| − (ν/2) ln|Ψ| + (p/2) Σ ln(κ0/κ_k).
//!
//! The default prior has κ0 = 0.01 (a hundredth of a row for every mean), ν0 = p + 2 and Ψ0 = diag(s²) with s² the pooled
//! variances of the columns: the prior expects uncorrelated columns with these variances, and weighs one row. It moves
//! with the users' units.

use std::f64::consts::PI;

use nalgebra::DMatrix;

use super::elimination::Elimination;
use super::law::Law;
use crate::error::{Error, Result};
use crate::num::special::ln_gamma_multivariate;

/// Weight of the prior mean of a class, in rows.
pub(super) const MEAN_ROWS: f64 = 0.01;
/// Degrees of freedom of the prior covariance beyond the number of columns: the fewest for which it has a mean.
pub(super) const EXTRA_FREEDOM: f64 = 2.0;

/// A prior around zero.
pub(super) struct WishartPrior {
    /// κ0.
    mean_rows: f64,
    /// ν0.
    freedom: f64,
    /// The diagonal of Ψ0.
    scale: Vec<f64>,
}

/// Rows, mean and products of classes that share a covariance.
pub(super) struct Sums<'a> {
    /// Rows and mean per class.
    pub(super) classes: Vec<(f64, &'a [f64])>,
    /// Products around the class means, added up.
    pub(super) products: DMatrix<f64>,
}

/// What is known of the parameters after the rows.
pub(super) struct Posterior {
    /// ν.
    freedom: f64,
    /// Ψ.
    scale: DMatrix<f64>,
    /// κ_k.
    mean_rows: Vec<f64>,
    /// Location of the density of a new row, per class.
    pub(super) locations: Vec<Vec<f64>>,
    /// ln p(X | y).
    pub(super) log_marginal_likelihood: f64,
}

impl WishartPrior {
    /// The default prior for columns with these variances.
    pub(super) fn new(variances: Vec<f64>) -> Self {
        WishartPrior { mean_rows: MEAN_ROWS, freedom: variances.len() as f64 + EXTRA_FREEDOM, scale: variances }
    }

    /// The posterior after some rows.
    pub(super) fn posterior(&self, sums: &Sums<'_>) -> Result<Posterior> {
        let width = self.scale.len();
        let (p, k0) = (width as f64, self.mean_rows);
        let mut scale = &sums.products + DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(&self.scale));
        let (mut rows, mut mean_rows, mut locations) = (0.0, Vec::new(), Vec::new());
        let mut log_means = 0.0;
        for (n, mean) in &sums.classes {
            let kappa = k0 + n;
            let mean = nalgebra::DVector::from_column_slice(mean);
            scale += &mean * mean.transpose() * (k0 * n / kappa);
            rows += n;
            log_means += 0.5 * p * (k0 / kappa).ln();
            locations.push((&mean * (n / kappa)).as_slice().to_vec());
            mean_rows.push(kappa);
        }
        let freedom = self.freedom + rows;
        let all: Vec<usize> = (0..width).collect();
        let elimination = Elimination::of_independent(&scale, &all);
        let elimination = elimination.ok_or_else(|| Error::internal("a posterior scale matrix is not positive definite"))?;
        let log_prior_scale: f64 = self.scale.iter().map(|s| s.ln()).sum();
        let log_marginal_likelihood = -0.5 * rows * p * PI.ln()
            + (ln_gamma_multivariate(width, 0.5 * freedom) - ln_gamma_multivariate(width, 0.5 * self.freedom))
            + 0.5 * self.freedom * log_prior_scale
            - freedom * elimination.half_log_determinant()
            + log_means;
        Ok(Posterior { freedom, scale, mean_rows, locations, log_marginal_likelihood })
    }
}

impl Posterior {
    fn width(&self) -> f64 {
        self.scale.nrows() as f64
    }

    /// The mean of the covariance matrix, Ψ/(ν − p − 1).
    pub(super) fn covariance(&self) -> DMatrix<f64> {
        &self.scale / (self.freedom - self.width() - 1.0)
    }

    /// The density of a new row of class `k`, relative to [`Posterior::covariance`].
    pub(super) fn law(&self, k: usize) -> Law {
        let freedom = self.freedom - self.width() + 1.0;
        let kappa = self.mean_rows[k];
        Law { freedom, widening: (kappa + 1.0) / kappa * ((freedom - 2.0) / freedom) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of two classes in two columns.
    const ROWS: [(usize, [f64; 2]); 7] =
        [(0, [0.3, -1.0]), (1, [2.0, 0.5]), (0, [-0.7, 0.4]), (0, [1.1, 1.9]), (1, [1.5, -0.8]), (1, [3.1, 0.2]), (0, [0.0, 0.6])];

    fn sums(rows: &[(usize, [f64; 2])], k: usize) -> (f64, [f64; 2], DMatrix<f64>) {
        let own: Vec<[f64; 2]> = rows.iter().filter(|row| row.0 == k).map(|row| row.1).collect();
        let n = own.len() as f64;
        let mean = [0, 1].map(|j| if own.is_empty() { 0.0 } else { own.iter().map(|x| x[j]).sum::<f64>() / n });
        let products = DMatrix::from_fn(2, 2, |i, j| own.iter().map(|x| (x[i] - mean[i]) * (x[j] - mean[j])).sum());
        (n, mean, products)
    }

    /// The posterior after some rows, for classes that share a covariance or for class `only` alone.
    fn posterior(rows: &[(usize, [f64; 2])], only: Option<usize>) -> Posterior {
        let prior = WishartPrior::new(vec![1.3, 0.7]);
        let (zero, one) = (sums(rows, 0), sums(rows, 1));
        let all = [(zero.0, &zero.1[..], &zero.2), (one.0, &one.1[..], &one.2)];
        let chosen: Vec<_> = all.iter().enumerate().filter(|(k, _)| only.is_none_or(|only| only == *k)).map(|(_, class)| class).collect();
        let products = chosen.iter().fold(DMatrix::zeros(2, 2), |sum, class| sum + class.2);
        prior.posterior(&Sums { classes: chosen.iter().map(|class| (class.0, class.1)).collect(), products }).unwrap()
    }

    fn log_density(posterior: &Posterior, k: usize, x: [f64; 2]) -> f64 {
        let covariance = posterior.covariance();
        let deviation = nalgebra::DVector::from_fn(2, |j, _| x[j] - posterior.locations[k][j]);
        let square = (deviation.transpose() * covariance.clone().try_inverse().unwrap() * &deviation)[0];
        let law = posterior.law(k);
        law.log_peak(2) + law.log_fall(square, 2) - 0.5 * covariance.determinant().ln()
    }

    #[test]
    fn the_evidence_is_the_product_of_one_step_ahead_densities() {
        let shared: f64 = ROWS.iter().enumerate().map(|(i, row)| log_density(&posterior(&ROWS[..i], None), row.0, row.1)).sum();
        assert!((posterior(&ROWS, None).log_marginal_likelihood - shared).abs() < 1e-12);
        for k in 0..2 {
            let own = ROWS.iter().enumerate().filter(|(_, row)| row.0 == k);
            let chain: f64 = own.map(|(i, row)| log_density(&posterior(&ROWS[..i], Some(k)), 0, row.1)).sum();
            assert!((posterior(&ROWS, Some(k)).log_marginal_likelihood - chain).abs() < 1e-12);
        }
    }

    #[test]
    fn no_rows_leave_the_prior() {
        let nothing = posterior(&[], None);
        assert!(nothing.log_marginal_likelihood.abs() < 1e-14);
        assert_eq!(nothing.covariance(), DMatrix::from_row_slice(2, 2, &[1.3, 0.0, 0.0, 0.7]));
    }
}
