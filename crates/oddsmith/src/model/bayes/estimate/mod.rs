//! From sums to parts: the estimates of every distribution, or their conjugate posteriors.

mod counts;
mod gaussians;
mod word_table;

use super::Part;
use crate::data::{Plane, Weighting};
use crate::error::{Error, Result};
use crate::model::{Distribution, Divisor, Tying};
use crate::notice::Notice;
use crate::num::special::ln_gamma_ratio;
use crate::stats::TableStats;

/// The options that estimates depend on.
pub(super) struct EstimateSettings<'a> {
    pub(super) smoothing: f64,
    pub(super) tying: Tying,
    pub(super) divisor: Divisor,
    pub(super) variance_floor: f64,
    pub(super) variance_addend: f64,
    pub(super) predictive: bool,
    pub(super) threshold: f64,
    pub(super) word_smoothing: &'a [f64],
    pub(super) normalized: bool,
}

/// Parts estimated so far, what to tell the user, and the log evidence when parameters are integrated out.
pub(super) struct Estimate<'a> {
    stats: &'a TableStats,
    settings: EstimateSettings<'a>,
    classes: usize,
    pub(super) parts: Vec<Part>,
    pub(super) notices: Vec<Notice>,
    pub(super) log_marginal_likelihood: Option<f64>,
}

/// Log probability of a sequence of draws with these counts when the shares have a symmetric Dirichlet prior `lambda`.
pub(super) fn dirichlet_evidence(counts: &[f64], lambda: f64) -> f64 {
    let total = lambda * counts.len() as f64;
    let drawn: f64 = counts.iter().sum();
    let cells: f64 = counts.iter().filter(|c| **c > 0.0).map(|c| ln_gamma_ratio(lambda, *c)).sum();
    cells - ln_gamma_ratio(total, drawn)
}

impl<'a> Estimate<'a> {
    pub(super) fn new(stats: &'a TableStats, settings: EstimateSettings<'a>) -> Self {
        // Sampling weights say nothing about how much evidence there is.
        let has_evidence = settings.predictive && stats.layout().weighting() != Weighting::Sampling;
        let classes = stats.layout().classes().len();
        Estimate { stats, settings, classes, parts: Vec::new(), notices: Vec::new(), log_marginal_likelihood: has_evidence.then_some(0.0) }
    }

    fn add_evidence(&mut self, addend: f64) {
        if let Some(evidence) = &mut self.log_marginal_likelihood {
            *evidence += addend;
        }
    }

    /// Estimates all columns; those of one plane and distribution form one part.
    pub(super) fn all_columns(&mut self, distributions: &[Distribution]) -> Result<()> {
        let layout = self.stats.layout();
        let numbers = |wanted: Distribution| -> Vec<usize> {
            let chosen = layout.numbers().iter().enumerate().filter(|(_, j)| distributions[**j] == wanted);
            chosen.map(|(position, _)| position).collect()
        };
        self.gaussians(numbers(Distribution::Gaussian))?;
        self.flags(numbers(Distribution::Bernoulli))?;
        self.counts(numbers(Distribution::Multinomial), Distribution::Multinomial)?;
        self.counts(numbers(Distribution::Complement), Distribution::Complement)?;
        self.levels((0..layout.codes().len()).collect())?;
        for (j, distribution) in distributions.iter().enumerate() {
            if let Plane::Words(block) = layout.plane(j) {
                self.words(block, *distribution)?;
            }
        }
        Ok(())
    }

    fn number_name(&self, position: usize) -> &'a str {
        let layout = self.stats.layout();
        &layout.features()[layout.numbers()[position]].name
    }

    fn lacking(what: &str) -> Error {
        Error::internal(format!("the summary has no {what}"))
    }
}
