//! Limits of the non-centrality of a χ² variable: how far from independence a table can be that shows such a statistic.
//!
//! A sum of df squared normal variables whose squared means add up to λ has
//!
//! ```text
//! P(X ≤ x) = Σ_j Poisson(j; λ/2) · P(df/2 + j, x/2)       P: the incomplete gamma function
//! P(a, x) = P(a + 1, x) + xᵃ e⁻ˣ / Γ(a + 1)              taken from the largest j down, Q(a + 1, x) = Q(a, x) + … from the least up:
//! ```
//!
//! addends are never negative, so small tails keep their digits, eleven of them. Of G = 2N·I with λ = 2N·I the limits are those of mutual
//! information; they cover .94 to .99 of the time where 95 % are asked for, and are too wide where association is strong. Cost O(√λ).

use crate::num::special::{incomplete_gamma, ln_gamma};

/// P(X ≤ x) with `df` degrees of freedom and non-centrality `lambda`.
fn cdf(x: f64, df: f64, lambda: f64) -> f64 {
    let (first, last) = likely(lambda);
    let mut below = incomplete_gamma::lower(0.5 * df + last, 0.5 * x);
    let mut sum = 0.0;
    let mut j = last;
    loop {
        sum += poisson(j, 0.5 * lambda) * below.min(1.0);
        if j <= first {
            return sum.min(1.0);
        }
        j -= 1.0;
        below += poisson(0.5 * df + j, 0.5 * x);
    }
}

/// P(X > x) with `df` degrees of freedom and non-centrality `lambda`.
fn sf(x: f64, df: f64, lambda: f64) -> f64 {
    let (first, last) = likely(lambda);
    let mut above = incomplete_gamma::upper(0.5 * df + first, 0.5 * x);
    let mut sum = 0.0;
    let mut j = first;
    while j <= last {
        sum += poisson(j, 0.5 * lambda) * above.min(1.0);
        above += poisson(0.5 * df + j, 0.5 * x);
        j += 1.0;
    }
    sum.min(1.0)
}

/// Non-centralities under which `x` is neither too large nor too small: each tail holds half of what `level` leaves.
pub fn non_centrality_limits(x: f64, df: f64, level: f64) -> (f64, f64) {
    if !(x.is_finite() && x >= 0.0 && df > 0.0 && df.is_finite() && (0.0..1.0).contains(&level)) {
        return (0.0, 0.0);
    }
    let tail = 0.5 * (1.0 - level);
    // The upper tail grows with λ, the lower one shrinks.
    (crossing(x, |lambda| sf(x, df, lambda) >= tail), crossing(x, |lambda| cdf(x, df, lambda) <= tail))
}

/// The least λ from 0 up at which something becomes true and stays so.
fn crossing(near: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, near + 10.0);
    if holds(0.0) {
        return 0.0;
    }
    while !holds(high) && high < 1e300 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// The j that a Poisson variable of mean λ/2 takes but for 10⁻¹⁷ of the time.
fn likely(lambda: f64) -> (f64, f64) {
    let mean = 0.5 * lambda;
    let spread = 9.0 * libm::sqrt(mean) + 40.0;
    (libm::floor((mean - spread).max(0.0)), libm::ceil(mean + spread))
}

/// mᵃ e⁻ᵐ / Γ(a + 1).
fn poisson(a: f64, mean: f64) -> f64 {
    match mean > 0.0 {
        true => libm::exp(a * libm::log(mean) - mean - ln_gamma(a + 1.0)),
        false => f64::from(u8::from(a == 0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::special::chi_squared;

    #[test]
    fn tails_are_those_of_scipy() {
        // scipy 1.17.1: ncx2.cdf(x, df, nc), ncx2.sf(x, df, nc).
        for (x, df, lambda, below, above) in [
            (5.0, 3.0, 2.0, 0.593_405_180_083_155_5, 0.406_594_819_916_844_4),
            (146.443_578_464_5, 9.0, 95.0, 0.976_517_277_483_433_9, 0.023_482_722_516_566_64),
            (146.443_578_464_5, 9.0, 190.0, 0.023_158_392_864_344_422, 0.976_841_607_135_655_8),
            (0.3, 1.0, 12.0, 0.001_740_474_235_485_94, 0.998_259_525_764_514),
            (1000.0, 20.0, 900.0, 0.905_632_682_681_584_1, 0.094_367_317_318_414_93),
        ] {
            let near = |found: f64, known: f64| assert!((found / known - 1.0).abs() < 1e-11, "{x} {df} {lambda}: {found} {known}");
            near(cdf(x, df, lambda), below);
            near(sf(x, df, lambda), above);
        }
    }

    #[test]
    fn without_a_non_centrality_it_is_the_usual_one() {
        for (x, df) in [(0.5, 1.0), (3.0, 4.0), (40.0, 9.0)] {
            assert!((cdf(x, df, 0.0) - chi_squared::cdf(x, df)).abs() < 1e-14);
            assert!((sf(x, df, 0.0) / chi_squared::sf(x, df) - 1.0).abs() < 1e-12);
        }
        assert_eq!(non_centrality_limits(1.0, 9.0, 0.95), (0.0, 0.0));
        assert_eq!(non_centrality_limits(f64::NAN, 9.0, 0.95), (0.0, 0.0));
    }

    #[test]
    fn hair_and_eyes_have_their_known_limits() {
        // 592 people, G of base R; limits of mutual information in nats were computed elsewhere.
        let (low, high) = non_centrality_limits(146.443_578_464_516_04, 9.0, 0.95);
        assert!((low / 1184.0 - 0.080_683_950_64).abs() < 5e-12 && (high / 1184.0 - 0.159_707_628).abs() < 5e-10, "{low} {high}");
    }
}
