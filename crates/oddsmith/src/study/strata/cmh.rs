//! The Cochran–Mantel–Haenszel test of no association in any stratum.
//!
//! ```text
//! (|Σ (a − n1 m1/N)| − ½)² / Σ n1 n0 m1 m0 / (N² (N − 1)),   df 1;   without the ½ where no correction is wanted
//! ```

use super::super::estimate::ChiSquared;
use super::super::table::ConditionalCount;
use super::StratifiedTable;

impl StratifiedTable {
    /// The test, with or without its continuity correction.
    pub fn cmh(&self, corrected: bool) -> ChiSquared {
        let (mut apart, mut variance, mut strata) = (0.0, 0.0, 0);
        for stratum in self.informative() {
            let (n1, n0, m1, m0, n) = (stratum.exposed(), stratum.unexposed(), stratum.cases(), stratum.others(), stratum.total());
            apart += (stratum.a * n0 - stratum.c * n1) / n;
            variance += (n1 * n0 / n) * (m1 * m0 / n) / (n - 1.0);
            strata += 1;
        }
        let apart = f64::abs(apart);
        let apart = if corrected { apart - apart.min(0.5) } else { apart };
        ChiSquared::new(apart * apart / variance, usize::from(strata > 0))
    }

    /// The exact distribution of the exposed cases over all strata; `None` for counts that are no whole numbers, and for tables so large that only the
    /// normal approximation is practical.
    pub fn exact(&self) -> Option<ConditionalCount> {
        ConditionalCount::of_strata(&self.strata)
    }
}
