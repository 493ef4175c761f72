//! Information of normal distributions in closed form, in nats.
//!
//! ```text
//! h(N(μ, Σ))          = ½ (d ln 2πe + ln|Σ|)                              differential entropy; may be negative
//! D(N(μ₀,Σ₀)‖N(μ₁,Σ₁)) = ½ (tr Σ₁⁻¹Σ₀ − d − ln|Σ₀|/|Σ₁| + (μ₁−μ₀)ᵀΣ₁⁻¹(μ₁−μ₀))
//! I(X; Y)             = ½ ln |Σ_x||Σ_y| / |Σ|                             −½ ln(1 − ρ²) for two variables
//! ```
//!
//! Everything goes through Cholesky factors: with L₁⁻¹L₀ = A the trace is Σ A², and no matrix is inverted. Cost O(d³).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::error::{DataFault, Result};

/// A normal distribution.
#[derive(Debug, Clone)]
pub struct Gaussian {
    mean: DVector<f64>,
    factor: Cholesky<f64, Dyn>,
}

impl Gaussian {
    /// The distribution with this mean and covariance, row after row.
    pub fn new(mean: &[f64], covariance: &[f64]) -> Result<Self> {
        let d = mean.len();
        if d == 0 || covariance.len() != d * d {
            let what = format!("a mean of {d} numbers does not go with a covariance of {}", covariance.len());
            return Err(DataFault::new(what).accepted("a covariance has as many rows and columns as the mean has numbers").into());
        }
        if let Some(value) = mean.iter().chain(covariance).find(|value| !value.is_finite()) {
            return Err(DataFault::new("means and covariances cannot be").value(value.to_string()).accepted("give finite numbers").into());
        }
        let uneven = |&(i, j): &(usize, usize)| {
            let (a, b) = (covariance[i * d + j], covariance[j * d + i]);
            (a - b).abs() > 1e-12 * (a.abs() + b.abs())
        };
        if let Some((i, j)) = (0..d).flat_map(|i| (0..i).map(move |j| (i, j))).find(uneven) {
            let what = format!("the covariance differs in row {}, column {}, and row {}, column {}", i + 1, j + 1, j + 1, i + 1);
            return Err(DataFault::new(what).accepted("a covariance is symmetric").into());
        }
        match Cholesky::new(DMatrix::from_row_slice(d, d, covariance)) {
            Some(factor) => Ok(Gaussian { mean: DVector::from_column_slice(mean), factor }),
            None => {
                let what = "the covariance is not positive definite, so the distribution has no density";
                Err(DataFault::new(what).accepted("variances are above 0 and correlations between -1 and 1").into())
            }
        }
    }

    /// ln |Σ|.
    fn log_determinant(&self) -> f64 {
        2.0 * (0..self.mean.len()).map(|i| libm::log(self.factor.l_dirty()[(i, i)])).sum::<f64>()
    }

    /// Differential entropy.
    pub fn entropy(&self) -> f64 {
        let constant = 1.0 + libm::log(std::f64::consts::TAU);
        0.5 * (self.mean.len() as f64 * constant + self.log_determinant())
    }

    /// Relative entropy of this distribution from another.
    pub fn relative_entropy(&self, other: &Self) -> Result<f64> {
        let d = self.mean.len();
        if d != other.mean.len() {
            let what = format!("one distribution has {d} dimensions, the other {}", other.mean.len());
            return Err(DataFault::new(what).accepted("both must be of the same variables").into());
        }
        let lower = other.factor.l();
        let solved = lower.solve_lower_triangular(&self.factor.l()).zip(lower.solve_lower_triangular(&(&other.mean - &self.mean)));
        let Some((ratio, shift)) = solved else { return Ok(f64::INFINITY) };
        // tr A Aᵀ − d − ln|A|² in addends a² − 1 − ln a² ≥ 0 of the diagonal, and the squares below it.
        let diagonal = |i: usize| {
            let u = ratio[(i, i)] * ratio[(i, i)] - 1.0;
            u - libm::log1p(u)
        };
        let below: f64 = (0..d).flat_map(|i| (0..i).map(move |j| (i, j))).map(|at| ratio[at] * ratio[at]).sum();
        Ok(0.5 * ((0..d).map(diagonal).sum::<f64>() + below + shift.norm_squared()))
    }

    /// Mutual information between the first `first` variables and the others.
    pub fn mutual_information(&self, first: usize) -> Result<f64> {
        let d = self.mean.len();
        if first == 0 || first >= d {
            let what = format!("{first} of {d} variables leave nothing on one side");
            return Err(DataFault::new(what).accepted(format!("split them after 1 to {} variables", d.saturating_sub(1))).into());
        }
        let lower = self.factor.l();
        let covariance = &lower * lower.transpose();
        let later = covariance.view((first, first), (d - first, d - first)).into_owned();
        // |Σ| = |Σ_x| |S| with S the covariance of y given x, whose factor is the lower corner of L.
        let Some(later) = Cholesky::new(later) else { return Ok(f64::INFINITY) };
        let marginal: f64 = (0..d - first).map(|i| libm::log(later.l_dirty()[(i, i)])).sum();
        let given: f64 = (first..d).map(|i| libm::log(lower[(i, i)])).sum();
        Ok((marginal - given).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms() {
        let normal = |mean: f64, variance: f64| Gaussian::new(&[mean], &[variance]).unwrap();
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 5e-11, "{found} {expected}");
        near(normal(0.0, 1.0).relative_entropy(&normal(1.0, 4.0)).unwrap(), 0.443_147_180_6);
        near(normal(1.0, 4.0).relative_entropy(&normal(0.0, 1.0)).unwrap(), 1.306_852_819_4);
        near(normal(3.0, 1.0).entropy() / 2f64.ln(), 2.047_095_585_2);
        let tied = Gaussian::new(&[1.0, 0.0], &[1.0, 0.5, 0.5, 1.0]).unwrap();
        let free = Gaussian::new(&[0.0, 0.0], &[1.0, 0.0, 0.0, 1.0]).unwrap();
        near(tied.relative_entropy(&free).unwrap(), 0.643_841_036_2);
        near(tied.mutual_information(1).unwrap(), 0.143_841_036_2);
        assert_eq!(free.mutual_information(1).unwrap(), 0.0);
        assert_eq!(tied.relative_entropy(&tied).unwrap(), 0.0);
        assert!(normal(0.0, 1e-4).entropy() < 0.0);
    }

    #[test]
    fn what_is_no_covariance_is_refused() {
        let refused = |mean: &[f64], covariance: &[f64]| Gaussian::new(mean, covariance).unwrap_err().to_string();
        assert!(refused(&[0.0], &[0.0]).contains("not positive definite"));
        assert!(refused(&[0.0, 0.0], &[1.0, 0.1, 0.2, 1.0]).contains("row 2, column 1"));
        assert!(refused(&[0.0], &[1.0, 2.0]).contains("a mean of 1 numbers"));
        assert!(refused(&[f64::NAN], &[1.0]).contains("`NaN`"));
    }
}
