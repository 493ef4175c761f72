//! The natural logarithm of positive normal numbers in a form that vectorises: no table, no branch.
//!
//! x = 2ᵉ m with √½ ≤ m < √2; with f = m − 1 and s = f/(2 + f), ln m = 2 artanh s = f − s (f − R), where
//! R = s² P(s²) and P of degree 7 interpolates at Chebyshev nodes (relative error below 5.4e-19).
//! Error below 1 ulp.

use super::fused;
use pulp::Simd;

/// Bits of √½, of 1, and of the mantissa.
const ROOT: u64 = 0x3FE6_A09E_667F_3BCD;
const ONE: u64 = 0x3FF0_0000_0000_0000;
const MANTISSA: u64 = 0x000F_FFFF_FFFF_FFFF;
/// 2⁵²: a number whose bits count whole numbers.
const WHOLE: f64 = 4_503_599_627_370_496.0;
/// ln 2 in two parts; the first has trailing zeros, so that e times it is exact.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);

const P: [f64; 8] = [
    0.6666666666666666,
    0.4000000000000088,
    0.28571428570803536,
    0.22222222391731225,
    0.181817956382835,
    0.15386239803406362,
    0.132687704447458,
    0.13086654320256796,
];

/// ln x for a positive normal number; NaN for NaN.
#[inline(always)]
pub(super) fn ln<S: Simd>(x: f64) -> f64 {
    // Moved by 1/√½, the exponent field alone decides to which side of √½ a mantissa belongs.
    let moved = x.to_bits().wrapping_add(ONE - ROOT);
    let e = f64::from_bits((moved >> 52) | WHOLE.to_bits()) - (WHOLE + 1023.0);
    let f = f64::from_bits((moved & MANTISSA) + ROOT) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut p = P[7];
    for &c in P[..7].iter().rev() {
        p = fused::<S>(p, z, c);
    }
    // f − s (f − R), with f²/2 split off so that the large parts cancel exactly.
    let half = 0.5 * f * f;
    let tail = fused::<S>(s, fused::<S>(p, z, half), e * LN2_LOW);
    let value = fused::<S>(e, LN2_HIGH, f - (half - tail));
    if x.is_nan() { x } else { value }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, every_arch};
    use super::*;
    use pulp::WithSimd;

    struct Each<'a>(&'a mut [f64]);

    impl WithSimd for Each<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            for x in self.0 {
                *x = ln::<S>(*x);
            }
        }
    }

    #[test]
    fn agrees_with_libm() {
        let mut random = Random::new(8);
        let mut points: Vec<f64> = (0..200_000).map(|_| 1.0 + random.unit() * 30.0).collect();
        points.extend((0..100_000).map(|_| 1.0 + (random.unit() - 0.5) * 2f64.powi(-(random.below(52) as i32))));
        points.extend((0..200_000).map(|_| f64::from_bits((1 + random.bits() % 0x7FE) << 52 | random.bits() & MANTISSA)));
        points.extend([1.0, f64::MIN_POSITIVE, f64::MAX, f64::from_bits(ROOT), f64::from_bits(ROOT - 1), 2.0, std::f64::consts::SQRT_2]);
        for arch in every_arch() {
            let mut values = points.clone();
            arch.dispatch(Each(&mut values));
            for (&x, &got) in points.iter().zip(&values) {
                let want = libm::log(x);
                let ulp = f64::from_bits(want.abs().to_bits() + 1) - want.abs();
                assert!((got - want).abs() <= 2.0 * ulp, "{arch:?}: ln {x:e} = {got:e}, not {want:e}");
            }
            let mut nan = [f64::NAN];
            arch.dispatch(Each(&mut nan));
            assert!(nan[0].is_nan());
        }
    }
}
