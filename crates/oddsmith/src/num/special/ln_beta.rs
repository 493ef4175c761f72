//! Logarithm of the beta function.
//!
//! ```text
//! B(a, b)   = Γ(a) Γ(b) / Γ(a + b)
//! ln B(a,b) = ½ ln 2π − ½ ln(ab/(a+b)) − a ln(1 + b/a) − b ln(1 + a/b) + δ(a) + δ(b) − δ(a + b)    a, b ≥ 10
//! ln B(a,b) = ln Γ(a) − ln_gamma_ratio(b, a)                                                       a < 10, a ≤ b
//! ```
//!
//! Cost: about 500 ns. Worst error: `ε (1 + κ)`; the condition number `κ` is large only where `B` is near 1.

use crate::num::special::double_double::DoubleDouble;
use crate::num::special::ln_gamma::{ln_gamma, ln_gamma_1p};
use crate::num::special::ln_gamma_ratio::{ln_gamma_ratio, ln_gamma_ratio_precise};
use crate::num::special::stirling::{ASYMPTOTIC_FROM, stirling_remainder};

/// `ln B(a, b)` for finite `a, b > 0`; NaN elsewhere.
pub fn ln_beta(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if !(small > 0.0 && large.is_finite()) {
        return f64::NAN;
    }
    if small >= ASYMPTOTIC_FROM {
        let half_log = libm::log(small) - libm::log1p(small / large);
        let entropy = small * libm::log1p(large / small) + large * libm::log1p(small / large);
        let remainders = stirling_remainder(small) + stirling_remainder(large) - stirling_remainder(small + large);
        return DoubleDouble::HALF_LN_2PI.hi + remainders - 0.5 * half_log - entropy;
    }
    if large < 1.0 {
        // B = (a + b)/(ab) Γ(1 + a) Γ(1 + b)/Γ(1 + a + b), and the last three are all close to 1.
        let pole = libm::log1p(small / large) - libm::log(small);
        return pole + (ln_gamma_1p(small) - ln_gamma_ratio(1.0 + large, small));
    }
    (-ln_gamma_ratio_precise(large, small) + ln_gamma(small)).value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::special::table::Table;

    #[test]
    fn matches_the_tables() {
        let table = Table::parse(include_str!("../../../../../testdata/special/gamma.csv"));
        table.check_conditioned("ln_beta", 1.0, |a| ln_beta(a[0], a[1]));
        table.check_conditioned("ln_beta", 1.0, |a| ln_beta(a[1], a[0]));
    }

    #[test]
    fn domain_faults_are_nan() {
        for (a, b) in [(0.0, 1.0), (1.0, -2.0), (f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, 1.0)] {
            assert!(ln_beta(a, b).is_nan(), "{a} {b}");
        }
    }
}
