//! Copies numbers that enter the design as they are straight into its cells.
//!
//! Where the rows of the source lie side by side, neighbouring columns are copied together, row by row. Where its columns
//! do, a tile of rows is filled four columns at a time, so that the cells stay in the nearest cache and stores are few.

use super::intake::NumberColumn;
use crate::num::MatrixView;

/// Rows filled at a time.
const TILE: usize = 64;

/// Neighbouring planes that become neighbouring columns of the design.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    plane: usize,
    column: usize,
    /// Position of the first among the number columns that are used.
    number: usize,
    length: usize,
}

/// What is copied where.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Copies {
    runs: Vec<Run>,
}

impl Copies {
    /// Plans the copies of number columns.
    pub(super) fn new(numbers: &[NumberColumn]) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (number, source) in numbers.iter().enumerate() {
            let Some(column) = source.copy else { continue };
            let continued = |run: &&mut Run| {
                let length = run.length;
                (run.plane + length, run.column + length, run.number + length) == (source.plane, column, number)
            };
            match runs.last_mut().filter(continued) {
                Some(run) => run.length += 1,
                None => runs.push(Run { plane: source.plane, column, number, length: 1 }),
            }
        }
        Copies { runs }
    }

    /// Copies all rows into cells that are `width` wide; notes in `suspects` which columns hold anything but finite numbers.
    pub(super) fn copy(&self, values: MatrixView<'_>, width: usize, cells: &mut [f64], suspects: &mut [bool]) {
        for run in &self.runs {
            let suspects = &mut suspects[run.number..run.number + run.length];
            match values.as_strided_rows() {
                Some((data, stride)) => run.copy_rows(data, stride, width, cells, suspects),
                None => run.copy_columns(values, width, cells, suspects),
            }
        }
    }
}

impl Run {
    fn copy_rows(&self, data: &[f64], stride: usize, width: usize, cells: &mut [f64], suspects: &mut [bool]) {
        let source = |i: usize| &data[i * stride + self.plane..][..self.length];
        let mut sum = 0.0;
        for (i, row) in cells.chunks_exact_mut(width).enumerate() {
            row[self.column..self.column + self.length].copy_from_slice(source(i));
            sum += zeroed_sum(source(i));
        }
        for i in (0..cells.len() / width).filter(|_| sum.is_nan()) {
            suspects.iter_mut().zip(source(i)).for_each(|(suspect, x)| *suspect |= !x.is_finite());
        }
    }

    fn copy_columns(&self, values: MatrixView<'_>, width: usize, cells: &mut [f64], suspects: &mut [bool]) {
        for (tile, rows) in cells.chunks_mut(TILE * width).enumerate() {
            let mut at = 0;
            while at < self.length {
                let most = self.length - at;
                at += copy_some(values, tile * TILE, self.plane + at, most, rows, width, self.column + at);
            }
        }
        for (at, suspect) in suspects.iter_mut().enumerate() {
            *suspect |= match values.column(self.plane + at) {
                Some(column) => has_nonfinite(column),
                None => (0..values.rows()).any(|i| !values.get(i, self.plane + at).is_finite()),
            };
        }
    }
}

/// Copies four columns, or one, from row `first` on; gives how many.
fn copy_some(values: MatrixView<'_>, first: usize, plane: usize, most: usize, rows: &mut [f64], width: usize, to: usize) -> usize {
    let count = rows.len() / width;
    let column = |plane: usize| values.column(plane).map(|column| &column[first..first + count]);
    let rows = rows.chunks_exact_mut(width);
    if most >= 4
        && let (Some(a), Some(b), Some(c), Some(d)) = (column(plane), column(plane + 1), column(plane + 2), column(plane + 3))
    {
        for ((((row, a), b), c), d) in rows.zip(a).zip(b).zip(c).zip(d) {
            row[to..to + 4].copy_from_slice(&[*a, *b, *c, *d]);
        }
        return 4;
    }
    match column(plane) {
        Some(column) => rows.zip(column).for_each(|(row, x)| row[to] = *x),
        None => rows.enumerate().for_each(|(i, row)| row[to] = values.get(first + i, plane)),
    }
    1
}

/// Whether any value is NaN or infinite.
pub(super) fn has_nonfinite(values: &[f64]) -> bool {
    zeroed_sum(values).is_nan()
}

/// Σ 0·x, which is 0 unless a value is NaN or infinite. Several sums run side by side, so that the compiler can use vectors.
#[inline]
fn zeroed_sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x * 0.0);
    }
    sums.iter().sum::<f64>() + rest.iter().map(|x| x * 0.0).sum::<f64>()
}
