//! The odds ratio of a logistic regression with one intercept for every stratum.
//!
//! ```text
//! Σ a = Σ A(ψ),  A the cell of a stratum's margins with odds ratio ψ;   var ln ψ = 1/Σ V,  1/V = 1/A + 1/B + 1/C + 1/D
//! ```
//!
//! Fitted intercepts reproduce the cases of every stratum, so the margins are all that a stratum brings besides its cell: the same estimate and the same
//! error as the regression's, from one equation in one unknown. It is conditional on the strata, as the Mantel–Haenszel odds ratio is, and too far from 1 where
//! strata are many and small, which that is not.

use super::super::estimate::Estimate;
use super::StratifiedTable;
use crate::num::root::root_between;

/// Furthest log odds ratio that is looked at.
const FURTHEST: f64 = 40.0;

impl StratifiedTable {
    /// The maximum of the likelihood with an intercept for every stratum; 0 or ∞ where the rows do not bound it.
    pub fn logistic_odds_ratio(&self, level: f64) -> Estimate {
        if self.informative().count() == 0 {
            return Estimate::bare(f64::NAN);
        }
        let apart = |theta: f64| -> f64 { self.informative().map(|stratum| stratum.a - stratum.fitted(libm::exp(theta)).a).sum() };
        // Exposed cases as many, or as few, as the margins allow in every stratum.
        if self.informative().all(|stratum| stratum.b == 0.0 || stratum.c == 0.0) {
            return Estimate::bare(f64::INFINITY);
        }
        if self.informative().all(|stratum| stratum.a == 0.0 || stratum.d == 0.0) {
            return Estimate::bare(0.0);
        }
        let Some(theta) = root_between(-FURTHEST, FURTHEST, apart) else { return Estimate::bare(f64::NAN) };
        let information: f64 = self.informative().map(|stratum| 1.0 / stratum.fitted(libm::exp(theta)).reciprocals()).sum();
        Estimate::log_wald(libm::exp(theta), (1.0 / information).sqrt(), level)
    }
}
