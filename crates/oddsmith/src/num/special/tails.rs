//! Both tails of a distribution at one point, and their logarithms.
//!
//! The smaller tail is computed, the larger is its complement, so that `lower + upper = 1`. Logarithms go on where
//! the probability underflows.

use crate::num::special::double_double::DoubleDouble;

/// `P(X ≤ x)` and `P(X > x)` of a positive variable, with the density of `ln X` (or of the log odds) at the point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tails {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) log_lower: f64,
    pub(crate) log_upper: f64,
    /// Logarithm of the derivative of `lower` by the logarithm of the argument (by the log odds, for beta).
    pub(crate) log_slope: f64,
}

impl Tails {
    /// The left end of the support.
    pub(crate) const NOTHING_BELOW: Self =
        Self { lower: 0.0, upper: 1.0, log_lower: f64::NEG_INFINITY, log_upper: 0.0, log_slope: f64::NEG_INFINITY };

    /// The answer to a fault of the domain.
    pub(crate) const FAULT: Self = Self { lower: f64::NAN, upper: f64::NAN, log_lower: f64::NAN, log_upper: f64::NAN, log_slope: f64::NAN };

    /// Tails whose lower part is `factor · e^exponent`.
    pub(crate) fn from_lower(exponent: DoubleDouble, factor: f64, log_slope: f64) -> Self {
        let lower = scaled_exp(exponent, factor).min(1.0);
        Self {
            lower,
            upper: 1.0 - lower,
            log_lower: (exponent + libm::log(factor)).value().min(0.0),
            log_upper: libm::log1p(-lower),
            log_slope,
        }
    }

    /// Tails whose upper part is `factor · e^exponent`.
    pub(crate) fn from_upper(exponent: DoubleDouble, factor: f64, log_slope: f64) -> Self {
        Self::from_lower(exponent, factor, log_slope).flipped()
    }

    /// The tails of the variable counted from the other end.
    pub(crate) fn flipped(self) -> Self {
        Self { lower: self.upper, upper: self.lower, log_lower: self.log_upper, log_upper: self.log_lower, log_slope: self.log_slope }
    }
}

/// `factor · e^exponent`, also where the exponential alone would leave the normal range of `f64`.
fn scaled_exp(exponent: DoubleDouble, factor: f64) -> f64 {
    const PART: f64 = 345.0;
    if exponent.hi < -PART { ((exponent + PART).exp() * factor) * libm::exp(-PART) } else { exponent.exp() * factor }
}
