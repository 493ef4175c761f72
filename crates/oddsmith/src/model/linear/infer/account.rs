//! How a fit was reached and what is known about its precision: everything about a model that predictions do not need.

use serde::{Deserialize, Serialize};

use crate::model::linear::infer::row_account::RowAccount;
use crate::model::linear::infer::sandwich::Robust;
use crate::notice::Notice;

/// How coefficients were estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Maximum likelihood.
    Likelihood,
    /// Firth's penalised likelihood.
    Firth,
    /// With a penalty on the size of the coefficients.
    Penalised,
    /// A Gaussian posterior around the most probable coefficients.
    Bayes,
}

/// How the ends of intervals were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalKind {
    /// Estimate ± quantile × standard error.
    Wald,
    /// Where the profile of the likelihood falls to its level.
    Profile,
}

/// A likelihood-ratio test, with Wald's and the score test of the same hypothesis where they are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatioTest {
    /// What is tested.
    pub label: String,
    /// Degrees of freedom.
    pub freedom: f64,
    /// Twice the difference of log likelihoods.
    pub statistic: f64,
    /// −2 log likelihood (over the saturated one) of the smaller model.
    pub deviance: f64,
    /// Wald's statistic βᵀ V⁻¹ β of the term's coefficients, robust where the standard errors are.
    pub wald: Option<f64>,
    /// The score statistic gᵀ I⁻¹ g at the fit without the term.
    pub score: Option<f64>,
}

impl RatioTest {
    /// The p-value.
    pub fn p_value(&self) -> f64 {
        crate::num::special::chi_squared::sf(self.statistic, self.freedom)
    }

    /// Its logarithm, which does not underflow.
    pub fn log_p_value(&self) -> f64 {
        crate::num::special::chi_squared::log_sf(self.statistic, self.freedom)
    }
}

/// JSON has no NaN: it is written as null.
fn number_or_nan<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// The whole account of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// How coefficients were estimated.
    pub method: Method,
    /// The formula, written out.
    pub formula: String,
    /// Rows that count.
    pub rows: u64,
    /// Rows left out for a gap, by column.
    pub dropped: Vec<(String, u64)>,
    /// Weight of every class.
    pub class_weights: Vec<f64>,
    /// The number that log n of BIC takes.
    pub observations: f64,
    /// Log likelihood, with the binomial coefficients of grouped counts.
    pub log_likelihood: f64,
    /// The same without any slope; not a number where an offset leaves no closed form and nobody asked for it.
    #[serde(deserialize_with = "number_or_nan")]
    pub null_log_likelihood: f64,
    /// Of a model with a parameter per row.
    pub saturated_log_likelihood: f64,
    /// Log likelihood plus ½ ln |I| under Firth's penalty.
    pub penalised_log_likelihood: Option<f64>,
    /// The same without any slope.
    pub null_penalised_log_likelihood: Option<f64>,
    /// Laplace's approximation of the log evidence under a prior.
    #[serde(rename = "log_evidence")]
    pub log_marginal_likelihood: Option<f64>,
    /// Standard deviation of the prior.
    pub prior_sd: Option<f64>,
    /// Strength of the quadratic penalty.
    pub l2: f64,
    /// Strength of the absolute penalty.
    pub l1: f64,
    /// Steps of the solver.
    pub steps: u64,
    /// Passes over the rows, all questions included.
    pub passes: u64,
    /// Distance from the optimum in standard errors.
    pub distance: f64,
    /// Whether that is too far to be called the optimum: these are no estimates, and nothing is said of their precision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// Wald's statistic of all slopes together, where weights leave no likelihood to compare: found in the solver's columns, because the
    /// covariance in the user's units may have lost the digits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slopes_wald: Option<f64>,
    /// Level of the intervals.
    pub level: f64,
    /// How intervals were found; `None` when there are none.
    pub intervals: Option<IntervalKind>,
    /// Robust standard errors.
    pub robust: Option<Robust>,
    /// Number of clusters.
    pub clusters: Option<u64>,
    /// Tests of every term against the model without it.
    pub tests: Vec<RatioTest>,
    /// Tests of every term in the order of the formula.
    pub sequence: Vec<RatioTest>,
    /// Under Firth's penalty: twice the loss of penalised log likelihood without each parameter.
    pub parameter_tests: Vec<f64>,
    /// Units of change for odds ratios.
    pub units: Vec<(String, f64)>,
    /// Columns that carry no coefficient and why.
    pub aliased: Vec<(String, String)>,
    /// What the reader must know.
    #[serde(skip)]
    pub notices: Vec<Notice>,
    /// What is remembered of the rows. It is stored beside the account, where earlier versions pass over it.
    #[serde(skip)]
    pub sample: RowAccount,
}

impl Account {
    /// 2 (saturated − fitted) log likelihood.
    pub fn deviance(&self) -> f64 {
        2.0 * (self.saturated_log_likelihood - self.log_likelihood)
    }

    /// The deviance without any slope.
    pub fn null_deviance(&self) -> f64 {
        2.0 * (self.saturated_log_likelihood - self.null_log_likelihood)
    }

    /// Residual degrees of freedom: what the rows could tell of `outputs` log odds beyond the parameters. A row of frequency w is w rows,
    /// one of counts is one.
    pub fn residual_freedom(&self, parameters: usize, outputs: usize) -> f64 {
        self.observations * outputs as f64 - parameters as f64
    }

    /// −2 log likelihood + 2 × parameters.
    pub fn aic(&self, parameters: usize) -> f64 {
        2.0 * parameters as f64 - 2.0 * self.log_likelihood
    }

    /// −2 log likelihood + ln n × parameters.
    pub fn bic(&self, parameters: usize) -> f64 {
        self.observations.ln() * parameters as f64 - 2.0 * self.log_likelihood
    }

    /// 1 − log likelihood / null log likelihood.
    pub fn mcfadden(&self) -> f64 {
        1.0 - self.log_likelihood / self.null_log_likelihood
    }
}
