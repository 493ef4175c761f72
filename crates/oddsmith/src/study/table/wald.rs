//! Normal limits of the measures of a 2×2 table.
//!
//! ```text
//! ln OR   var 1/a + 1/b + 1/c + 1/d             (Woolf)
//! ln RR   var b/(a n1) + d/(c n0)                (Katz)
//! RD      var ab/n1³ + cd/n0³                    (Wald)
//! ```
//!
//! They are the ones people know, and poor where a cell is small: there the score limits hold their level.

use super::super::estimate::{Estimate, two_sided_z};
use super::Table2x2;

impl Table2x2 {
    /// The odds ratio with Woolf's limits.
    pub fn woolf(&self, level: f64) -> Estimate {
        self.woolf_at(two_sided_z(level))
    }

    /// The same for a z that is known, as in many tables.
    pub(in crate::study) fn woolf_at(&self, z: f64) -> Estimate {
        Estimate::log_wald_at(self.odds_ratio(), self.reciprocals().sqrt(), z)
    }

    /// The risk ratio with Katz's limits.
    pub fn katz(&self, level: f64) -> Estimate {
        let variance = self.b / (self.a * self.exposed()) + self.d / (self.c * self.unexposed());
        Estimate::log_wald(self.risk_ratio(), variance.sqrt(), level)
    }

    /// The risk difference with Wald's limits.
    pub fn wald_difference(&self, level: f64) -> Estimate {
        let part = |case: f64, other: f64| case * other / (case + other).powi(3);
        Estimate::wald(self.risk_difference(), (part(self.a, self.b) + part(self.c, self.d)).sqrt(), level)
    }
}
