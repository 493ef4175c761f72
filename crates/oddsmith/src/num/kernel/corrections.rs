//! Corrections row after row: where y (c + w·x) is not above zero, w += s y x and c += s y.
//!
//! Every row waits for what the row before it did to w, so what counts is the time from one w to the next. Where w fits the registers it stays there,
//! its products with a row are added up in four sums side by side, and a row that is right corrects by zero, because no one could foresee which
//! rows are wrong. Other widths, and rows that are shown several times, are corrected in memory, by the same sums in the same order.
//! Beside w runs its lag u = Σ t s y x over the corrections, each made after rows of weight t.
//! Cost: 8·n·p bytes read, 4·n·p operations, 2·n·p more with the lag.

use super::aligned::Aligned;
use super::{Panel, PanelRows, padded};
use crate::num::MatrixView;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};
use std::array::from_fn;

/// Sums side by side.
const SUMS: usize = 4;

/// Weights that rows correct, and what is counted meanwhile.
#[derive(Debug, Clone)]
pub struct Corrections {
    arch: Arch,
    cols: usize,
    /// w, padded with zeros.
    weights: Aligned,
    /// u, padded with zeros; kept up to date only where it is asked for.
    lag: Aligned,
    lagging: bool,
    counts: Counts,
}

/// What is no vector.
#[derive(Debug, Clone, Copy)]
struct Counts {
    /// c.
    constant: f64,
    lag_constant: f64,
    shown: f64,
    mistakes: u64,
    margin: f64,
    /// Zero, or NaN after a row whose score was not finite.
    doubt: f64,
}

/// Rows to be shown, in their order.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The rows.
    pub rows: MatrixView<'a>,
    /// +1 or −1 for every row; 0 for a row that does not count.
    pub sides: &'a [f64],
    /// Weights of the rows; `None` means 1.
    pub weights: Option<&'a [f64]>,
    /// Whether a weight says how often a row is shown, and not how long a correction is.
    pub repeated: bool,
}

impl Corrections {
    /// From a constant and the weights behind it, their lag likewise, after rows of weight `shown`. The lag is kept up only where it is `lagging`.
    pub fn new(weights: &[f64], lag: &[f64], shown: f64, lagging: bool) -> Self {
        let cols = weights.len() - 1;
        let aligned = |cells: &[f64]| Aligned::padded_rows(&cells[1..], cols, padded(cols));
        let (constant, lag_constant) = (weights[0], lag[0]);
        let counts = Counts { constant, lag_constant, shown, mistakes: 0, margin: f64::INFINITY, doubt: 0.0 };
        Corrections { arch: arch(), cols, weights: aligned(weights), lag: aligned(lag), lagging, counts }
    }

    /// Shows rows in their order.
    ///
    /// # Panics
    /// When the lengths of the slices contradict the shape of the rows.
    pub fn show(&mut self, shown: Shown<'_>) {
        let count = shown.rows.rows();
        assert_eq!((shown.rows.cols(), shown.sides.len()), (self.cols, count), "all columns, one side per row");
        assert!(shown.weights.is_none_or(|weights| weights.len() == count), "one weight per row");
        Panel::new().for_blocks(shown.rows, |first, block| {
            let span = first..first + block.rows();
            let (sides, weights) = (&shown.sides[span.clone()], shown.weights.map(|weights| &weights[span]));
            self.arch.dispatch(Show { corrections: self, block, sides, weights, repeated: shown.repeated });
        });
    }

    /// Weight of the rows shown so far.
    pub fn shown(&self) -> f64 {
        self.counts.shown
    }

    /// Corrections that were made.
    pub fn mistakes(&self) -> u64 {
        self.counts.mistakes
    }

    /// The least y (c + w·x) that was met.
    pub fn margin(&self) -> f64 {
        self.counts.margin
    }

    /// Whether the score of some row was not finite: a value of it is not, or the weights grow out of range.
    pub fn is_doubtful(&self) -> bool {
        self.counts.doubt.is_nan()
    }

    /// Writes the constant and the weights, and their lag.
    pub fn write(&self, weights: &mut [f64], lag: &mut [f64]) {
        let Counts { constant, lag_constant, .. } = self.counts;
        for (into, constant, cells) in [(weights, constant, &self.weights), (lag, lag_constant, &self.lag)] {
            into[0] = constant;
            into[1..].copy_from_slice(&cells.numbers()[..self.cols]);
        }
    }
}

impl Counts {
    /// Counts a row of this score that is shown `left` times more, and gives the size of its correction and of that of the lag.
    #[inline(always)]
    fn judge(&mut self, score: f64, y: f64, left: f64, step: f64) -> (f64, f64) {
        let score = y * score;
        let right = score > 0.0;
        self.margin = self.margin.min(score);
        self.doubt += 0.0 * score;
        let size = if right { 0.0 } else { step * y };
        let lag = self.shown * size;
        self.constant += size;
        self.lag_constant += lag;
        self.mistakes += u64::from(!right);
        self.shown += if right { left * step } else { step };
        (size, lag)
    }
}

struct Show<'a> {
    corrections: &'a mut Corrections,
    block: PanelRows<'a>,
    sides: &'a [f64],
    weights: Option<&'a [f64]>,
    repeated: bool,
}

impl WithSimd for Show<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.block.cols().div_ceil(S::F64_LANES) {
            _ if self.repeated => self.in_memory(simd),
            1 => self.in_registers::<S, 1>(simd),
            2 => self.in_registers::<S, 2>(simd),
            3 => self.in_registers::<S, 3>(simd),
            4 => self.in_registers::<S, 4>(simd),
            5 => self.in_registers::<S, 5>(simd),
            6 => self.in_registers::<S, 6>(simd),
            7 => self.in_registers::<S, 7>(simd),
            8 => self.in_registers::<S, 8>(simd),
            _ => self.in_memory(simd),
        }
    }
}

impl Show<'_> {
    /// Rows of `V` vectors, each shown once.
    #[inline(always)]
    fn in_registers<S: Simd, const V: usize>(self, simd: S) {
        let Show { corrections, block, sides, weights, .. } = self;
        let (tail, mut counts) = (Tail::of(simd, block), corrections.counts);
        let mut w: [S::f64s; V] = from_fn(|v| S::as_simd_f64s(corrections.weights.numbers()).0[v]);
        let mut u: [S::f64s; V] = from_fn(|v| S::as_simd_f64s(corrections.lag.numbers()).0[v]);
        for (i, y) in sides.iter().copied().enumerate().filter(|(_, y)| *y != 0.0) {
            let last = tail.read(simd, i);
            let head = &S::as_simd_f64s(block.row(i)).0[..V - 1];
            let x: [S::f64s; V] = from_fn(|v| if v + 1 < V { head[v] } else { last });
            let mut sums = [simd.splat_f64s(0.0); SUMS];
            for v in 0..V {
                sums[v % SUMS] = simd.mul_add_e_f64s(w[v], x[v], sums[v % SUMS]);
            }
            let score = counts.constant + total(simd, sums);
            let (size, lag) = counts.judge(score, y, 1.0, weights.map_or(1.0, |weights| weights[i]));
            let size = simd.splat_f64s(size);
            for v in 0..V {
                w[v] = simd.mul_add_e_f64s(size, x[v], w[v]);
            }
            if corrections.lagging {
                let lag = simd.splat_f64s(lag);
                for v in 0..V {
                    u[v] = simd.mul_add_e_f64s(lag, x[v], u[v]);
                }
            }
        }
        corrections.counts = counts;
        S::as_mut_simd_f64s(corrections.weights.numbers_mut()).0[..V].copy_from_slice(&w);
        S::as_mut_simd_f64s(corrections.lag.numbers_mut()).0[..V].copy_from_slice(&u);
    }

    /// Rows of any width, each shown as often as it is to be.
    #[inline(always)]
    fn in_memory<S: Simd>(self, simd: S) {
        let Show { corrections, block, sides, weights, repeated } = self;
        let (tail, vectors) = (Tail::of(simd, block), block.cols().div_ceil(S::F64_LANES));
        for (i, y) in sides.iter().copied().enumerate().filter(|(_, y)| *y != 0.0) {
            let weight = weights.map_or(1.0, |weights| weights[i]);
            let (mut left, step) = if repeated { (weight, 1.0) } else { (1.0, weight) };
            let (head, last) = (S::as_simd_f64s(block.row(i)).0, if vectors == 0 { simd.splat_f64s(0.0) } else { tail.read(simd, i) });
            let x = |v: usize| if v + 1 < vectors { head[v] } else { last };
            while left > 0.0 {
                let mut sums = [simd.splat_f64s(0.0); SUMS];
                for (v, w) in S::as_simd_f64s(corrections.weights.numbers()).0[..vectors].iter().enumerate() {
                    sums[v % SUMS] = simd.mul_add_e_f64s(*w, x(v), sums[v % SUMS]);
                }
                let score = corrections.counts.constant + total(simd, sums);
                let (size, lag) = corrections.counts.judge(score, y, left, step);
                if size == 0.0 {
                    break;
                }
                left -= 1.0;
                let size = simd.splat_f64s(size);
                for (v, w) in S::as_mut_simd_f64s(corrections.weights.numbers_mut()).0[..vectors].iter_mut().enumerate() {
                    *w = simd.mul_add_e_f64s(size, x(v), *w);
                }
                if corrections.lagging {
                    let lag = simd.splat_f64s(lag);
                    for (v, u) in S::as_mut_simd_f64s(corrections.lag.numbers_mut()).0[..vectors].iter_mut().enumerate() {
                        *u = simd.mul_add_e_f64s(lag, x(v), *u);
                    }
                }
            }
        }
    }
}

/// All numbers of some sums.
#[inline(always)]
fn total<S: Simd>(simd: S, sums: [S::f64s; SUMS]) -> f64 {
    let [a, b, c, d] = sums;
    simd.reduce_sum_f64s(simd.add_f64s(simd.add_f64s(a, b), simd.add_f64s(c, d)))
}

/// The last vector of every row, zero behind the row's end.
struct Tail<'a, S: Simd> {
    block: PanelRows<'a>,
    /// Where it starts.
    from: usize,
    /// Which of its places belong to the row.
    own: S::m64s,
}

impl<'a, S: Simd> Tail<'a, S> {
    #[inline(always)]
    fn of(simd: S, block: PanelRows<'a>) -> Self {
        let places: [f64; 8] = from_fn(|place| place as f64);
        let from = block.cols().saturating_sub(1) / S::F64_LANES * S::F64_LANES;
        let own = simd.less_than_f64s(S::as_simd_f64s(&places).0[0], simd.splat_f64s((block.cols() - from) as f64));
        Tail { block, from, own }
    }

    /// Of row `i`.
    #[inline(always)]
    fn read(&self, simd: S, i: usize) -> S::f64s {
        // Clearing what belongs to the next row is several times as fast as gathering the last numbers.
        match self.block.row_and_beyond(i, self.from + S::F64_LANES) {
            Some(row) => simd.select_f64s(self.own, S::as_simd_f64s(&row[self.from..]).0[0], simd.splat_f64s(0.0)),
            None => simd.partial_load_f64s(&self.block.row(i)[self.from..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch, layouts, shapes};
    use super::*;

    /// The same by plain loops: weights, lag, mistakes, weight shown.
    fn plain(rows: &[f64], cols: usize, sides: &[f64], weights: &[f64], repeated: bool) -> (Vec<f64>, Vec<f64>, u64, f64) {
        let (mut w, mut u, mut mistakes, mut shown) = (vec![0.0; cols + 1], vec![0.0; cols + 1], 0, 0.0);
        for (i, y) in sides.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            let x: Vec<f64> = std::iter::once(1.0).chain(rows[i * cols..(i + 1) * cols].iter().copied()).collect();
            let (times, step) = if repeated { (weights[i] as usize, 1.0) } else { (1, weights[i]) };
            for _ in 0..times {
                let score: f64 = w.iter().zip(&x).map(|(w, x)| w * x).sum();
                if y * score <= 0.0 {
                    mistakes += 1;
                    w.iter_mut().zip(&x).for_each(|(w, x)| *w += step * y * x);
                    u.iter_mut().zip(&x).for_each(|(u, x)| *u += shown * step * y * x);
                }
                shown += step;
            }
        }
        (w, u, mistakes, shown)
    }

    #[test]
    fn agrees_with_plain_loops_in_every_shape_and_layout() {
        let mut random = Random::new(131);
        let wide = [(40, 50, 2), (40, 64, 2), (30, 65, 2), (25, 131, 2), (9, 0, 2)];
        for (rows, cols, _) in shapes(&mut random).into_iter().chain(wide) {
            // Halves add up exactly, so that no order of sums moves a decision.
            let matrix: Vec<f64> = random.normals(rows * cols).iter().map(|x| (x * 4.0).round() / 2.0).collect();
            let sides: Vec<f64> = random.labels(rows, 3).iter().map(|label| [1.0, -1.0, 0.0][*label as usize % 3]).collect();
            let weights: Vec<f64> = (0..rows).map(|i| (i % 4) as f64 + 1.0).collect();
            for (arch, repeated) in every_arch().into_iter().flat_map(|arch| [(arch, false), (arch, true)]) {
                let want = plain(&matrix, cols, &sides, &weights, repeated);
                layouts(&matrix, rows, cols, |name, view| {
                    let zeros = vec![0.0; cols + 1];
                    let mut kernel = Corrections { arch, ..Corrections::new(&zeros, &zeros, 0.0, true) };
                    kernel.show(Shown { rows: view, sides: &sides, weights: Some(&weights), repeated });
                    let (mut w, mut u) = (zeros.clone(), zeros);
                    kernel.write(&mut w, &mut u);
                    assert_eq!((kernel.mistakes(), kernel.shown(), kernel.is_doubtful()), (want.2, want.3, false), "{name} {rows} {cols}");
                    for (got, want) in w.iter().zip(&want.0).chain(u.iter().zip(&want.1)) {
                        assert_close(*got, *want, 1.0 + want.abs(), 1e-14, &(arch, name, rows, cols));
                    }
                });
            }
        }
    }

    #[test]
    fn a_value_that_is_no_number_leaves_a_doubt() {
        for (value, cols) in [(f64::NAN, 3), (f64::INFINITY, 3), (f64::NAN, 100)] {
            let mut cells = vec![1.0; 4 * cols];
            cells[2 * cols + 1] = value;
            let view = MatrixView::row_major(&cells, 4, cols).unwrap();
            let zeros = vec![0.0; cols + 1];
            let shown = |sides: &[f64]| {
                let mut kernel = Corrections::new(&zeros, &zeros, 0.0, false);
                kernel.show(Shown { rows: view, sides, weights: None, repeated: false });
                kernel.is_doubtful()
            };
            assert!(shown(&[1.0, -1.0, 1.0, 1.0]));
            assert!(!shown(&[1.0, -1.0, 0.0, 1.0]), "a row that does not count may hold anything");
        }
    }
}
