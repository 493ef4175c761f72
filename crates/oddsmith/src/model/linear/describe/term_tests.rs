//! Tests of terms: each against the model without it, and all in the order of the formula.

use crate::data::Design;
use crate::model::linear::fit::passes::PassState;
use crate::model::linear::fit::stage::{Analysis, Purpose};
use crate::model::linear::infer::account::RatioTest;
use crate::model::linear::infer::analysis::{found, found_value};
use crate::model::linear::infer::hypothesis::Hypothesis;
use crate::model::linear::infer::search::SearchOutcome;
use crate::model::linear::model::Covariance;

/// A finished fit, as its tests look at it.
pub(super) struct TermTests<'a> {
    pub(super) design: &'a Design,
    pub(super) state: &'a PassState,
    pub(super) analysis: &'a Analysis,
    pub(super) covariance: &'a Covariance,
    pub(super) estimates: &'a [f64],
    /// The objective of the model without any slope.
    pub(super) null: f64,
}

impl TermTests<'_> {
    /// Every term that no other contains against the model without it. A term that others can make up for loses nothing, with no
    /// degree of freedom.
    pub(super) fn each(&self) -> Vec<RatioTest> {
        let terms = (0..self.design.terms().len()).filter(|t| !self.design.is_marginal(*t));
        terms.filter_map(|t| self.without(t)).collect()
    }

    fn without(&self, t: usize) -> Option<RatioTest> {
        let (facts, estimate) = (&self.analysis.facts, &self.analysis.estimate);
        let hypothesis = Hypothesis::without_term(self.design, self.state, facts, t);
        let (value, score) = match (hypothesis.freedom(), found(&self.analysis.answers, &Purpose::Without(t))) {
            (0, _) => (estimate.objective, None),
            (_, Some(SearchOutcome::Found { value, score, .. })) => (*value, score.filter(|_| !estimate.firth)),
            (_, Some(SearchOutcome::Failed) | None) => return None,
        };
        Some(RatioTest {
            label: self.design.terms()[t].label.clone(),
            freedom: hypothesis.freedom() as f64,
            statistic: 2.0 * (value - estimate.objective),
            deviance: self.deviance(value),
            wald: hypothesis.wald(self.covariance, self.estimates),
            score,
        })
    }

    /// Every term added to those before it.
    pub(super) fn in_order(&self) -> Vec<RatioTest> {
        let steps = self.design.terms().iter().enumerate().filter_map(|(t, term)| {
            let (before, after) = (self.before(t)?, self.before(t + 1)?);
            let kept = self.state.coordinates.kept.iter().filter(|j| term.columns.contains(j)).count();
            let freedom = (kept * self.analysis.facts.shape.outputs) as f64;
            let statistic = if freedom > 0.0 { 2.0 * (before - after) } else { 0.0 };
            Some(RatioTest { label: term.label.clone(), freedom, statistic, deviance: self.deviance(after), wald: None, score: None })
        });
        steps.collect()
    }

    /// The objective with the terms before this one only: that of the whole model where none of the later columns carries a coefficient.
    fn before(&self, t: usize) -> Option<f64> {
        let terms = self.design.terms();
        let later = |from: usize| self.state.coordinates.kept.iter().any(|j| *j >= from);
        match terms.get(t) {
            Some(term) if later(term.columns.start) => {
                if t == 0 {
                    Some(self.null).filter(|null| !null.is_nan())
                } else {
                    found_value(&self.analysis.answers, &Purpose::Before(t))
                }
            }
            _ => Some(self.analysis.estimate.objective),
        }
    }

    fn deviance(&self, objective: f64) -> f64 {
        let (estimate, survey) = (&self.analysis.estimate, &self.analysis.facts.survey);
        2.0 * (objective - estimate.objective) + 2.0 * (estimate.loss + survey.saturated)
    }
}
