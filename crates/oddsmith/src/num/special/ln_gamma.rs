//! Logarithm of the gamma function, also of several variables.
//!
//! ```text
//! Γ(x)   = ∫_0^∞ t^{x−1} e^{−t} dt
//! Γ_p(a) = π^{p(p−1)/4} Π_{j=1}^{p} Γ(a + (1 − j)/2)
//! ```
//!
//! `libm::lgamma` holds to 4e-16 for every positive argument, its zeros at 1 and 2 included. Cost: about 30 ns;
//! the multivariate function takes `p` of them. Worst error of `ln_gamma_multivariate`: 4e-16.

use crate::num::logspace::NeumaierSum;
use crate::num::special::double_double::DoubleDouble;
use crate::num::special::polygamma::digamma;

const LN_PI: f64 = 1.144_729_885_849_400_2;

/// `ln Γ(x)` for `x > 0`; `+inf` at 0 and `+inf`, NaN below 0 and for NaN.
pub fn ln_gamma(x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    libm::lgamma(x)
}

/// `ln Γ_p(a)`, the normaliser of Wishart densities, for `a > (p − 1)/2`; NaN elsewhere. `Γ_0` is 1.
pub fn ln_gamma_multivariate(p: usize, a: f64) -> f64 {
    let dimension = p as f64;
    if a.is_nan() || a <= 0.5 * (dimension - 1.0) {
        return f64::NAN;
    }
    let mut sum = NeumaierSum::default();
    sum.add(0.25 * dimension * (dimension - 1.0) * LN_PI);
    for j in 0..p {
        sum.add(ln_gamma(a - 0.5 * j as f64));
    }
    sum.value()
}

/// `ln Γ` of a sum that does not fit one `f64`, such as `1 + 1e-20`: the rest enters with the derivative.
pub(crate) fn ln_gamma_of_sum(sum: DoubleDouble) -> f64 {
    ln_gamma(sum.hi) + digamma(sum.hi) * sum.lo
}

/// `ln Γ(1 + x)` for `x ≥ 0`, with full relative precision near its zero at 0.
pub(crate) fn ln_gamma_1p(x: f64) -> f64 {
    ln_gamma_of_sum(DoubleDouble::sum(1.0, x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::special::table::Table;

    #[test]
    fn matches_the_tables() {
        let table = Table::parse(include_str!("../../../../../testdata/special/gamma.csv"));
        table.check("ln_gamma", 4e-16, |a| ln_gamma(a[0]));
        table.check("ln_gamma_1p", 6e-16, |a| ln_gamma_1p(a[0]));
        table.check("ln_gamma_multivariate", 4e-16, |a| ln_gamma_multivariate(a[0] as usize, a[1]));
    }

    #[test]
    fn domain_faults_are_nan() {
        assert!(ln_gamma(-0.5).is_nan() && ln_gamma(f64::NAN).is_nan());
        assert_eq!(ln_gamma(0.0), f64::INFINITY);
        assert_eq!(ln_gamma(f64::INFINITY), f64::INFINITY);
        assert!(ln_gamma_multivariate(3, 1.0).is_nan());
        assert!(ln_gamma_multivariate(1, f64::NAN).is_nan());
        assert_eq!(ln_gamma_multivariate(0, 3.0), 0.0);
        assert_eq!(ln_gamma_multivariate(1, 3.5), ln_gamma(3.5));
    }
}
