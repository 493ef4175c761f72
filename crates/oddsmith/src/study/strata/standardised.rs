//! Risks standardised to all rows: what the risks would be if both groups had the strata of the whole.
//!
//! ```text
//! r_a = Σ (N_k/N) p_ak     var r_a = Σ (N_k/N)² p_ak (1 − p_ak)/n_ak     over strata in which both groups have rows
//! RD = r1 − r0 · RR = r1/r0 · marginal OR = r1 (1 − r0) / (r0 (1 − r1)), ratios with limits on the log scale
//! ```
//!
//! The crude odds ratio against the marginal one is confounding by the strata; the marginal against the conditional one (Mantel–Haenszel) is
//! non-collapsibility, which an odds ratio has without any confounding. Strata are taken as fixed.

use super::super::estimate::Estimate;
use super::StratifiedTable;

/// Standardised risks and what compares them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standardised {
    /// Risk if all were exposed.
    pub exposed: Estimate,
    /// Risk if nobody were.
    pub unexposed: Estimate,
    /// Their difference.
    pub risk_difference: Estimate,
    /// Their ratio.
    pub risk_ratio: Estimate,
    /// The ratio of their odds.
    pub odds_ratio: Estimate,
}

impl StratifiedTable {
    /// Risks standardised to the strata of all rows.
    pub fn standardised(&self, level: f64) -> Standardised {
        let total: f64 = self.comparable().map(|stratum| stratum.total()).sum();
        let ([mut r1, mut r0], [mut v1, mut v0]) = ([0.0; 2], [0.0; 2]);
        for stratum in self.comparable() {
            let weight = stratum.total() / total;
            let (p1, p0) = (stratum.exposed_risk(), stratum.unexposed_risk());
            r1 += weight * p1;
            r0 += weight * p0;
            v1 += weight * weight * p1 * (1.0 - p1) / stratum.exposed();
            v0 += weight * weight * p0 * (1.0 - p0) / stratum.unexposed();
        }
        // Variances of the logarithm of a risk and of its odds.
        let (log, odds) = (|v: f64, r: f64| v / (r * r), |v: f64, r: f64| v / (r * (1.0 - r)).powi(2));
        Standardised {
            exposed: Estimate::wald(r1, v1.sqrt(), level),
            unexposed: Estimate::wald(r0, v0.sqrt(), level),
            risk_difference: Estimate::wald(r1 - r0, (v1 + v0).sqrt(), level),
            risk_ratio: Estimate::log_wald(r1 / r0, (log(v1, r1) + log(v0, r0)).sqrt(), level),
            odds_ratio: Estimate::log_wald((r1 * (1.0 - r0)) / (r0 * (1.0 - r1)), (odds(v1, r1) + odds(v0, r0)).sqrt(), level),
        }
    }
}
