//! The product of a panel with itself, tile by tile, added to the upper triangle of a square matrix.
//!
//! A last strip of few columns would cost as much as a full one. Where what stands below the diagonal may be overwritten, these columns are taken as
//! rows instead: few scalars times all strips, whose sums lie below the diagonal.

use super::super::tile::{STRIPS, WithStrips, accumulate, group_of, store, vectors, with_strips};
use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// Strips that a tile of few rows takes side by side at most.
const WIDE: usize = 4;

/// into += leftᵀ right over the first `rows` of `depth` steps; gives the first of the columns whose sums lie below the diagonal.
pub(in crate::num::kernel) struct Product<'a> {
    pub(in crate::num::kernel) left: &'a [f64],
    pub(in crate::num::kernel) right: &'a [f64],
    pub(in crate::num::kernel) rows: usize,
    pub(in crate::num::kernel) depth: usize,
    pub(in crate::num::kernel) cols: usize,
    /// Numbers in a row of `into`.
    pub(in crate::num::kernel) stride: usize,
    /// Whether what stands below the diagonal may be overwritten.
    pub(in crate::num::kernel) whole: bool,
    pub(in crate::num::kernel) into: &'a mut [f64],
}

impl WithSimd for Product<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        with_strips(simd, self)
    }
}

impl WithStrips for Product<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_strips<S: Simd, const W: usize, const VECTORS: usize>(mut self, simd: S) -> usize {
        // Groups of columns outside, so that their strips stay in the first-level cache while the strips
        // of the rows stream past; the narrow group comes first, where its column of tiles is short.
        let few = if self.whole && self.cols % W <= W / 2 { self.cols % W } else { 0 };
        let strips = if few > 0 { self.cols / W } else { self.cols.div_ceil(W) };
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
        match few {
            0 => return self.cols,
            1 => self.few_columns::<S, W, 1, VECTORS>(simd, strips),
            2 => self.few_columns::<S, W, 2, VECTORS>(simd, strips),
            _ => self.few_columns::<S, W, 4, VECTORS>(simd, strips),
        }
        strips * W
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
        accumulate::<S, W, W, N, VECTORS>(
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

    /// Adds the products of the first Q columns of strip `i`, the last one, with all strips.
    #[inline(always)]
    fn few_columns<S: Simd, const W: usize, const Q: usize, const VECTORS: usize>(&mut self, simd: S, i: usize) {
        let mut j = 0;
        while j <= i {
            let left = i + 1 - j;
            let group = if left.is_multiple_of(WIDE) { WIDE } else { left % WIDE };
            match group {
                1 => self.few_rows::<S, W, Q, 1, VECTORS>(simd, i, j),
                2 => self.few_rows::<S, W, Q, 2, VECTORS>(simd, i, j),
                3 => self.few_rows::<S, W, Q, 3, VECTORS>(simd, i, j),
                _ => self.few_rows::<S, W, Q, WIDE, VECTORS>(simd, i, j),
            }
            j += group;
        }
    }

    /// Adds the tile of the first Q columns of strip `i`, as rows, and column strips `j..j + N`.
    #[inline(always)]
    fn few_rows<S: Simd, const W: usize, const Q: usize, const N: usize, const VECTORS: usize>(&mut self, simd: S, i: usize, j: usize) {
        // Above the diagonal these columns would be on the right: the two factors of every product stay what they are.
        let (scalars, _) = self.right.as_chunks::<W>();
        let (strips, _) = self.left.as_chunks::<W>();
        let scalars = &scalars[i * self.depth..][..self.rows];
        let strips: [&[[f64; W]]; N] = from_fn(|n| &strips[(j + n) * self.depth..][..self.rows]);
        let mut sums = [[[simd.splat_f64s(0.0); VECTORS]; N]; Q];
        accumulate::<S, W, Q, N, VECTORS>(
            simd,
            0..self.rows,
            #[inline(always)]
            |t, q| scalars[t][q],
            strips,
            &mut sums,
        );
        for (q, sums) in sums.iter().enumerate() {
            let (cells, _) = self.into[(i * W + q) * self.stride + j * W..][..N * W].as_chunks_mut::<W>();
            for (cells, sums) in cells.iter_mut().zip(sums) {
                let old = vectors::<S, W, VECTORS>(cells);
                store::<S, W, VECTORS>(from_fn(|v| simd.add_f64s(old[v], sums[v])), cells);
            }
        }
    }
}
