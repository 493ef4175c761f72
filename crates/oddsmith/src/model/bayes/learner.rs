//! The options of naive Bayes, and how sums become a model.

use std::sync::Arc;

use super::estimate::{Estimate, EstimateSettings};
use super::{Family, NaiveBayesModel};
use crate::data::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::model::choices::at_least;
use crate::model::{Distribution, Divisor, Learner, PassInfo, Prior, Step, TableNeeds, Tying, check_classes};
use crate::record::Record;
use crate::stats::{Parts, ScatterPart, TableStats, WordParts};

/// The naive Bayes family. Start from a member ([`NaiveBayes::new`]) and set what differs.
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveBayes {
    /// Which distributions columns get by default.
    pub family: Family,
    /// Pseudo-count λ ≥ 0 of every level, word and flag value; default 1. Conditionals only: the prior has its own.
    pub smoothing: f64,
    /// Pseudo-count ≥ 0 of every class in the prior; default 0, and 1 when parameters are integrated out.
    pub prior_smoothing: Option<f64>,
    /// Class prior; default from the data, uniform for complement naive Bayes (which has no prior in its rule).
    pub prior: Prior,
    /// Which Gaussians share a variance; default none.
    pub tying: Tying,
    /// What variances are divided by; default maximum likelihood.
    pub divisor: Divisor,
    /// Smallest variance within a class as a share ≥ 0 of the same column's overall variance; default 1e-9.
    pub variance_floor: f64,
    /// Added to every variance as a share ≥ 0 of the largest overall variance of any column; default 0. It depends on the
    /// columns' units, which is why the floor is the default; scikit-learn smooths this way.
    pub variance_addend: f64,
    /// Integrate the parameters out under conjugate priors; default no.
    pub predictive: bool,
    /// Distributions by column name, where they are not the family's own.
    pub distributions: Vec<(String, Distribution)>,
    /// A number above this is a set flag in a Bernoulli column; default 0.
    pub threshold: f64,
    /// Pseudo-counts ≥ 0 word by word (or count column by count column) in place of `smoothing`, for multinomial and
    /// complement columns; default empty: all have `smoothing`.
    pub word_smoothing: Vec<f64>,
    /// Divide the weights of every class of complement columns by their sum, so that long classes do not outweigh short
    /// ones; default no.
    pub normalized: bool,
}

impl NaiveBayes {
    /// A member of the family with default options.
    pub fn new(family: Family) -> Self {
        NaiveBayes {
            family,
            smoothing: 1.0,
            prior_smoothing: None,
            prior: if family == Family::Complement { Prior::Uniform } else { Prior::Data },
            tying: Tying::PerClass,
            divisor: Divisor::Ml,
            variance_floor: 1e-9,
            variance_addend: 0.0,
            predictive: false,
            distributions: Vec::new(),
            threshold: 0.0,
            word_smoothing: Vec::new(),
            normalized: false,
        }
    }

    fn parts(&self, distributions: &[Distribution], layout: &Layout) -> Parts {
        let words = |wanted: &[Distribution]| layout.words().iter().any(|&j| wanted.contains(&distributions[j]));
        let numbers = |wanted: &[Distribution]| layout.numbers().iter().any(|&j| wanted.contains(&distributions[j]));
        use Distribution::{Bernoulli, Complement, Gaussian, Multinomial};
        Parts {
            moments: numbers(&[Gaussian]),
            tallies: numbers(&[Bernoulli, Multinomial, Complement]),
            flag_threshold: self.threshold,
            levels: true,
            words: WordParts { totals: words(&[Multinomial, Complement]), presence: words(&[Bernoulli]) },
            scatter: ScatterPart::None,
            patterns: 1,
        }
    }

    fn check_options(&self, distributions: &[Distribution]) -> Result<()> {
        at_least("smoothing", self.smoothing, 0.0)?;
        at_least("variance-floor", self.variance_floor, 0.0)?;
        at_least("variance-addend", self.variance_addend, 0.0)?;
        self.word_smoothing.iter().try_for_each(|lambda| at_least("smoothing", *lambda, 0.0).map(drop))?;
        if self.predictive && self.smoothing == 0.0 {
            return Err(Error::option("smoothing", 0, "integrating parameters out needs a proper prior: smoothing above 0"));
        }
        if self.predictive && distributions.contains(&Distribution::Complement) {
            let advice = "it has no likelihood; use multinomial columns".into();
            return Err(ErrorKind::Unsupported {
                model: "complement naive bayes".into(),
                what: "integrate its parameters out".into(),
                advice,
            }
            .into());
        }
        Ok(())
    }
}

impl Learner for NaiveBayes {
    type Stats = TableStats;
    type Model = NaiveBayesModel;

    /// A normal density says little about zeros and ones, so members with shares of levels read them as levels.
    fn needs(&self) -> Result<TableNeeds> {
        let given = || self.distributions.iter().map(|(column, _)| column.clone()).collect();
        let flags = matches!(self.family, Family::Mixed | Family::Categorical).then(given);
        Ok(TableNeeds { flags, ..TableNeeds::default() })
    }

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<TableStats> {
        let distributions = self.family.distributions(layout, &self.distributions)?;
        self.check_options(&distributions)?;
        Ok(TableStats::new(Arc::clone(layout), self.parts(&distributions, layout)))
    }

    fn finish(&self, stats: &TableStats) -> Result<Step<TableStats, NaiveBayesModel>> {
        let layout = stats.layout();
        let distributions = self.family.distributions(layout, &self.distributions)?;
        self.check_options(&distributions)?;
        if !stats.parts().covers(&self.parts(&distributions, layout)) {
            return Err(Error::data("the statistics lack sums that this model needs; gather them again"));
        }
        if let Some(again) = stats.rescaled() {
            return Ok(Step::Again(again));
        }
        check_classes(layout, stats.classes())?;
        let prior_smoothing = self.prior_smoothing.unwrap_or(if self.predictive { 1.0 } else { 0.0 });
        let log_prior = self.prior.log_probabilities(layout.classes(), stats.classes(), prior_smoothing)?;
        let settings = EstimateSettings {
            smoothing: self.smoothing,
            tying: self.tying,
            divisor: self.divisor,
            variance_floor: self.variance_floor,
            variance_addend: self.variance_addend,
            predictive: self.predictive,
            threshold: self.threshold,
            word_smoothing: &self.word_smoothing,
            normalized: self.normalized,
        };
        let mut estimate = Estimate::new(stats, settings);
        estimate.all_columns(&distributions)?;
        if let Some(evidence) = &mut estimate.log_marginal_likelihood {
            *evidence += label_evidence(&self.prior, &log_prior, prior_smoothing, &stats.classes().weight);
        }
        Ok(Step::Done(NaiveBayesModel::new(self, Arc::clone(layout), stats.classes().clone(), log_prior, estimate)))
    }

    fn write_point(&self, empty: &TableStats, point: &mut Record) -> Result<()> {
        empty.write_scales(point);
        Ok(())
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<TableStats> {
        let mut empty = self.begin(layout, &PassInfo::default())?;
        empty.read_scales(point)?;
        Ok(empty)
    }
}

/// Log probability of the class labels: with shares integrated out when they come from the data, else at the given shares.
pub(crate) fn label_evidence(prior: &Prior, log_prior: &[f64], smoothing: f64, weights: &[f64]) -> f64 {
    match prior {
        Prior::Data if smoothing > 0.0 => super::estimate::dirichlet_evidence(weights, smoothing),
        _ => weights.iter().zip(log_prior).filter(|(w, _)| **w > 0.0).map(|(w, p)| w * p).sum(),
    }
}
