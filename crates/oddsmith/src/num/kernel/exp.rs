//! The exponential function in a form that vectorises: no table, no branch.
//!
//! x = n·ln 2 + r with |r| ≤ ½ ln 2, then eˣ = 2ⁿ (1 + r + r² q(r)), q the polynomial of degree 10 that
//! interpolates (eʳ − 1 − r)/r² at Chebyshev nodes (relative error of the sum below 3.4e-19). 2ⁿ is applied
//! in two exact halves, so that results below the normal range are rounded once. Error below 1 ulp.

use super::fused;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::LOG2_E;

/// Adding and subtracting 1.5·2⁵² rounds a small number to the nearest integer.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts; the first has trailing zeros, so that n times it is exact.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
/// e to anything above this is infinite.
const OVERFLOW: f64 = 709.782_712_893_384;
/// e to anything below this is zero.
const UNDERFLOW: f64 = -745.133_219_101_941_2;

const Q: [f64; 11] = [
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326141,
    0.0013888888888883752,
    0.00019841269874800694,
    2.480158732553351e-05,
    2.755725542549107e-06,
    2.755727366116628e-07,
    2.5105206480259365e-08,
    2.0914679452495193e-09,
];

/// eˣ for one number; a loop over it becomes vector code inside a dispatched kernel.
#[inline(always)]
pub(super) fn exp<S: Simd>(x: f64) -> f64 {
    let n = fused::<S>(x, LOG2_E, ROUND) - ROUND;
    let r = fused::<S>(n, -LN2_LOW, fused::<S>(n, -LN2_HIGH, x));
    let square = r * r;
    // Even and odd coefficients apart: two short chains instead of a long one.
    let mut even = Q[10];
    let mut odd = Q[9];
    for i in (0..5).rev() {
        even = fused::<S>(even, square, Q[2 * i]);
        if i > 0 {
            odd = fused::<S>(odd, square, Q[2 * i - 1]);
        }
    }
    let q = fused::<S>(odd, r, even);
    let small = fused::<S>(square, q, r) + 1.0;
    let half = fused::<S>(n, 0.5, ROUND) - ROUND;
    let value = small * power_of_two(half) * power_of_two(n - half);
    let value = if x < UNDERFLOW { 0.0 } else { value };
    if x > OVERFLOW { f64::INFINITY } else { value }
}

/// 2ⁿ for an integer n between −1022 and 1023, by its bits; anything for other n.
#[inline(always)]
fn power_of_two(n: f64) -> f64 {
    f64::from_bits((n + (ROUND + 1023.0)).to_bits() << 52)
}

/// Replaces every number by its exponential.
pub fn exp_all(numbers: &mut [f64]) {
    exp_all_on(arch(), numbers);
}

fn exp_all_on(arch: Arch, numbers: &mut [f64]) {
    arch.dispatch(ExpAll(numbers));
}

struct ExpAll<'a>(&'a mut [f64]);

impl WithSimd for ExpAll<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for x in self.0 {
            *x = exp::<S>(*x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, every_arch};
    use super::*;

    /// Distance in representable numbers; both must be non-negative.
    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    fn worst(arch: Arch, points: &[f64]) -> u64 {
        let mut values = points.to_vec();
        exp_all_on(arch, &mut values);
        values.iter().zip(points).map(|(&got, &x)| ulps(got, libm::exp(x))).max().unwrap_or(0)
    }

    #[test]
    fn agrees_with_libm_over_the_whole_range() {
        let mut random = Random::new(7);
        let whole: Vec<f64> = (0..400_000).map(|_| -746.0 + random.unit() * 1456.0).collect();
        let near_zero: Vec<f64> = (0..100_000).map(|_| random.normal() * 2f64.powi(-(random.below(60) as i32))).collect();
        let denormal: Vec<f64> = (0..100_000).map(|_| -708.0 - random.unit() * 37.2).collect();
        let ties: Vec<f64> = (-2149..2049).map(|h| f64::from(h) * 0.5 * std::f64::consts::LN_2).collect();
        for arch in every_arch() {
            for points in [&whole, &near_zero, &denormal, &ties] {
                assert!(worst(arch, points) <= 1, "{arch:?}: {} ulp", worst(arch, points));
            }
        }
    }

    #[test]
    fn meets_the_ends_of_the_range() {
        let points = [
            f64::NEG_INFINITY,
            -1e308,
            -745.2,
            -745.133_219_101_941_1,
            -0.0,
            0.0,
            709.782_712_893_383_9,
            709.782_712_893_384_1,
            1e308,
            f64::INFINITY,
            f64::NAN,
        ];
        let want = [0.0, 0.0, 0.0, 5e-324, 1.0, 1.0, libm::exp(709.782_712_893_383_9), f64::INFINITY, f64::INFINITY, f64::INFINITY];
        for arch in every_arch() {
            let mut values = points;
            exp_all_on(arch, &mut values);
            assert_eq!(values[..10], want, "{arch:?}");
            assert!(values[10].is_nan());
        }
    }
}
