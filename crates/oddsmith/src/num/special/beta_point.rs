//! A point of the unit interval that knows its distance to both ends.
//!
//! `1 − x` has no digits left where `x` is near 1, and `x` underflows where a Student t statistic is large. The point
//! therefore keeps both parts and both logarithms, in twice the precision. Cost: two logarithms.

use crate::num::special::double_double::DoubleDouble;

/// `x` and `y = 1 − x` with their logarithms; a logarithm may be finite where its number underflows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BetaPoint {
    pub(crate) x: DoubleDouble,
    pub(crate) y: DoubleDouble,
    pub(crate) ln_x: DoubleDouble,
    pub(crate) ln_y: DoubleDouble,
}

impl BetaPoint {
    /// The point `x`; its logarithms are NaN outside `[0, 1]`.
    pub(crate) fn from_fraction(x: f64) -> Self {
        let fraction = DoubleDouble::from(x);
        Self { x: fraction, y: DoubleDouble::difference(1.0, x), ln_x: fraction.ln(), ln_y: (-fraction).ln_1p() }
    }

    /// The point with odds `x/y = first · second / divisor`, which may leave the range of `f64`.
    ///
    /// A factor of 0 is the left end, one of `+inf` the right end; its logarithms are NaN for other faults.
    pub(crate) fn from_odds(first: f64, second: f64, divisor: f64) -> Self {
        if first.is_infinite() || second.is_infinite() {
            return Self::from_fraction(if first * second > 0.0 { 1.0 } else { f64::NAN });
        }
        if first == 0.0 || second == 0.0 {
            return Self::from_fraction(0.0);
        }
        // Only mantissas are multiplied and divided, so that no intermediate result leaves the range.
        let (first, first_exponent) = libm::frexp(first);
        let (second, second_exponent) = libm::frexp(second);
        let (divisor, divisor_exponent) = libm::frexp(divisor);
        let exponent = first_exponent + second_exponent - divisor_exponent;
        let product = DoubleDouble::product(first, second);
        if exponent > 0 {
            Self::from_small_odds(DoubleDouble::from(divisor) / product, -exponent).swapped()
        } else {
            Self::from_small_odds(product / divisor, exponent)
        }
    }

    /// Odds of at most 2, as a number times a power of two: only the larger part of the interval is a rounded 1.
    fn from_small_odds(scaled: DoubleDouble, exponent: i32) -> Self {
        let odds = DoubleDouble { hi: libm::scalbn(scaled.hi, exponent), lo: libm::scalbn(scaled.lo, exponent) };
        let ln_odds = scaled.ln() + DoubleDouble::LN_2 * f64::from(exponent);
        let ln_1p_odds = odds.ln_1p();
        let y = DoubleDouble::from(1.0) / (odds + 1.0);
        Self { x: odds * y, y, ln_x: ln_odds - ln_1p_odds, ln_y: -ln_1p_odds }
    }

    /// The point seen from the other end.
    pub(crate) fn swapped(self) -> Self {
        Self { x: self.y, y: self.x, ln_x: self.ln_y, ln_y: self.ln_x }
    }
}
