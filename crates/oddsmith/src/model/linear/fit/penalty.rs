//! A quadratic penalty on the coefficients, in the solver's coordinates.
//!
//! Two classes: ½ Σ_j λ_j γ_j². More: the penalty that treats all K classes alike, ½ Σ_j λ_j Σ_k w_kj² with w the coefficients
//! of K symmetric outputs. As functions of the log odds γ against the first class the best w is γ minus its mean over
//! all classes, so the penalty is ½ Σ_j λ_j (Σ_m γ_mj² − (Σ_m γ_mj)² / K). Intercepts are free unless told otherwise.

use nalgebra::DMatrix;

use crate::model::linear::fit::eval_point::Shape;
use crate::model::linear::fit::lasso;
use crate::model::linear::fit::symmetric::{Strengths, Symmetric};
use crate::num::optimise::{absolute_size, newton_step};

/// Strengths λ per parameter of one output and per word; all zero means no penalty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Penalty {
    /// Per parameter of one output (intercept first).
    pub(crate) dense: Vec<f64>,
    /// Of every word.
    pub(crate) words: f64,
    /// Strengths of the absolute penalty, per parameter; empty when there is none.
    pub(crate) absolute: Vec<f64>,
    shape: Shape,
}

impl Penalty {
    /// A penalty; `dense` has one strength per parameter of an output.
    pub(crate) fn new(dense: Vec<f64>, words: f64, shape: Shape) -> Self {
        debug_assert_eq!(dense.len(), shape.width);
        Penalty { dense, words, absolute: Vec::new(), shape }
    }

    /// Whether there is any.
    pub(crate) fn is_some(&self) -> bool {
        self.words > 0.0 || !self.absolute.is_empty() || self.dense.iter().any(|d| *d > 0.0)
    }

    /// ln |Λ| of the penalty ½ θᵀ Λ θ over dense parameters, all of which must be penalised.
    pub(crate) fn log_determinant(&self) -> f64 {
        let outputs = self.shape.outputs as f64;
        // The eigenvalues of I − 11ᵀ/K on K − 1 outputs are 1, …, 1 and 1/K.
        let coupled = (1.0 - self.share() * outputs).ln();
        self.dense.iter().map(|strength| outputs * strength.ln() + coupled).sum()
    }

    /// The outputs of all classes, on which an absolute penalty of more than two classes lies together with the quadratic one.
    pub(crate) fn symmetric(&self) -> Option<Symmetric> {
        (!self.absolute.is_empty() && self.shape.outputs > 1).then_some(Symmetric(self.shape))
    }

    /// Strengths of both penalties over the slots of one output.
    fn slots(&self) -> (Vec<f64>, Vec<f64>) {
        let Shape { outputs, width, words } = self.shape;
        let mut absolute = self.absolute[..width].to_vec();
        absolute.resize(width + words, self.absolute.get(outputs * width).copied().unwrap_or(0.0));
        let mut ridge = self.dense.clone();
        ridge.resize(width + words, self.words);
        (absolute, ridge)
    }

    /// The absolute penalty of a point; with more than two classes the quadratic one comes with it.
    pub(crate) fn absolute_size(&self, theta: &[f64]) -> f64 {
        let Some(outputs) = self.symmetric() else { return absolute_size(&self.absolute, theta) };
        let (absolute, ridge) = self.slots();
        let wide = outputs.centred(theta, Strengths { absolute: &absolute, ridge: &ridge });
        let cost = |(place, w): (usize, &f64)| {
            let slot = outputs.slot(place);
            absolute[slot] * w.abs() + 0.5 * ridge[slot] * w * w
        };
        wide.iter().enumerate().map(cost).sum()
    }

    /// The step of a quadratic model with the absolute penalty.
    pub(crate) fn absolute_step(&self, hessian: &DMatrix<f64>, gradient: &[f64], theta: &[f64]) -> Vec<f64> {
        let Some(outputs) = self.symmetric() else { return newton_step(hessian, gradient, theta, &self.absolute) };
        let (absolute, ridge) = self.slots();
        lasso::symmetric_step(hessian, gradient, theta, Strengths { absolute: &absolute, ridge: &ridge }, outputs)
    }

    /// A point, its gradient and the strengths of the absolute penalty where that is a plain sum: over the outputs of all classes
    /// with more than two, the quadratic penalty included.
    pub(crate) fn plain(&self, theta: &[f64], gradient: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let Some(outputs) = self.symmetric() else { return (theta.to_vec(), gradient.to_vec(), self.absolute.clone()) };
        let (absolute, ridge) = self.slots();
        let wide = outputs.centred(theta, Strengths { absolute: &absolute, ridge: &ridge });
        let mut slopes = outputs.lift_gradient(gradient);
        slopes.iter_mut().zip(&wide).enumerate().for_each(|(place, (slope, w))| *slope += ridge[outputs.slot(place)] * w);
        let strengths = (0..outputs.len()).map(|place| absolute[outputs.slot(place)]).collect();
        (wide, slopes, strengths)
    }

    /// A diagonal of second derivatives over the coordinates of [`Penalty::plain`].
    pub(crate) fn plain_diagonal(&self, diagonal: Vec<f64>) -> Vec<f64> {
        let Some(outputs) = self.symmetric() else { return diagonal };
        let ridge = self.slots().1;
        let mut wide = outputs.lift_diagonal(&diagonal);
        wide.iter_mut().enumerate().for_each(|(place, d)| *d += ridge[outputs.slot(place)]);
        wide
    }

    /// What a sum over outputs takes away: 1/K, nothing with one output.
    fn share(&self) -> f64 {
        if self.shape.outputs == 1 { 0.0 } else { 1.0 / (self.shape.outputs as f64 + 1.0) }
    }

    /// Adds the penalty's gradient and gives its value; nothing where the absolute penalty comes with it.
    pub(crate) fn add(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        if self.symmetric().is_some() {
            return 0.0;
        }
        let Shape { outputs, width, words } = self.shape;
        let share = self.share();
        let mut value = 0.0;
        let mut each = |strength: f64, at: &dyn Fn(usize) -> usize| {
            let mean = share * (0..outputs).map(|m| theta[at(m)]).sum::<f64>();
            for m in 0..outputs {
                let slope = strength * (theta[at(m)] - mean);
                gradient[at(m)] += slope;
                value += 0.5 * slope * theta[at(m)];
            }
        };
        for (j, &strength) in self.dense.iter().enumerate().filter(|(_, strength)| **strength > 0.0) {
            each(strength, &|m| m * width + j);
        }
        if self.words > 0.0 {
            let start = outputs * width;
            (0..words).for_each(|word| each(self.words, &|m| start + word * outputs + m));
        }
        value
    }

    /// Adds the penalty's second derivatives of the dense parameters.
    pub(crate) fn add_hessian(&self, hessian: &mut DMatrix<f64>) {
        if self.symmetric().is_some() {
            return;
        }
        let Shape { outputs, width, .. } = self.shape;
        let share = self.share();
        for (j, &strength) in self.dense.iter().enumerate() {
            for m in 0..outputs {
                for l in 0..outputs {
                    hessian[(m * width + j, l * width + j)] += strength * (f64::from(u8::from(m == l)) - share);
                }
            }
        }
    }

    /// Adds the diagonal of the penalty's second derivatives.
    pub(crate) fn add_diagonal(&self, diagonal: &mut [f64]) {
        if self.symmetric().is_some() {
            return;
        }
        let Shape { outputs, width, .. } = self.shape;
        let kept = 1.0 - self.share();
        for (at, cell) in diagonal.iter_mut().enumerate() {
            *cell += kept * if at < outputs * width { self.dense[at % width] } else { self.words };
        }
    }
}
