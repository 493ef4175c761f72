//! Sums of outer products of centred rows: G += Σ_i w_i (x_i − s_k)(x_i − s_k)ᵀ with k the class of row i.
//!
//! Pooled, all classes add to one p × p matrix; per class, each has its own. Rows are centred into a packed
//! panel of strips (see `tile`); a full panel is multiplied with itself tile by tile and added to the upper
//! triangle, rows of columns i ≤ j. With weights a second panel holds the weighted rows, so that scaling
//! the weights by a power of two scales the result exactly.
//! Cost: 8·n·p bytes read, n·p² operations, panels of `depth` rows per group.

use super::tile::{STRIPS, WithStrips, accumulate, strip_width, vectors, with_strips};
use super::{Panel, PanelRows, pad_rows, padded};
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
    plain: Vec<f64>,
    /// As `plain`, every row times its weight; empty until weights are seen.
    weighed: Vec<f64>,
    shifts: Vec<f64>,
    panel: Panel,
}

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
        Gram {
            arch: Arch::new(),
            cols,
            classes,
            pooled,
            depth,
            filled: vec![0; groups],
            plain: vec![0.0; groups * depth * padded(cols)],
            weighed: Vec::new(),
            shifts: Vec::new(),
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
        if weights.is_some() {
            self.weighed.resize(self.plain.len(), 0.0);
        }
        pad_rows(shift, cols, &mut self.shifts);
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
        let size = self.depth * padded(self.cols);
        let range = group * size..(group + 1) * size;
        let right = &self.plain[range.clone()];
        let left = if weighed { &self.weighed[range] } else { right };
        let into = &mut into[group * self.cols * self.cols..][..self.cols * self.cols];
        self.arch.dispatch(Flush { left, right, rows, depth: self.depth, cols: self.cols, into });
    }
}

/// Deep enough that writing the tiles back costs little beside computing them, shallow enough that a
/// narrow panel stays in the first-level cache and that many classes do not need much memory.
fn panel_depth(cols: usize, groups: usize) -> usize {
    let depth = (cols / 2).clamp(96, 384);
    let budget = (1 << 22) / (groups * padded(cols)).max(1);
    depth.min(budget.max(cols / 4).max(32)).next_multiple_of(8)
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
        let width = padded(gram.cols);
        let size = gram.depth * width;
        for i in next..block.rows() {
            let k = labels.map_or(0, |l| l[i] as usize);
            let weight = weights.map(|w| w[i]);
            if k >= gram.classes || weight == Some(0.0) {
                continue;
            }
            let group = if gram.pooled { 0 } else { k };
            let at = gram.filled[group];
            let shift = &gram.shifts[k * width..(k + 1) * width];
            let plain = &mut gram.plain[group * size..(group + 1) * size];
            match weight {
                None => centre_row::<S, W>(simd, block.row(i), shift, gram.depth, at, plain),
                Some(weight) => {
                    let weighed = &mut gram.weighed[group * size..(group + 1) * size];
                    centre_and_weigh_row::<S, W>(simd, block.row(i), shift, gram.depth, at, plain, weighed, weight);
                }
            }
            gram.filled[group] = at + 1;
            if at + 1 == gram.depth {
                return Some((i + 1, group));
            }
        }
        None
    }
}

/// Writes x − shift as step `at` of every strip.
#[inline(always)]
fn centre_row<S: Simd, const W: usize>(simd: S, row: &[f64], shift: &[f64], depth: usize, at: usize, panel: &mut [f64]) {
    for_strips::<W>(
        row,
        shift,
        #[inline(always)]
        |s, x, shift| {
            let into = &mut panel[(s * depth + at) * W..][..W];
            for ((into, x), shift) in S::as_mut_simd_f64s(into).0.iter_mut().zip(S::as_simd_f64s(x).0).zip(S::as_simd_f64s(shift).0) {
                *into = simd.sub_f64s(*x, *shift);
            }
        },
    );
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn centre_and_weigh_row<S: Simd, const W: usize>(
    simd: S,
    row: &[f64],
    shift: &[f64],
    depth: usize,
    at: usize,
    plain: &mut [f64],
    weighed: &mut [f64],
    weight: f64,
) {
    centre_row::<S, W>(simd, row, shift, depth, at, plain);
    let weight = simd.splat_f64s(weight);
    for s in 0..shift.len() / W {
        let range = (s * depth + at) * W..(s * depth + at + 1) * W;
        let from = S::as_simd_f64s(&plain[range.clone()]).0;
        for (into, from) in S::as_mut_simd_f64s(&mut weighed[range]).0.iter_mut().zip(from) {
            *into = simd.mul_f64s(weight, *from);
        }
    }
}

/// Calls `visit(strip, x, shift)` with W numbers each; zeros stand behind the row's end.
#[inline(always)]
fn for_strips<const W: usize>(row: &[f64], shift: &[f64], mut visit: impl FnMut(usize, &[f64; W], &[f64; W])) {
    let (whole, rest) = row.as_chunks::<W>();
    let (shifts, _) = shift.as_chunks::<W>();
    for (s, (x, shift)) in whole.iter().zip(shifts).enumerate() {
        visit(s, x, shift);
    }
    let mut last = [0.0; W];
    for (into, x) in last.iter_mut().zip(rest) {
        *into = *x;
    }
    for (s, shift) in shifts.iter().enumerate().skip(whole.len()) {
        visit(s, &last, shift);
        last = [0.0; W];
    }
}

struct Flush<'a> {
    left: &'a [f64],
    right: &'a [f64],
    rows: usize,
    depth: usize,
    cols: usize,
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
        debug_assert_eq!(W, strip_width(S::F64_LANES));
        // Groups of columns outside, so that their strips stay in the first-level cache while the strips
        // of the rows stream past; the narrow group comes first, where its column of tiles is short.
        let strips = self.cols.div_ceil(W);
        let mut j = 0;
        while j < strips {
            let group = match (strips - j) % STRIPS {
                0 => STRIPS,
                narrow => narrow,
            };
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
        for (q, sums) in sums.iter().enumerate() {
            let row = i * W + q;
            if row >= self.cols {
                break;
            }
            let (from, to) = (row.max(j * W), self.cols.min((j + N) * W));
            let into = &mut self.into[row * self.cols..(row + 1) * self.cols];
            if from == j * W && to == (j + N) * W {
                for (into, sum) in into[from..to].as_chunks_mut::<W>().0.iter_mut().zip(sums) {
                    let old = vectors::<S, W, VECTORS>(into);
                    for (v, cell) in S::as_mut_simd_f64s(&mut into[..]).0.iter_mut().enumerate() {
                        *cell = simd.add_f64s(old[v], sum[v]);
                    }
                }
            } else {
                let mut spilled = [[0.0; W]; N];
                for (spilled, sum) in spilled.iter_mut().zip(sums) {
                    S::as_mut_simd_f64s(&mut spilled[..]).0.copy_from_slice(sum);
                }
                for (cell, sum) in into[from..to].iter_mut().zip(&spilled.as_flattened()[from - j * W..]) {
                    *cell += sum;
                }
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
