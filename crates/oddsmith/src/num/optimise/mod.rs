//! Parts of searches for a minimum, which own no rows: whoever has them says what the objective is at a point.

mod coordinate_descent;
mod damped_newton;
mod lbfgs;
mod metric;
mod orthant;
mod secant_pairs;

pub(crate) use coordinate_descent::newton_step;
pub(crate) use damped_newton::{DampedNewton, Next, Value};
pub(crate) use lbfgs::{Ask, Lbfgs};
pub(crate) use metric::{Metric, damped, dot};
pub(crate) use orthant::{absolute_size, pseudo_gradient, within_orthant};
pub(crate) use secant_pairs::SecantPairs;
