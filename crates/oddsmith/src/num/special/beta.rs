//! The beta distribution with shapes `a` and `b`, by its quantiles.
//!
//! ```text
//! quantile(p, a, b) = x with I_x(a, b) = p,   quantile_upper(q, a, b) = 1 − quantile(q, b, a)
//! ```
//!
//! Newton in the log odds of `x`, where the tails are log-concave. Tail functions are those of
//! [`incomplete_beta`](crate::num::special::incomplete_beta). Cost: some 50 µs. Worst error: `ε (1 + κ)`, `κ` the
//! condition number of the quantile.

use crate::num::special::beta_point::BetaPoint;
use crate::num::special::incomplete_beta::{beta_tails, shapes_fit};
use crate::num::special::ln_beta::ln_beta;
use crate::num::special::normal;
use crate::num::special::quantile::{Level, Side, invert_tail};

/// The `x` with `P(X ≤ x) = p`; NaN for `p` outside `[0, 1]` or shapes that the tails do not take.
pub fn quantile(p: f64, a: f64, b: f64) -> f64 {
    let odds = quantile_odds(Level::Probability(p), Side::Lower, a, b);
    fraction(odds)
}

/// The `x` with `P(X > x) = q`.
pub fn quantile_upper(q: f64, a: f64, b: f64) -> f64 {
    let odds = quantile_odds(Level::Probability(q), Side::Upper, a, b);
    fraction(odds)
}

/// The odds `x/(1 − x)` of the quantile.
fn quantile_odds(level: Level, side: Side, a: f64, b: f64) -> f64 {
    if !shapes_fit(a, b) || !level.is_valid() {
        return f64::NAN;
    }
    let (level, side) = level.smaller_tail(side);
    if level.is_zero() {
        return if side == Side::Lower { 0.0 } else { f64::INFINITY };
    }
    let log_start = match side {
        Side::Lower => lower_start(level, a, b),
        Side::Upper => -lower_start(level, b, a),
    };
    invert_tail(level, side, libm::exp(log_start), 1.0, |odds| beta_tails(BetaPoint::from_odds(odds, 1.0, 1.0), a, b))
}

/// Log odds of a lower quantile: nearly normal for large shapes, else from `I_x ≈ x^a/(a B)`.
fn lower_start(level: Level, a: f64, b: f64) -> f64 {
    let leading = (level.log() + libm::log(a) + ln_beta(a, b)) / a;
    if a < 1.0 {
        return leading.min(0.0);
    }
    if b < 1.0 {
        // a (1 − x) is nearly a gamma variable of shape b, whose tail beyond −ln p is at most p.
        return libm::log(a / -level.log()).max(leading);
    }
    let spread = (1.0 / a + 1.0 / b).sqrt();
    let normal = libm::log(a / b) - normal::upper_quantile(level) * spread;
    normal.max(leading)
}

fn fraction(odds: f64) -> f64 {
    if odds <= 1.0 { odds / (1.0 + odds) } else { 1.0 / (1.0 + 1.0 / odds) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::special::incomplete_beta;
    use crate::num::special::table::{Table, assert_monotone};

    #[test]
    fn matches_the_tables() {
        let table = Table::parse(include_str!("../../../../../testdata/special/incomplete_beta.csv"));
        table.check("beta_lower", 1e-15, |a| incomplete_beta::lower(a[0], a[1], a[2]));
        table.check("beta_upper", 1e-15, |a| incomplete_beta::upper(a[0], a[1], a[2]));
        table.check("beta_log_lower", 1e-15, |a| incomplete_beta::log_lower(a[0], a[1], a[2]));
        table.check("beta_log_upper", 1e-15, |a| incomplete_beta::log_upper(a[0], a[1], a[2]));
        table.check_conditioned("beta_quantile", 1.0, |a| quantile(a[0], a[1], a[2]));
        table.check_conditioned("beta_quantile_upper", 1.0, |a| quantile_upper(a[0], a[1], a[2]));
    }

    #[test]
    fn tails_complement_and_rise() {
        let shapes = [1e-3, 0.3, 0.999, 1.0, 1.001, 2.5, 40.0, 3e3, 1e8];
        for a in shapes {
            for b in shapes {
                assert_monotone(1e-4, 0.9999, 1_000, |x| {
                    let (below, above) = (incomplete_beta::lower(x, a, b), incomplete_beta::upper(x, a, b));
                    assert_eq!(below + above, 1.0, "x = {x}, a = {a}, b = {b}");
                    incomplete_beta::log_lower(x, a, b)
                });
            }
        }
        assert_monotone(1e-6, 0.999_999, 1_000, |p| quantile(p, 3.0, 0.7));
    }

    #[test]
    fn ends_and_faults() {
        assert_eq!(incomplete_beta::lower(0.0, 2.0, 3.0), 0.0);
        assert_eq!(incomplete_beta::upper(1.0, 2.0, 3.0), 0.0);
        assert_eq!((quantile(0.0, 2.0, 3.0), quantile(1.0, 2.0, 3.0)), (0.0, 1.0));
        for fault in [
            incomplete_beta::lower(-0.1, 1.0, 1.0),
            incomplete_beta::lower(1.1, 1.0, 1.0),
            incomplete_beta::upper(0.5, 0.0, 1.0),
            incomplete_beta::log_upper(0.5, 1.0, f64::INFINITY),
            incomplete_beta::log_lower(f64::NAN, 1.0, 1.0),
            quantile(2.0, 1.0, 1.0),
            quantile_upper(0.5, -1.0, 1.0),
        ] {
            assert!(fault.is_nan());
        }
    }
}
