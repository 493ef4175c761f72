//! Sums of outer products of centred rows: G += Σ_i w_i (x_i − s_k)(x_i − s_k)ᵀ with k the class of row i.
//!
//! Pooled, all classes add to one p × p matrix; per class, each has its own. Rows are centred into a packed
//! panel of strips (see `tile`); a full panel is multiplied with itself tile by tile and added to the upper
//! triangle, rows of columns i ≤ j. With weights a second panel holds the weighted rows, so that scaling
//! the weights by a power of two scales the result exactly.
//! Cost: 8·n·p bytes read, n·p² operations, panels of `depth` rows per group.

use super::aligned::Aligned;
use super::tile::{STRIPS, WithStrips, accumulate, group_of, store, vectors, with_strips};
use super::{Panel, PanelRows, padded};
use crate::num::MatrixView;
use pulp::{Arch, Simd, WithSimd};
use std::array::from_fn;

/// The kernel and its panels.
#[derive(Debug, Clone)]
pub struct Gram {
    arch: Arch,
    cols: usize,
    classes: usize,
    pooled: bool,
    /// Rows in a full panel.
    depth: usize,
    /// Rows now in the panel of each group.
    filled: Vec<usize>,
    plain: Aligned,
    /// As `plain`, every row times its weight; empty until weights are seen.
    weighed: Aligned,
    shifts: Aligned,
    /// Sums of one call, a padded square per group, where these are small: tiles are then whole everywhere.
    squares: Aligned,
    panel: Panel,
}

/// Numbers in all padded squares up to which they are kept apart from the caller's matrices: 2 MiB.
const SMALL: usize = 1 << 18;

impl Gram {
    /// One matrix for all classes.
    pub fn pooled(classes: usize, cols: usize) -> Self {
        Self::new(classes, cols, true)
    }

    /// One matrix per class.
    pub fn per_class(classes: usize, cols: usize) -> Self {
        Self::new(classes, cols, false)
    }

    fn new(classes: usize, cols: usize, pooled: bool) -> Self {
        let groups = if pooled { 1 } else { classes };
        let depth = panel_depth(cols, groups);
        let squares = groups * padded(cols) * padded(cols);
        Gram {
            arch: Arch::new(),
            cols,
            classes,
            pooled,
            depth,
            filled: vec![0; groups],
            plain: Aligned::zeros(groups * depth * padded(cols)),
            weighed: Aligned::default(),
            shifts: Aligned::zeros(classes * padded(cols)),
            squares: Aligned::zeros(if squares <= SMALL { squares } else { 0 }),
            panel: Panel::new(),
        }
    }

    /// Adds a block of rows to `into`: p × p numbers, or K × p × p per class, of which only the upper
    /// triangles (column ≥ row) are touched. Without labels every row belongs to class 0; `shift` holds
    /// K × p numbers.
    ///
    /// # Panics
    /// When the lengths of the slices contradict the shape of the rows.
    pub fn add(&mut self, rows: MatrixView<'_>, labels: Option<&[u32]>, weights: Option<&[f64]>, shift: &[f64], into: &mut [f64]) {
        let cols = self.cols;
        assert_eq!(rows.cols(), cols, "all columns");
        assert!(labels.is_none_or(|l| l.len() == rows.rows()), "one label per row");
        assert!(weights.is_none_or(|w| w.len() == rows.rows()), "one weight per row");
        assert_eq!((shift.len(), into.len()), (self.classes * cols, self.filled.len() * cols * cols));
        if cols == 0 {
            return;
        }
        if weights.is_some() && self.weighed.numbers().is_empty() {
            self.weighed = Aligned::zeros(self.plain.numbers().len());
        }
        self.shifts.fill_rows(shift, cols, padded(cols));
        self.squares.numbers_mut().fill(0.0);
        let mut panel = std::mem::take(&mut self.panel);
        panel.for_blocks(rows, |first, block| {
            let range = first..first + block.rows();
            let (labels, weights) = (labels.map(|l| &l[range.clone()]), weights.map(|w| &w[range]));
            let mut next = 0;
            while let Some((row, group)) = self.pack(block, next, labels, weights) {
                self.flush(group, weights.is_some(), into);
                next = row;
            }
        });
        self.panel = panel;
        for group in 0..self.filled.len() {
            self.flush(group, weights.is_some(), into);
        }
        let width = padded(cols);
        for (square, into) in self.squares.numbers().chunks_exact(width * width).zip(into.chunks_exact_mut(cols * cols)) {
            for i in 0..cols {
                for (cell, sum) in into[i * cols + i..(i + 1) * cols].iter_mut().zip(&square[i * width + i..]) {
                    *cell += sum;
                }
            }
        }
    }

    /// Packs rows from `next` on until a panel is full; gives the row to go on with and the full group.
    fn pack(&mut self, block: PanelRows<'_>, next: usize, labels: Option<&[u32]>, weights: Option<&[f64]>) -> Option<(usize, usize)> {
        self.arch.dispatch(Pack { gram: self, block, next, labels, weights })
    }

    fn flush(&mut self, group: usize, weighed: bool, into: &mut [f64]) {
        let rows = std::mem::take(&mut self.filled[group]);
        if rows == 0 {
            return;
        }
        let (cols, width, depth) = (self.cols, padded(self.cols), self.depth);
        let range = group * depth * width..(group + 1) * depth * width;
        let right = &self.plain.numbers()[range.clone()];
        let left = if weighed { &self.weighed.numbers()[range] } else { right };
        let squares = self.squares.numbers_mut();
        let flush = match squares.is_empty() {
            true => {
                let into = &mut into[group * cols * cols..][..cols * cols];
                Flush { left, right, rows, depth, cols, stride: cols, whole: false, into }
            }
            false => {
                let into = &mut squares[group * width * width..][..width * width];
                Flush { left, right, rows, depth, cols, stride: width, whole: true, into }
            }
        };
        self.arch.dispatch(flush);
    }
}

/// Deep enough that writing the tiles back costs little beside computing them, shallow enough that the
/// strips of a tile stay in the first-level cache and that many classes do not need much memory. No
/// multiple of 64: strips a page apart would compete for the same places in the cache.
fn panel_depth(cols: usize, groups: usize) -> usize {
    let room = (1 << 22) / (groups * padded(cols)).max(1);
    match cols {
        1500.. => 392,
        400.. => 200,
        _ if room >= 104 => 104,
        _ => 40,
    }
}

struct Pack<'a> {
    gram: &'a mut Gram,
    block: PanelRows<'a>,
    next: usize,
    labels: Option<&'a [u32]>,
    weights: Option<&'a [f64]>,
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

struct Flush<'a> {
    left: &'a [f64],
    right: &'a [f64],
    rows: usize,
    depth: usize,
    cols: usize,
    /// Numbers in a row of `into`.
    stride: usize,
    /// Whether what stands below the diagonal may be overwritten.
    whole: bool,
    into: &'a mut [f64],
}

impl WithSimd for Flush<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        with_strips(simd, self);
    }
}

impl WithStrips for Flush<'_> {
    type Output = ();

    #[inline(always)]
    fn with_strips<S: Simd, const W: usize, const VECTORS: usize>(mut self, simd: S) {
        // Groups of columns outside, so that their strips stay in the first-level cache while the strips
        // of the rows stream past; the narrow group comes first, where its column of tiles is short.
        let strips = self.cols.div_ceil(W);
        let mut j = 0;
        while j < strips {
            let group = group_of(strips - j);
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

impl Flush<'_> {
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

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch, layouts, shapes};
    use super::*;

    struct Case {
        rows: usize,
        cols: usize,
        classes: usize,
        matrix: Vec<f64>,
        labels: Vec<u32>,
        weights: Vec<f64>,
        shift: Vec<f64>,
    }

    impl Case {
        fn random(random: &mut Random, (rows, cols, classes): (usize, usize, usize)) -> Self {
            let offset = if cols % 2 == 0 { 1e8 } else { 0.0 };
            Case {
                rows,
                cols,
                classes,
                matrix: random.normals(rows * cols).iter().map(|x| x + offset).collect(),
                labels: random.labels(rows, classes),
                weights: random.weights(rows),
                shift: random.normals(classes * cols).iter().map(|s| s * 0.1 + offset).collect(),
            }
        }

        /// The upper triangles and the sums of absolute values, by plain loops.
        fn reference(&self, pooled: bool, weighted: bool) -> (Vec<f64>, Vec<f64>) {
            let (cols, groups) = (self.cols, if pooled { 1 } else { self.classes });
            let mut sums = vec![(0.0, 0.0); groups * cols * cols];
            for i in 0..self.rows {
                let (k, w) = (self.labels[i] as usize, if weighted { self.weights[i] } else { 1.0 });
                if k >= self.classes || w == 0.0 {
                    continue;
                }
                let d: Vec<f64> = (0..cols).map(|j| self.matrix[i * cols + j] - self.shift[k * cols + j]).collect();
                let sums = &mut sums[if pooled { 0 } else { k * cols * cols }..][..cols * cols];
                for a in 0..cols {
                    for b in a..cols {
                        let term = w * d[a] * d[b];
                        sums[a * cols + b].0 += term;
                        sums[a * cols + b].1 += term.abs();
                    }
                }
            }
            sums.into_iter().unzip()
        }

        fn check(&self, arch: Arch, pooled: bool, weighted: bool, name: &str, view: MatrixView<'_>, want: &(Vec<f64>, Vec<f64>)) {
            let mut gram = Gram { arch, ..Gram::new(self.classes, self.cols, pooled) };
            let weights = weighted.then_some(&self.weights[..]);
            // Twice with the same kernel: nothing of the first call may stay in the panels.
            let [got, again] = [(); 2].map(|()| {
                let mut sums = vec![0.0; want.0.len()];
                gram.add(view, Some(&self.labels), weights, &self.shift, &mut sums);
                sums
            });
            assert_eq!(got, again);
            for (at, &got) in got.iter().enumerate() {
                assert_close(got, want.0[at], want.1[at], 1e-14, &(arch, name, pooled, weighted, self.rows, self.cols, at));
            }
        }
    }

    #[test]
    fn agrees_with_plain_loops_on_every_shape() {
        let mut random = Random::new(31);
        for shape in shapes(&mut random) {
            let case = Case::random(&mut random, shape);
            let view = MatrixView::row_major(&case.matrix, case.rows, case.cols).unwrap();
            for (pooled, weighted) in [(true, false), (true, true), (false, false), (false, true)] {
                let want = case.reference(pooled, weighted);
                for arch in every_arch() {
                    case.check(arch, pooled, weighted, "row-major", view, &want);
                }
            }
        }
    }

    #[test]
    fn agrees_with_plain_loops_in_every_layout() {
        let mut random = Random::new(32);
        for shape in [(5, 3, 2), (300, 13, 3), (130, 24, 1)] {
            let case = Case::random(&mut random, shape);
            let want = case.reference(false, true);
            layouts(&case.matrix, case.rows, case.cols, |name, view| {
                for arch in every_arch() {
                    case.check(arch, false, true, name, view, &want);
                }
            });
        }
    }

    #[test]
    fn without_labels_every_row_is_of_the_first_class() {
        let view = MatrixView::row_major(&[1.0, 2.0, 3.0, 5.0], 2, 2).unwrap();
        let mut got = [0.0, 0.0, 7.0, 0.0];
        Gram::pooled(1, 2).add(view, None, Some(&[2.0, 1.0]), &[1.0, 1.0], &mut got);
        assert_eq!(got, [4.0, 8.0, 7.0, 18.0], "the lower triangle keeps what it held");
    }
}
