//! Is the association the same in all strata?
//!
//! ```text
//! Breslow–Day   Σ (a − A)²/V at ψ = OR_MH, A the cell of the stratum's margins with odds ratio ψ, 1/V = 1/A + 1/B + 1/C + 1/D
//! Tarone        minus (Σa − ΣA)² / ΣV, which makes its χ² distribution exact in the limit
//! Woolf         Σ w (ln v − Σ w ln v/Σw)²,  w = 1/var ln v, for odds ratios and risk ratios; strata without zero cells only
//! ```
//!
//! Degrees of freedom are the strata that tell something, less one.

use super::super::estimate::ChiSquared;
use super::super::table::Table2x2;
use super::StratifiedTable;

impl StratifiedTable {
    /// Breslow and Day's test at the Mantel–Haenszel odds ratio, and Tarone's correction of it.
    pub fn breslow_day(&self) -> [ChiSquared; 2] {
        let psi = self.mh_odds_ratio(0.95).value;
        let (mut sum, mut apart, mut variance, mut strata) = (0.0, 0.0, 0.0, 0usize);
        for stratum in self.informative() {
            let fitted = stratum.fitted(psi);
            let (own_apart, own_variance) = (stratum.a - fitted.a, 1.0 / fitted.reciprocals());
            sum += own_apart * own_apart / own_variance;
            apart += own_apart;
            variance += own_variance;
            strata += 1;
        }
        // An odds ratio of 0 or ∞ over all strata leaves nothing to differ.
        let df = if psi > 0.0 && psi < f64::INFINITY { strata.saturating_sub(1) } else { 0 };
        [ChiSquared::new(sum, df), ChiSquared::new(sum - apart * apart / variance, df)]
    }

    /// Woolf's test of equal odds ratios.
    pub fn woolf_odds_ratios(&self) -> ChiSquared {
        self.woolf(|stratum| (stratum.odds_ratio(), stratum.reciprocals()))
    }

    /// Woolf's test of equal risk ratios.
    pub fn woolf_risk_ratios(&self) -> ChiSquared {
        self.woolf(|stratum| {
            let variance = stratum.b / (stratum.a * stratum.exposed()) + stratum.d / (stratum.c * stratum.unexposed());
            (stratum.risk_ratio(), variance)
        })
    }

    fn woolf(&self, ratio: impl Fn(&Table2x2) -> (f64, f64)) -> ChiSquared {
        let told: Vec<(f64, f64)> = self
            .strata
            .iter()
            .filter(|stratum| !stratum.has_zero())
            .map(|stratum| {
                let (value, variance) = ratio(stratum);
                (libm::log(value), 1.0 / variance)
            })
            .collect();
        let weight: f64 = told.iter().map(|(_, w)| w).sum();
        let mean = told.iter().map(|(value, w)| w * value).sum::<f64>() / weight;
        let sum = told.iter().map(|(value, w)| w * (value - mean) * (value - mean)).sum();
        ChiSquared::new(sum, told.len().saturating_sub(1))
    }
}
