//! One odds ratio, risk ratio or risk difference for all strata, by Mantel and Haenszel.
//!
//! ```text
//! R = ad/N, S = bc/N, P = (a+d)/N, Q = (b+c)/N
//! OR = ΣR/ΣS      var ln OR = ΣPR/2(ΣR)² + Σ(PS+QR)/(2ΣRΣS) + ΣQS/2(ΣS)²           (Robins, Breslow and Greenland)
//! RR = Σ(a n0/N)/Σ(c n1/N)     var ln RR = Σ[(m1 n1 n0 − a c N)/N²] / (numerator · denominator)   (Greenland and Robins)
//! RD = Σ(a n0 − c n1)/N / W,  W = Σ n1 n0/N
//!      var RD = (RD Σ[n1² c − n0² a + n1 n0 (n0 − n1)/2]/N² + Σ[a(n0 − c) + c(n1 − a)]/2N) / W²    (Sato)
//! ```
//!
//! All are right for few large strata and for many small ones. Cost: one walk over the strata.

use super::super::estimate::Estimate;
use super::super::table::Table2x2;
use super::StratifiedTable;

impl StratifiedTable {
    /// The pooled odds ratio.
    pub fn mh_odds_ratio(&self, level: f64) -> Estimate {
        let (mut r, mut s, mut pr, mut both, mut qs) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for stratum in self.informative() {
            let Table2x2 { a, b, c, d } = *stratum;
            let n = stratum.total();
            let (ri, si, pi, qi) = (a * d / n, b * c / n, (a + d) / n, (b + c) / n);
            r += ri;
            s += si;
            pr += pi * ri;
            both += pi * si + qi * ri;
            qs += qi * si;
        }
        let variance = pr / (2.0 * r * r) + both / (2.0 * r * s) + qs / (2.0 * s * s);
        Estimate::log_wald(r / s, variance.sqrt(), level)
    }

    /// The pooled risk ratio.
    pub fn mh_risk_ratio(&self, level: f64) -> Estimate {
        let (mut over, mut under, mut spread) = (0.0, 0.0, 0.0);
        for stratum in self.comparable() {
            let (n1, n0, m1, n) = (stratum.exposed(), stratum.unexposed(), stratum.cases(), stratum.total());
            over += stratum.a * n0 / n;
            under += stratum.c * n1 / n;
            spread += (m1 * n1 * n0 - stratum.a * stratum.c * n) / (n * n);
        }
        Estimate::log_wald(over / under, (spread / (over * under)).sqrt(), level)
    }

    /// The pooled risk difference.
    pub fn mh_risk_difference(&self, level: f64) -> Estimate {
        let (mut apart, mut weight, mut p, mut q) = (0.0, 0.0, 0.0, 0.0);
        for stratum in self.comparable() {
            let Table2x2 { a, c, .. } = *stratum;
            let (n1, n0, n) = (stratum.exposed(), stratum.unexposed(), stratum.total());
            apart += (a * n0 - c * n1) / n;
            weight += n1 * n0 / n;
            p += (n1 * n1 * c - n0 * n0 * a + n1 * n0 * (n0 - n1) / 2.0) / (n * n);
            q += (a * (n0 - c) + c * (n1 - a)) / (2.0 * n);
        }
        let value = apart / weight;
        Estimate::wald(value, (value * p + q).max(0.0).sqrt() / weight, level)
    }
}
