//! Score limits of Miettinen and Nurminen (1985): the values that the rows do not refuse.
//!
//! ```text
//! limits = { v : (observed − v)² / (N/(N−1) · variance where v is true) = z² }
//! RD  p1 − p0 − δ       p1(1−p1)/n1 + p0(1−p0)/n0        at the likeliest p1 = p0 + δ
//! RR  p1 − φ p0          p1(1−p1)/n1 + φ² p0(1−p0)/n0     at the likeliest p1 = φ p0
//! OR  a − A              1 / (1/A + 1/B + 1/C + 1/D)      at the table of the same margins with odds ratio ψ
//! ```
//!
//! They exist where a cell, or all cases, are zero, and hold their level where normal limits do not. Cost: some 20 evaluations a limit.

use super::super::estimate::{Estimate, two_sided_z};
use super::Table2x2;
use crate::num::root::root_between;

/// Furthest logarithm of a ratio that is looked at; beyond it a limit is 0 or ∞.
const FURTHEST: f64 = 300.0;

impl Table2x2 {
    /// The odds ratio with score limits.
    pub fn score_odds_ratio(&self, level: f64) -> Estimate {
        let value = self.odds_ratio();
        if !self.is_informative() {
            return Estimate::between(value, (0.0, f64::INFINITY));
        }
        let small = self.total() / (self.total() - 1.0);
        let departure = |psi: f64| {
            let fitted = self.fitted(psi);
            (self.a - fitted.a) * (fitted.reciprocals() / small).sqrt()
        };
        Estimate::between(value, ratio_limits(value, level, departure))
    }

    /// The risk ratio with score limits.
    pub fn score_risk_ratio(&self, level: f64) -> Estimate {
        let (value, n1, n0) = (self.risk_ratio(), self.exposed(), self.unexposed());
        if n1 == 0.0 || n0 == 0.0 || self.cases() == 0.0 {
            return Estimate::between(value, (0.0, f64::INFINITY));
        }
        let (risk1, risk0, small) = (self.exposed_risk(), self.unexposed_risk(), self.total() / (self.total() - 1.0));
        let departure = |phi: f64| {
            let [p1, p0] = self.likeliest_at_ratio(phi);
            // Both risks in units of the larger, or the square of a huge ratio would overflow.
            let unit = phi.max(1.0);
            let variance = (p1 * (1.0 - p1) / n1) / unit / unit + (phi / unit).powi(2) * p0 * (1.0 - p0) / n0;
            let apart = (risk1 - phi * risk0) / unit;
            if apart == 0.0 { 0.0 } else { apart / (variance * small).sqrt() }
        };
        Estimate::between(value, ratio_limits(value, level, departure))
    }

    /// The risk difference with score limits.
    pub fn score_difference(&self, level: f64) -> Estimate {
        let (value, n1, n0) = (self.risk_difference(), self.exposed(), self.unexposed());
        if n1 == 0.0 || n0 == 0.0 {
            return Estimate::between(value, (-1.0, 1.0));
        }
        let (z, small) = (two_sided_z(level), self.total() / (self.total() - 1.0));
        let departure = |delta: f64| {
            let p0 = self.likeliest_at_difference(delta);
            let p1 = (p0 + delta).clamp(0.0, 1.0);
            let variance = p1 * (1.0 - p1) / n1 + p0 * (1.0 - p0) / n0;
            let apart = value - delta;
            if apart == 0.0 { 0.0 } else { apart / (variance * small).sqrt() }
        };
        let low = root_between(-1.0, value, |delta| if delta <= -1.0 { f64::MAX } else { departure(delta) - z });
        let high = root_between(value, 1.0, |delta| if delta >= 1.0 { f64::MIN } else { departure(delta) + z });
        Estimate::between(value, (low.unwrap_or(-1.0), high.unwrap_or(1.0)))
    }

    /// The likeliest risks whose ratio is φ: N φ p0² − (n1 φ + a + n0 + c φ) p0 + m1 = 0, by the root that is stable.
    fn likeliest_at_ratio(&self, phi: f64) -> [f64; 2] {
        let (a, b) = (self.total() * phi, (self.exposed() + self.c) * phi + self.a + self.unexposed());
        let root = (b * b - 4.0 * a * self.cases()).max(0.0).sqrt();
        let p0 = (2.0 * self.cases() / (b + root)).clamp(0.0, 1.0);
        [(phi * p0).clamp(0.0, 1.0), p0]
    }

    /// The likeliest p0 with p1 = p0 + δ. The score falls with p0, so a bracket finds it where a cubic loses its digits.
    fn likeliest_at_difference(&self, delta: f64) -> f64 {
        let term = |count: f64, risk: f64| if count == 0.0 { 0.0 } else { count / risk.max(0.0) };
        let score = |p0: f64| {
            let p1 = p0 + delta;
            term(self.a, p1) + term(self.c, p0) - term(self.b, 1.0 - p1) - term(self.d, 1.0 - p0)
        };
        let (low, high) = (f64::max(0.0, -delta), f64::min(1.0, 1.0 - delta));
        if score(low) <= 0.0 {
            return low;
        }
        if score(high) >= 0.0 {
            return high;
        }
        let finite = |p0: f64| score(p0).clamp(f64::MIN, f64::MAX);
        root_between(low, high, finite).unwrap_or(low)
    }
}

/// Where a departure that falls with a ratio passes +z and −z; 0 and ∞ where it never does.
fn ratio_limits(value: f64, level: f64, departure: impl Fn(f64) -> f64) -> (f64, f64) {
    let z = two_sided_z(level);
    let middle = if value > 0.0 && value < f64::INFINITY { value.ln() } else { 0.0 };
    let at = |theta: f64, aim: f64| departure(libm::exp(theta)) - aim;
    // With a ratio of 0 or ∞ nothing is known of the middle, so the whole line is searched.
    let (below, above) = if value > 0.0 && value < f64::INFINITY { (middle, middle) } else { (FURTHEST, -FURTHEST) };
    let low = if value > 0.0 { root_between(-FURTHEST, below, |theta| at(theta, z)).map_or(0.0, libm::exp) } else { 0.0 };
    let high = if value < f64::INFINITY {
        root_between(above, FURTHEST, |theta| at(theta, -z)).map_or(f64::INFINITY, libm::exp)
    } else {
        f64::INFINITY
    };
    (low, high)
}
