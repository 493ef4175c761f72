//! Both tails of a distribution at one point, and their logarithms.
//!
//! The smaller tail is computed, the larger is its complement, so that `lower + upper = 1`. Logarithms go on where
//! the probability underflows.

use crate::num::special::double_double::DoubleDouble;

/// `P(X ≤ x)` and `P(X > x)` of a positive variable, and how fast their logarithms change.
///
/// Rates are per unit of `ln x`, or of the log odds for a variable on the unit interval; both are given as positive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tails {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) log_lower: f64,
    pub(crate) log_upper: f64,
    pub(crate) rate_lower: f64,
    pub(crate) rate_upper: f64,
}

impl Tails {
    /// The left end of the support.
    pub(crate) const NOTHING_BELOW: Self =
        Self { lower: 0.0, upper: 1.0, log_lower: f64::NEG_INFINITY, log_upper: 0.0, rate_lower: f64::INFINITY, rate_upper: 0.0 };

    /// The answer to a fault of the domain.
    pub(crate) const FAULT: Self =
        Self { lower: f64::NAN, upper: f64::NAN, log_lower: f64::NAN, log_upper: f64::NAN, rate_lower: f64::NAN, rate_upper: f64::NAN };

    /// Tails whose lower part is `factor · e^exponent` and at most about one half.
    pub(crate) fn from_lower(exponent: DoubleDouble, factor: f64, rate: f64) -> Self {
        let lower = scaled_exp(exponent, factor).clamp(0.0, 1.0);
        let upper = 1.0 - lower;
        Self {
            lower,
            upper,
            log_lower: (exponent + libm::log(factor)).value().clamp(f64::NEG_INFINITY, 0.0),
            log_upper: libm::log1p(-lower),
            rate_lower: rate,
            rate_upper: rate * lower / upper,
        }
    }

    /// Tails whose upper part is `factor · e^exponent` and at most about one half.
    pub(crate) fn from_upper(exponent: DoubleDouble, factor: f64, rate: f64) -> Self {
        Self::from_lower(exponent, factor, rate).flipped()
    }

    /// The tails of the variable counted from the other end.
    pub(crate) fn flipped(self) -> Self {
        Self {
            lower: self.upper,
            upper: self.lower,
            log_lower: self.log_upper,
            log_upper: self.log_lower,
            rate_lower: self.rate_upper,
            rate_upper: self.rate_lower,
        }
    }
}

/// `factor · e^exponent`, also where the exponential alone would leave the normal range of `f64`.
fn scaled_exp(exponent: DoubleDouble, factor: f64) -> f64 {
    const PART: f64 = 345.0;
    if exponent.hi < -PART { ((exponent + PART).exp() * factor) * libm::exp(-PART) } else { exponent.exp() * factor }
}
