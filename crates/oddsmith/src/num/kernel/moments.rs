//! Sums and sums of squares of every column, class by class, in one visit to memory.
//!
//! For each row i of class k = y_i with weight w_i and every column j:
//!   sum[k,j] += w_i (x_ij − shift[k,j]),  square[k,j] += w_i (x_ij − shift[k,j])².
//! With shifts near the class means an offset common to a column loses no digits. NaN and infinities reach
//! the sums of their class and column. Cost: 8·n·p bytes read, 3·n·p operations.

use super::aligned::Aligned;
use super::{Panel, PanelRows, padded};
use crate::num::MatrixView;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};

/// Where the sums of K classes and p columns go; every slice is added to.
#[derive(Debug)]
pub struct MomentSums<'a> {
    /// Rows that counted, per class (K).
    pub rows: &'a mut [u64],
    /// Weight of those rows, per class (K).
    pub weight: &'a mut [f64],
    /// Shifted sums, class after class (K × p).
    pub sum: &'a mut [f64],
    /// Shifted sums of squares, class after class (K × p).
    pub square: &'a mut [f64],
}

/// The kernel and its buffers: three padded rows per class.
#[derive(Debug, Clone)]
pub struct Moments {
    arch: Arch,
    classes: usize,
    cols: usize,
    /// Per class: shifts, running sums, running sums of squares.
    table: Aligned,
    panel: Panel,
}

impl Moments {
    /// Buffers for `classes` classes and `cols` columns.
    pub fn new(classes: usize, cols: usize) -> Self {
        Moments { arch: arch(), classes, cols, table: Aligned::zeros(classes * 3 * padded(cols)), panel: Panel::new() }
    }

    /// Adds a block of rows. `shift` holds K × p numbers.
    ///
    /// # Panics
    /// When the lengths of the slices contradict the shape of the rows.
    pub fn add(&mut self, rows: MatrixView<'_>, labels: &[u32], weights: Option<&[f64]>, shift: &[f64], into: MomentSums<'_>) {
        let (classes, cols) = (self.classes, self.cols);
        assert_eq!((rows.rows(), rows.cols()), (labels.len(), cols), "one label per row, all columns");
        assert!(weights.is_none_or(|w| w.len() == labels.len()), "one weight per row");
        assert_eq!((shift.len(), into.sum.len(), into.square.len()), (classes * cols, classes * cols, classes * cols));
        assert_eq!((into.rows.len(), into.weight.len()), (classes, classes));

        let width = padded(cols);
        let table = self.table.numbers_mut();
        table.fill(0.0);
        if cols > 0 {
            for (entry, shifts) in table.chunks_exact_mut(3 * width).zip(shift.chunks_exact(cols)) {
                entry[..cols].copy_from_slice(shifts);
            }
        }
        for (i, &label) in labels.iter().enumerate() {
            let weight = weights.map_or(1.0, |w| w[i]);
            if (label as usize) < classes && weight != 0.0 {
                into.rows[label as usize] += 1;
                into.weight[label as usize] += weight;
            }
        }
        let arch = self.arch;
        self.panel.for_blocks(rows, |first, block| {
            let range = first..first + block.rows();
            let weights = weights.map(|w| &w[range.clone()]);
            arch.dispatch(AddBlock { block, labels: &labels[range], weights, classes, width, table });
        });
        if cols > 0 {
            for (k, entry) in table.chunks_exact(3 * width).enumerate() {
                for j in 0..cols {
                    into.sum[k * cols + j] += entry[width + j];
                    into.square[k * cols + j] += entry[2 * width + j];
                }
            }
        }
    }
}

struct AddBlock<'a> {
    block: PanelRows<'a>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    classes: usize,
    width: usize,
    table: &'a mut [f64],
}

impl WithSimd for AddBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let AddBlock { block, labels, weights, classes, width, table } = self;
        for (i, &label) in labels.iter().enumerate() {
            let k = label as usize;
            if k >= classes {
                continue;
            }
            let entry = &mut table[k * 3 * width..(k + 1) * 3 * width];
            match weights.map(|w| w[i]) {
                None => add_row(
                    simd,
                    block.row(i),
                    entry,
                    width,
                    #[inline(always)]
                    |d| d,
                ),
                Some(0.0) => {}
                Some(weight) => {
                    let weight = simd.splat_f64s(weight);
                    add_row(
                        simd,
                        block.row(i),
                        entry,
                        width,
                        #[inline(always)]
                        |d| simd.mul_f64s(weight, d),
                    );
                }
            }
        }
    }
}

#[inline(always)]
fn add_row<S: Simd>(simd: S, row: &[f64], entry: &mut [f64], width: usize, weigh: impl Fn(S::f64s) -> S::f64s) {
    let (shift, sums) = entry.split_at_mut(width);
    let (sum, square) = sums.split_at_mut(width);
    let (head, tail) = S::as_simd_f64s(row);
    let shift = S::as_simd_f64s(shift).0;
    let sum = S::as_mut_simd_f64s(sum).0;
    let square = S::as_mut_simd_f64s(square).0;
    for (((x, shift), sum), square) in head.iter().zip(shift).zip(&mut *sum).zip(&mut *square) {
        add_vector(simd, *x, *shift, sum, square, &weigh);
    }
    if !tail.is_empty() {
        let last = head.len();
        add_vector(simd, simd.partial_load_f64s(tail), shift[last], &mut sum[last], &mut square[last], &weigh);
    }
}

#[inline(always)]
fn add_vector<S: Simd>(simd: S, x: S::f64s, shift: S::f64s, sum: &mut S::f64s, square: &mut S::f64s, weigh: &impl Fn(S::f64s) -> S::f64s) {
    let difference = simd.sub_f64s(x, shift);
    let weighed = weigh(difference);
    *sum = simd.add_f64s(*sum, weighed);
    *square = simd.mul_add_e_f64s(weighed, difference, *square);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch, layouts, shapes};
    use super::*;

    struct Sums {
        rows: Vec<u64>,
        weight: Vec<f64>,
        sum: Vec<f64>,
        square: Vec<f64>,
    }

    impl Sums {
        fn zero(classes: usize, cols: usize) -> Self {
            let zeros = vec![0.0; classes * cols];
            Sums { rows: vec![0; classes], weight: vec![0.0; classes], sum: zeros.clone(), square: zeros }
        }

        fn target(&mut self) -> MomentSums<'_> {
            MomentSums { rows: &mut self.rows, weight: &mut self.weight, sum: &mut self.sum, square: &mut self.square }
        }
    }

    #[test]
    fn agree_with_plain_loops_in_every_layout() {
        let mut random = Random::new(11);
        for (rows, cols, classes) in shapes(&mut random) {
            let offset = if cols % 2 == 0 { 1e8 } else { 0.0 };
            let matrix: Vec<f64> = random.normals(rows * cols).iter().map(|x| x + offset).collect();
            let shift: Vec<f64> = random.normals(classes * cols).iter().map(|s| s * 0.1 + offset).collect();
            let (labels, weights) = (random.labels(rows, classes), random.weights(rows));
            for weights in [None, Some(&weights[..])] {
                let mut want = Sums::zero(classes, cols);
                let mut size = vec![0.0; classes * cols];
                for i in 0..rows {
                    let (k, w) = (labels[i] as usize, weights.map_or(1.0, |w| w[i]));
                    if k >= classes || w == 0.0 {
                        continue;
                    }
                    want.rows[k] += 1;
                    want.weight[k] += w;
                    for j in 0..cols {
                        let d = matrix[i * cols + j] - shift[k * cols + j];
                        want.sum[k * cols + j] += w * d;
                        want.square[k * cols + j] += w * d * d;
                        size[k * cols + j] += w * d.abs();
                    }
                }
                for arch in every_arch() {
                    let mut kernel = Moments { arch, ..Moments::new(classes, cols) };
                    layouts(&matrix, rows, cols, |name, view| {
                        let mut got = Sums::zero(classes, cols);
                        kernel.add(view, &labels, weights, &shift, got.target());
                        assert_eq!((&got.rows, &got.weight), (&want.rows, &want.weight));
                        for (at, &size) in size.iter().enumerate() {
                            let place = (arch, name, rows, cols, at);
                            assert_close(got.sum[at], want.sum[at], size, 1e-14, &place);
                            assert_close(got.square[at], want.square[at], want.square[at], 1e-14, &place);
                        }
                    });
                }
            }
        }
    }

    #[test]
    fn every_layout_gives_the_same_bits() {
        let mut random = Random::new(12);
        let (rows, cols, classes) = (1000, 19, 3);
        let (matrix, labels) = (random.normals(rows * cols), random.labels(rows, classes));
        let mut first: Option<Vec<f64>> = None;
        layouts(&matrix, rows, cols, |name, view| {
            let mut got = Sums::zero(classes, cols);
            Moments::new(classes, cols).add(view, &labels, None, &vec![0.0; classes * cols], got.target());
            assert_eq!(first.get_or_insert(got.square.clone()), &got.square, "{name}");
        });
    }

    #[test]
    fn a_bad_value_reaches_its_own_class_and_column_only() {
        let matrix = [1.0, 2.0, f64::NAN, 3.0, f64::INFINITY, 4.0];
        let view = MatrixView::row_major(&matrix, 3, 2).unwrap();
        let mut got = Sums::zero(2, 2);
        Moments::new(2, 2).add(view, &[0, 1, 1], None, &[0.0; 4], got.target());
        assert_eq!((got.sum[0], got.sum[1], got.sum[3]), (1.0, 2.0, 7.0));
        assert!(got.sum[2].is_nan() && got.square[2].is_nan());
    }
}
