//! Sums of outer products of centred rows: G += Σ_i w_i (x_i − s_k)(x_i − s_k)ᵀ with k the class of row i.
//!
//! Pooled, all classes add to one p × p matrix; per class, each has its own. Rows are centred into a packed
//! panel of strips (see `tile`); a full panel is multiplied with itself tile by tile and added to the upper
//! triangle, rows of columns i ≤ j. With weights a second panel holds the weighted rows, so that scaling
//! the weights by a power of two scales the result exactly. The sums of the centred rows, where they are asked for, are added up while the rows
//! are packed: memory is visited once.
//! Cost: 8·n·p bytes read, n·p² operations, panels of `depth` rows per group.

mod pack;
mod pack_panel;
mod product;

use self::pack::Pack;
use self::pack_panel::PackPanel;
use self::product::Product;
use super::aligned::Aligned;
use super::{Panel, PanelRows, padded};
use crate::num::MatrixView;
use crate::num::kernel::instructions::arch;
use pulp::Arch;

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
    /// Sums of the centred rows of one call, a padded row per class; empty where nobody asks for them.
    sums: Aligned,
    /// Sums of one call, a padded square per group, where these are small: tiles are then whole everywhere.
    squares: Aligned,
    /// The first of the columns whose sums lie below the diagonal of a square.
    turned: usize,
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
        let depth = panel_depth(cols);
        let squares = groups * padded(cols) * padded(cols);
        Gram {
            arch: arch(),
            cols,
            classes,
            pooled,
            depth,
            filled: vec![0; groups],
            plain: Aligned::zeros(groups * depth * padded(cols)),
            weighed: Aligned::default(),
            shifts: Aligned::zeros(classes * padded(cols)),
            sums: Aligned::default(),
            squares: Aligned::zeros(if squares <= SMALL { squares } else { 0 }),
            turned: cols,
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
            if let (None, Some(weights), 1) = (labels, weights, self.classes) {
                self.add_weighed(block, weights, into);
                return;
            }
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
                let row = &mut into[i * cols + i..(i + 1) * cols];
                let (straight, turned) = row.split_at_mut(self.turned.saturating_sub(i));
                straight.iter_mut().zip(&square[i * width + i..]).for_each(|(cell, sum)| *cell += sum);
                for (j, cell) in (self.turned.max(i)..cols).zip(turned) {
                    *cell += square[j * width + i];
                }
            }
        }
    }

    /// As [`Self::add`], and adds the centred rows themselves to `sums`: K × p numbers, times their weights. A value that is missing or
    /// infinite reaches the sum of its class and column.
    ///
    /// # Panics
    /// When the lengths of the slices contradict the shape of the rows.
    pub fn add_with_sums(
        &mut self,
        rows: MatrixView<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        shift: &[f64],
        into: &mut [f64],
        sums: &mut [f64],
    ) {
        let (cols, width) = (self.cols, padded(self.cols));
        assert_eq!(sums.len(), self.classes * cols, "one sum per class and column");
        self.sums = Aligned::zeros(self.classes * width);
        self.add(rows, Some(labels), weights, shift, into);
        for (sums, own) in sums.chunks_exact_mut(cols.max(1)).zip(self.sums.numbers().chunks_exact(width.max(1))) {
            sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        self.sums = Aligned::default();
    }

    /// Packs rows from `next` on until a panel is full; gives the row to go on with and the full group.
    fn pack(&mut self, block: PanelRows<'_>, next: usize, labels: Option<&[u32]>, weights: Option<&[f64]>) -> Option<(usize, usize)> {
        self.arch.dispatch(Pack { gram: self, block, next, labels, weights })
    }

    /// Adds rows of one class a whole panel at a time.
    fn add_weighed(&mut self, block: PanelRows<'_>, weights: &[f64], into: &mut [f64]) {
        for (at, weights) in weights.chunks(self.depth).enumerate() {
            let first = at * self.depth;
            // What stands in a row of weight zero may be anything, and does not count.
            match weights.iter().all(|weight| *weight != 0.0) {
                true => self.arch.dispatch(PackPanel { gram: self, block, first, weights }),
                false => {
                    let part = block.slice(first, first + weights.len());
                    self.pack(part, 0, None, Some(weights));
                }
            }
            self.flush(0, true, into);
        }
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
        let product = match squares.is_empty() {
            true => {
                let into = &mut into[group * cols * cols..][..cols * cols];
                Product { left, right, rows, depth, cols, stride: cols, whole: false, into }
            }
            false => {
                let into = &mut squares[group * width * width..][..width * width];
                Product { left, right, rows, depth, cols, stride: width, whole: true, into }
            }
        };
        self.turned = self.arch.dispatch(product);
    }
}

/// Deep enough that writing the tiles back costs little beside computing them, shallow enough that a narrow
/// panel stays in the first-level cache. No multiple of 64: strips a page apart would compete for the same
/// places in the cache.
fn panel_depth(cols: usize) -> usize {
    match cols {
        0..128 => 56,
        128..400 => 104,
        400..1500 => 200,
        _ => 392,
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
    fn large_matrices_are_added_in_place() {
        let mut random = Random::new(33);
        let case = Case::random(&mut random, (230, 517, 1));
        assert!(Gram::pooled(1, 517).squares.numbers().is_empty());
        let view = MatrixView::row_major(&case.matrix, case.rows, case.cols).unwrap();
        let want = case.reference(true, true);
        for arch in every_arch() {
            case.check(arch, true, true, "row-major", view, &want);
        }
    }

    #[test]
    fn sums_of_centred_rows_agree_with_plain_loops() {
        let mut random = Random::new(34);
        for shape in shapes(&mut random) {
            let case = Case::random(&mut random, shape);
            let (cols, classes) = (case.cols, case.classes);
            let view = MatrixView::row_major(&case.matrix, case.rows, cols).unwrap();
            for (pooled, weighted) in [(true, false), (true, true), (false, false), (false, true)] {
                let weights = weighted.then_some(&case.weights[..]);
                let (mut want, mut size) = (vec![1.0; classes * cols], vec![1.0; classes * cols]);
                for i in 0..case.rows {
                    let (k, w) = (case.labels[i] as usize, weights.map_or(1.0, |w| w[i]));
                    for j in (0..cols).filter(|_| k < classes && w != 0.0) {
                        let term = w * (case.matrix[i * cols + j] - case.shift[k * cols + j]);
                        want[k * cols + j] += term;
                        size[k * cols + j] += term.abs();
                    }
                }
                let products = case.reference(pooled, weighted);
                for arch in every_arch() {
                    let mut gram = Gram { arch, ..Gram::new(classes, cols, pooled) };
                    let (mut into, mut sums) = (vec![0.0; products.0.len()], vec![1.0; classes * cols]);
                    gram.add_with_sums(view, &case.labels, weights, &case.shift, &mut into, &mut sums);
                    for (at, &got) in sums.iter().enumerate() {
                        assert_close(got, want[at], size[at], 1e-14, &(arch, pooled, weighted, case.rows, cols, at));
                    }
                    for (at, &got) in into.iter().enumerate() {
                        assert_close(got, products.0[at], products.1[at], 1e-14, &(arch, pooled, weighted, case.rows, cols, at));
                    }
                    assert!(gram.sums.numbers().is_empty(), "nobody asks for them the next time");
                }
            }
        }
    }

    #[test]
    fn a_bad_value_reaches_the_sum_of_its_own_class_and_column() {
        let view = MatrixView::row_major(&[1.0, 2.0, f64::NAN, 3.0, f64::INFINITY, 4.0], 3, 2).unwrap();
        let (mut into, mut sums) = ([0.0; 4], [0.0; 4]);
        Gram::pooled(2, 2).add_with_sums(view, &[0, 1, 1], None, &[0.0; 4], &mut into, &mut sums);
        assert_eq!((sums[0], sums[1], sums[3]), (1.0, 2.0, 7.0));
        assert!(sums[2].is_nan());
    }

    #[test]
    fn without_labels_every_row_is_of_the_first_class() {
        let view = MatrixView::row_major(&[1.0, 2.0, 3.0, 5.0], 2, 2).unwrap();
        let mut got = [0.0, 0.0, 7.0, 0.0];
        Gram::pooled(1, 2).add(view, None, Some(&[2.0, 1.0]), &[1.0, 1.0], &mut got);
        assert_eq!(got, [4.0, 8.0, 7.0, 18.0], "the lower triangle keeps what it held");
    }
}
