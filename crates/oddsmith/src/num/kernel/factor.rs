//! The triangular factor of a positive definite matrix: A = UᵀU, row after row above the diagonal, in place.
//!
//! A block of rows is made final from the block on the diagonal, then taken from all rows below by the tiles of the Gram product, where nearly all the work
//! is done in registers. Cost: p³/3 operations, p² numbers beside the matrix, read and written once per block of rows.

use super::aligned::Aligned;
use super::gram::Product;
use super::instructions::arch;
use super::tile::StripWidth;
use super::{padded, widest};
use pulp::Arch;

/// Rows that become final together. No multiple of 64: strips a page apart would compete for the same places in the cache.
const BLOCK: usize = 56;
/// Columns of a block that are made final while they are in the nearest cache.
const CHUNK: usize = 256;

/// Factors a symmetric matrix of which the upper triangle is looked at, row after row; `false` where it is not positive definite, and what it holds then is
/// nothing. The lower triangle keeps what it held.
///
/// # Panics
/// When the matrix is not square.
pub fn factor_upper(matrix: &mut [f64], size: usize) -> bool {
    factor_for(arch(), matrix, size)
}

fn factor_for(arch: Arch, matrix: &mut [f64], size: usize) -> bool {
    assert_eq!(matrix.len(), size * size, "a square matrix");
    // Rows of a part of the matrix are as far apart as those of the whole, the last one too.
    let mut work = vec![0.0; size * size + size];
    work[..size * size].copy_from_slice(matrix);
    let mut panel = Panel::new(arch, size);
    for first in (0..size).step_by(BLOCK) {
        let rows = first..size.min(first + BLOCK);
        if !factor_diagonal(&mut work, size, rows.clone()) {
            return false;
        }
        finish_rows(&mut work, size, rows.clone());
        panel.take(&mut work, size, rows);
    }
    for (i, row) in matrix.chunks_exact_mut(size.max(1)).enumerate() {
        row[i..].copy_from_slice(&work[i * size + i..(i + 1) * size]);
    }
    true
}

/// Factors the block on the diagonal.
fn factor_diagonal(work: &mut [f64], size: usize, rows: std::ops::Range<usize>) -> bool {
    for k in rows.clone() {
        let (above, own) = work.split_at_mut(k * size);
        let own = &mut own[k..rows.end];
        for m in rows.start..k {
            subtract(own, above[m * size + k], &above[m * size + k..m * size + rows.end]);
        }
        if !(own[0] > 0.0 && own[0].is_finite()) {
            return false;
        }
        let root = own[0].sqrt();
        own.iter_mut().for_each(|cell| *cell /= root);
    }
    true
}

/// Makes what stands behind the block on the diagonal final.
fn finish_rows(work: &mut [f64], size: usize, rows: std::ops::Range<usize>) {
    for from in (rows.end..size).step_by(CHUNK) {
        let to = size.min(from + CHUNK);
        for k in rows.clone() {
            let (above, own) = work.split_at_mut(k * size);
            let root = own[k];
            let own = &mut own[from..to];
            for m in rows.start..k {
                subtract(own, above[m * size + k], &above[m * size + from..m * size + to]);
            }
            own.iter_mut().for_each(|cell| *cell /= root);
        }
    }
}

/// own − factor · other.
fn subtract(own: &mut [f64], factor: f64, other: &[f64]) {
    widest(
        #[inline(always)]
        || own.iter_mut().zip(other).for_each(|(own, other)| *own -= factor * other),
    );
}

/// A block of final rows, packed in strips, and the same with the other sign.
struct Panel {
    arch: Arch,
    /// Columns of a strip.
    width: usize,
    plain: Aligned,
    negative: Aligned,
}

impl Panel {
    fn new(arch: Arch, size: usize) -> Self {
        let cells = BLOCK * padded(size);
        Panel { arch, width: arch.dispatch(StripWidth), plain: Aligned::zeros(cells), negative: Aligned::zeros(cells) }
    }

    /// Takes the products of a block of final rows from all rows below.
    fn take(&mut self, work: &mut [f64], size: usize, rows: std::ops::Range<usize>) {
        let (first, cols) = (rows.end, size - rows.end);
        if cols == 0 {
            return;
        }
        for (sign, into) in [(1.0, &mut self.plain), (-1.0, &mut self.negative)] {
            let strips = into.numbers_mut().chunks_exact_mut(BLOCK * self.width).take(cols.div_ceil(self.width));
            for (strip, cells) in strips.enumerate() {
                let from = strip * self.width;
                for (k, step) in rows.clone().zip(cells.chunks_exact_mut(self.width)) {
                    let row = &work[k * size + first..(k + 1) * size][from..cols.min(from + self.width)];
                    step.fill(0.0);
                    step.iter_mut().zip(row).for_each(|(cell, x)| *cell = sign * x);
                }
            }
        }
        let into = &mut work[first * size + first..];
        let (left, right) = (self.negative.numbers(), self.plain.numbers());
        self.arch.dispatch(Product { left, right, rows: rows.len(), depth: BLOCK, cols, stride: size, whole: false, into });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, every_arch};
    use super::*;

    /// XᵀX + I of random rows.
    fn positive(random: &mut Random, size: usize) -> Vec<f64> {
        let rows = random.normals(size * size);
        let mut matrix = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..size {
                let product: f64 = (0..size).map(|k| rows[k * size + i] * rows[k * size + j]).sum();
                matrix[i * size + j] = product / size as f64 + f64::from(u8::from(i == j));
            }
        }
        matrix
    }

    #[test]
    fn the_factor_times_itself_is_the_matrix() {
        let mut random = Random::new(41);
        for size in [1, 2, 7, 8, 55, 56, 57, 64, 113, 200, 301] {
            let matrix = positive(&mut random, size);
            for arch in every_arch() {
                let mut factor = matrix.clone();
                assert!(factor_for(arch, &mut factor, size));
                for i in 0..size {
                    for j in i..size {
                        let product: f64 = (0..=i).map(|k| factor[k * size + i] * factor[k * size + j]).sum();
                        assert!((product - matrix[i * size + j]).abs() < 1e-13 * size as f64, "{arch:?} {size}: {i}, {j}");
                    }
                    assert_eq!(factor[i * size..i * size + i], matrix[i * size..i * size + i], "the lower triangle");
                }
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_factor() {
        let mut random = Random::new(42);
        for (size, at) in [(1, 0), (80, 3), (80, 79), (130, 60)] {
            for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
                let mut matrix = positive(&mut random, size);
                matrix[at * size + at] = wrong;
                assert!(!factor_upper(&mut matrix, size), "{size}: {wrong} at {at}");
            }
        }
    }
}
