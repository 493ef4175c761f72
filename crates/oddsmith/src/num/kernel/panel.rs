//! Rows of any strided view as slices of adjacent numbers.
//!
//! Row-major input is used where it lies. Everything else is copied a block of rows at a time, eight
//! columns side by side, so that both the reads (along columns) and the writes (along rows) touch whole
//! cache lines. Cost: one copy of the block, which stays in the second-level cache.

use crate::error::Result;
use crate::num::MatrixView;

/// Numbers in one copied block: 64 KiB.
const BLOCK_CELLS: usize = 8192;
/// Columns that are transposed together.
pub(super) const BAND: usize = 8;

/// A block of rows, each a slice of adjacent numbers.
#[derive(Debug, Clone, Copy)]
pub struct PanelRows<'a> {
    data: &'a [f64],
    stride: usize,
    rows: usize,
    cols: usize,
}

impl<'a> PanelRows<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The rows `lo..hi`.
    pub(super) fn slice(&self, lo: usize, hi: usize) -> PanelRows<'a> {
        PanelRows { data: &self.data[lo * self.stride..], rows: hi - lo, ..*self }
    }

    /// The block as a matrix.
    pub fn view(&self) -> Result<MatrixView<'a>> {
        MatrixView::new(self.data, 0, (self.rows, self.cols), (self.stride as isize, 1))
    }

    /// `count` numbers from the beginning of row `i` on, beyond its end too where the memory goes that far.
    #[inline(always)]
    pub(super) fn row_and_beyond(&self, i: usize, count: usize) -> Option<&'a [f64]> {
        let start = i * self.stride;
        self.data.get(start..start + count)
    }

    /// Row `i`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &'a [f64] {
        let start = i * self.stride;
        &self.data[start..start + self.cols]
    }
}

/// A reusable buffer for blocks that have to be copied.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    cells: Vec<f64>,
}

impl Panel {
    /// An empty buffer; it grows to one block when a copy is needed.
    pub fn new() -> Self {
        Panel::default()
    }

    /// Calls `visit(first, rows)` with successive blocks of the view, in order; `first` is the index of
    /// the block's first row.
    pub fn for_blocks(&mut self, view: MatrixView<'_>, mut visit: impl FnMut(usize, PanelRows<'_>)) {
        let (rows, cols) = (view.rows(), view.cols());
        if let Some((data, stride)) = view.as_strided_rows() {
            visit(0, PanelRows { data, stride, rows, cols });
            return;
        }
        let block = (BLOCK_CELLS / cols).max(BAND);
        self.cells.resize(block.min(rows) * cols, 0.0);
        for lo in (0..rows).step_by(block) {
            let part = view.slice(lo, rows.min(lo + block));
            let cells = &mut self.cells[..part.rows() * cols];
            copy_rows(part, cells);
            visit(lo, PanelRows { data: cells, stride: cols, rows: part.rows(), cols });
        }
    }
}

/// Copies a view with at least one row and column to row-major `cells`.
fn copy_rows(view: MatrixView<'_>, cells: &mut [f64]) {
    let (rows, cols) = (view.rows(), view.cols());
    if view.row(0).is_some() {
        for (i, into) in cells.chunks_exact_mut(cols).enumerate() {
            into.copy_from_slice(view.row(i).unwrap_or(&[]));
        }
        return;
    }
    let mut left = 0;
    while left + BAND <= cols {
        let band: [Option<&[f64]>; BAND] = std::array::from_fn(|t| view.column(left + t));
        match all(band) {
            Some(columns) => transpose_band(columns.map(|column| &column[..rows]), left, cols, cells),
            None => copy_elements(view, left..left + BAND, cells),
        }
        left += BAND;
    }
    copy_elements(view, left..cols, cells);
}

/// The slices, when all columns are slices.
fn all<const N: usize>(columns: [Option<&[f64]>; N]) -> Option<[&[f64]; N]> {
    columns.iter().all(Option::is_some).then(|| columns.map(Option::unwrap_or_default))
}

/// Writes adjacent columns, from `left` on, into row-major `cells`.
pub(super) fn transpose_band<T: Copy, const N: usize>(columns: [&[T]; N], left: usize, cols: usize, cells: &mut [T]) {
    for (i, row) in cells.chunks_exact_mut(cols).enumerate() {
        for (cell, column) in row[left..left + N].iter_mut().zip(columns) {
            *cell = column[i];
        }
    }
}

/// Writes W rows as columns: into[t][q] = rows[q][t], W × W numbers at a time.
#[inline(always)]
pub(super) fn transpose<const W: usize>(rows: [&[f64]; W], into: &mut [[f64; W]]) {
    let mut chunks = into.chunks_exact_mut(W);
    let mut start = 0;
    for into in &mut chunks {
        let mut block = [[0.0; W]; W];
        for (block, row) in block.iter_mut().zip(rows) {
            block.copy_from_slice(&row[start..start + W]);
        }
        for (t, into) in into.iter_mut().enumerate() {
            for (cell, block) in into.iter_mut().zip(&block) {
                *cell = block[t];
            }
        }
        start += W;
    }
    for (t, into) in chunks.into_remainder().iter_mut().enumerate() {
        for (cell, row) in into.iter_mut().zip(rows) {
            *cell = row[start + t];
        }
    }
}

fn copy_elements(view: MatrixView<'_>, range: std::ops::Range<usize>, cells: &mut [f64]) {
    for (i, row) in cells.chunks_exact_mut(view.cols()).enumerate() {
        for j in range.clone() {
            row[j] = view.get(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, layouts};
    use super::*;

    #[test]
    fn every_layout_gives_the_same_rows() {
        let mut random = Random::new(1);
        for (rows, cols) in [(1, 1), (5, 3), (9, 8), (40, 17), (1, 70), (700, 33), (3, 5000)] {
            let matrix = random.normals(rows * cols);
            let mut panel = Panel::new();
            layouts(&matrix, rows, cols, |name, view| {
                let mut seen = 0;
                panel.for_blocks(view, |first, block| {
                    assert_eq!((first, block.cols()), (seen, cols), "{name}");
                    for i in 0..block.rows() {
                        assert_eq!(block.row(i), &matrix[(first + i) * cols..][..cols], "{name}: row {}", first + i);
                    }
                    seen += block.rows();
                });
                assert_eq!(seen, rows, "{name}");
            });
        }
    }

    #[test]
    fn rows_without_columns_are_still_rows() {
        let mut rows = 0;
        Panel::new().for_blocks(MatrixView::none(7), |_, block| {
            assert_eq!(block.row(6), &[] as &[f64]);
            rows += block.rows();
        });
        assert_eq!(rows, 7);
    }
}
