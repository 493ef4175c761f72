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

/// Furthest log odds ratio that is looked at.
const FURTHEST: f64 = 40.0;
/// Most steps: halves of the range alone come to the last digit in as many.
const MOST_STEPS: usize = 100;

impl StratifiedTable {
    /// The maximum of the likelihood with an intercept for every stratum; 0 or ∞ where the rows do not bound it.
    pub fn logistic_odds_ratio(&self, level: f64) -> Estimate {
        if self.informative().count() == 0 {
            return Estimate::bare(f64::NAN);
        }
        // Exposed cases as many, or as few, as the margins allow in every stratum.
        if self.informative().all(|stratum| stratum.b == 0.0 || stratum.c == 0.0) {
            return Estimate::bare(f64::INFINITY);
        }
        if self.informative().all(|stratum| stratum.a == 0.0 || stratum.d == 0.0) {
            return Estimate::bare(0.0);
        }
        let theta = self.logistic_maximum();
        let psi = libm::exp(theta);
        let information: f64 = self.informative().map(|stratum| 1.0 / stratum.fitted(psi).reciprocals()).sum();
        Estimate::log_wald(psi, (1.0 / information).sqrt(), level)
    }

    /// Newton's steps from the Mantel–Haenszel odds ratio, held within a range that shrinks: Σ(a − A) falls in θ, and its slope is −ΣV.
    fn logistic_maximum(&self) -> f64 {
        let (mut low, mut high) = (-FURTHEST, FURTHEST);
        let start = libm::log(self.mh_odds_ratio(0.95).value);
        let mut theta = if start > low && start < high { start } else { 0.0 };
        for _ in 0..MOST_STEPS {
            let psi = libm::exp(theta);
            let (mut apart, mut slope) = (0.0, 0.0);
            for stratum in self.informative() {
                let (n1, n0, m1) = (stratum.exposed(), stratum.unexposed(), stratum.cases());
                let a = stratum.fitted_exposed_cases(psi);
                let (ab, cd) = (a * (n1 - a), (m1 - a) * (n0 - m1 + a));
                apart += stratum.a - a;
                slope += ab * cd / (n1 * cd + n0 * ab);
            }
            if apart > 0.0 {
                low = theta
            } else {
                high = theta
            }
            let step = apart / slope;
            if step.abs() <= 2.0 * f64::EPSILON * theta.abs().max(1.0) {
                return theta + step;
            }
            // A step that leaves the range, or is no number, gives way to the middle.
            let next = theta + step;
            theta = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        theta
    }
}
