//! Sums of rows times factors: into[m,j] += Σ_i f_im (x_ij − centre_j), and totals[m] += Σ_i f_im.
//!
//! With residuals as factors this is the gradient of a linear model; with row weights it is the column of the
//! intercept in its information matrix. The sums of four factors and four vectors of columns stay in registers while all
//! rows of a block pass, so a block is read once per four factors, from the cache after the first time.
//! Cost: 8·n·p bytes read, 2·n·p·M operations.

use super::aligned::Aligned;
use super::{Panel, PanelRows, fast_sum, padded, widest};
use crate::num::MatrixView;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};
use std::array::from_fn;

/// Vectors of columns that a tile takes side by side at most.
const VECTORS: usize = 4;
/// Factors that a tile takes side by side.
const FACTORS: usize = 4;

/// The kernel and its buffers.
#[derive(Debug, Clone)]
pub struct CrossSums {
    arch: Arch,
    cols: usize,
    centre: Aligned,
    panel: Panel,
}

impl CrossSums {
    /// For rows of `centre.len()` columns.
    pub fn new(centre: &[f64]) -> Self {
        let cols = centre.len();
        CrossSums { arch: arch(), cols, centre: Aligned::padded_rows(centre, cols, padded(cols)), panel: Panel::new() }
    }

    /// Adds a block of rows; `factors` holds one number per row and sum, row after row.
    ///
    /// # Panics
    /// When the lengths of the slices contradict the shape of the rows.
    pub fn add(&mut self, rows: MatrixView<'_>, factors: &[f64], into: &mut [f64], totals: &mut [f64]) {
        let outputs = totals.len();
        assert_eq!((rows.cols(), factors.len()), (self.cols, rows.rows() * outputs), "all columns, one factor per row and sum");
        assert_eq!(into.len(), self.cols * outputs, "one sum per factor and column");
        match totals {
            [total] => *total += fast_sum(factors),
            _ => widest(
                #[inline(always)]
                || {
                    factors
                        .chunks_exact(outputs.max(1))
                        .for_each(|row| totals.iter_mut().zip(row).for_each(|(total, factor)| *total += factor))
                },
            ),
        }
        if self.cols == 0 {
            return;
        }
        let mut panel = std::mem::take(&mut self.panel);
        panel.for_blocks(rows, |first, block| {
            let factors = &factors[first * outputs..(first + block.rows()) * outputs];
            self.arch.dispatch(AddBlock { cross: self, block, factors, outputs, into });
        });
        self.panel = panel;
    }
}

struct AddBlock<'a> {
    cross: &'a CrossSums,
    block: PanelRows<'a>,
    factors: &'a [f64],
    outputs: usize,
    into: &'a mut [f64],
}

impl WithSimd for AddBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let whole = self.cross.cols / S::F64_LANES;
        let mut m = 0;
        while m < self.outputs {
            match self.outputs - m {
                1 => self.columns::<S, 1>(simd, m, whole),
                2 => self.columns::<S, 2>(simd, m, whole),
                3 => self.columns::<S, 3>(simd, m, whole),
                _ => self.columns::<S, FACTORS>(simd, m, whole),
            }
            m += FACTORS;
        }
    }
}

impl AddBlock<'_> {
    #[inline(always)]
    fn columns<S: Simd, const Q: usize>(&mut self, simd: S, m: usize, whole: usize) {
        // Sums of more than two vectors do not stay in the 16 registers of AVX2.
        let most = if S::F64_LANES == 4 { 2 } else { VECTORS };
        let mut v = 0;
        while v < whole {
            match (whole - v).min(most) {
                1 => self.tile::<S, Q, 1>(simd, m, v),
                2 => self.tile::<S, Q, 2>(simd, m, v),
                3 => self.tile::<S, Q, 3>(simd, m, v),
                _ => self.tile::<S, Q, VECTORS>(simd, m, v),
            }
            v += most;
        }
        self.rest::<S, Q>(simd, m, whole);
    }

    /// The sums of factors `m..m + Q` and vectors `v..v + N` of columns.
    #[inline(always)]
    fn tile<S: Simd, const Q: usize, const N: usize>(&mut self, simd: S, m: usize, v: usize) {
        let (centres, _) = S::as_simd_f64s(self.cross.centre.numbers());
        let centre: [S::f64s; N] = from_fn(|n| centres[v + n]);
        let mut sums = [[simd.splat_f64s(0.0); N]; Q];
        let from = v * S::F64_LANES;
        for (i, factors) in self.factors.chunks_exact(self.outputs).enumerate() {
            let (row, _) = S::as_simd_f64s(&self.block.row(i)[from..]);
            let row = &row[..N];
            let x: [S::f64s; N] = from_fn(|n| simd.sub_f64s(row[n], centre[n]));
            let factors = &factors[m..m + Q];
            for (sums, factor) in sums.iter_mut().zip(factors) {
                let factor = simd.splat_f64s(*factor);
                for (sum, x) in sums.iter_mut().zip(x) {
                    *sum = simd.mul_add_e_f64s(factor, x, *sum);
                }
            }
        }
        for (q, sums) in sums.iter().enumerate() {
            let (cells, _) = S::as_mut_simd_f64s(&mut self.into[(m + q) * self.cross.cols + from..]);
            for (cell, sum) in cells[..N].iter_mut().zip(sums) {
                *cell = simd.add_f64s(*cell, *sum);
            }
        }
    }

    /// The sums of the columns behind the last whole vector.
    #[inline(always)]
    fn rest<S: Simd, const Q: usize>(&mut self, simd: S, m: usize, whole: usize) {
        let cols = self.cross.cols;
        let from = whole * S::F64_LANES;
        if from == cols {
            return;
        }
        let (centres, _) = S::as_simd_f64s(self.cross.centre.numbers());
        let centre = centres[whole];
        let mut sums = [simd.splat_f64s(0.0); Q];
        for (i, factors) in self.factors.chunks_exact(self.outputs).enumerate() {
            let x = simd.sub_f64s(simd.partial_load_f64s(&self.block.row(i)[from..]), centre);
            for (sum, factor) in sums.iter_mut().zip(&factors[m..m + Q]) {
                *sum = simd.mul_add_e_f64s(simd.splat_f64s(*factor), x, *sum);
            }
        }
        for (q, sum) in sums.iter().enumerate() {
            let cells = &mut self.into[(m + q) * cols + from..(m + q + 1) * cols];
            let old = simd.partial_load_f64s(cells);
            simd.partial_store_f64s(cells, simd.add_f64s(old, *sum));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch, layouts, shapes};
    use super::*;

    #[test]
    fn agrees_with_plain_loops_in_every_shape_and_layout() {
        let mut random = Random::new(91);
        for (rows, cols, outputs) in shapes(&mut random) {
            let offset = if cols % 2 == 0 { 1e8 } else { 0.0 };
            let matrix: Vec<f64> = random.normals(rows * cols).iter().map(|x| x + offset).collect();
            let centre: Vec<f64> = random.normals(cols).iter().map(|c| c + offset).collect();
            let factors = random.normals(rows * outputs);
            let start = random.normals(outputs * cols);
            for arch in every_arch() {
                let mut cross = CrossSums { arch, ..CrossSums::new(&centre) };
                layouts(&matrix, rows, cols, |name, view| {
                    let (mut into, mut totals) = (start.clone(), vec![0.0; outputs]);
                    cross.add(view, &factors, &mut into, &mut totals);
                    for m in 0..outputs {
                        let column = || (0..rows).map(|i| factors[i * outputs + m]);
                        assert_close(totals[m], column().sum(), rows as f64, 1e-14, &(arch, name, m));
                        for j in 0..cols {
                            let terms = column().enumerate().map(|(i, f)| f * (matrix[i * cols + j] - centre[j]));
                            let (want, scale) = terms.fold((start[m * cols + j], 1.0), |(sum, size), t| (sum + t, size + f64::abs(t)));
                            assert_close(into[m * cols + j], want, scale, 1e-14, &(arch, name, rows, cols, m, j));
                        }
                    }
                });
            }
        }
    }
}
