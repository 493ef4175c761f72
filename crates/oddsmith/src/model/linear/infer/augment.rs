//! What a regression says about every row: fitted probability, leverage, influence, residuals.
//!
//! With y the proportion of the event, w the weight, μ the fitted probability and z the centred row:
//!   leverage          h = w μ(1 − μ) zᵀ V z
//!   Pearson residual  r = √w (y − μ)/√(μ(1 − μ))
//!   deviance residual sign(y − μ) √(2w (y ln y/μ + (1 − y) ln (1 − y)/(1 − μ)))
//!   standardised      either residual divided by √(1 − h)
//!   Cook's distance   r² h / (P (1 − h)²) with P parameters
//! With more classes, r the M residuals w (y − μ) and W their second derivatives, Q = (zᵀ V_ml z) (see `left_out`):
//!   leverage          h = tr W Q
//!   Pearson residual  of every class, as above
//!   deviance residual √(2w Σ y ln y/μ), which has no sign
//!   Cook's distance   r̃ᵀ Q r̃ / P with r̃ = (I − W Q)⁻¹ r
//! V is the inverse information; where the standard errors are robust ones or rows were weighted by class there is no
//! leverage, and what is not known is NaN. A row that alone decides its fitted value, h = 1, leaves nothing to compare it with: it has
//! no standardised residual and no distance.

use crate::data::Features;
use crate::error::{ErrorKind, Result};
use crate::model::Classifier;
use crate::model::linear::infer::left_out::{Extent, curvature, largest_leverage};
use crate::model::linear::model::LogisticModel;
use crate::num::log_sum_exp;
use crate::num::logspace::sigmoid;
use crate::num::special::normal;

/// What errors of the fit may leave of 1 − h in a row that alone decides its fitted value.
const DECIDED: f64 = 1e-9;

/// What is known about a row; NaN where something is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowDiagnostics {
    /// Probability of the event.
    pub fitted: f64,
    /// Its log odds.
    pub log_odds: f64,
    /// Standard error of the log odds.
    pub std_error: f64,
    /// Lower limit of the probability, at the level of the fit.
    pub conf_low: f64,
    /// Upper limit.
    pub conf_high: f64,
    /// Share of its own response in its fitted value.
    pub leverage: f64,
    /// How far all coefficients move without the row.
    pub cooks_distance: f64,
    /// Signed root of its addend of the deviance.
    pub deviance_residual: f64,
    /// Deviation in standard deviations of the response.
    pub pearson_residual: f64,
    /// The deviance residual in its own standard deviations.
    pub standardised_deviance: f64,
    /// The Pearson residual in its own standard deviations.
    pub standardised_pearson: f64,
}

/// What is known about a row of several classes; NaN where something is not.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassDiagnostics {
    /// Share of its own response in its fitted values, between 0 and the number of classes but one.
    pub leverage: f64,
    /// How far all coefficients move without the row.
    pub cooks_distance: f64,
    /// Root of its addend of the deviance.
    pub deviance_residual: f64,
    /// Deviation of every class in standard deviations of the response.
    pub pearson_residuals: Vec<f64>,
}

impl LogisticModel {
    /// Whether the inverse information is that of the rows, at the fitted probabilities.
    fn has_leverages(&self) -> bool {
        self.precision.is_some() && self.account.robust.is_none() && !self.is_design_based() && self.account.sample.moved_by.is_empty()
    }

    /// Diagnoses a batch of rows of any number of classes with `proportions`, those of all classes but the first in every row (NaN where
    /// they are not known).
    pub fn diagnose_classes(&self, rows: &Features<'_>, proportions: &[f64], weights: Option<&[f64]>) -> Result<Vec<ClassDiagnostics>> {
        rows.check(&self.layout)?;
        let (outputs, leveraged) = (self.parameters.outputs(), self.has_leverages());
        let mut out = Vec::with_capacity(rows.rows());
        self.for_rows(rows, leveraged, |i, eta, forms| {
            let known = leveraged && !eta[0].is_nan();
            let weight = weights.map_or(1.0, |weights| weights[i]);
            let proportions = &proportions[i * outputs..(i + 1) * outputs];
            let row = ClassRow { eta, forms: known.then_some(forms), proportions, weight };
            out.push(row.diagnosis(self.free_parameters() as f64));
        })?;
        Ok(out)
    }

    /// Diagnoses a batch of rows with `outcomes`, the proportion of the event in every row (NaN where it is not known).
    pub fn diagnose(&self, rows: &Features<'_>, outcomes: &[f64], weights: Option<&[f64]>) -> Result<Vec<RowDiagnostics>> {
        rows.check(&self.layout)?;
        if self.parameters.outputs() != 1 {
            let advice = "`diagnose_classes` takes any number of classes".into();
            return Err(
                ErrorKind::Unsupported { model: self.card().title, what: "diagnose rows as those of two classes".into(), advice }.into()
            );
        }
        let (leveraged, precise) = (self.has_leverages(), self.precision.is_some());
        let quantile = normal::quantile_upper(0.5 * (1.0 - self.account.level));
        let mut out = Vec::with_capacity(rows.rows());
        self.for_rows(rows, precise, |i, eta, forms| {
            let variance = if precise { forms[0].max(0.0) } else { f64::NAN };
            let weight = weights.map_or(1.0, |weights| weights[i]);
            let row = Row { eta: eta[0], variance, outcome: outcomes[i], weight };
            out.push(row.diagnosis(quantile, leveraged, self.free_parameters() as f64));
        })?;
        Ok(out)
    }
}

struct Row {
    eta: f64,
    /// Of the log odds.
    variance: f64,
    outcome: f64,
    weight: f64,
}

impl Row {
    fn diagnosis(&self, quantile: f64, leveraged: bool, parameters: f64) -> RowDiagnostics {
        let Row { eta, outcome: y, weight, .. } = *self;
        let variance = if eta.is_nan() { f64::NAN } else { self.variance };
        let (fitted, rest) = (sigmoid(eta), sigmoid(-eta));
        let error = variance.sqrt();
        let leverage = if leveraged { weight * fitted * rest * variance } else { f64::NAN };
        // y − μ without the cancellation of 1 − μ.
        let deviation = y * rest - (1.0 - y) * fitted;
        // A zero has no sign.
        let pearson = weight.sqrt() * deviation / (fitted * rest).sqrt() + 0.0;
        let against = |share: f64, log_probability: f64| if share == 0.0 { 0.0 } else { share * (share.ln() - log_probability) };
        let loss = against(y, -softplus(-eta)) + against(1.0 - y, -softplus(eta));
        let deviance = addend_root(weight * loss).copysign(deviation) + 0.0;
        let rest = beside(leverage);
        RowDiagnostics {
            fitted,
            log_odds: eta,
            std_error: error,
            conf_low: sigmoid(eta - quantile * error),
            conf_high: sigmoid(eta + quantile * error),
            leverage,
            cooks_distance: pearson * pearson * leverage / (parameters * rest * rest),
            deviance_residual: deviance,
            pearson_residual: pearson,
            standardised_deviance: deviance / rest.sqrt(),
            standardised_pearson: pearson / rest.sqrt(),
        }
    }
}

/// A row of several classes.
struct ClassRow<'a> {
    /// Log odds against the first class.
    eta: &'a [f64],
    /// Q, where there are leverages.
    forms: Option<&'a [f64]>,
    proportions: &'a [f64],
    weight: f64,
}

impl ClassRow<'_> {
    fn diagnosis(&self, parameters: f64) -> ClassDiagnostics {
        let ClassRow { eta, proportions, weight, .. } = *self;
        let normaliser = log_sum_exp(std::iter::once(0.0).chain(eta.iter().copied()));
        let log_probabilities: Vec<f64> = std::iter::once(0.0).chain(eta.iter().copied()).map(|eta| eta - normaliser).collect();
        let probabilities: Vec<f64> = log_probabilities.iter().map(|log| log.exp()).collect();
        let first = 1.0 - proportions.iter().sum::<f64>();
        let proportions: Vec<f64> = std::iter::once(first).chain(proportions.iter().copied()).collect();
        let against = |(share, log): (&f64, &f64)| if *share == 0.0 { 0.0 } else { share * (share.ln() - log) };
        let loss: f64 = proportions.iter().zip(&log_probabilities).map(against).sum();
        let pearson = |(y, p): (&f64, &f64)| weight.sqrt() * (y - p) / (p * (1.0 - p)).sqrt();
        let residuals: Vec<f64> = proportions.iter().zip(&probabilities).skip(1).map(|(y, p)| weight * (y - p)).collect();
        let (mut leverage, mut cooks_distance) = (f64::NAN, f64::NAN);
        if let Some(forms) = self.forms {
            let outputs = residuals.len();
            let curvature = curvature(weight, &probabilities[1..]);
            leverage = curvature.iter().zip(forms).map(|(w, q)| w * q).sum();
            let without = Extent::Whole.residuals(&residuals, &curvature, forms);
            let decided = beside(largest_leverage(&curvature, forms)).is_nan();
            let row = |m: usize| forms[m * outputs..(m + 1) * outputs].iter().zip(&without).map(|(q, r)| q * r).sum::<f64>();
            let distance = without.iter().enumerate().map(|(m, r)| r * row(m)).sum::<f64>() / parameters;
            cooks_distance = if decided { f64::NAN } else { distance };
        }
        ClassDiagnostics {
            leverage,
            cooks_distance,
            deviance_residual: addend_root(weight * loss),
            pearson_residuals: proportions.iter().zip(&probabilities).map(pearson).collect(),
        }
    }
}

/// The root of twice a row's loss, which rounding may leave a little below zero; what is not known stays so.
fn addend_root(loss: f64) -> f64 {
    (2.0 * if loss < 0.0 { 0.0 } else { loss }).sqrt()
}

/// 1 − h; NaN where it is nothing but rounding.
fn beside(leverage: f64) -> f64 {
    let rest = 1.0 - leverage;
    if rest > DECIDED { rest } else { f64::NAN }
}

/// ln(1 + e^x).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
