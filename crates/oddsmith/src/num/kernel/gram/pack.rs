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
        let strips = width / W;
        let (shifts, _) = gram.shifts.numbers().as_chunks::<W>();
        let (plain, _) = gram.plain.numbers_mut().as_chunks_mut::<W>();
        let (weighed, _) = gram.weighed.numbers_mut().as_chunks_mut::<W>();
        let (sums, _) = gram.sums.numbers_mut().as_chunks_mut::<W>();
        let rest = Rest::<S, W, VECTORS>::of(simd, gram.cols);
        let all = !sums.is_empty();
        for i in next..block.rows() {
            let k = labels.map_or(0, |l| l[i] as usize);
            let weight = weights.map(|w| w[i]);
            if k >= gram.classes || weight == Some(0.0) {
                continue;
            }
            let group = if gram.pooled { 0 } else { k };
            let at = gram.filled[group];
            let last = rest.read(simd, block, i);
            let row = Row { row: block.row(i), last, shift: &shifts[k * strips..][..strips] };
            let sums = if all { &mut sums[k * strips..][..strips] } else { &mut [] };
            let panel = group * depth * strips + at..(group + 1) * depth * strips;
            match weight {
                None => row.pack(simd, depth, &mut plain[panel], sums),
                Some(weight) => {
                    row.pack_weighed(simd, depth, &mut plain[panel.clone()], &mut weighed[panel], simd.splat_f64s(weight), sums)
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

/// A row on its way into a panel.
struct Row<'a, S: Simd, const W: usize, const VECTORS: usize> {
    row: &'a [f64],
    /// What stands behind the whole strips.
    last: Option<[S::f64s; VECTORS]>,
    shift: &'a [[f64; W]],
}

impl<S: Simd, const W: usize, const VECTORS: usize> Row<'_, S, W, VECTORS> {
    /// Calls `visit(strip, x - shift)` strip by strip.
    #[inline(always)]
    fn differences(&self, simd: S, mut visit: impl FnMut(usize, [S::f64s; VECTORS])) {
        let (whole, _) = self.row.as_chunks::<W>();
        for (s, (x, shift)) in whole.iter().zip(self.shift).enumerate() {
            let (x, shift) = (vectors::<S, W, VECTORS>(x), vectors::<S, W, VECTORS>(shift));
            visit(s, from_fn(|v| simd.sub_f64s(x[v], shift[v])));
        }
        if let Some(x) = self.last {
            let shift = vectors::<S, W, VECTORS>(&self.shift[whole.len()]);
            visit(whole.len(), from_fn(|v| simd.sub_f64s(x[v], shift[v])));
        }
    }

    #[inline(always)]
    fn pack(&self, simd: S, depth: usize, panel: &mut [[f64; W]], sums: &mut [[f64; W]]) {
        match sums.is_empty() {
            true => self.differences(
                simd,
                #[inline(always)]
                |s, difference| store::<S, W, VECTORS>(difference, &mut panel[s * depth]),
            ),
            false => self.differences(
                simd,
                #[inline(always)]
                |s, difference| {
                    store::<S, W, VECTORS>(difference, &mut panel[s * depth]);
                    add::<S, W, VECTORS>(simd, difference, &mut sums[s]);
                },
            ),
        }
    }

    #[inline(always)]
    fn pack_weighed(
        &self,
        simd: S,
        depth: usize,
        panel: &mut [[f64; W]],
        weighed: &mut [[f64; W]],
        weight: S::f64s,
        sums: &mut [[f64; W]],
    ) {
        self.differences(
            simd,
            #[inline(always)]
            |s, difference| {
                let times_weight = difference.map(|d| simd.mul_f64s(weight, d));
                store::<S, W, VECTORS>(difference, &mut panel[s * depth]);
                store::<S, W, VECTORS>(times_weight, &mut weighed[s * depth]);
                if let Some(sum) = sums.get_mut(s) {
                    add::<S, W, VECTORS>(simd, times_weight, sum);
                }
            },
        );
    }
}

/// Adds to the sum of a strip.
#[inline(always)]
fn add<S: Simd, const W: usize, const VECTORS: usize>(simd: S, values: [S::f64s; VECTORS], sum: &mut [f64; W]) {
    let old = vectors::<S, W, VECTORS>(sum);
    store::<S, W, VECTORS>(from_fn(|v| simd.add_f64s(old[v], values[v])), sum);
}

/// The columns behind the last whole strip.
#[derive(Clone, Copy)]
struct Rest<S: Simd, const W: usize, const VECTORS: usize> {
    cols: usize,
    /// Which places of the last strip belong to the row.
    own: [S::m64s; VECTORS],
}

impl<S: Simd, const W: usize, const VECTORS: usize> Rest<S, W, VECTORS> {
    #[inline(always)]
    fn of(simd: S, cols: usize) -> Self {
        let lanes: [f64; W] = from_fn(|t| t as f64);
        let count = simd.splat_f64s((cols % W) as f64);
        Rest { cols, own: vectors::<S, W, VECTORS>(&lanes).map(|lanes| simd.less_than_f64s(lanes, count)) }
    }

    /// The last strip of row `i`, zero behind the row's end; `None` where all strips are whole.
    #[inline(always)]
    fn read(&self, simd: S, block: PanelRows<'_>, i: usize) -> Option<[S::f64s; VECTORS]> {
        let from = self.cols / W * W;
        if from == self.cols {
            return None;
        }
        // Clearing what belongs to the next row is several times as fast as gathering the last numbers.
        Some(match block.row_and_beyond(i, from + W).and_then(|row| row.last_chunk::<W>()) {
            Some(strip) => {
                let x = vectors::<S, W, VECTORS>(strip);
                from_fn(|v| simd.select_f64s(self.own[v], x[v], simd.splat_f64s(0.0)))
            }
            None => {
                let mut strip = [0.0; W];
                strip.iter_mut().zip(&block.row(i)[from..]).for_each(|(into, x)| *into = *x);
                vectors::<S, W, VECTORS>(&strip)
            }
        })
    }
}
