//! What there is to say about a fitted regression: its parameters and the card with facts about the whole.

use crate::card::{Card, Cell};
use crate::data::Weighting;
use crate::model::Classifier;
pub(crate) use crate::model::coefficient::CoefficientInference as Inference;
use crate::model::linear::infer::account::Method;
use crate::model::linear::infer::hypothesis::Hypothesis;
use crate::model::linear::model::LogisticModel;
use crate::notice;
use crate::num::special::{chi_squared, normal};

/// One estimated parameter.
pub(crate) struct Line {
    /// The output (class but the first).
    pub(crate) output: usize,
    /// The design column; `None` for the intercept.
    pub(crate) column: Option<usize>,
    pub(crate) estimate: f64,
    /// Standard error, z or χ, p-value and its logarithm, limits.
    pub(crate) inference: Option<Inference>,
}

impl LogisticModel {
    /// All estimated parameters in order: class after class, the intercept first.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let parameters = &self.parameters;
        let width = parameters.width();
        let estimates = parameters.estimates();
        let line = |(at, &estimate): (usize, &f64)| {
            let within = at % width;
            let column = match parameters.intercept {
                true if within == 0 => None,
                true => Some(parameters.kept[within - 1]),
                false => Some(parameters.kept[within]),
            };
            Line { output: at / width, column, estimate, inference: self.inference(at, estimate) }
        };
        estimates.iter().enumerate().map(line).collect()
    }

    fn inference(&self, at: usize, estimate: f64) -> Option<Inference> {
        let precision = self.precision.as_ref()?;
        let size = precision.lower.len();
        let error = precision.matrix[at * size + at].max(0.0).sqrt();
        // A known move of the log odds leaves an intercept's error as it is; the fit without it is then no test of zero any more.
        let moved = !self.account.sample.moved_by.is_empty() && self.parameters.intercept && at.is_multiple_of(self.parameters.width());
        if estimate.is_infinite() {
            let (lower, upper) = (precision.lower[at], precision.upper[at]);
            let unknown = f64::NAN;
            return Some(Inference { error: unknown, statistic: unknown, p_value: unknown, log_p_value: unknown, lower, upper });
        }
        let (statistic, p_value, log_p_value) = match self.account.parameter_tests.get(at) {
            Some(_) if moved => (f64::NAN, f64::NAN, f64::NAN),
            // Firth: the penalised likelihood ratio, signed like the estimate.
            Some(&ratio) => {
                let ratio = ratio.max(0.0);
                (ratio.sqrt().copysign(estimate), chi_squared::sf(ratio, 1.0), chi_squared::log_sf(ratio, 1.0))
            }
            // A posterior has no p-values.
            None if self.account.method == Method::Bayes => (estimate / error, f64::NAN, f64::NAN),
            None => {
                let z = estimate / error;
                (z, normal::two_sided(z), normal::log_two_sided(z))
            }
        };
        Some(Inference { error, statistic, p_value, log_p_value, lower: precision.lower[at], upper: precision.upper[at] })
    }

    pub(crate) fn describe(&self) -> Card {
        Card {
            title: self.title(),
            facts: self.facts(),
            tidy: self.tidy(),
            summary: Some(self.summary()),
            tables: self.test_tables(),
            pictures: self.forest().into_iter().collect(),
            notices: self.account.notices.clone(),
        }
    }

    fn title(&self) -> String {
        let model = if self.parameters.outputs() == 1 { "Logistic regression" } else { "Softmax regression" };
        let method = match self.account.method {
            Method::Likelihood => "maximum likelihood".to_owned(),
            Method::Firth => "Firth's penalised likelihood".to_owned(),
            Method::Bayes => format!("Gaussian posterior, prior sd {}", self.account.prior_sd.unwrap_or(f64::NAN)),
            Method::Penalised if self.account.l1 > 0.0 && self.account.l2 > 0.0 => "elastic net".to_owned(),
            Method::Penalised if self.account.l1 > 0.0 => format!("L1 penalty {}", self.account.l1),
            Method::Penalised => format!("L2 penalty {}", self.account.l2),
        };
        let state = match (self.account.unfinished, self.is_infinite()) {
            (true, _) => ", not converged",
            (false, true) => ", with infinite estimates",
            (false, false) => "",
        };
        format!("{model}, {method}{state}")
    }

    fn facts(&self) -> Vec<(String, Cell)> {
        let account = &self.account;
        let parameters = self.free_parameters();
        let mut facts: Vec<(String, Cell)> =
            vec![("formula".into(), account.formula.as_str().into()), ("rows".into(), account.rows.into())];
        let mut say = |name: &str, value: Cell| facts.push((name.into(), value));
        let dropped: u64 = account.dropped.iter().map(|(_, rows)| rows).sum();
        if dropped > 0 {
            say("rows excluded for missing values", dropped.into());
        }
        if self.parameters.outputs() == 1 {
            say("events", whole_or_number(account.class_weights[1]));
        }
        say("parameters", parameters.into());
        say("steps", account.steps.into());
        say("passes", account.passes.into());
        say("distance", account.distance.into());
        if account.unfinished {
            say("converged", "no".into());
        }
        say("log likelihood", account.log_likelihood.into());
        if let Some(penalised) = account.penalised_log_likelihood {
            say("penalised log likelihood", penalised.into());
        }
        if let Some(evidence) = account.log_marginal_likelihood {
            say("log evidence", evidence.into());
        }
        if self.has_likelihood() {
            say("null log likelihood", finite(account.null_log_likelihood));
            say("deviance", account.deviance().into());
            say("null deviance", finite(account.null_deviance()));
            say("aic", account.aic(parameters).into());
            say("bic", account.bic(parameters).into());
            say("mcfadden", finite(account.mcfadden()));
            let outputs = self.parameters.outputs();
            let intercepts = if self.parameters.intercept { outputs } else { 0 };
            say("df residual", whole_or_number(account.residual_freedom(parameters, outputs)));
            say("df null", whole_or_number(account.residual_freedom(intercepts, outputs)));
        }
        if let Some(pearson) = account.sample.pearson.filter(|_| self.has_likelihood()) {
            say("pearson chi2", pearson.into());
        }
        if let Some((statistic, freedom)) = self.test_of_model() {
            say("model chi2", statistic.into());
            say("model df", freedom.into());
            say("model p", chi_squared::sf(statistic, freedom).into());
        }
        if !account.sample.moved_by.is_empty() {
            say("class proportions", self.class_proportions().into());
        }
        if let Some(robust) = account.robust {
            say("standard errors", format!("{robust:?}").to_uppercase().into());
        }
        if let Some(clusters) = account.clusters {
            say("clusters", clusters.into());
        }
        facts
    }

    /// The class proportions that probabilities were moved to, in words.
    pub(super) fn class_proportions(&self) -> String {
        let proportions = self.layout.classes().labels().iter().zip(&self.account.sample.class_proportions);
        proportions.map(|(label, share)| format!("{label}={share}")).collect::<Vec<_>>().join(",")
    }

    /// Whether the likelihood says how well models do beside each other: that of a penalised fit is not the largest, and that of weights which do not
    /// count rows depends on their unit.
    pub(in crate::model::linear) fn has_likelihood(&self) -> bool {
        !matches!(self.account.method, Method::Penalised | Method::Bayes) && !self.is_design_based() && !self.account.unfinished
    }

    /// Whether rows were weighted by class, or stand for parts of a population.
    pub(in crate::model::linear) fn is_design_based(&self) -> bool {
        let by_class = self.account.notices.iter().any(|told| told.id == notice::CLASS_WEIGHTS);
        by_class || self.layout.weighting() == Weighting::Sampling
    }

    /// The test of all slopes together, by the ratio of likelihoods, or Wald's where weights do not count rows: is there any signal at all?
    pub fn test_of_model(&self) -> Option<(f64, f64)> {
        let account = &self.account;
        let slopes = (self.parameters.kept.len() * self.parameters.outputs()) as f64;
        if slopes == 0.0 || account.unfinished || matches!(account.method, Method::Penalised | Method::Bayes) {
            return None;
        }
        if self.is_design_based() {
            return account.slopes_wald.or_else(|| self.wald_of_slopes()).map(|statistic| (statistic, slopes));
        }
        let statistic = match (account.penalised_log_likelihood, account.null_penalised_log_likelihood) {
            (Some(full), Some(null)) => 2.0 * (full - null),
            (Some(_), None) => return None,
            _ => 2.0 * (account.log_likelihood - account.null_log_likelihood),
        };
        // Without a null model, as with an offset that nobody fitted alone, there is nothing to compare with.
        (!statistic.is_nan()).then(|| (statistic.max(0.0), slopes))
    }

    /// βᵀ V⁻¹ β of all slopes.
    fn wald_of_slopes(&self) -> Option<f64> {
        let (width, shift) = (self.parameters.width(), usize::from(self.parameters.intercept));
        let slopes: Vec<usize> = (0..self.parameters.outputs()).flat_map(|m| (shift..width).map(move |at| m * width + at)).collect();
        let columns = self.design.columns().len();
        let of =
            |parameter: usize| self.parameters.coefficients[parameter / width * columns + self.parameters.kept[parameter % width - shift]];
        let estimates: Vec<f64> = (0..self.parameters.outputs() * width).map(|p| if p % width < shift { 0.0 } else { of(p) }).collect();
        Hypothesis::zero(slopes).wald(self.precision.as_ref()?, &estimates)
    }
}

/// A weight as a count where it is one.
pub(in crate::model::linear) fn whole_or_number(weight: f64) -> Cell {
    if weight.fract() == 0.0 && (0.0..9e15).contains(&weight) { Cell::Count(weight as u64) } else { weight.into() }
}

/// A number, or nothing where there is none.
pub(super) fn finite(value: f64) -> Cell {
    if value.is_nan() { Cell::Empty } else { value.into() }
}
