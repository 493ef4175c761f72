//! An estimate with its limits.

use crate::num::special::normal;

/// A number that was estimated. What the rows do not tell is NaN: a standard error of an infinite odds ratio, a limit that the method does not have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error; that of its logarithm for a ratio.
    pub std_error: f64,
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

impl Estimate {
    /// A number without limits.
    pub fn bare(value: f64) -> Self {
        Estimate { value, std_error: f64::NAN, low: f64::NAN, high: f64::NAN }
    }

    /// Limits that no standard error leads to.
    pub fn between(value: f64, (low, high): (f64, f64)) -> Self {
        Estimate { value, std_error: f64::NAN, low, high }
    }

    /// Normal limits about a difference: value ± z·SE.
    pub fn wald(value: f64, std_error: f64, level: f64) -> Self {
        let reach = two_sided_z(level) * std_error;
        Estimate { value, std_error, low: value - reach, high: value + reach }
    }

    /// Normal limits about the logarithm of a ratio: value · e^{± z·SE}. A ratio of 0 or ∞ has no such limits.
    pub fn log_wald(value: f64, std_error: f64, level: f64) -> Self {
        Estimate::log_wald_at(value, std_error, two_sided_z(level))
    }

    /// The same for a z that is known: its search costs more than the limits.
    pub fn log_wald_at(value: f64, std_error: f64, z: f64) -> Self {
        if !(value > 0.0 && value < f64::INFINITY && std_error.is_finite()) {
            return Estimate::bare(value);
        }
        let reach = z * std_error;
        Estimate { value, std_error, low: value * libm::exp(-reach), high: value * libm::exp(reach) }
    }

    /// Whether the limits leave a value out; not when one of them is unknown.
    pub fn excludes(&self, value: f64) -> bool {
        self.low > value || self.high < value
    }
}

/// The z that leaves (1 − level)/2 in each tail.
pub fn two_sided_z(level: f64) -> f64 {
    normal::quantile_upper(0.5 * (1.0 - level))
}

/// A test: its statistic, degrees of freedom and p-value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChiSquared {
    /// The statistic; NaN where the rows leave nothing to test.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub df: usize,
    /// Upper tail.
    pub p_value: f64,
}

impl ChiSquared {
    /// The test of a statistic; without degrees of freedom there is nothing to test.
    pub fn new(statistic: f64, df: usize) -> Self {
        if df == 0 || statistic.is_nan() {
            return ChiSquared { statistic: f64::NAN, df, p_value: f64::NAN };
        }
        ChiSquared { statistic, df, p_value: crate::num::special::chi_squared::sf(statistic, df as f64) }
    }
}
