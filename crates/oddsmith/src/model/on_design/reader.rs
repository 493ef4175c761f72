//! Batches of rows as blocks of design columns, row after row.
//!
//! Numbers that lie row after row are seen in place; other orders and other columns are written to a buffer that stays in the cache. A row
//! with a gap keeps its place, its cells mean nothing, and its label says that it does not count.

use std::ops::Range;

use super::DesignFrame;
use crate::data::design::Gap;
use crate::data::{DesignBlock, Features, Rows, SKIP};
use crate::error::Result;
use crate::num::MatrixView;
use crate::num::kernel::all_finite;

/// Numbers in a block: 128 KiB.
const BLOCK_CELLS: usize = 16384;

/// A block of rows.
#[derive(Debug, Clone, Copy)]
pub struct DesignBatch<'a> {
    /// The design columns, row after row.
    pub cells: &'a [f64],
    /// Number of design columns.
    pub width: usize,
    /// Class of each row; [`SKIP`] for rows that do not count.
    pub labels: &'a [u32],
    /// Weight of each row; `None` means 1.
    pub weights: Option<&'a [f64]>,
    /// Index of the first row in the whole source.
    pub first_row: u64,
}

impl<'a> DesignBatch<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The cells of row `i`.
    pub fn row(&self, i: usize) -> &'a [f64] {
        &self.cells[i * self.width..(i + 1) * self.width]
    }

    /// The weight of row `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// The cells as a matrix.
    pub fn matrix(&self) -> Result<MatrixView<'a>> {
        match self.width {
            0 => Ok(MatrixView::none(self.rows())),
            width => MatrixView::row_major(self.cells, self.rows(), width),
        }
    }
}

/// Design columns of rows that are to be predicted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DesignRows<'a> {
    /// The design columns, row after row.
    pub(crate) cells: &'a [f64],
    /// What stands in the way of rows; empty when nothing does.
    pub(crate) gaps: &'a [Gap],
    /// Position of the first row in the batch.
    pub(crate) first: usize,
    /// Number of rows.
    pub(crate) rows: usize,
}

impl DesignRows<'_> {
    /// Whether row `i` has all that it needs.
    pub(crate) fn is_whole(&self, i: usize) -> bool {
        self.gaps.get(i).is_none_or(|gap| *gap == Gap::None)
    }
}

/// Buffers of a pass; a copy starts with empty ones.
#[derive(Debug, Default)]
pub(crate) struct DesignReader {
    block: DesignBlock,
    cells: Vec<f64>,
    labels: Vec<u32>,
}

impl Clone for DesignReader {
    fn clone(&self) -> Self {
        DesignReader::default()
    }
}

impl DesignReader {
    /// Gives the rows of a batch, block by block. `excluded` counts rows with a class that a gap keeps out. Where rows are seen as they lie, `visit` is
    /// first told that nobody has searched them for gaps; unless it takes them all the same, it is given them again when they were.
    pub(crate) fn for_blocks(
        &mut self,
        frame: &DesignFrame,
        rows: &Rows<'_>,
        excluded: &mut u64,
        mut visit: impl FnMut(&DesignBatch<'_>, bool) -> Result<bool>,
    ) -> Result<()> {
        rows.features.check(frame.layout())?;
        let (labels, count, width) = (rows.counted_labels()?, rows.labels.len(), frame.width());
        for lo in (0..count).step_by(step(width)) {
            let hi = count.min(lo + step(width));
            let (weights, first_row) = (rows.weights.map(|weights| &weights[lo..hi]), rows.first_row + lo as u64);
            let numbers = rows.features.numbers.slice(lo, hi);
            if !rows.finite
                && frame.in_place(numbers.cols())
                && let Some(cells) = numbers.as_row_major()
                && visit(&DesignBatch { cells, width, labels: &labels[lo..hi], weights, first_row }, false)?
            {
                continue;
            }
            self.block.first_row = rows.first_row;
            self.block.uncounted.clear();
            self.block.uncounted.extend(labels[lo..hi].iter().map(|label| *label == SKIP));
            let DesignReader { block, cells, labels: kept } = self;
            let place = fill(frame, &rows.features, lo..hi, rows.finite, block, cells)?;
            let mut own = &labels[lo..hi];
            if place == Place::Expanded && block.has_gaps {
                kept.clear();
                kept.extend_from_slice(own);
                for (label, _) in kept.iter_mut().zip(&block.gaps).filter(|(_, gap)| **gap != Gap::None) {
                    *excluded += u64::from(*label != SKIP);
                    *label = SKIP;
                }
                own = kept;
            }
            let cells = seen(place, &rows.features, lo..hi, block, cells);
            visit(&DesignBatch { cells, width, labels: own, weights, first_row }, true)?;
        }
        Ok(())
    }

    /// Gives the design columns of rows to be predicted, block by block.
    pub(crate) fn for_rows(
        &mut self,
        frame: &DesignFrame,
        features: &Features<'_>,
        mut visit: impl FnMut(&DesignRows<'_>) -> Result<()>,
    ) -> Result<()> {
        features.check(frame.layout())?;
        let (count, width) = (features.rows(), frame.width());
        for lo in (0..count).step_by(step(width)) {
            let hi = count.min(lo + step(width));
            self.block.uncounted.clear();
            let DesignReader { block, cells, .. } = self;
            let place = fill(frame, features, lo..hi, false, block, cells)?;
            let gaps = if place == Place::Expanded && block.has_gaps { &block.gaps[..] } else { &[] };
            visit(&DesignRows { cells: seen(place, features, lo..hi, block, cells), gaps, first: lo, rows: hi - lo })?;
        }
        Ok(())
    }
}

/// Where the cells of a block are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the batch itself.
    Batch,
    /// Copied row after row.
    Copied,
    /// Written by the design.
    Expanded,
}

/// Rows that are taken at a time.
fn step(width: usize) -> usize {
    (BLOCK_CELLS / width.max(16)).clamp(64, 1024)
}

fn fill(
    frame: &DesignFrame,
    features: &Features<'_>,
    span: Range<usize>,
    finite: bool,
    block: &mut DesignBlock,
    cells: &mut Vec<f64>,
) -> Result<Place> {
    let numbers = features.numbers.slice(span.start, span.end);
    if !(frame.in_place(numbers.cols()) && (finite || all_finite(numbers))) {
        frame.design().expand(features, span.start, span.end, block)?;
        return Ok(Place::Expanded);
    }
    if numbers.as_row_major().is_some() {
        return Ok(Place::Batch);
    }
    cells.clear();
    for i in 0..numbers.rows() {
        match numbers.row(i) {
            Some(row) => cells.extend_from_slice(row),
            None => cells.extend((0..numbers.cols()).map(|j| numbers.get(i, j))),
        }
    }
    Ok(Place::Copied)
}

fn seen<'a>(place: Place, features: &Features<'a>, span: Range<usize>, block: &'a DesignBlock, cells: &'a [f64]) -> &'a [f64] {
    match place {
        Place::Batch => features.numbers.slice(span.start, span.end).as_row_major().unwrap_or_default(),
        Place::Copied => cells,
        Place::Expanded => &block.cells,
    }
}
