//! Gaussian log scores with a full matrix per class: out[i,k] = c_k − ½‖R_k (x_i − m_k)‖².
//!
//! R_k is lower triangular, the inverse of the Cholesky factor of Σ_k. A block of rows is transposed once
//! into strips of W rows; centred, they meet each strip of W rows of R_k as a register tile (see `tile`) that
//! stops at the diagonal. Rows lie along the vectors, so squares add up without any horizontal sum.
//! Cost: 8·n·p bytes read, n·p²·K operations.

use super::aligned::Aligned;
use super::panel::transpose;
use super::tile::{STRIPS, WithStrips, accumulate, full_tile, store, strip_width, vectors, with_strips};
use super::{Panel, PanelRows, padded};
use crate::num::MatrixView;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};

/// Rows that are worked on together: enough to use each strip of R several times while it is in the
/// cache, and a whole number of tiles for every strip width.
const BLOCK: usize = 48;

/// Scores of K Gaussian classes with their own covariances.
#[derive(Debug, Clone)]
pub struct QuadraticScores {
    arch: Arch,
    cols: usize,
    constant: Vec<f64>,
    centre: Vec<f64>,
    /// Means relative to the centre.
    mean: Vec<f64>,
    /// Per class and strip of W rows of R: columns 0 ..= diagonal, W numbers for each.
    factor: Aligned,
}

/// Reusable buffers of [`QuadraticScores::score`].
#[derive(Debug, Clone, Default)]
pub struct QuadraticScratch {
    panel: Panel,
    /// The block in strips, as it is and centred by a class.
    strips: Aligned,
    centred: Aligned,
    squares: Aligned,
}

impl QuadraticScores {
    /// `constant` c_k (K), `centre` (p) and `mean` (K × p) with m_k = centre + mean_k, `factor` R_k (K × p × p, row-major; what
    /// stands above the diagonal is not read). Two steps because a mean near 1e8 has no room for its own digits.
    ///
    /// # Panics
    /// When the lengths of the slices contradict one another.
    pub fn new(constant: &[f64], centre: &[f64], mean: &[f64], factor: &[f64]) -> Self {
        Self::for_arch(arch(), constant, centre, mean, factor)
    }

    pub(super) fn for_arch(arch: Arch, constant: &[f64], centre: &[f64], mean: &[f64], factor: &[f64]) -> Self {
        let (classes, cols) = (constant.len(), centre.len());
        assert_eq!((mean.len(), factor.len()), (classes * cols, classes * cols * cols), "one mean and one factor per class");
        let width = strip_width(arch.dispatch(Lanes));
        let mut packed = Aligned::zeros(classes * packed_size(cols, width));
        let mut steps = packed.numbers_mut().chunks_exact_mut(width);
        for r in factor.chunks_exact((cols * cols).max(1)) {
            for top in (0..cols).step_by(width) {
                for (j, step) in steps.by_ref().take(cols.min(top + width)).enumerate() {
                    for (i, cell) in (j.max(top)..cols).zip(&mut step[j.max(top) - top..]) {
                        *cell = r[i * cols + j];
                    }
                }
            }
        }
        QuadraticScores { arch, cols, constant: constant.to_vec(), centre: centre.to_vec(), mean: mean.to_vec(), factor: packed }
    }

    /// Writes the scores of the rows (n × K).
    ///
    /// # Panics
    /// When the rows or `out` have another shape than the parameters.
    pub fn score(&self, rows: MatrixView<'_>, scratch: &mut QuadraticScratch, out: &mut [f64]) {
        let classes = self.constant.len();
        assert_eq!((rows.cols(), out.len()), (self.cols, rows.rows() * classes), "all columns, one score per row and class");
        let QuadraticScratch { panel, strips, centred, squares } = scratch;
        strips.reserve(BLOCK * padded(self.cols));
        centred.reserve(BLOCK * padded(self.cols));
        squares.reserve(BLOCK);
        let (strips, centred, squares) = (strips.numbers_mut(), centred.numbers_mut(), squares.numbers_mut());
        panel.for_blocks(rows, |first, block| {
            for lo in (0..block.rows()).step_by(BLOCK) {
                let hi = block.rows().min(lo + BLOCK);
                let out = &mut out[(first + lo) * classes..(first + hi) * classes];
                self.arch.dispatch(ScoreBlock { scores: self, block, lo, hi, strips, centred, squares, out });
            }
        });
    }
}

/// Numbers in the packed factor of one class: strip s of `width` rows has its columns up to the diagonal.
fn packed_size(cols: usize, width: usize) -> usize {
    (0..cols).step_by(width).map(|top| cols.min(top + width) * width).sum()
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
    strips: &'a mut [f64],
    centred: &'a mut [f64],
    squares: &'a mut [f64],
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
        let ScoreBlock { scores, block, lo, hi, strips, centred, squares, out } = self;
        let (cols, classes) = (scores.cols, scores.constant.len());
        let count = (hi - lo).div_ceil(W);
        let (strips, centred) = (strips.as_chunks_mut::<W>().0, centred.as_chunks_mut::<W>().0);
        for s in 0..count {
            // A strip that is not full repeats its last row; nobody reads the copies.
            let rows: [&[f64]; W] = std::array::from_fn(|q| block.row(hi.min(lo + s * W + q + 1) - 1));
            let strip = &mut strips[s * cols..(s + 1) * cols];
            transpose(rows, strip);
            for (cells, &centre) in strip.iter_mut().zip(&scores.centre) {
                shift::<S, W, VECTORS>(simd, cells, centre);
            }
        }
        let (squares, _) = squares.as_chunks_mut::<W>();
        let size = packed_size(cols, W);
        for k in 0..classes {
            let mean = &scores.mean[k * cols..(k + 1) * cols];
            for s in 0..count {
                let range = s * cols..(s + 1) * cols;
                for ((into, x), &mean) in centred[range.clone()].iter_mut().zip(&strips[range]).zip(mean) {
                    *into = *x;
                    shift::<S, W, VECTORS>(simd, into, mean);
                }
            }
            let squares = &mut squares[..count];
            squares.fill([0.0; W]);
            let (mut factor, _) = scores.factor.numbers()[k * size..(k + 1) * size].as_chunks::<W>();
            for top in (0..cols).step_by(W) {
                let left;
                (left, factor) = factor.split_at(cols.min(top + W));
                let mut s = 0;
                while s < count {
                    let squares = &mut squares[s..];
                    let right = &centred[s * cols..];
                    match squares.len().min(full_tile(S::F64_LANES)) {
                        1 => tile::<S, W, 1, VECTORS>(simd, left, right, cols, squares),
                        2 => tile::<S, W, 2, VECTORS>(simd, left, right, cols, squares),
                        _ => tile::<S, W, STRIPS, VECTORS>(simd, left, right, cols, squares),
                    }
                    s += full_tile(S::F64_LANES);
                }
            }
            let squares = squares.as_flattened();
            for (out, square) in out.chunks_exact_mut(classes).zip(squares) {
                out[k] = scores.constant[k] - 0.5 * square;
            }
        }
    }
}

/// Adds the squares of one strip of R times N strips of centred rows.
#[inline(always)]
fn tile<S: Simd, const W: usize, const N: usize, const VECTORS: usize>(
    simd: S,
    left: &[[f64; W]],
    right: &[[f64; W]],
    cols: usize,
    squares: &mut [[f64; W]],
) {
    let mut strips = [right; N];
    for (n, strip) in strips.iter_mut().enumerate() {
        *strip = &right[n * cols..][..left.len()];
    }
    let mut sums = [[[simd.splat_f64s(0.0); VECTORS]; N]; W];
    accumulate::<S, W, W, N, VECTORS>(
        simd,
        0..left.len(),
        #[inline(always)]
        |t, q| left[t][q],
        strips,
        &mut sums,
    );
    for (n, square) in squares.iter_mut().take(N).enumerate() {
        let mut total = vectors::<S, W, VECTORS>(square);
        for row in &sums {
            for (total, z) in total.iter_mut().zip(row[n]) {
                *total = simd.mul_add_e_f64s(z, z, *total);
            }
        }
        store::<S, W, VECTORS>(total, square);
    }
}

/// Subtracts a number from W others.
#[inline(always)]
fn shift<S: Simd, const W: usize, const VECTORS: usize>(simd: S, cells: &mut [f64; W], by: f64) {
    let by = simd.splat_f64s(by);
    let moved = vectors::<S, W, VECTORS>(cells).map(
        #[inline(always)]
        |x| simd.sub_f64s(x, by),
    );
    store::<S, W, VECTORS>(moved, cells);
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
            let mean = random.normals(classes * cols);
            let centre = vec![offset; cols];
            let (constant, factor) = (random.normals(classes), random.normals(classes * cols * cols));
            let mut want = Vec::new();
            for (i, k) in (0..rows).flat_map(|i| (0..classes).map(move |k| (i, k))) {
                let d: Vec<f64> = (0..cols).map(|j| (matrix[i * cols + j] - offset) - mean[k * cols + j]).collect();
                let z = (0..cols).map(|a| (0..=a).map(|b| factor[(k * cols + a) * cols + b] * d[b]).sum::<f64>());
                want.push(constant[k] - 0.5 * z.map(|z| z * z).sum::<f64>());
            }
            for arch in every_arch() {
                let scores = QuadraticScores::for_arch(arch, &constant, &centre, &mean, &factor);
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
        let scores = QuadraticScores::new(
            &random.normals(classes),
            &vec![0.25; cols],
            &random.normals(classes * cols),
            &random.normals(classes * cols * cols),
        );
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
