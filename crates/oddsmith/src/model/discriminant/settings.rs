//! The options that LDA and QDA share.

use crate::error::{Error, Result};
use crate::model::choices::at_least;
use crate::model::params::shared::{DIVISOR, PREDICTIVE, PRIOR, PRIOR_SMOOTHING};
use crate::model::params::{Param, ParamKind, Params};
use crate::model::{Divisor, Prior, Shrinkage};

const SHRINKAGE: Param = Param::new(
    "shrinkage",
    ParamKind::Text("none, ledoit-wolf, or a share from 0 to 1"),
    "SHRINKAGE",
    "none",
    "Shrinkage of covariance matrices: none, ledoit-wolf, or a share from 0 to 1",
);

/// Options of both.
pub(crate) const PARAMS: &[&Param] = &[&PRIOR_SMOOTHING, &PRIOR, &DIVISOR, &PREDICTIVE, &SHRINKAGE];

/// How classes are weighed and covariances estimated.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiscriminantParams {
    /// Class prior; default from the data. It never changes means or covariances.
    pub prior: Prior,
    /// Pseudo-count ≥ 0 of every class in the prior; default 0, and 1 when parameters are integrated out.
    /// A pseudo-row weighs as much as a row, whatever the unit of sampling weights.
    pub prior_smoothing: Option<f64>,
    /// What products are divided by; default maximum likelihood: W pooled, W_k per class. Unbiased: W − K pooled and W_k − 1
    /// per class. Under sampling weights with V_k = Σ w² the 1 of every class becomes V_k/W_k, so that neither divisor
    /// depends on the unit of the weights.
    pub divisor: Divisor,
    /// How far covariances are drawn towards a diagonal; default not at all. See [`Shrinkage`]: a fixed share mixes
    /// with the pooled variances of the columns, Ledoit–Wolf estimates a share per class in a second pass.
    pub shrinkage: Shrinkage,
    /// Integrate means and covariances out; default no.
    pub predictive: bool,
    /// Densities that were estimated elsewhere; default none. Divisor and shrinkage then have no part.
    pub given: Option<Given>,
}

/// Class densities that were estimated elsewhere, over all number columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// One matrix for LDA, one per class for QDA, row after row, in the units of the sums: the users' own, unless squares of a column leave
    /// the range of numbers ([`TableStats::scale`](crate::stats::TableStats::scale)).
    pub covariances: Vec<Vec<f64>>,
    /// The mean of every class, where it is not that of its rows, in the users' units.
    pub means: Option<Vec<Vec<f64>>>,
}

impl DiscriminantParams {
    /// The options that were given.
    pub(super) fn from_params(params: &Params) -> Result<Self> {
        let (predictive, divisor) = (params.flag("predictive"), params.parsed::<Divisor>("divisor")?);
        if let (true, Some(divisor)) = (predictive, divisor) {
            return Err(Error::option("divisor", divisor, "parameters that are integrated out have no divisor"));
        }
        let settings = DiscriminantParams {
            prior: params.parsed("prior")?.unwrap_or_default(),
            prior_smoothing: params.number("prior-smoothing"),
            divisor: divisor.unwrap_or_default(),
            shrinkage: params.parsed("shrinkage")?.unwrap_or_default(),
            predictive,
            given: None,
        };
        settings.check()?;
        Ok(settings)
    }

    /// Refuses values outside their range.
    pub(super) fn check(&self) -> Result<()> {
        if let Some(smoothing) = self.prior_smoothing {
            at_least("prior-smoothing", smoothing, 0.0)?;
        }
        if let Shrinkage::Fixed(share) = self.shrinkage
            && !(0.0..=1.0).contains(&share)
        {
            return Err(Error::option("shrinkage", share, "none, ledoit-wolf, or a share from 0 to 1"));
        }
        if self.given.is_some() && (self.predictive || self.shrinkage != Shrinkage::None) {
            return Err(Error::option("covariance", "…", "given covariances are neither shrunk nor integrated out"));
        }
        if self.predictive && self.shrinkage != Shrinkage::None {
            return Err(Error::option("shrinkage", self.shrinkage, "parameters that are integrated out have a prior instead of shrinkage"));
        }
        Ok(())
    }

    /// The pseudo-count of every class.
    pub(super) fn class_smoothing(&self) -> f64 {
        self.prior_smoothing.unwrap_or(if self.predictive { 1.0 } else { 0.0 })
    }
}
