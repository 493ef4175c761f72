//! Elementary functions without their first Taylor terms, where the plain difference would cancel.
//!
//! ```text
//! exp_m1_minus(s)   = e^s − 1 − s          = s²/2! + s³/3! + …
//! ln_1p_minus(v)    = ln(1 + v) − v        = −v z + 2 z³ (1/3 + z²/5 + …),  z = v/(2 + v)
//! atanh_ratio_minus_1(z²) = atanh(z)/z − 1 = z²/3 + z⁴/5 + …
//! ```
//!
//! Cost: at most 35 operations, or one `libm` call. Worst error: 4e-16.

/// Reach of the exponential series; beyond it the difference loses at most three bits.
const EXP_REACH: f64 = 0.5;
/// Reach of the logarithm series; beyond it the difference loses at most three bits.
const LN_REACH: f64 = 0.5;

/// `1/n` for `n < 36`; a division in the innermost loop would cost four multiplications.
const INVERSE: [f64; 36] = {
    let mut inverse = [0.0; 36];
    let mut n = 1;
    while n < inverse.len() {
        inverse[n] = 1.0 / n as f64;
        n += 1;
    }
    inverse
};

/// `e^s − 1 − s`, never negative.
pub(crate) fn exp_m1_minus(s: f64) -> f64 {
    if s.abs() > EXP_REACH {
        return libm::expm1(s) - s;
    }
    let mut sum = 1.0;
    for n in (3..=16).rev() {
        sum = 1.0 + sum * s * INVERSE[n];
    }
    0.5 * s * s * sum
}

/// `ln(1 + v) − v`, never positive, for `v > −1`.
pub(crate) fn ln_1p_minus(v: f64) -> f64 {
    if v.abs() > LN_REACH {
        return libm::log1p(v) - v;
    }
    let z = v / (2.0 + v);
    let square = z * z;
    // 2z(atanh(z)/z − 1) is what ln(1 + v) has beyond 2z, and v − 2z is v z.
    2.0 * z * atanh_ratio_minus_1(square) - v * z
}

/// `atanh(z)/z − 1` from `z²`, for `z² ≤ 1/9`.
pub(crate) fn atanh_ratio_minus_1(square: f64) -> f64 {
    let mut sum = 0.0;
    for j in (1..=17).rev() {
        sum = (sum + INVERSE[2 * j + 1]) * square;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::special::table::Table;

    #[test]
    fn matches_the_tables() {
        let table = Table::parse(include_str!("../../../../../testdata/special/gamma.csv"));
        table.check("exp_m1_minus", 4e-16, |a| exp_m1_minus(a[0]));
        table.check("ln_1p_minus", 4e-16, |a| ln_1p_minus(a[0]));
        table.check("atanh_ratio_minus_1", 5e-16, |a| atanh_ratio_minus_1(a[0]));
    }
}
