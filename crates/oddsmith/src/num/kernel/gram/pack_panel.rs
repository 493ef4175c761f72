//! Rows of one class, centred and weighted into a whole panel, strip after strip.
//!
//! The centre of a strip stays in registers while all rows of the panel pass, and nothing is decided row by row.

use super::super::tile::{WithStrips, store, vectors, with_strips};
use super::super::{PanelRows, padded};
use super::Gram;
use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// Packs the rows from `first` on, one per weight; no weight is zero and there are no more than fit in a panel.
pub(super) struct PackPanel<'a> {
    pub(super) gram: &'a mut Gram,
    pub(super) block: PanelRows<'a>,
    pub(super) first: usize,
    pub(super) weights: &'a [f64],
}

impl WithSimd for PackPanel<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        with_strips(simd, self);
    }
}

impl WithStrips for PackPanel<'_> {
    type Output = ();

    #[inline(always)]
    fn with_strips<S: Simd, const W: usize, const VECTORS: usize>(self, simd: S) {
        let PackPanel { gram, block, first, weights } = self;
        let (cols, depth) = (gram.cols, gram.depth);
        let (shifts, _) = gram.shifts.numbers()[..padded(cols)].as_chunks::<W>();
        let (plain, _) = gram.plain.numbers_mut().as_chunks_mut::<W>();
        let (weighed, _) = gram.weighed.numbers_mut().as_chunks_mut::<W>();
        let whole = cols / W;
        let panels = plain.chunks_exact_mut(depth).zip(weighed.chunks_exact_mut(depth)).zip(shifts);
        for (s, ((plain, weighed), shift)) in panels.enumerate().take(cols.div_ceil(W)) {
            let shift = vectors::<S, W, VECTORS>(shift);
            let steps = plain.iter_mut().zip(weighed).zip(weights).enumerate();
            match s < whole {
                true => steps.for_each(
                    #[inline(always)]
                    |(t, ((plain, weighed), weight))| {
                        if let Some(x) = block.row(first + t).as_chunks::<W>().0.get(s) {
                            write::<S, W, VECTORS>(simd, vectors::<S, W, VECTORS>(x), shift, *weight, plain, weighed);
                        }
                    },
                ),
                false => {
                    let rest = cols - s * W;
                    let lanes: [f64; W] = from_fn(|t| t as f64);
                    let own = vectors::<S, W, VECTORS>(&lanes).map(|lanes| simd.less_than_f64s(lanes, simd.splat_f64s(rest as f64)));
                    steps.for_each(
                        #[inline(always)]
                        |(t, ((plain, weighed), weight))| {
                            let beyond = block.row_and_beyond(first + t, s * W + W).and_then(|row| row.last_chunk::<W>());
                            let x = match beyond {
                                // Clearing what belongs to the next row is several times as fast as gathering the last numbers.
                                Some(strip) => {
                                    let x = vectors::<S, W, VECTORS>(strip);
                                    from_fn(|v| simd.select_f64s(own[v], x[v], simd.splat_f64s(0.0)))
                                }
                                None => {
                                    let mut strip = [0.0; W];
                                    strip[..rest].copy_from_slice(&block.row(first + t)[s * W..]);
                                    vectors::<S, W, VECTORS>(&strip)
                                }
                            };
                            write::<S, W, VECTORS>(simd, x, shift, *weight, plain, weighed);
                        },
                    );
                }
            }
        }
        gram.filled[0] = weights.len();
    }
}

/// One step of a strip: x − shift, and the same times the weight.
#[inline(always)]
fn write<S: Simd, const W: usize, const VECTORS: usize>(
    simd: S,
    x: [S::f64s; VECTORS],
    shift: [S::f64s; VECTORS],
    weight: f64,
    plain: &mut [f64; W],
    weighed: &mut [f64; W],
) {
    let weight = simd.splat_f64s(weight);
    let difference: [S::f64s; VECTORS] = from_fn(|v| simd.sub_f64s(x[v], shift[v]));
    store::<S, W, VECTORS>(difference, plain);
    store::<S, W, VECTORS>(difference.map(|d| simd.mul_f64s(weight, d)), weighed);
}
