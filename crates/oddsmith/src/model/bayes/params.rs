//! The options of naive Bayes.

use super::{Family, NaiveBayes};
use crate::error::{Error, Result};
use crate::model::params::shared::{DIVISOR, PREDICTIVE, PRIOR, PRIOR_SMOOTHING};
use crate::model::params::{Param, ParamKind, Params};
use crate::model::{Distribution, Prior};

const FROM_ZERO: ParamKind = ParamKind::Number { least: 0.0, most: f64::INFINITY };

const SMOOTHING: Param = Param::new("smoothing", FROM_ZERO, "λ", "1", "Pseudo-count λ ≥ 0 of every level, word or flag value");

const TYING: Param = Param::new(
    "tying",
    ParamKind::Choice(&["per-class", "per-column", "single"]),
    "TYING",
    "per-class",
    "Which Gaussians of naive Bayes share a variance",
);

const VARIANCE_FLOOR: Param = Param::new(
    "variance-floor",
    FROM_ZERO,
    "SHARE",
    "1e-9",
    "Smallest variance within a class as a share of the column's overall variance",
);

const DISTRIBUTION: Param = Param::new(
    "distribution",
    ParamKind::Pairs("pairs such as age=gaussian, separated by commas"),
    "COLUMN=NAME,…",
    "",
    "Distribution of a column where it is not its kind's own: column=gaussian|bernoulli|multinomial|complement|categorical",
);

const BINARIZE: Param = Param::new(
    "binarize",
    ParamKind::Number { least: f64::MIN, most: f64::MAX },
    "THRESHOLD",
    "0",
    "A number above this is a set flag for Bernoulli columns",
);

/// Options of mixed naive Bayes.
pub(crate) const MIXED: &[&Param] =
    &[&SMOOTHING, &PRIOR_SMOOTHING, &PRIOR, &TYING, &DIVISOR, &VARIANCE_FLOOR, &PREDICTIVE, &DISTRIBUTION, &BINARIZE];
/// Options of Gaussian naive Bayes.
pub(crate) const GAUSSIAN: &[&Param] = &[&PRIOR_SMOOTHING, &PRIOR, &TYING, &DIVISOR, &VARIANCE_FLOOR, &PREDICTIVE];
/// Options of Bernoulli naive Bayes.
pub(crate) const BERNOULLI: &[&Param] = &[&SMOOTHING, &PRIOR_SMOOTHING, &PRIOR, &PREDICTIVE, &BINARIZE];
/// Options of multinomial and categorical naive Bayes.
pub(crate) const COUNTS: &[&Param] = &[&SMOOTHING, &PRIOR_SMOOTHING, &PRIOR, &PREDICTIVE];
/// Options of complement naive Bayes, which has no likelihood to integrate.
pub(crate) const COMPLEMENT: &[&Param] = &[&SMOOTHING, &PRIOR_SMOOTHING, &PRIOR];

impl NaiveBayes {
    /// A member of the family with the options that were given.
    pub fn from_params(family: Family, params: &Params) -> Result<Self> {
        let default = NaiveBayes::new(family);
        let distribution = |(column, name): (String, String)| Ok::<_, Error>((column, name.parse::<Distribution>()?));
        Ok(NaiveBayes {
            smoothing: params.number("smoothing").unwrap_or(default.smoothing),
            prior_smoothing: params.number("prior-smoothing"),
            prior: params.parsed::<Prior>("prior")?.unwrap_or_else(|| default.prior.clone()),
            tying: params.parsed("tying")?.unwrap_or_default(),
            divisor: params.parsed("divisor")?.unwrap_or_default(),
            variance_floor: params.number("variance-floor").unwrap_or(default.variance_floor),
            predictive: params.flag("predictive"),
            distributions: params.pairs("distribution").into_iter().map(distribution).collect::<Result<_>>()?,
            threshold: params.number("binarize").unwrap_or(default.threshold),
            ..default
        })
    }
}
