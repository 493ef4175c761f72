//! What a model knows about the errors of its estimates: standard errors, the likelihood, limits of probabilities, influence of rows.

use super::{AnyProcedure, Classifier};
use crate::data::{Features, Formula, Layout};
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

    /// What is known about the single rows of tables that have the predictors and, of the columns with responses and weights, those that
    /// `has` knows.
    fn row_metrics(&self, has: &dyn Fn(&str) -> bool) -> Result<Box<dyn RowMetrics>>;

    /// The formula that was fitted.
    fn formula(&self) -> &Formula;

    /// Proportion of every class that the probabilities stand for: that of the rows of the fit, unless it was moved. `None` where a file
    /// does not hold it.
    fn class_proportions(&self) -> Option<Vec<f64>>;

    /// The same model with the log odds of every class moved by a known constant, as another proportion of the classes does: intercepts and
    /// their limits move, everything else stays. `from` are the proportions before, where they are known better than by the rows of the
    /// fit. `None` for a model that cannot take the move in.
    fn moved(&self, from: Option<&[f64]>, offsets: &[f64]) -> Option<Box<dyn Classifier>>;

    /// The same model with the name of the column that the weights of its rows stand in.
    fn weighted_by(&self, column: &str) -> Box<dyn Classifier>;

    /// The analysis of a column's effects in risk: the risks of all rows with the column set to one value or another, and what compares them, within the
    /// levels of another column too. It ends in a card; an error for a fit without standard errors.
    fn effects(&self, exposure: &str, within: Option<&str>, level: f64) -> Result<Box<dyn AnyProcedure>>;
}

/// A model that knows how sure it is of the log odds of rows.
pub trait RowLimits: Send + Sync {
    /// Fills `out` with the log odds of a batch and their standard errors.
    fn uncertainty(&self, rows: &Features<'_>, out: &mut Uncertainty) -> Result<()>;
}

/// What a model knows about single rows: fitted values, leverage, residuals … A row counts as it did in the fit: one of counts with all of
/// its trials, one of frequency w as w equal rows.
pub trait RowMetrics: Send + Sync {
    /// What rows must look like: the predictors, and columns of responses and weights.
    fn layout(&self) -> &Layout;

    /// Whether the class of a row is a label, and not counts or proportions.
    fn has_labels(&self) -> bool;

    /// Whether rows have no weights, or weights in a column that the model knows by name.
    fn knows_weights(&self) -> bool;

    /// The names of the metrics.
    fn names(&self) -> Vec<String>;

    /// The metrics of a batch. `labels` are codes of the classes, where there is a column of them; `first_row` is the place of the
    /// batch, for messages.
    fn of_rows(&self, rows: &Features<'_>, labels: Option<&[u32]>, first_row: u64) -> Result<BatchMetrics>;
}

/// What is known about the rows of a batch; NaN where something is not.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchMetrics {
    /// Proportions of all classes but the first, row after row.
    pub proportions: Vec<f64>,
    /// One list per row, in the order of the names.
    pub metrics: Vec<Vec<f64>>,
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
