//! How much of the risk the exposure would account for, if it were its cause, and how many must be exposed for one case more.
//!
//! ```text
//! among the exposed    1 − 1/RR                       limits from those of RR
//! in the population    1 − (c/n0) / (m1/N)            var ln(1 − PAF) = (b + PAF (a + d)) / (N c)     (Walter 1978)
//! number needed        1/RD                           limits 1/high, 1/low; through ∞ when RD may be 0
//! ```
//!
//! In a case–control study risks are unknown: there the fractions take the odds ratio in place of the risk ratio, which is right where the
//! outcome is rare.

use super::super::estimate::{Estimate, two_sided_z};
use super::Table2x2;

impl Table2x2 {
    /// The attributable fraction among the exposed, from a risk ratio (or an odds ratio of a rare outcome).
    pub fn attributable_exposed(ratio: &Estimate) -> Estimate {
        let fraction = |ratio: f64| 1.0 - 1.0 / ratio;
        Estimate { value: fraction(ratio.value), std_error: f64::NAN, low: fraction(ratio.low), high: fraction(ratio.high) }
    }

    /// The attributable fraction in the population of which the rows are a sample.
    pub fn attributable_population(&self, level: f64) -> Estimate {
        let value = 1.0 - self.unexposed_risk() * self.total() / self.cases();
        let std_error = ((self.b + value * (self.a + self.d)) / (self.total() * self.c)).sqrt();
        if !std_error.is_finite() {
            return Estimate::bare(value);
        }
        let reach = two_sided_z(level) * std_error;
        let at = |way: f64| 1.0 - (1.0 - value) * libm::exp(way);
        Estimate { value, std_error, low: at(reach), high: at(-reach) }
    }

    /// The number to expose for one case more (negative: one case less), from a risk difference. When the limits of the difference have
    /// different signs, the number lies outside of the two that are given.
    pub fn number_needed(difference: &Estimate) -> Estimate {
        Estimate { value: 1.0 / difference.value, std_error: f64::NAN, low: 1.0 / difference.high, high: 1.0 / difference.low }
    }
}
