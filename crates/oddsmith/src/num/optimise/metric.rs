//! The metric of a solver: an approximation of the second derivatives that can be divided by.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// A positive definite approximation of the second derivatives.
#[derive(Debug, Clone)]
pub(crate) enum Metric {
    /// All of them, as a Cholesky factor.
    Full(Cholesky<f64, Dyn>),
    /// Their diagonal.
    Diagonal(Vec<f64>),
}

impl Metric {
    /// The metric of a matrix of second derivatives; `None` when it is not positive definite.
    pub(crate) fn full(hessian: DMatrix<f64>) -> Option<Self> {
        if hessian.iter().any(|h| !h.is_finite()) {
            return None;
        }
        Cholesky::new(hessian).map(Metric::Full)
    }

    /// The metric of a diagonal; entries that are not positive become 1.
    pub(crate) fn diagonal(diagonal: Vec<f64>) -> Self {
        Metric::Diagonal(diagonal.into_iter().map(|d| if d > 0.0 { d } else { 1.0 }).collect())
    }

    /// Divides a vector by the metric.
    pub(crate) fn solve(&self, vector: &[f64]) -> Vec<f64> {
        match self {
            Metric::Full(factor) => factor.solve(&DVector::from_column_slice(vector)).as_slice().to_vec(),
            Metric::Diagonal(diagonal) => vector.iter().zip(diagonal).map(|(v, d)| v / d).collect(),
        }
    }
}

/// Σ a b.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
