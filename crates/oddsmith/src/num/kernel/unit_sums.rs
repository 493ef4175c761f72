//! Sums of many units side by side: out[i,u] = constant[u] + Σ_j weight[u,j] (x_ij − centre_j).
//!
//! The layers of a network have more units than a vector has places, and fewer columns than would be worth a sum along them: a tile of
//! rows and strips of units (see `tile`) stays in registers while the columns pass, and no vector is ever added up across. A sum takes
//! its columns in their order, whatever rows stand beside its own. Cost: 2·n·p·U operations.

use super::aligned::Aligned;
use super::tile::{STRIPS, WithStrips, accumulate, group_of, store, vectors, with_strips};
use super::{Panel, PanelRows, padded};
use crate::num::MatrixView;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};
use std::array::from_fn;

/// The units of a layer: their constants and weights.
#[derive(Debug, Clone)]
pub struct UnitSums {
    arch: Arch,
    cols: usize,
    units: usize,
    /// Of every unit, and zeros up to whole strips.
    constant: Aligned,
    /// Of every column; empty where all are zero.
    centre: Vec<f64>,
    /// Strip after strip of units, column by column.
    packed: Aligned,
}

impl UnitSums {
    /// Units of `constant.len()` constants, whose weights lie one unit after the other.
    ///
    /// # Panics
    /// When the numbers of weights, constants and columns contradict each other.
    pub fn new(constant: &[f64], weight: &[f64], centre: &[f64]) -> Self {
        Self::by_place(arch(), constant, centre, |u, j| weight[u * centre.len() + j], weight.len())
    }

    /// The same with the weights of a column side by side: what a layer hands back to the one before it.
    ///
    /// # Panics
    /// When the numbers of weights, constants and columns contradict each other.
    pub fn transposed(constant: &[f64], weight: &[f64], centre: &[f64]) -> Self {
        Self::by_place(arch(), constant, centre, |u, j| weight[j * constant.len() + u], weight.len())
    }

    fn by_place(arch: Arch, constant: &[f64], centre: &[f64], weight: impl Fn(usize, usize) -> f64, weights: usize) -> Self {
        let (units, cols) = (constant.len(), centre.len());
        assert_eq!(weights, units * cols, "one weight per unit and column");
        let width = arch.dispatch(Width);
        let mut packed = Aligned::zeros(padded(units) * cols);
        for (s, strip) in packed.numbers_mut().chunks_exact_mut((cols * width).max(1)).enumerate() {
            for (j, cells) in strip.chunks_exact_mut(width).enumerate() {
                cells.iter_mut().zip(s * width..units).for_each(|(cell, u)| *cell = weight(u, j));
            }
        }
        let centre = if centre.iter().all(|c| *c == 0.0) { Vec::new() } else { centre.to_vec() };
        UnitSums { arch, cols, units, constant: Aligned::padded_rows(constant, units, padded(units)), centre, packed }
    }

    /// Fills `out`, row-major with one number per unit.
    ///
    /// # Panics
    /// When the rows have another number of columns or `out` another size.
    pub fn score(&self, rows: MatrixView<'_>, panel: &mut Panel, out: &mut [f64]) {
        assert_eq!((rows.cols(), out.len()), (self.cols, rows.rows() * self.units), "all columns, one sum per row and unit");
        if self.units == 0 {
            return;
        }
        panel.for_blocks(rows, |first, block| {
            let out = &mut out[first * self.units..(first + block.rows()) * self.units];
            self.arch.dispatch(ScoreBlock { layer: self, block, out });
        });
    }
}

/// Numbers in a strip.
struct Width;

impl WithSimd for Width {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        super::tile::strip_width(S::F64_LANES)
    }
}

struct ScoreBlock<'a> {
    layer: &'a UnitSums,
    block: PanelRows<'a>,
    out: &'a mut [f64],
}

impl WithSimd for ScoreBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        with_strips(simd, self);
    }
}

impl WithStrips for ScoreBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn with_strips<S: Simd, const W: usize, const VECTORS: usize>(self, simd: S) {
        let (cols, strips) = (self.layer.cols, self.layer.units.div_ceil(W));
        let mut centred = vec![0.0; if self.layer.centre.is_empty() { 0 } else { W * cols }];
        for first in (0..self.block.rows()).step_by(W) {
            // A tile is always whole: what is behind the last row is the last row again, and is not written.
            let last = self.block.rows() - 1;
            let mut rows: [&[f64]; W] = from_fn(|q| self.block.row((first + q).min(last)));
            if !centred.is_empty() {
                for (row, into) in rows.iter().zip(centred.chunks_exact_mut(cols)) {
                    into.iter_mut().zip(*row).zip(&self.layer.centre).for_each(|((into, x), centre)| *into = x - centre);
                }
                rows = from_fn(|q| &centred[q * cols..(q + 1) * cols]);
            }
            let mut s = 0;
            while s < strips {
                let group = group_of::<S>(strips - s);
                match group {
                    1 => tile::<S, W, 1, VECTORS>(simd, self.layer, rows, first, s, self.out),
                    2 => tile::<S, W, 2, VECTORS>(simd, self.layer, rows, first, s, self.out),
                    _ => tile::<S, W, STRIPS, VECTORS>(simd, self.layer, rows, first, s, self.out),
                }
                s += group;
            }
        }
    }
}

/// W rows from `first` on times the strips `s..s + N` of units.
#[inline(always)]
fn tile<S: Simd, const W: usize, const N: usize, const VECTORS: usize>(
    simd: S,
    layer: &UnitSums,
    rows: [&[f64]; W],
    first: usize,
    s: usize,
    out: &mut [f64],
) {
    let (cols, units) = (layer.cols, layer.units);
    let (packed, _) = layer.packed.numbers().as_chunks::<W>();
    let (constants, _) = layer.constant.numbers().as_chunks::<W>();
    let right: [&[[f64; W]]; N] = from_fn(|n| &packed[(s + n) * cols..][..cols]);
    let start: [[S::f64s; VECTORS]; N] = from_fn(|n| vectors::<S, W, VECTORS>(&constants[s + n]));
    let mut sums = [start; W];
    // Slices of one known length: a check of every row at every step would keep the sums out of the registers.
    let rows: [&[f64]; W] = from_fn(|q| &rows[q][..cols]);
    accumulate::<S, W, W, N, VECTORS>(
        simd,
        0..cols,
        #[inline(always)]
        |t, q| rows[q][t],
        right,
        &mut sums,
    );
    let (from, to) = (s * W, units.min((s + N) * W));
    for (row, sums) in out[first * units..].chunks_exact_mut(units).zip(&sums) {
        let (whole, rest) = row[from..to].as_chunks_mut::<W>();
        for (cells, sums) in whole.iter_mut().zip(sums) {
            store::<S, W, VECTORS>(*sums, cells);
        }
        if !rest.is_empty() {
            let mut spilled = [0.0; W];
            store::<S, W, VECTORS>(sums[whole.len()], &mut spilled);
            rest.iter_mut().zip(&spilled).for_each(|(cell, sum)| *cell = *sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch, layouts, shapes};
    use super::*;

    #[test]
    fn agree_with_plain_loops_in_every_shape_and_layout() {
        let mut random = Random::new(71);
        for (rows, cols, units) in shapes(&mut random).into_iter().chain([(23, 30, 64), (1, 2, 70), (17, 5, 8)]) {
            let offset = if cols % 2 == 0 { 1e8 } else { 0.0 };
            let matrix: Vec<f64> = random.normals(rows * cols).iter().map(|x| x + offset).collect();
            let centre: Vec<f64> = random.normals(cols).iter().map(|c| if offset == 0.0 { 0.0 } else { c + offset }).collect();
            let (constant, weight) = (random.normals(units), random.normals(units * cols));
            let swapped: Vec<f64> = (0..cols * units).map(|at| weight[at % units * cols + at / units]).collect();
            let every = every_arch().into_iter();
            let every = every.map(|arch| UnitSums::by_place(arch, &constant, &centre, |u, j| weight[u * cols + j], units * cols));
            for layer in every.chain([UnitSums::new(&constant, &weight, &centre), UnitSums::transposed(&constant, &swapped, &centre)]) {
                layouts(&matrix, rows, cols, |name, view| {
                    let mut out = vec![f64::NAN; rows * units];
                    layer.score(view, &mut Panel::new(), &mut out);
                    for (at, &got) in out.iter().enumerate() {
                        let (i, u) = (at / units, at % units);
                        let terms = (0..cols).map(|j| weight[u * cols + j] * (matrix[i * cols + j] - centre[j]));
                        let (want, size) = terms.fold((constant[u], constant[u].abs()), |(sum, size), t| (sum + t, size + t.abs()));
                        assert_close(got, want, size, 1e-14, &(layer.arch, name, rows, cols, i, u));
                    }
                });
            }
        }
    }

    #[test]
    fn a_row_has_the_same_bits_wherever_it_stands() {
        let mut random = Random::new(72);
        let (rows, cols, units) = (29, 13, 21);
        let matrix = random.normals(rows * cols);
        let layer = UnitSums::new(&random.normals(units), &random.normals(units * cols), &random.normals(cols));
        let view = MatrixView::row_major(&matrix, rows, cols).unwrap();
        let mut all = vec![0.0; rows * units];
        layer.score(view, &mut Panel::new(), &mut all);
        for i in 0..rows {
            let mut one = vec![0.0; units];
            layer.score(view.slice(i, i + 1), &mut Panel::new(), &mut one);
            assert_eq!(one, all[i * units..(i + 1) * units]);
        }
    }
}
