//! Rows centred into a panel of strips, each row one step of every strip.

use super::super::tile::{WithStrips, store, vectors, with_strips};
use super::super::{PanelRows, padded};
use super::Gram;
use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// Packs rows from `next` on until a panel is full: gives the row to go on with and the full group.
pub(super) struct Pack<'a> {
    pub(super) gram: &'a mut Gram,
    pub(super) block: PanelRows<'a>,
    pub(super) next: usize,
    pub(super) labels: Option<&'a [u32]>,
    pub(super) weights: Option<&'a [f64]>,
}

impl WithSimd for Pack<'_> {
    type Output = Option<(usize, usize)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        with_strips(simd, self)
    }
}

impl WithStrips for Pack<'_> {
    type Output = Option<(usize, usize)>;

    #[inline(always)]
    fn with_strips<S: Simd, const W: usize, const VECTORS: usize>(self, simd: S) -> Self::Output {
        let Pack { gram, block, next, labels, weights } = self;
        let (width, depth) = (padded(gram.cols), gram.depth);
        let (shifts, plain, weighed) = (gram.shifts.numbers(), gram.plain.numbers_mut(), gram.weighed.numbers_mut());
        for i in next..block.rows() {
            let k = labels.map_or(0, |l| l[i] as usize);
            let weight = weights.map(|w| w[i]);
            if k >= gram.classes || weight == Some(0.0) {
                continue;
            }
            let group = if gram.pooled { 0 } else { k };
            let at = gram.filled[group];
            let (row, shift) = (block.row(i), &shifts[k * width..(k + 1) * width]);
            let panel = group * depth * width..(group + 1) * depth * width;
            let (plain, _) = plain[panel.clone()].as_chunks_mut::<W>();
            match weight {
                None => for_strips::<S, W, VECTORS>(
                    simd,
                    row,
                    shift,
                    #[inline(always)]
                    |s, difference| store::<S, W, VECTORS>(difference, &mut plain[s * depth + at]),
                ),
                Some(weight) => {
                    let (weighed, _) = weighed[panel].as_chunks_mut::<W>();
                    let weight = simd.splat_f64s(weight);
                    for_strips::<S, W, VECTORS>(
                        simd,
                        row,
                        shift,
                        #[inline(always)]
                        |s, difference| {
                            store::<S, W, VECTORS>(difference, &mut plain[s * depth + at]);
                            store::<S, W, VECTORS>(difference.map(|d| simd.mul_f64s(weight, d)), &mut weighed[s * depth + at]);
                        },
                    );
                }
            }
            gram.filled[group] = at + 1;
            if at + 1 == depth {
                return Some((i + 1, group));
            }
        }
        None
    }
}

/// Calls `visit(strip, x − shift)` strip by strip; x is 0 behind the row's end.
#[inline(always)]
fn for_strips<S: Simd, const W: usize, const VECTORS: usize>(
    simd: S,
    row: &[f64],
    shift: &[f64],
    mut visit: impl FnMut(usize, [S::f64s; VECTORS]),
) {
    let (whole, rest) = row.as_chunks::<W>();
    let (shifts, _) = shift.as_chunks::<W>();
    for (s, (x, shift)) in whole.iter().zip(shifts).enumerate() {
        let (x, shift) = (vectors::<S, W, VECTORS>(x), vectors::<S, W, VECTORS>(shift));
        visit(s, from_fn(|v| simd.sub_f64s(x[v], shift[v])));
    }
    if !rest.is_empty() {
        let mut last = [0.0; W];
        for (into, x) in last.iter_mut().zip(rest) {
            *into = *x;
        }
        let (x, shift) = (vectors::<S, W, VECTORS>(&last), vectors::<S, W, VECTORS>(&shifts[whole.len()]));
        visit(whole.len(), from_fn(|v| simd.sub_f64s(x[v], shift[v])));
    }
}
