//! McNemar's test of paired answers: only the pairs that disagree tell.
//!
//! ```text
//!                 second yes   second no
//! first yes            a           b
//! first no             c           d            odds ratio b/c
//! χ² = (b − c)²/(b + c), corrected (|b − c| − 1)²/(b + c);  exact: b ~ Binomial(b + c, ½)
//! exact limits of b/c from those of the proportion p = b/(b + c) (Clopper and Pearson): p/(1 − p)
//! ```

use super::super::estimate::{ChiSquared, Estimate};
use super::Table2x2;
use crate::num::special::{beta, binomial};

/// The test and the matched odds ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemar {
    /// Without correction.
    pub plain: ChiSquared,
    /// With the continuity correction.
    pub corrected: ChiSquared,
    /// Exact two-sided p-value; NaN when counts are no whole numbers.
    pub exact_p: f64,
    /// Exact p-value with half of the seen number's probability.
    pub mid_p: f64,
    /// b/c with exact limits.
    pub odds_ratio: Estimate,
}

/// The test of the table of pairs.
pub fn mcnemar(table: &Table2x2, level: f64) -> McNemar {
    let (b, c) = (table.b, table.c);
    let (pairs, apart) = (b + c, (b - c).abs());
    let df = usize::from(pairs > 0.0);
    let (exact_p, mid_p) = if table.is_whole() { binomial_p(b.min(c) as u64, pairs as u64) } else { (f64::NAN, f64::NAN) };
    let odds = |p: f64| p / (1.0 - p);
    let tail = 0.5 * (1.0 - level);
    let low = if b > 0.0 { odds(beta::quantile(tail, b, c + 1.0)) } else { 0.0 };
    let high = if c > 0.0 { odds(beta::quantile_upper(tail, b + 1.0, c)) } else { f64::INFINITY };
    McNemar {
        plain: ChiSquared::new(apart * apart / pairs, df),
        corrected: ChiSquared::new((apart - apart.min(1.0)).powi(2) / pairs, df),
        exact_p,
        mid_p,
        odds_ratio: Estimate::between(b / c, (low, high)),
    }
}

/// Twice the lower tail at ½ of the rarer answer, whole and with half of its own probability.
fn binomial_p(rarer: u64, pairs: u64) -> (f64, f64) {
    if pairs == 0 {
        return (1.0, 1.0);
    }
    let whole = binomial::cdf(rarer, pairs, 0.5);
    let below = if rarer == 0 { 0.0 } else { binomial::cdf(rarer - 1, pairs, 0.5) };
    ((2.0 * whole).min(1.0), (whole + below).min(1.0))
}
