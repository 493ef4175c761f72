//! Interaction of an exposure with two strata on the additive scale: RERI, attributable proportion, synergy index
//! (`model/linear/effects/additive.rs`).
//!
//! ```text
//! OR10, OR01, OR11 against those with neither, from the counts of cases and others in the four groups
//! var ln OR_g = 1/a_g + 1/b_g + 1/a_00 + 1/b_00,   cov = 1/a_00 + 1/b_00;   limits of S on the log scale
//! ```

use super::super::estimate::Estimate;
use super::StratifiedTable;
use crate::model::linear::effects::additive::additive;

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
        let own = groups.map(|(cases, others)| 1.0 / cases + 1.0 / others);
        let logs = [1, 2, 3].map(|group| libm::log(odds[group] / odds[0]));
        // What the three odds ratios have in common is the group with neither.
        let covariance = [1, 2, 3].map(|a| [1, 2, 3].map(|b| own[0] + if a == b { own[a] } else { 0.0 }));
        let [reri, attributable, synergy] = additive(logs, covariance);
        Some(Interaction {
            reri: Estimate::wald(reri.0, reri.1, level),
            attributable: Estimate::wald(attributable.0, attributable.1, level),
            synergy: Estimate::log_wald(synergy.0, synergy.1, level),
        })
    }
}
