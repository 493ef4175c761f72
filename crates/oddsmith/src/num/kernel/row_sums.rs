//! For every row and class one constant plus a sum over columns: the shape of all dense linear and
//! diagonal scores.
//!
//!   out[i,k] = constant[k] + Σ_j term(x_ij − centre[k,j], factor[k,j])
//! Four rows and three classes share a visit, so that every load serves several additions; each of the
//! twelve sums keeps its own accumulator and therefore the same order for every row.
//! Cost: 8·n·p bytes read, about 3·n·p·K operations.

use super::aligned::Aligned;
use super::{Panel, PanelRows, padded};
use crate::num::MatrixView;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};
use std::array::from_fn;
use std::marker::PhantomData;

const ROWS: usize = 4;
const CLASSES: usize = 3;

/// What a column adds to a score.
pub(super) trait Term: Copy {
    /// `sum` plus the term of the difference d = x − centre with its factor.
    fn add<S: Simd>(simd: S, difference: S::f64s, factor: S::f64s, sum: S::f64s) -> S::f64s;
}

/// Parameters of the sums, padded to whole vectors.
#[derive(Debug, Clone)]
pub(super) struct RowSums<T> {
    arch: Arch,
    cols: usize,
    constant: Vec<f64>,
    /// Per class: centres, then factors.
    table: Aligned,
    term: PhantomData<T>,
}

impl<T: Term> RowSums<T> {
    /// `centre` and `factor` hold K × p numbers.
    pub(super) fn new(cols: usize, constant: &[f64], centre: &[f64], factor: &[f64]) -> Self {
        let size = constant.len() * cols;
        assert_eq!((centre.len(), factor.len()), (size, size), "one centre and one factor per class and column");
        let pairs: Vec<f64> =
            centre.chunks_exact(cols.max(1)).zip(factor.chunks_exact(cols.max(1))).flat_map(|(c, f)| [c, f]).flatten().copied().collect();
        let table = Aligned::padded_rows(&pairs, cols, padded(cols));
        RowSums { arch: arch(), cols, constant: constant.to_vec(), table, term: PhantomData }
    }

    pub(super) fn classes(&self) -> usize {
        self.constant.len()
    }

    pub(super) fn score(&self, rows: MatrixView<'_>, panel: &mut Panel, out: &mut [f64]) {
        let classes = self.classes();
        assert_eq!((rows.cols(), out.len()), (self.cols, rows.rows() * classes), "all columns, one score per row and class");
        panel.for_blocks(rows, |first, block| {
            let out = &mut out[first * classes..(first + block.rows()) * classes];
            self.arch.dispatch(ScoreBlock::<T> { sums: self, block, out });
        });
    }

    /// Centres and factors of class `k`.
    #[inline(always)]
    fn class<S: Simd>(&self, k: usize, width: usize) -> (&[S::f64s], &[S::f64s]) {
        let (centre, factor) = self.table.numbers()[2 * k * width..2 * (k + 1) * width].split_at(width);
        (S::as_simd_f64s(centre).0, S::as_simd_f64s(factor).0)
    }
}

struct ScoreBlock<'a, T> {
    sums: &'a RowSums<T>,
    block: PanelRows<'a>,
    out: &'a mut [f64],
}

impl<T: Term> WithSimd for ScoreBlock<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let whole = self.block.rows() / ROWS * ROWS;
        for first in (0..whole).step_by(ROWS) {
            self.score_rows::<S, ROWS>(simd, first);
        }
        for first in whole..self.block.rows() {
            self.score_rows::<S, 1>(simd, first);
        }
    }
}

impl<T: Term> ScoreBlock<'_, T> {
    #[inline(always)]
    fn score_rows<S: Simd, const M: usize>(&mut self, simd: S, first: usize) {
        let rows: [&[f64]; M] = from_fn(|r| self.block.row(first + r));
        let classes = self.sums.classes();
        let mut k = 0;
        while k < classes {
            match classes - k {
                1 => self.score_tile::<S, M, 1>(simd, rows, first, k),
                2 => self.score_tile::<S, M, 2>(simd, rows, first, k),
                _ => self.score_tile::<S, M, CLASSES>(simd, rows, first, k),
            }
            k += CLASSES;
        }
    }

    #[inline(always)]
    fn score_tile<S: Simd, const M: usize, const N: usize>(&mut self, simd: S, rows: [&[f64]; M], first: usize, k: usize) {
        let cols = self.sums.cols;
        let whole = cols / S::F64_LANES;
        let rows: [(&[S::f64s], &[f64]); M] = rows.map(S::as_simd_f64s);
        let heads = rows.map(|(head, _)| &head[..whole]);
        let tables: [_; N] = from_fn(|n| self.sums.class::<S>(k + n, padded(cols)));
        let centres = tables.map(|(centre, _)| &centre[..whole]);
        let factors = tables.map(|(_, factor)| &factor[..whole]);
        let mut sums = [[simd.splat_f64s(0.0); N]; M];
        for v in 0..whole {
            let x: [S::f64s; M] = from_fn(|r| heads[r][v]);
            add_terms::<S, T, M, N>(simd, x, from_fn(|n| centres[n][v]), from_fn(|n| factors[n][v]), &mut sums);
        }
        if !cols.is_multiple_of(S::F64_LANES) {
            let x = rows.map(|(_, tail)| simd.partial_load_f64s(tail));
            add_terms::<S, T, M, N>(simd, x, tables.map(|(c, _)| c[whole]), tables.map(|(_, f)| f[whole]), &mut sums);
        }
        let classes = self.sums.classes();
        for (r, sums) in sums.iter().enumerate() {
            let out = &mut self.out[(first + r) * classes + k..][..N];
            let constants = &self.sums.constant[k..k + N];
            for n in 0..N {
                out[n] = constants[n] + simd.reduce_sum_f64s(sums[n]);
            }
        }
    }
}

#[inline(always)]
fn add_terms<S: Simd, T: Term, const M: usize, const N: usize>(
    simd: S,
    x: [S::f64s; M],
    centre: [S::f64s; N],
    factor: [S::f64s; N],
    sums: &mut [[S::f64s; N]; M],
) {
    for n in 0..N {
        for r in 0..M {
            sums[r][n] = T::add(simd, simd.sub_f64s(x[r], centre[n]), factor[n], sums[r][n]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch, layouts, shapes};
    use super::*;

    /// A term as plain arithmetic.
    fn check<T: Term>(reference: impl Fn(f64, f64) -> f64) {
        let mut random = Random::new(21);
        for (rows, cols, classes) in shapes(&mut random) {
            let offset = if cols % 2 == 0 { 1e8 } else { 0.0 };
            let matrix: Vec<f64> = random.normals(rows * cols).iter().map(|x| x + offset).collect();
            let centre: Vec<f64> = random.normals(classes * cols).iter().map(|s| s + offset).collect();
            let (constant, factor) = (random.normals(classes), random.normals(classes * cols));
            for arch in every_arch() {
                let sums = RowSums::<T> { arch, ..RowSums::new(cols, &constant, &centre, &factor) };
                let mut panel = Panel::new();
                layouts(&matrix, rows, cols, |name, view| {
                    let mut out = vec![f64::NAN; rows * classes];
                    sums.score(view, &mut panel, &mut out);
                    for (at, &got) in out.iter().enumerate() {
                        let (i, k) = (at / classes, at % classes);
                        let terms = (0..cols).map(|j| reference(matrix[i * cols + j] - centre[k * cols + j], factor[k * cols + j]));
                        let (want, scale) = terms.fold((constant[k], constant[k].abs()), |(sum, size), t| (sum + t, size + t.abs()));
                        assert_close(got, want, scale, 1e-14, &(arch, name, rows, cols, i, k));
                    }
                });
            }
        }
    }

    #[test]
    fn squares_agree_with_plain_loops() {
        check::<super::super::gaussian::Square>(|d, a| a * d * d);
    }

    #[test]
    fn products_agree_with_plain_loops() {
        check::<super::super::linear::Product>(|d, w| w * d);
    }

    #[test]
    fn a_row_scores_the_same_bits_wherever_it_stands() {
        let mut random = Random::new(22);
        let (rows, cols, classes) = (11, 21, 5);
        let matrix = random.normals(rows * cols);
        let (constant, centre, factor) = (random.normals(classes), random.normals(classes * cols), random.normals(classes * cols));
        let sums = RowSums::<super::super::gaussian::Square>::new(cols, &constant, &centre, &factor);
        let view = MatrixView::row_major(&matrix, rows, cols).unwrap();
        let mut panel = Panel::new();
        let mut all = vec![0.0; rows * classes];
        sums.score(view, &mut panel, &mut all);
        for i in 0..rows {
            let mut one = vec![0.0; classes];
            sums.score(view.slice(i, i + 1), &mut panel, &mut one);
            assert_eq!(one, all[i * classes..(i + 1) * classes]);
        }
    }
}
