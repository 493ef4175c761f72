//! What a model knows about the errors of its estimates: standard errors, the likelihood, limits of probabilities, influence of rows.

use crate::data::Features;
use crate::error::Result;
use crate::num::logspace::sigmoid;

/// A model that knows how sure its estimates are.
pub trait Inference: Send + Sync {
    /// Estimated parameters, class after class, in the order of the card.
    fn estimates(&self) -> Vec<f64>;

    /// Their standard errors, where the fit has them.
    fn standard_errors(&self) -> Option<Vec<f64>>;

    /// The likelihood of the rows of the fit.
    fn likelihood(&self) -> FittedLikelihood;

    /// Steps of the solver.
    fn steps(&self) -> u64;

    /// Fills `out` with the log odds of a batch and their standard errors; an error for fits without standard errors.
    fn uncertainty(&self, rows: &Features<'_>, out: &mut Uncertainty) -> Result<()>;

    /// Names of what is known about single rows: fitted values, leverage, residuals …
    fn row_metric_names(&self) -> Vec<String>;

    /// What is known about every row, in the order of the names; NaN where something is not. `proportions` are those of all classes but
    /// the first in every row.
    fn row_metrics(&self, rows: &Features<'_>, proportions: &[f64], weights: Option<&[f64]>) -> Result<Vec<Vec<f64>>>;
}

/// How probable the rows of a fit are under it.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedLikelihood {
    /// The logarithm of the likelihood, without penalties.
    pub log_likelihood: f64,
    /// Observations that it is made of.
    pub observations: f64,
    /// Total weight of every class.
    pub class_weights: Vec<f64>,
}

/// Log odds of every class against all others with their standard errors, row after row; NaN for a row with a gap.
#[derive(Debug, Clone, Default)]
pub struct Uncertainty {
    /// Number of classes.
    pub classes: usize,
    /// Log odds.
    pub log_odds: Vec<f64>,
    /// Standard errors of the log odds.
    pub errors: Vec<f64>,
}

impl Uncertainty {
    /// Limits of the probability of class `k` in row `i` at `quantile` standard errors of its log odds.
    pub fn limits(&self, i: usize, k: usize, quantile: f64) -> (f64, f64) {
        let at = i * self.classes + k;
        let half = quantile * self.errors[at];
        (sigmoid(self.log_odds[at] - half), sigmoid(self.log_odds[at] + half))
    }
}
