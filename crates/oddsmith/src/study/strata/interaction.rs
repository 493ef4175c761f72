//! Interaction on the additive scale: do two exposures together do more than the sum of what each does alone?
//!
//! ```text
//! OR10, OR01, OR11 against those with neither, from the counts of cases and others in the four groups
//! RERI = OR11 − OR10 − OR01 + 1     AP = RERI / OR11     S = (OR11 − 1) / ((OR10 − 1) + (OR01 − 1))
//! var ln OR_g = 1/a_g + 1/b_g + 1/a_00 + 1/b_00,   cov = 1/a_00 + 1/b_00;   limits by the delta method, of S on the log scale
//! ```
//!
//! RERI and AP are 0, and S is 1, where effects add up (Rothman 1976; Hosmer and Lemeshow 1992). Odds ratios stand for risk ratios, as for a
//! rare outcome.

use super::super::estimate::Estimate;
use super::StratifiedTable;

/// The three measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interaction {
    /// Relative excess risk due to interaction.
    pub reri: Estimate,
    /// Proportion of the joint risk that is due to interaction.
    pub attributable: Estimate,
    /// Rothman's synergy index.
    pub synergy: Estimate,
}

impl StratifiedTable {
    /// The interaction of the exposure with being in the second of two strata; `None` for other numbers of strata, and with an empty cell.
    pub fn additive_interaction(&self, level: f64) -> Option<Interaction> {
        let [absent, present] = &self.strata[..] else { return None };
        if absent.has_zero() || present.has_zero() {
            return None;
        }
        // Odds of those with neither, with the exposure alone, in the second stratum alone, with both.
        let groups = [(absent.c, absent.d), (absent.a, absent.b), (present.c, present.d), (present.a, present.b)];
        let odds = groups.map(|(cases, others)| cases / others);
        let [r10, r01, r11] = [odds[1] / odds[0], odds[2] / odds[0], odds[3] / odds[0]];
        let own = groups.map(|(cases, others)| 1.0 / cases + 1.0 / others);
        let error = |slopes: [f64; 3]| {
            // Slopes in the three log odds ratios, whose common part is that of the group with neither.
            let shared: f64 = slopes.iter().sum::<f64>().powi(2) * own[0];
            (shared + slopes.iter().zip(&own[1..]).map(|(slope, own)| slope * slope * own).sum::<f64>()).sqrt()
        };
        let reri = r11 - r10 - r01 + 1.0;
        let (joint, alone) = (r11 - 1.0, r10 + r01 - 2.0);
        let attributable = error([-r10 / r11, -r01 / r11, (r10 + r01 - 1.0) / r11]);
        Some(Interaction {
            reri: Estimate::wald(reri, error([-r10, -r01, r11]), level),
            attributable: Estimate::wald(reri / r11, attributable, level),
            synergy: Estimate::log_wald(joint / alone, error([-r10 / alone, -r01 / alone, r11 / joint]), level),
        })
    }
}
