//! The chi-squared distribution with `df` degrees of freedom.
//!
//! ```text
//! P(X > x) = Q(df/2, x/2)          the regularised incomplete gamma function
//! ```
//!
//! Cost and errors are those of the incomplete gamma function (halving is exact): tails and log tails 1e-15; quantiles
//! `ε (1 + κ)`, `κ` the condition number of the quantile. A quantile takes some 30 µs.

use crate::num::special::incomplete_gamma::{gamma_quantile, gamma_tails};
use crate::num::special::quantile::{Level, Side};

/// `P(X ≤ x)`; NaN for `df ≤ 0`, infinite `df`, or NaN. 0 for negative `x`.
pub fn cdf(x: f64, df: f64) -> f64 {
    gamma_tails(0.5 * df, 0.5 * above_zero(x)).lower
}

/// `P(X > x)`, accurate when tiny: the p-value of a chi-squared statistic.
pub fn sf(x: f64, df: f64) -> f64 {
    gamma_tails(0.5 * df, 0.5 * above_zero(x)).upper
}

/// `ln P(X ≤ x)`.
pub fn log_cdf(x: f64, df: f64) -> f64 {
    gamma_tails(0.5 * df, 0.5 * above_zero(x)).log_lower
}

/// `ln P(X > x)`, also where the p-value underflows.
pub fn log_sf(x: f64, df: f64) -> f64 {
    gamma_tails(0.5 * df, 0.5 * above_zero(x)).log_upper
}

/// The `x` with `P(X ≤ x) = p`; NaN outside `[0, 1]`.
pub fn quantile(p: f64, df: f64) -> f64 {
    2.0 * gamma_quantile(0.5 * df, Level::Probability(p), Side::Lower)
}

/// The `x` with `P(X > x) = q`: the critical value of level `q`.
pub fn quantile_upper(q: f64, df: f64) -> f64 {
    2.0 * gamma_quantile(0.5 * df, Level::Probability(q), Side::Upper)
}

/// Rounding can push a statistic a little below 0, where all of the distribution still lies above.
fn above_zero(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::special::incomplete_gamma;
    use crate::num::special::table::{Table, assert_monotone};

    #[test]
    fn matches_the_tables() {
        let table = Table::parse(include_str!("../../../../../testdata/special/incomplete_gamma.csv"));
        table.check("gamma_lower", 1e-15, |a| incomplete_gamma::lower(a[0], a[1]));
        table.check("gamma_upper", 1e-15, |a| incomplete_gamma::upper(a[0], a[1]));
        table.check("gamma_log_lower", 1e-15, |a| incomplete_gamma::log_lower(a[0], a[1]));
        table.check("gamma_log_upper", 1e-15, |a| incomplete_gamma::log_upper(a[0], a[1]));
        table.check("chi_squared_sf", 1e-15, |a| sf(a[0], a[1]));
        table.check("chi_squared_log_sf", 1e-15, |a| log_sf(a[0], a[1]));
        table.check_conditioned("chi_squared_quantile", 1.0, |a| quantile(a[0], a[1]));
        table.check_conditioned("chi_squared_quantile_upper", 1.0, |a| quantile_upper(a[0], a[1]));
    }

    #[test]
    fn tails_complement_and_fall() {
        for df in [1e-3, 0.5, 1.0, 1.9999, 2.0, 2.0001, 3.0, 17.0, 400.0, 1e6, 1e12] {
            let spread = 60.0 * f64::sqrt(2.0 * df) + 20.0;
            let (from, to) = (f64::max(1e-9, df - spread), df + spread);
            assert_monotone(from, to, 4_000, |x| {
                assert_eq!(cdf(x, df) + sf(x, df), 1.0, "x = {x}, df = {df}");
                log_cdf(x, df)
            });
            assert_monotone(from, to, 4_000, |x| -log_sf(x, df));
        }
        assert_monotone(1e-6, 0.999_999, 2_000, |p| quantile(p, 3.0));
        assert_monotone(1.0, 100.0, 2_000, |df| sf(20.0, df));
    }

    #[test]
    fn ends_and_faults() {
        let inf = f64::INFINITY;
        assert_eq!((cdf(0.0, 3.0), sf(0.0, 3.0), sf(-1e-20, 3.0)), (0.0, 1.0, 1.0));
        assert_eq!((cdf(inf, 3.0), sf(inf, 3.0), log_sf(inf, 3.0)), (1.0, 0.0, -inf));
        assert_eq!((quantile(0.0, 2.0), quantile(1.0, 2.0)), (0.0, inf));
        // Between two subnormal numbers the quantile has nowhere to go, and must still answer.
        assert!((quantile(0.025, 0.01) / 4.37e-321 - 1.0).abs() < 0.01);
        assert_eq!(quantile(0.02, 0.01), 0.0);
        assert_eq!((quantile_upper(0.0, 2.0), quantile_upper(1.0, 2.0)), (inf, 0.0));
        for fault in [
            sf(1.0, 0.0),
            sf(1.0, -3.0),
            sf(1.0, inf),
            sf(1.0, f64::NAN),
            log_cdf(f64::NAN, 1.0),
            quantile(1.5, 1.0),
            quantile_upper(0.5, -1.0),
        ] {
            assert!(fault.is_nan());
        }
    }
}
