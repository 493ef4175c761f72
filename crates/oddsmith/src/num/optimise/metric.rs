//! The metric of a solver: an approximation of the second derivatives that can be divided by.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::num::cholesky;

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
        cholesky(hessian).map(Metric::Full)
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

/// Second derivatives with as much of their diagonal added as makes them positive definite. An absolute penalty has an optimum
/// where they are singular, too; steps are then shorter than they could be, and end at the same point.
pub(crate) fn damped(hessian: DMatrix<f64>) -> (DMatrix<f64>, Option<Metric>) {
    let largest = (0..hessian.nrows()).map(|i| hessian[(i, i)]).fold(f64::MIN_POSITIVE, f64::max);
    for share in [1e-9, 1e-7, 1e-5, 1e-3] {
        let mut raised = hessian.clone();
        (0..raised.nrows()).for_each(|i| raised[(i, i)] += share * (raised[(i, i)] + 1e-3 * largest));
        let metric = Metric::full(raised.clone());
        if metric.is_some() {
            return (raised, metric);
        }
    }
    (hessian, None)
}
