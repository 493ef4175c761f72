//! Counts of category levels, class by class: counts[k, offset_j + code_ij] += w_i.
//!
//! A code that names no level of its column is tallied as missing or unseen instead. Rows are visited in
//! order with all their columns, so that neighbouring additions meet different counters and none waits for
//! the one before; codes stored by column are brought into rows a block at a time.
//! Cost: 4·n·p bytes read, one addition per cell in a table that fits the first-level cache.

use super::MISSING;
use super::panel::{BAND, transpose_band};

/// A matrix of codes inside a slice: the cell (i, j) is `data[i·row_stride + j·col_stride]`.
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a> {
    /// The slice.
    pub data: &'a [u32],
    /// Distance between rows.
    pub row_stride: usize,
    /// Distance between columns.
    pub col_stride: usize,
}

/// Codes in one copied block: 32 KiB.
const BLOCK_CELLS: usize = 8192;

impl Codes<'_> {
    /// Calls `visit(first, count, stride, cells)` with blocks of rows whose codes are adjacent: row r of a block
    /// is `cells[r·stride..][..cols]`.
    pub(super) fn for_blocks(&self, rows: usize, cols: usize, buffer: &mut Vec<u32>, mut visit: impl FnMut(usize, usize, usize, &[u32])) {
        if rows == 0 || cols == 0 {
            return;
        }
        if self.col_stride == 1 || cols == 1 {
            visit(0, rows, self.row_stride, self.data);
            return;
        }
        let block = (BLOCK_CELLS / cols).max(1);
        buffer.resize(block.min(rows) * cols, 0);
        for lo in (0..rows).step_by(block) {
            let count = block.min(rows - lo);
            self.copy_rows(lo, cols, &mut buffer[..count * cols]);
            visit(lo, count, cols, &buffer[..count * cols]);
        }
    }

    /// Copies whole rows from row `lo` on.
    fn copy_rows(&self, lo: usize, cols: usize, cells: &mut [u32]) {
        let (count, start) = (cells.len() / cols, lo * self.row_stride);
        let whole = if self.row_stride == 1 { cols / BAND * BAND } else { 0 };
        for left in (0..whole).step_by(BAND) {
            let band = std::array::from_fn(|t| &self.data[start + (left + t) * self.col_stride..][..count]);
            transpose_band::<u32, BAND>(band, left, cols, cells);
        }
        for (i, row) in cells.chunks_exact_mut(cols).enumerate() {
            for (j, cell) in row.iter_mut().enumerate().skip(whole) {
                *cell = self.data[start + i * self.row_stride + j * self.col_stride];
            }
        }
    }
}

/// Where the counts of K classes go; every slice is added to.
#[derive(Debug)]
pub struct LevelSums<'a> {
    /// Weight per class and level (K × all levels).
    pub counts: &'a mut [f64],
    /// Weight of missing cells per class and column (K × p).
    pub missing: &'a mut [f64],
    /// Weight of unseen levels per class and column (K × p).
    pub unseen: &'a mut [f64],
}

/// The kernel: where each column's levels lie, and a buffer.
#[derive(Debug, Clone)]
pub struct LevelCounts {
    classes: usize,
    levels: usize,
    spans: Vec<Span>,
    buffer: Vec<u32>,
}

/// The levels of one column inside the table of all levels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) levels: u32,
}

/// One span per column from the offsets of all columns and the end of the last.
pub(super) fn spans(offsets: &[usize]) -> Vec<Span> {
    offsets.windows(2).map(|pair| Span { start: pair[0], levels: (pair[1] - pair[0]) as u32 }).collect()
}

impl LevelCounts {
    /// `offsets` holds where the levels of each column start, and the number of all levels at its end
    /// (p + 1 ascending numbers).
    pub fn new(classes: usize, offsets: &[usize]) -> Self {
        LevelCounts { classes, levels: offsets.last().copied().unwrap_or(0), spans: spans(offsets), buffer: Vec::new() }
    }

    /// Adds a block of rows.
    ///
    /// # Panics
    /// When the lengths of the slices contradict the number of rows, columns, classes and levels.
    pub fn add(&mut self, codes: Codes<'_>, labels: &[u32], weights: Option<&[f64]>, into: LevelSums<'_>) {
        let (classes, cols) = (self.classes, self.spans.len());
        assert!(weights.is_none_or(|w| w.len() == labels.len()), "one weight per row");
        assert_eq!((into.counts.len(), into.missing.len(), into.unseen.len()), (classes * self.levels, classes * cols, classes * cols));
        let (levels, spans) = (self.levels, &self.spans);
        codes.for_blocks(labels.len(), cols, &mut self.buffer, |first, count, stride, cells| {
            for i in 0..count {
                let k = labels[first + i] as usize;
                let weight = weights.map_or(1.0, |w| w[first + i]);
                if k >= classes || weight == 0.0 {
                    continue;
                }
                let row = &cells[i * stride..][..cols];
                let counts = &mut into.counts[k * levels..(k + 1) * levels];
                for (j, (&code, span)) in row.iter().zip(spans).enumerate() {
                    if code < span.levels {
                        counts[span.start + code as usize] += weight;
                    } else if code == MISSING {
                        into.missing[k * cols + j] += weight;
                    } else {
                        into.unseen[k * cols + j] += weight;
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Random;
    use super::super::{LevelScores, SKIP, UNSEEN};
    use super::*;

    /// Random codes with every kind of sentinel, and the offsets of their columns.
    fn codes(random: &mut Random, rows: usize, cols: usize) -> (Vec<u32>, Vec<usize>) {
        let mut offsets = vec![0];
        for j in 0..cols {
            offsets.push(offsets[j] + 1 + random.below(6));
        }
        let cells = (0..rows * cols).map(|at| match random.below(12) {
            0 => MISSING,
            1 => UNSEEN,
            2 => (offsets[at % cols + 1] - offsets[at % cols]) as u32,
            _ => random.below(offsets[at % cols + 1] - offsets[at % cols]) as u32,
        });
        (cells.collect(), offsets)
    }

    fn by_columns(cells: &[u32], rows: usize, cols: usize) -> Vec<u32> {
        (0..rows * cols).map(|at| cells[at % rows * cols + at / rows]).collect()
    }

    #[test]
    fn counts_agree_with_plain_loops_in_both_orders() {
        let mut random = Random::new(61);
        for (rows, cols, classes) in [(1, 1, 1), (40, 1, 2), (33, 7, 3), (3000, 20, 4), (5, 9000, 2)] {
            let (cells, offsets) = codes(&mut random, rows, cols);
            let levels = offsets[cols];
            let (labels, weights) = (random.labels(rows, classes), random.weights(rows));
            for weights in [None, Some(&weights[..])] {
                let zero = || [vec![0.0; classes * levels], vec![0.0; classes * cols], vec![0.0; classes * cols]];
                let mut want = zero();
                for (at, &code) in cells.iter().enumerate() {
                    let (i, j) = (at / cols, at % cols);
                    if labels[i] == SKIP {
                        continue;
                    }
                    let (k, w) = (labels[i] as usize, weights.map_or(1.0, |w| w[i]));
                    match code {
                        MISSING => want[1][k * cols + j] += w,
                        code if (code as usize) < offsets[j + 1] - offsets[j] => want[0][k * levels + offsets[j] + code as usize] += w,
                        _ => want[2][k * cols + j] += w,
                    }
                }
                let columns = by_columns(&cells, rows, cols);
                for (data, row_stride, col_stride) in [(&cells, cols, 1), (&columns, 1, rows)] {
                    let mut got = zero();
                    let [counts, missing, unseen] = &mut got;
                    let mut kernel = LevelCounts::new(classes, &offsets);
                    kernel.add(Codes { data, row_stride, col_stride }, &labels, weights, LevelSums { counts, missing, unseen });
                    assert_eq!(got, want);
                }
            }
        }
    }

    #[test]
    fn scores_agree_with_plain_loops_in_both_orders() {
        let mut random = Random::new(62);
        for (rows, cols, classes) in [(1, 1, 1), (40, 1, 2), (33, 7, 3), (300, 20, 4), (21, 5, 7), (50, 6, 13)] {
            let (cells, offsets) = codes(&mut random, rows, cols);
            // Multiples of 2⁻¹⁰ add without rounding, so that any order gives the same bits.
            let mut exact = |count| (0..count).map(|_| random.below(4096) as f64 / 1024.0 - 2.0).collect::<Vec<f64>>();
            let (table, start) = (exact(classes * offsets[cols]), exact(rows * classes));
            let mut want = start.clone();
            for (at, &code) in cells.iter().enumerate() {
                let (i, j) = (at / cols, at % cols);
                if (code as usize) < offsets[j + 1] - offsets[j] {
                    for k in 0..classes {
                        want[i * classes + k] += table[(offsets[j] + code as usize) * classes + k];
                    }
                }
            }
            let columns = by_columns(&cells, rows, cols);
            for arch in super::super::testing::every_arch() {
                let scores = LevelScores::for_arch(arch, classes, &offsets, &table);
                for (data, row_stride, col_stride) in [(&cells, cols, 1), (&columns, 1, rows)] {
                    let mut out = start.clone();
                    scores.add(Codes { data, row_stride, col_stride }, &mut Vec::new(), &mut out);
                    assert_eq!(out, want);
                }
            }
        }
    }
}
