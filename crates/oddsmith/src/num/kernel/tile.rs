//! A register tile: sums of outer products that never leave the registers until they are complete.
//!
//! Columns are packed in strips of W adjacent numbers per step: strip s holds, for every step t, its W
//! columns side by side, so a tile reads its operands as streams, whatever the width of the matrix.
//! A tile multiplies W scalars with N strips: W·N vectors of sums (24 of 32 registers with AVX-512, 8 of
//! 16 with AVX2) against W + N loads per step, which keeps the multipliers busy rather than the loads.

use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// Strips that a tile takes side by side at most.
pub(super) const STRIPS: usize = 3;

/// Strips that a full tile takes for `lanes` numbers in a vector. AVX2 has 16 registers: of twelve sums, three strips and a scalar or two one sum ends up in
/// memory, and every step waits for it to be stored and loaded. Eight sums are as many as two multipliers with four steps each can work on.
pub(super) const fn full_tile(lanes: usize) -> usize {
    if lanes == 4 { 2 } else { STRIPS }
}

/// The sums of a tile: Q rows × N strips of V vectors.
pub(super) type Sums<V, const Q: usize, const N: usize, const VECTORS: usize> = [[[V; VECTORS]; N]; Q];

/// A computation over strips, written for any strip width W of `VECTORS` vectors.
pub(super) trait WithStrips {
    type Output;
    fn with_strips<S: Simd, const W: usize, const VECTORS: usize>(self, simd: S) -> Self::Output;
}

/// Chooses the strip width for the instruction set: one vector where vectors are wide, several where
/// they are narrow. Always [`strip_width`] numbers.
#[inline(always)]
pub(super) fn with_strips<S: Simd, T: WithStrips>(simd: S, work: T) -> T::Output {
    match S::F64_LANES {
        8 => work.with_strips::<S, 8, 1>(simd),
        4 => work.with_strips::<S, 4, 1>(simd),
        2 => work.with_strips::<S, 4, 2>(simd),
        _ => work.with_strips::<S, 4, 4>(simd),
    }
}

/// Numbers in a strip for `lanes` numbers in a vector.
pub(super) const fn strip_width(lanes: usize) -> usize {
    if lanes == 8 { 8 } else { 4 }
}

/// Numbers in a strip, for those who pack them.
pub(super) struct StripWidth;

impl WithSimd for StripWidth {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        strip_width(S::F64_LANES)
    }
}

/// One step's W numbers of a strip as vectors.
#[inline(always)]
pub(super) fn vectors<S: Simd, const W: usize, const VECTORS: usize>(step: &[f64; W]) -> [S::f64s; VECTORS] {
    let (whole, _) = S::as_simd_f64s(&step[..]);
    from_fn(|v| whole[v])
}

/// Writes vectors as one step's W numbers.
#[inline(always)]
pub(super) fn store<S: Simd, const W: usize, const VECTORS: usize>(values: [S::f64s; VECTORS], step: &mut [f64; W]) {
    let (whole, _) = S::as_mut_simd_f64s(&mut step[..]);
    for (into, value) in whole.iter_mut().zip(values) {
        *into = value;
    }
}

/// Strips of the next tile when `left` are left: the odd ones come first, all others are full tiles.
#[inline(always)]
pub(super) fn group_of<S: Simd>(left: usize) -> usize {
    match left % full_tile(S::F64_LANES) {
        0 => full_tile(S::F64_LANES),
        odd => odd,
    }
}

/// sums[q][n] += Σ_t left[q](t) · right[n][t]: `left(t, q)` is the scalar of row q at step t.
#[inline(always)]
pub(super) fn accumulate<S: Simd, const W: usize, const Q: usize, const N: usize, const VECTORS: usize>(
    simd: S,
    steps: std::ops::Range<usize>,
    left: impl Fn(usize, usize) -> f64,
    right: [&[[f64; W]]; N],
    sums: &mut Sums<S::f64s, Q, N, VECTORS>,
) {
    let right = right.map(|strip| &strip[..steps.end]);
    for t in steps {
        let right: [[S::f64s; VECTORS]; N] = from_fn(|n| vectors::<S, W, VECTORS>(&right[n][t]));
        for (q, sums) in sums.iter_mut().enumerate() {
            let scalar = simd.splat_f64s(left(t, q));
            for (sum, right) in sums.as_flattened_mut().iter_mut().zip(right.as_flattened()) {
                *sum = simd.mul_add_e_f64s(scalar, *right, *sum);
            }
        }
    }
}
