//! What Stirling's formula leaves over.
//!
//! ```text
//! Γ(a + 1) = √(2πa) (a/e)^a e^{δ(a)}
//! δ(a)     = 1/(12a) − 1/(360a³) + … = Σ_k B_{2k} / (2k (2k−1) a^{2k−1})        a ≥ 10
//! δ(a)     = δ(a + 1) + atanh(z)/z − 1,  z = 1/(2a + 1)                          1 ≤ a < 10
//! ```
//!
//! Every term of the recurrence is positive and summed as a series, so `δ` is right to 1e-17 absolutely. Cost: 20
//! operations from 10 on, up to 200 below.

use crate::num::special::remainder::atanh_ratio_minus_1;

/// From here on the nine terms below reach 1e-18.
pub(crate) const ASYMPTOTIC_FROM: f64 = 10.0;

/// `B_{2k} / (2k (2k − 1))` for `k = 1..=9`.
const COEFFICIENTS: [f64; 9] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
    43867.0 / 244_188.0,
];

/// `δ(a)` for `a ≥ 1`.
pub(crate) fn stirling_remainder(a: f64) -> f64 {
    let mut shifted = a;
    let mut steps = 0.0;
    while shifted < ASYMPTOTIC_FROM {
        let z = 1.0 / (2.0 * shifted + 1.0);
        steps += atanh_ratio_minus_1(z * z);
        shifted += 1.0;
    }
    let inverse = 1.0 / shifted;
    let square = inverse * inverse;
    let series = COEFFICIENTS.iter().rev().fold(0.0, |sum, c| sum * square + c);
    steps + inverse * series
}

/// `δ(a + b) − δ(a)` for `a ≥ 10`, `b ≥ 0`, right to the last bits however small `b` is.
pub(crate) fn stirling_remainder_step(a: f64, b: f64) -> f64 {
    let (u, v) = (1.0 / (a + b), 1.0 / a);
    let first = -b * u * v;
    let squares = first * (u + v);
    // power = u^{2k−1} − v^{2k−1}, carried along without ever subtracting the two powers.
    let mut power = first;
    let mut v_power = v;
    let mut sum = 0.0;
    for c in COEFFICIENTS {
        sum += c * power;
        power = u * u * power + v_power * squares;
        v_power *= v * v;
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
        table.check("stirling_remainder", 6e-16, |a| stirling_remainder(a[0]));
        table.check("stirling_remainder_step", 8e-16, |a| stirling_remainder_step(a[0], a[1]));
    }
}
