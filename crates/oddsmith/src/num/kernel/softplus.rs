//! ln(1 + eˣ), the loss of a row whose wrong class is ahead by log odds of x.
//!
//! max(x, 0) + ln(1 + q) with q = e^{−|x|}; what 1 + q rounds away comes back as a first-order correction, so that a tiny loss keeps
//! its digits. Cost: one exponential, one logarithm and a division per number.

use super::exp::exp;
use super::ln::ln;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};

/// Replaces every number by ln(1 + eˣ); NaN stays NaN.
pub fn softplus_all(values: &mut [f64]) {
    softplus_on(arch(), values);
}

fn softplus_on(arch: Arch, values: &mut [f64]) {
    arch.dispatch(Each(values));
}

struct Each<'a>(&'a mut [f64]);

impl WithSimd for Each<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Chunks of a known length become vectors.
        let (chunks, rest) = self.0.as_chunks_mut::<8>();
        for chunk in chunks {
            for x in chunk {
                *x = softplus::<S>(*x);
            }
        }
        for x in rest {
            *x = softplus::<S>(*x);
        }
    }
}

#[inline(always)]
fn softplus<S: Simd>(x: f64) -> f64 {
    let q = exp::<S>(-x.abs());
    let one = 1.0 + q;
    let log = ln::<S>(one) - ((one - 1.0) - q) / one;
    log + if x > 0.0 { x } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch};
    use super::*;

    #[test]
    fn agrees_with_plain_formulas_for_numbers_of_every_size() {
        let mut random = Random::new(93);
        let scale = [1e-9, 0.1, 3.0, 30.0, 300.0];
        let inputs: Vec<f64> = (0..501).map(|i| random.normal() * scale[i % 5]).collect();
        for arch in every_arch() {
            let mut got = inputs.clone();
            softplus_on(arch, &mut got);
            for (x, got) in inputs.iter().zip(got) {
                let want = x.max(0.0) + libm::log1p(libm::exp(-x.abs()));
                assert_close(got, want, want, 4e-16, &(arch, x));
            }
        }
    }

    #[test]
    fn ends_of_the_range_keep_their_meaning() {
        let mut values = [f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, f64::NAN];
        softplus_all(&mut values);
        assert_eq!(values[..4], [f64::INFINITY, 0.0, 1e300, 0.0]);
        assert!(values[4].is_nan());
    }
}
