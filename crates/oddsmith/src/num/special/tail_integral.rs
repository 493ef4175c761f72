//! The integral behind every tail: `∫_0^∞ e^{−h(s)} ds` with `h(0) = 0`, `h` convex and rising.
//!
//! In the logarithm of the variable (the log odds, for beta) the gamma and beta densities are log-concave and smooth
//! whatever their shapes, so a tail is its density at the point times this integral. All terms are positive: nothing
//! cancels, however far out the point is.
//!
//! ```text
//! w      with h(w) ≈ 1, from h ≈ slope·s + curvature·s²/2
//! panels [0, 4w], then twice as wide each time, no wider than the distance to the next singularity allows;
//!        20 Gauss–Legendre nodes each, until h > 42
//! ```
//!
//! Cost: 40 to 120 evaluations of `h` and as many exponentials, 1 to 8 µs. Truncation is below 1e-17; what is left is
//! the rounding of `h`, a few 1e-16.

use crate::num::logspace::NeumaierSum;

/// `e^{−42}` is below the last bit of any integral that starts at 1 and is log-concave.
const NEGLIGIBLE: f64 = 42.0;
/// More than any convex `h` needs; a bound for the loop, not a part of the method.
const MOST_PANELS: usize = 400;

/// Positive nodes of the 20-point Gauss–Legendre rule on [−1, 1], with their weights.
const RULE: [(f64, f64); 10] = [
    (0.076_526_521_133_497_34, 0.152_753_387_130_725_84),
    (0.227_785_851_141_645_07, 0.149_172_986_472_603_74),
    (0.373_706_088_715_419_55, 0.142_096_109_318_382_04),
    (0.510_867_001_950_827_1, 0.131_688_638_449_176_64),
    (0.636_053_680_726_515, 0.118_194_531_961_518_41),
    (0.746_331_906_460_150_8, 0.101_930_119_817_240_44),
    (0.839_116_971_822_218_8, 0.083_276_741_576_704_75),
    (0.912_234_428_251_326, 0.062_672_048_334_109_07),
    (0.963_971_927_277_913_8, 0.040_601_429_800_386_94),
    (0.993_128_599_185_094_9, 0.017_614_007_139_152_118),
];

/// `∫_0^∞ e^{−h(s)} ds`; `widest(s)` is the widest panel allowed to start at `s`.
pub(crate) fn tail_integral(slope: f64, curvature: f64, widest: impl Fn(f64) -> f64, h: impl Fn(f64) -> f64) -> f64 {
    let unit = 2.0 / (slope + libm::hypot(slope, (2.0 * curvature).sqrt()));
    let mut sum = NeumaierSum::default();
    let mut start = 0.0;
    let mut width = 4.0 * unit;
    for _ in 0..MOST_PANELS {
        width = width.min(widest(start));
        let half = 0.5 * width;
        let middle = start + half;
        for (node, weight) in RULE {
            let left = libm::exp(-h(middle - half * node));
            let right = libm::exp(-h(middle + half * node));
            sum.add(half * weight * (left + right));
        }
        start += width;
        if h(start) > NEGLIGIBLE {
            break;
        }
        width *= 2.0;
    }
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule of 20 nodes integrates polynomials up to degree 39 exactly.
    #[test]
    fn the_rule_is_gauss_legendre() {
        for power in (0..40).step_by(2) {
            let integral: f64 = RULE.iter().map(|(x, w)| 2.0 * w * x.powi(power)).sum();
            let exact = 2.0 / f64::from(power + 1);
            assert!((integral / exact - 1.0).abs() < 3e-15, "degree {power}");
        }
    }

    #[test]
    fn exponential_and_half_normal_tails() {
        let exponential = tail_integral(3.0, 0.0, |_| f64::INFINITY, |s| 3.0 * s);
        assert!((3.0 * exponential - 1.0).abs() < 5e-16);
        let half_normal = tail_integral(0.0, 4.0, |_| f64::INFINITY, |s| 2.0 * s * s);
        let exact = (std::f64::consts::PI / 8.0).sqrt();
        assert!((half_normal / exact - 1.0).abs() < 5e-16);
    }
}
