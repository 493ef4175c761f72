//! Gaussian log scores with a full matrix per class: out[i,k] = c_k − ½‖R_k (x_i − m_k)‖².
//!
//! R_k is lower triangular, the inverse of the Cholesky factor of Σ_k. A block of centred rows meets each
//! group of rows of R_k as a register tile (see `tile`), stopping at the diagonal; squares are added lane by
//! lane and reduced once per row. Cost: 8·n·p bytes read, n·p²·K operations.

use super::tile::{STRIPS, WithStrips, accumulate, strip_width, with_strips};
use super::{Panel, PanelRows, pad_rows, padded};
use crate::num::MatrixView;
use pulp::{Arch, Simd, WithSimd};
use std::array::from_fn;

/// Rows that are centred together: enough to use each strip of R many times while it is in the cache.
const BLOCK: usize = 64;

/// Scores of K Gaussian classes with their own covariances.
#[derive(Debug, Clone)]
pub struct QuadraticScores {
    arch: Arch,
    cols: usize,
    constant: Vec<f64>,
    mean: Vec<f64>,
    /// Per class and strip of W rows of R: columns 0 ..= diagonal, W numbers for each.
    factor: Vec<f64>,
}

/// Reusable buffers of [`QuadraticScores::score`].
#[derive(Debug, Clone, Default)]
pub struct QuadraticScratch {
    panel: Panel,
    centred: Vec<f64>,
    squares: Vec<f64>,
}

impl QuadraticScores {
    /// `constant` c_k (K), `mean` m_k (K × p), `factor` R_k (K × p × p, row-major; what stands above the
    /// diagonal is not read).
    ///
    /// # Panics
    /// When the lengths of the slices contradict one another.
    pub fn new(cols: usize, constant: &[f64], mean: &[f64], factor: &[f64]) -> Self {
        Self::for_arch(Arch::new(), cols, constant, mean, factor)
    }

    pub(super) fn for_arch(arch: Arch, cols: usize, constant: &[f64], mean: &[f64], factor: &[f64]) -> Self {
        let classes = constant.len();
        assert_eq!((mean.len(), factor.len()), (classes * cols, classes * cols * cols), "one mean and one factor per class");
        let width = strip_width(arch.dispatch(Lanes));
        let mut packed = Vec::with_capacity(classes * packed_size(cols, width));
        for r in factor.chunks_exact((cols * cols).max(1)) {
            for top in (0..cols).step_by(width) {
                for j in 0..top + width {
                    packed.extend((top..top + width).map(|i| if i < cols && j <= i { r[i * cols + j] } else { 0.0 }));
                }
            }
        }
        let mut means = Vec::new();
        pad_rows(mean, cols, &mut means);
        QuadraticScores { arch, cols, constant: constant.to_vec(), mean: means, factor: packed }
    }

    /// Writes the scores of the rows (n × K).
    ///
    /// # Panics
    /// When the rows or `out` have another shape than the parameters.
    pub fn score(&self, rows: MatrixView<'_>, scratch: &mut QuadraticScratch, out: &mut [f64]) {
        let classes = self.constant.len();
        assert_eq!((rows.cols(), out.len()), (self.cols, rows.rows() * classes), "all columns, one score per row and class");
        let QuadraticScratch { panel, centred, squares } = scratch;
        centred.clear();
        centred.resize(BLOCK * padded(self.cols), 0.0);
        panel.for_blocks(rows, |first, block| {
            for lo in (0..block.rows()).step_by(BLOCK) {
                let hi = block.rows().min(lo + BLOCK);
                let out = &mut out[(first + lo) * classes..(first + hi) * classes];
                self.arch.dispatch(ScoreBlock { scores: self, block, lo, hi, centred, squares, out });
            }
        });
    }
}

/// Numbers in the packed factor of one class.
fn packed_size(cols: usize, width: usize) -> usize {
    let strips = cols.div_ceil(width);
    width * width * strips * (strips + 1) / 2
}

struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F64_LANES
    }
}

struct ScoreBlock<'a> {
    scores: &'a QuadraticScores,
    block: PanelRows<'a>,
    lo: usize,
    hi: usize,
    centred: &'a mut [f64],
    squares: &'a mut Vec<f64>,
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
        let ScoreBlock { scores, block, lo, hi, centred, squares, out } = self;
        let (cols, classes, rows) = (scores.cols, scores.constant.len(), hi - lo);
        let width = padded(cols);
        let strips = cols.div_ceil(W);
        let size = packed_size(cols, W);
        for k in 0..classes {
            let mean = &scores.mean[k * width..(k + 1) * width];
            for (r, into) in (lo..hi).zip(centred.chunks_exact_mut(width.max(1))) {
                for ((into, x), mean) in into.iter_mut().zip(block.row(r)).zip(mean) {
                    *into = x - mean;
                }
            }
            let (factor, _) = scores.factor[k * size..(k + 1) * size].as_chunks::<W>();
            squares.clear();
            squares.resize(rows.next_multiple_of(W) * W, 0.0);
            let (squares, _) = squares.as_chunks_mut::<W>();
            let mut strip = 0;
            while strip < strips {
                let group = match (strips - strip) % STRIPS {
                    0 => STRIPS,
                    narrow => narrow,
                };
                for first in (0..rows).step_by(W) {
                    let left: [&[f64]; W] = from_fn(|q| &centred[(first + q) * width..(first + q + 1) * width]);
                    let squares = &mut squares[first..first + W];
                    match group {
                        1 => tile::<S, W, 1, VECTORS>(simd, left, factor, strip, squares),
                        2 => tile::<S, W, 2, VECTORS>(simd, left, factor, strip, squares),
                        _ => tile::<S, W, STRIPS, VECTORS>(simd, left, factor, strip, squares),
                    }
                }
                strip += group;
            }
            for (out, squares) in out.chunks_exact_mut(classes).zip(squares.iter()) {
                out[k] = scores.constant[k] - 0.5 * squares.iter().sum::<f64>();
            }
        }
    }
}

/// Adds the squares of N strips of R (x − m) for W centred rows.
#[inline(always)]
fn tile<S: Simd, const W: usize, const N: usize, const VECTORS: usize>(
    simd: S,
    left: [&[f64]; W],
    factor: &[[f64; W]],
    strip: usize,
    squares: &mut [[f64; W]],
) {
    // Strip s has (s + 1)·W columns; those of the strips before it take W·s(s + 1)/2.
    let strips: [&[[f64; W]]; N] = from_fn(|n| &factor[W * (strip + n) * (strip + n + 1) / 2..][..W * (strip + n + 1)]);
    let mut sums = [[[simd.splat_f64s(0.0); VECTORS]; N]; W];
    let common = W * (strip + 1);
    {
        let left = left.map(|row| &row[..common]);
        accumulate::<S, W, N, VECTORS>(
            simd,
            0..common,
            #[inline(always)]
            |t, q| left[q][t],
            strips,
            &mut sums,
        );
    }
    // Beyond the common part each strip reaches W columns further than the one before.
    for n in 1..N {
        let end = common + n * W;
        let left = left.map(|row| &row[..end]);
        for last in n..N {
            for t in end - W..end {
                let right: [S::f64s; VECTORS] = super::tile::vectors::<S, W, VECTORS>(&strips[last][t]);
                for q in 0..W {
                    let scalar = simd.splat_f64s(left[q][t]);
                    for v in 0..VECTORS {
                        sums[q][last][v] = simd.mul_add_e_f64s(scalar, right[v], sums[q][last][v]);
                    }
                }
            }
        }
    }
    for (square, sums) in squares.iter_mut().zip(sums) {
        for sum in sums {
            for (square, z) in S::as_mut_simd_f64s(&mut square[..]).0.iter_mut().zip(sum) {
                *square = simd.mul_add_e_f64s(z, z, *square);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch, layouts, shapes};
    use super::*;

    #[test]
    fn agree_with_plain_loops() {
        let mut random = Random::new(41);
        for (n, (rows, cols, classes)) in shapes(&mut random).into_iter().enumerate() {
            let offset = if cols % 2 == 0 { 1e8 } else { 0.0 };
            let matrix: Vec<f64> = random.normals(rows * cols).iter().map(|x| x + offset).collect();
            let mean: Vec<f64> = random.normals(classes * cols).iter().map(|s| s + offset).collect();
            let (constant, factor) = (random.normals(classes), random.normals(classes * cols * cols));
            let mut want = Vec::new();
            for (i, k) in (0..rows).flat_map(|i| (0..classes).map(move |k| (i, k))) {
                let d: Vec<f64> = (0..cols).map(|j| matrix[i * cols + j] - mean[k * cols + j]).collect();
                let z = (0..cols).map(|a| (0..=a).map(|b| factor[(k * cols + a) * cols + b] * d[b]).sum::<f64>());
                want.push(constant[k] - 0.5 * z.map(|z| z * z).sum::<f64>());
            }
            for arch in every_arch() {
                let scores = QuadraticScores::for_arch(arch, cols, &constant, &mean, &factor);
                let mut scratch = QuadraticScratch::default();
                let mut check = |name: &str, view: MatrixView<'_>| {
                    let mut out = vec![f64::NAN; rows * classes];
                    scores.score(view, &mut scratch, &mut out);
                    for (at, (&got, &want)) in out.iter().zip(&want).enumerate() {
                        assert_close(got, want, want.abs() + 1.0, 1e-13, &(arch, name, rows, cols, at));
                    }
                };
                match n % 10 {
                    0 => layouts(&matrix, rows, cols, check),
                    _ => check("row-major", MatrixView::row_major(&matrix, rows, cols).unwrap()),
                }
            }
        }
    }

    #[test]
    fn a_row_scores_the_same_bits_wherever_it_stands() {
        let mut random = Random::new(42);
        let (rows, cols, classes) = (75, 21, 2);
        let matrix = random.normals(rows * cols);
        let scores =
            QuadraticScores::new(cols, &random.normals(classes), &random.normals(classes * cols), &random.normals(classes * cols * cols));
        let view = MatrixView::row_major(&matrix, rows, cols).unwrap();
        let mut scratch = QuadraticScratch::default();
        let mut all = vec![0.0; rows * classes];
        scores.score(view, &mut scratch, &mut all);
        for i in 0..rows {
            let mut one = vec![0.0; classes];
            scores.score(view.slice(i, i + 1), &mut scratch, &mut one);
            assert_eq!(one, all[i * classes..(i + 1) * classes]);
        }
    }
}
