//! The product of a panel with itself, tile by tile, added to the upper triangle of a square matrix.

use super::super::tile::{STRIPS, WithStrips, accumulate, group_of, store, vectors, with_strips};
use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// into += leftᵀ right over the first `rows` of `depth` steps.
pub(super) struct Product<'a> {
    pub(super) left: &'a [f64],
    pub(super) right: &'a [f64],
    pub(super) rows: usize,
    pub(super) depth: usize,
    pub(super) cols: usize,
    /// Numbers in a row of `into`.
    pub(super) stride: usize,
    /// Whether what stands below the diagonal may be overwritten.
    pub(super) whole: bool,
    pub(super) into: &'a mut [f64],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        with_strips(simd, self);
    }
}

impl WithStrips for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_strips<S: Simd, const W: usize, const VECTORS: usize>(mut self, simd: S) {
        // Groups of columns outside, so that their strips stay in the first-level cache while the strips
        // of the rows stream past; the narrow group comes first, where its column of tiles is short.
        let strips = self.cols.div_ceil(W);
        let mut j = 0;
        while j < strips {
            let group = group_of::<S>(strips - j);
            for i in 0..j + group {
                let first = i.max(j);
                match j + group - first {
                    1 => self.tile::<S, W, 1, VECTORS>(simd, i, first),
                    2 => self.tile::<S, W, 2, VECTORS>(simd, i, first),
                    _ => self.tile::<S, W, STRIPS, VECTORS>(simd, i, first),
                }
            }
            j += group;
        }
    }
}

impl Product<'_> {
    /// Adds the tile of row strip `i` and column strips `j..j + N`.
    #[inline(always)]
    fn tile<S: Simd, const W: usize, const N: usize, const VECTORS: usize>(&mut self, simd: S, i: usize, j: usize) {
        let (left, _) = self.left.as_chunks::<W>();
        let (right, _) = self.right.as_chunks::<W>();
        let left = &left[i * self.depth..][..self.rows];
        let right: [&[[f64; W]]; N] = from_fn(|n| &right[(j + n) * self.depth..][..self.rows]);
        let mut sums = [[[simd.splat_f64s(0.0); VECTORS]; N]; W];
        accumulate::<S, W, N, VECTORS>(
            simd,
            0..self.rows,
            #[inline(always)]
            |t, q| left[t][q],
            right,
            &mut sums,
        );
        let (cols, stride) = (self.cols, self.stride);
        let rows = &mut self.into[i * W * stride..];
        if (j + N) * W <= stride && (i < j || self.whole) {
            for (q, sums) in sums.iter().enumerate() {
                let (cells, _) = rows[q * stride + j * W..][..N * W].as_chunks_mut::<W>();
                for (cells, sums) in cells.iter_mut().zip(sums) {
                    let old = vectors::<S, W, VECTORS>(cells);
                    store::<S, W, VECTORS>(from_fn(|v| simd.add_f64s(old[v], sums[v])), cells);
                }
            }
            return;
        }
        let mut spilled = [[[0.0; W]; N]; W];
        for (spilled, sums) in spilled.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
            store::<S, W, VECTORS>(*sums, spilled);
        }
        for (q, (row, sums)) in rows.chunks_exact_mut(stride).zip(&spilled).enumerate() {
            let (from, to) = ((i * W + q).max(j * W), cols.min((j + N) * W));
            for (cell, sum) in row[from..to].iter_mut().zip(&sums.as_flattened()[from - j * W..]) {
                *cell += sum;
            }
        }
    }
}
