//! Numbers of twice the precision, for the exponents of densities.
//!
//! A tail probability is a well-behaved integral times a factor such as `x^a e^{−x} / Γ(a)`. The exponent of that
//! factor can be a difference of huge terms, or just large: an error of one `f64` rounding in an exponent of 700 is
//! 1e-13 in the probability. A value is held as an unevaluated sum `hi + lo` of two `f64`, about 32 digits.
//!
//! ```text
//! ln x    = k ln 2 + 2 atanh(z),          z = (m − 1)/(m + 1), x = 2^k m, √½ ≤ m < √2
//! φ(μ)    = μ − ln(1 + μ) = μ z − 2 z³ (1/3 + z²/5 + …),       z = μ/(2 + μ), |μ| small
//! ```
//!
//! Cost: addition about 10 operations, multiplication 10, a logarithm about 400.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::num::two_sum;

/// Terms of the `atanh` series summed in full precision; what follows is below the last bit of `hi`.
const FULL_TERMS: usize = 11;
/// All terms of the series: `0.1716^(2·25)` is below 1e-38.
const ALL_TERMS: usize = 25;

/// An unevaluated sum of two `f64` with `|lo| ≤ ½ ulp(hi)`; `lo` is 0 where `hi` is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DoubleDouble {
    pub(crate) hi: f64,
    pub(crate) lo: f64,
}

impl DoubleDouble {
    pub(crate) const LN_2: Self = Self { hi: std::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };
    /// `½ ln 2π`.
    pub(crate) const HALF_LN_2PI: Self = Self { hi: 0.918_938_533_204_672_8, lo: -3.878_294_158_067_241_4e-17 };

    /// `a + b` exactly.
    pub(crate) fn sum(a: f64, b: f64) -> Self {
        let (hi, lo) = two_sum(a, b);
        Self::finite_or_plain(hi, lo)
    }

    /// `a − b` exactly.
    pub(crate) fn difference(a: f64, b: f64) -> Self {
        Self::sum(a, -b)
    }

    /// `a · b` exactly, unless the low part underflows.
    pub(crate) fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        Self::finite_or_plain(hi, a.mul_add(b, -hi))
    }

    /// `a / b` to full precision.
    pub(crate) fn quotient(a: f64, b: f64) -> Self {
        Self::from(a) / Self::from(b)
    }

    pub(crate) fn value(self) -> f64 {
        self.hi + self.lo
    }

    /// `e^self` rounded to `f64`: the low part enters as a factor, so a large exponent costs no digits.
    pub(crate) fn exp(self) -> f64 {
        let leading = libm::exp(self.hi);
        if leading == 0.0 || leading.is_infinite() {
            return leading;
        }
        leading + leading * self.lo
    }

    /// Natural logarithm: `-inf` at 0, NaN below, `+inf` at `+inf`.
    pub(crate) fn ln(self) -> Self {
        if !(self.hi > 0.0 && self.hi.is_finite()) {
            return Self::from(libm::log(self.hi));
        }
        let (mut mantissa, mut exponent) = libm::frexp(self.hi);
        if mantissa < std::f64::consts::FRAC_1_SQRT_2 {
            mantissa *= 2.0;
            exponent -= 1;
        }
        let reduced = Self { hi: mantissa, lo: libm::scalbn(self.lo, -exponent) };
        let z = (reduced - 1.0) / (reduced + 1.0);
        Self::LN_2 * f64::from(exponent) + z * atanh_series(z * z, 0) * 2.0
    }

    /// `ln(1 + self)` with full relative precision near 0.
    pub(crate) fn ln_1p(self) -> Self {
        if self.hi.abs() >= SERIES_REACH {
            return (self + 1.0).ln();
        }
        let z = self / (self + 2.0);
        z * atanh_series(z * z, 0) * 2.0
    }

    /// `φ(μ) = μ − ln(1 + μ)`, never negative, with full relative precision near its double zero at 0.
    pub(crate) fn minus_ln_1p(self) -> Self {
        if self.hi.abs() >= SERIES_REACH {
            return self - (self + 1.0).ln();
        }
        let z = self / (self + 2.0);
        let z2 = z * z;
        self * z - z * z2 * atanh_series(z2, 1) * 2.0
    }

    fn finite_or_plain(hi: f64, lo: f64) -> Self {
        let lo = if hi.is_finite() { lo } else { 0.0 };
        Self { hi, lo }
    }

    /// Restores `|lo| ≤ ½ ulp(hi)` where `|hi| ≥ |lo|` is known.
    fn renormalized(hi: f64, lo: f64) -> Self {
        if !hi.is_finite() {
            return Self::from(hi);
        }
        let sum = hi + lo;
        Self::finite_or_plain(sum, lo - (sum - hi))
    }
}

/// Up to this `|μ|` the series variable `μ/(2 + μ)` stays below 0.177.
pub(crate) const SERIES_REACH: f64 = 0.3;

/// `Σ_{j≥0} z2^j / (2 (j + skip) + 1)`, the series of `atanh(z)/z` without its first `skip` terms.
fn atanh_series(z2: DoubleDouble, skip: usize) -> DoubleDouble {
    let mut tail = 0.0;
    for j in (FULL_TERMS..ALL_TERMS).rev() {
        tail = tail * z2.hi + 1.0 / odd(j + skip);
    }
    let mut sum = DoubleDouble::from(tail);
    for j in (0..FULL_TERMS).rev() {
        let n = odd(j + skip);
        let reciprocal = 1.0 / n;
        let rest = (-reciprocal).mul_add(n, 1.0) / n;
        sum = sum * z2 + DoubleDouble { hi: reciprocal, lo: rest };
    }
    sum
}

fn odd(j: usize) -> f64 {
    (2 * j + 1) as f64
}

impl From<f64> for DoubleDouble {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.hi, other.hi);
        let low = Self::sum(self.lo, other.lo);
        let once = Self::renormalized(high.hi, high.lo + low.hi);
        Self::renormalized(once.hi, once.lo + low.lo)
    }
}

impl Add<f64> for DoubleDouble {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        let high = Self::sum(self.hi, other);
        Self::renormalized(high.hi, high.lo + self.lo)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Sub<f64> for DoubleDouble {
    type Output = Self;
    fn sub(self, other: f64) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let leading = Self::product(self.hi, other.hi);
        Self::renormalized(leading.hi, leading.lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Mul<f64> for DoubleDouble {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        let leading = Self::product(self.hi, other);
        Self::renormalized(leading.hi, leading.lo + self.lo * other)
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        if !first.is_finite() || first == 0.0 {
            return Self::from(first);
        }
        let rest = self - other * first;
        let second = rest.hi / other.hi;
        let rest = rest - other * second;
        Self::renormalized(first, second) + rest.hi / other.hi
    }
}

impl Div<f64> for DoubleDouble {
    type Output = Self;
    fn div(self, other: f64) -> Self {
        self / Self::from(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::special::table::{Point, Table};

    /// The low part alone has to be right to 14 digits, which makes 30 of the whole; and where it happens to be small, to what two numbers
    /// side by side can hold of the whole, 2⁻¹⁰⁶.
    #[test]
    fn logarithms_have_thirty_digits() {
        let table = Table::parse(include_str!("../../../../../testdata/special/gamma.csv"));
        let whole = |a: &[f64]| DoubleDouble::from(a[0]);
        for (name, logarithm) in [
            ("ln_rest", DoubleDouble::ln as fn(DoubleDouble) -> DoubleDouble),
            ("ln_1p_rest", DoubleDouble::ln_1p),
            ("minus_ln_1p_rest", DoubleDouble::minus_ln_1p),
        ] {
            let unit = |p: &Point| 1e-14 + 2f64.powi(-106) * (logarithm(whole(&p.arguments)).hi / p.value).abs();
            table.judge(name, 1.0, unit, |a| logarithm(whole(a)).lo);
        }
    }

    #[test]
    fn arithmetic_is_exact_where_it_can_be() {
        let third = DoubleDouble::quotient(1.0, 3.0);
        assert_eq!(third * 3.0, DoubleDouble::from(1.0));
        assert_eq!(third / third, DoubleDouble::from(1.0));
        assert_eq!(DoubleDouble::sum(1e16, 1.5) - 1e16, DoubleDouble::from(1.5));
        let square = DoubleDouble::product(1.0 + f64::EPSILON, 1.0 + f64::EPSILON);
        assert_eq!(square - (1.0 + 2.0 * f64::EPSILON), DoubleDouble::from(f64::EPSILON * f64::EPSILON));
    }

    #[test]
    fn infinities_do_not_turn_into_nan() {
        let infinite = DoubleDouble::from(f64::INFINITY);
        assert_eq!((infinite + 1.0).hi, f64::INFINITY);
        assert_eq!((infinite * 2.0).hi, f64::INFINITY);
        assert_eq!((DoubleDouble::from(1.0) / infinite).hi, 0.0);
        assert_eq!(DoubleDouble::from(0.0).ln().hi, f64::NEG_INFINITY);
        assert_eq!((DoubleDouble::from(0.0).ln() * 2.0).exp(), 0.0);
        assert!(DoubleDouble::from(-1.0).ln().hi.is_nan());
    }
}
