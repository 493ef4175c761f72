//! Probabilities as logarithms, and sums that lose nothing.
//!
//! ```text
//! log_sum_exp(v) = m + ln(1 + Σ_{i≠m} e^{v_i − m}),  m = the largest v_i
//! ln_1p_exp(x)   = ln(1 + e^x)                       (softplus)
//! log1mexp(x)    = ln(1 − e^x),  x ≤ 0
//! logit(p)       = ln(p / (1 − p))
//! sigmoid(x)     = 1 / (1 + e^{−x})
//! ```
//!
//! Cost: one exponential per term. Elementary functions come from `libm`, so that the bits are the same on
//! every platform. Worst relative error of each against 60-digit values: 3e-16.

use std::borrow::Borrow;
use std::f64::consts::LN_2;

/// `ln Σ e^{v_i}` without overflow or underflow, of a slice or of any iterator that can be walked twice.
///
/// The empty sum and one of nothing but `-inf` give `-inf`; a `+inf` gives `+inf`; a NaN gives NaN.
pub fn log_sum_exp<T: Borrow<f64>>(terms: impl IntoIterator<Item = T, IntoIter: Clone>) -> f64 {
    let terms = terms.into_iter();
    let mut largest = f64::NEG_INFINITY;
    let mut largest_at = 0;
    for (i, term) in terms.clone().enumerate() {
        let term = *term.borrow();
        if term.is_nan() {
            return f64::NAN;
        }
        if term > largest {
            largest = term;
            largest_at = i;
        }
    }
    if largest.is_infinite() {
        return largest;
    }
    let mut others = NeumaierSum::default();
    for (i, term) in terms.enumerate() {
        if i != largest_at {
            others.add(libm::exp(*term.borrow() - largest));
        }
    }
    largest + libm::log1p(others.value())
}

/// `ln(e^a + e^b)` without overflow or underflow; infinities and NaN as in [`log_sum_exp`].
pub fn log_add_exp(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if large.is_infinite() {
        return large;
    }
    large + libm::log1p(libm::exp(small - large))
}

/// Softplus `ln(1 + e^x)`: `x` for large `x`, `e^x` for very negative `x`, NaN for NaN.
pub fn ln_1p_exp(x: f64) -> f64 {
    if x > 0.0 { x + libm::log1p(libm::exp(-x)) } else { libm::log1p(libm::exp(x)) }
}

/// `ln(1 − e^x)` for `x ≤ 0`, the logarithm of a complement; `-inf` at 0, NaN for `x > 0` or NaN.
pub fn log1mexp(x: f64) -> f64 {
    if x > 0.0 {
        return f64::NAN;
    }
    // Above −ln 2 the difference 1 − e^x is the small number, below it e^x is.
    if x > -LN_2 { libm::log(-libm::expm1(x)) } else { libm::log1p(-libm::exp(x)) }
}

/// Log odds `ln(p / (1 − p))`; `-inf` at 0, `+inf` at 1, NaN outside `[0, 1]`.
pub fn logit(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if (0.25..=0.75).contains(&p) {
        // 2p − 1 is exact here, so the zero at one half keeps its digits.
        libm::log1p((2.0 * p - 1.0) / (1.0 - p))
    } else if p < 0.5 {
        libm::log(p / (1.0 - p))
    } else {
        -libm::log((1.0 - p) / p)
    }
}

/// Logistic function `1 / (1 + e^{−x})`, accurate in both tails; NaN for NaN.
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let odds = libm::exp(x);
        odds / (1.0 + odds)
    }
}

/// A running sum with Neumaier's compensation: the error is that of one rounding plus `n ε²` of the absolute sum.
///
/// The value depends on the order of the terms, never on anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NeumaierSum {
    sum: f64,
    lost: f64,
}

impl NeumaierSum {
    /// Adds one term.
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.lost += if self.sum.abs() >= term.abs() { (self.sum - sum) + term } else { (term - sum) + self.sum };
        self.sum = sum;
    }

    /// Adds the terms that another sum has seen.
    pub fn merge(&mut self, other: &Self) {
        self.add(other.sum);
        self.lost += other.lost;
    }

    /// The plain sum and what its roundings lost.
    pub fn parts(&self) -> [f64; 2] {
        [self.sum, self.lost]
    }

    /// The sum with these parts.
    pub fn from_parts([sum, lost]: [f64; 2]) -> Self {
        NeumaierSum { sum, lost }
    }

    /// The compensated total. Infinite and NaN terms behave as in a plain sum.
    pub fn value(&self) -> f64 {
        let total = self.sum + self.lost;
        // Past an infinity the compensation is inf − inf and means nothing.
        if self.sum.is_finite() { total } else { self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::special::table::Table;

    #[test]
    fn scalar_functions_match_the_tables() {
        let table = Table::parse(include_str!("../../../../testdata/special/logspace.csv"));
        table.check("ln_1p_exp", 3e-16, |a| ln_1p_exp(a[0]));
        table.check("log1mexp", 3e-16, |a| log1mexp(a[0]));
        table.check("logit", 3e-16, |a| logit(a[0]));
        table.check("sigmoid", 3e-16, |a| sigmoid(a[0]));
        table.check("log_add_exp", 3e-16, |a| log_add_exp(a[0], a[1]));
        table.check("log_sum_exp", 3e-16, |a| log_sum_exp(a));
    }

    #[test]
    fn log_sums_treat_infinities_by_rule() {
        let inf = f64::INFINITY;
        assert_eq!(log_sum_exp::<f64>([]), -inf);
        assert_eq!(log_sum_exp([-inf, -inf]), -inf);
        assert_eq!(log_sum_exp([-inf, 3.0, -inf]), 3.0);
        assert_eq!(log_sum_exp([1.0, inf, -inf]), inf);
        assert!(log_sum_exp([f64::NAN, inf]).is_nan());
        assert_eq!(log_add_exp(-inf, -inf), -inf);
        assert_eq!(log_add_exp(inf, -inf), inf);
        assert_eq!(log_add_exp(-inf, -7.0), -7.0);
        assert!(log_add_exp(f64::NAN, inf).is_nan());
    }

    #[test]
    fn log_sum_of_far_scores_keeps_its_shift() {
        assert_eq!(log_sum_exp([-1e4, -1e4]), -1e4 + LN_2);
        assert_eq!(log_sum_exp([1e308, 1e308]), 1e308);
        assert_eq!(log_sum_exp([-1e308, 0.0]), 0.0);
    }

    #[test]
    fn ends_of_the_domains() {
        let inf = f64::INFINITY;
        assert_eq!((logit(0.0), logit(1.0), logit(0.5)), (-inf, inf, 0.0));
        assert!(logit(-1e-300).is_nan() && logit(1.5).is_nan() && logit(f64::NAN).is_nan());
        assert_eq!((log1mexp(0.0), log1mexp(-inf)), (-inf, 0.0));
        assert!(log1mexp(1e-300).is_nan() && log1mexp(f64::NAN).is_nan());
        assert_eq!((sigmoid(-inf), sigmoid(0.0), sigmoid(inf)), (0.0, 0.5, 1.0));
        assert_eq!((ln_1p_exp(-inf), ln_1p_exp(inf)), (0.0, inf));
        assert!(sigmoid(f64::NAN).is_nan() && ln_1p_exp(f64::NAN).is_nan());
    }

    #[test]
    fn compensation_keeps_what_a_plain_sum_drops() {
        let mut sum = NeumaierSum::default();
        for term in [1.0, 1e100, 1.0, -1e100] {
            sum.add(term);
        }
        assert_eq!(sum.value(), 2.0);

        let (mut left, mut right) = (NeumaierSum::default(), NeumaierSum::default());
        left.add(1e100);
        left.add(1.0);
        right.add(-1e100);
        right.add(1.0);
        left.merge(&right);
        assert_eq!(left.value(), 2.0);

        let mut overflow = NeumaierSum::default();
        overflow.add(f64::INFINITY);
        overflow.add(1.0);
        assert_eq!(overflow.value(), f64::INFINITY);
    }
}
