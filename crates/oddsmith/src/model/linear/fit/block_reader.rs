//! Rows as the solver sees them: blocks of design columns, proportions of the classes, weights and offsets.
//!
//! Numbers that lie in memory as the kernels want them are viewed in place; everything else is expanded by the design and
//! brought into the solver's coordinates, a block at a time that stays in the cache. A row with a gap keeps its place with
//! zeros and a weight of zero, so that it adds nothing to any sum.

use std::ops::Range;
use std::sync::Arc;

use crate::data::design::{MarkedColumns, ResponseBlock};
use crate::data::{Csr, Design, DesignBlock, Rows};
use crate::error::Result;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::target::Target;
use crate::num::MatrixView;
use crate::num::kernel::{Marks, Panel, all_finite};

/// Numbers in a block: 128 KiB, so that a block and the panels of the kernels share a small second-level cache.
const BLOCK_CELLS: usize = 16384;

/// How rows become a linear problem: what all passes of a fit share.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) design: Arc<Design>,
    pub(crate) target: Target,
    /// Number of classes.
    pub(crate) classes: usize,
    /// Factor of the weight of every row of a class; empty when all are 1.
    pub(crate) class_weights: Vec<f64>,
    /// Number of features of the rows' layout.
    pub(crate) features: usize,
    /// Whether knots of the design are those of values that were joined.
    pub(crate) coarse_knots: bool,
}

/// A block of rows.
pub(crate) struct Block<'a> {
    /// Summed columns (see [`Coordinates::summed`]); only those that have cells in a pass with marks.
    pub(crate) x: MatrixView<'a>,
    /// Marks of the same rows; none in a pass without marks.
    pub(crate) marks: Marks<'a>,
    /// Share of every class but the first, row after row.
    pub(crate) proportions: &'a [f64],
    /// Weight of every row; zero for rows that do not count.
    pub(crate) weights: &'a [f64],
    /// Known addend of the log odds; empty when there is none.
    pub(crate) offset: &'a [f64],
    /// Sparse blocks of the same rows.
    pub(crate) words: &'a [Csr<'a>],
    /// Position of the first row in the batch.
    pub(crate) first: usize,
}

/// What is known of the rows and of those who look at them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// No number is missing or infinite, as an earlier pass has seen.
    pub(crate) no_missing: bool,
    /// The visitor knows marks.
    pub(crate) marked: bool,
}

/// Buffers of a pass; a copy starts with empty ones.
#[derive(Debug, Default)]
pub(crate) struct BlockReader {
    expanded: DesignBlock,
    cells: Vec<f64>,
    proportions: Vec<f64>,
    weights: Vec<f64>,
    counts: ResponseBlock,
    panel: Panel,
}

impl Clone for BlockReader {
    fn clone(&self) -> Self {
        BlockReader::default()
    }
}

impl BlockReader {
    /// Gives the rows of a batch, block by block, and tells whether all numbers are finite. `dropped` counts rows with gaps by the first
    /// feature that has one.
    pub(crate) fn for_blocks(
        &mut self,
        problem: &Problem,
        coordinates: &Coordinates,
        rows: &Rows<'_>,
        terms: Terms,
        dropped: &mut [u64],
        mut visit: impl FnMut(&Block<'_>) -> Result<()>,
    ) -> Result<bool> {
        let labels = rows.counted_labels()?;
        let marks = coordinates.marks().filter(|_| terms.marked);
        let columns = marks.map_or(problem.design.columns().len(), |marks| marks.cells());
        let step = (BLOCK_CELLS / columns.max(16)).clamp(64, 1024);
        let count = rows.labels.len();
        let can_stay = coordinates.in_place() && problem.in_place(rows.features.numbers.cols());
        let mut all_whole = true;
        for lo in (0..count).step_by(step) {
            let hi = count.min(lo + step);
            self.read_target(problem, rows, &labels, lo, hi)?;
            let mut words = Vec::new();
            let features = rows.features.slice(lo, hi, &mut words);
            // Looked at block by block: the cells are then in the cache for whoever comes next.
            let no_missing = terms.no_missing || all_finite(features.numbers);
            all_whole &= no_missing;
            if !(no_missing && can_stay) {
                self.expand(problem, coordinates, marks, rows, lo..hi, dropped)?;
                let offset = if problem.design.has_offset() { &self.expanded.offset[..] } else { &[] };
                let (x, marks) = match marks {
                    None => (self.columns(coordinates, coordinates.summed(), hi - lo)?, Marks::none()),
                    Some(marks) => {
                        let rows = Marks::new(marks.terms(), marks.marks(), &self.expanded.marks);
                        (self.columns(coordinates, marks.cells(), hi - lo)?, rows)
                    }
                };
                let block =
                    Block { x, marks, proportions: &self.proportions, weights: &self.weights, offset, words: features.words, first: lo };
                visit(&block)?;
                continue;
            }
            let BlockReader { panel, proportions, weights, .. } = self;
            let (mut outcome, outputs) = (Ok(()), problem.classes - 1);
            panel.for_blocks(features.numbers, |first, block| {
                let last = first + block.rows();
                if outcome.is_ok() {
                    let words: Vec<Csr<'_>> = features.words.iter().map(|csr| csr.slice(first, last)).collect();
                    let (proportions, weights) = (&proportions[first * outputs..last * outputs], &weights[first..last]);
                    outcome = block.view().and_then(|x| {
                        visit(&Block { x, marks: Marks::none(), proportions, weights, offset: &[], words: &words, first: lo + first })
                    });
                }
            });
            outcome?;
        }
        Ok(all_whole)
    }

    /// Proportions and weights of the rows `lo..hi`.
    fn read_target(&mut self, problem: &Problem, rows: &Rows<'_>, labels: &[u32], lo: usize, hi: usize) -> Result<()> {
        self.weights.clear();
        match rows.weights {
            None => self.weights.resize(hi - lo, 1.0),
            Some(weights) => self.weights.extend_from_slice(&weights[lo..hi]),
        }
        problem.target.read(rows, labels, problem.classes, lo, hi, &mut self.proportions, &mut self.weights, &mut self.counts)?;
        if !problem.class_weights.is_empty() {
            for (weight, proportions) in self.weights.iter_mut().zip(self.proportions.chunks_exact(problem.classes - 1)) {
                let rest = 1.0 - proportions.iter().sum::<f64>();
                let factor = proportions.iter().zip(&problem.class_weights[1..]).map(|(s, w)| s * w).sum::<f64>();
                *weight *= factor + rest * problem.class_weights[0];
            }
        }
        Ok(())
    }

    /// Expands the design of the rows of a span and takes the weight of rows with gaps away.
    fn expand(
        &mut self,
        problem: &Problem,
        coordinates: &Coordinates,
        marks: Option<&Arc<MarkedColumns>>,
        rows: &Rows<'_>,
        span: Range<usize>,
        dropped: &mut [u64],
    ) -> Result<()> {
        let design = &*problem.design;
        self.expanded.first_row = rows.first_row;
        match marks {
            None => design.expand(&rows.features, span.start, span.end, &mut self.expanded)?,
            Some(_) => design.expand_marked(&rows.features, span.start, span.end, &mut self.expanded)?,
        }
        for i in (0..span.len()).filter(|_| self.expanded.has_gaps) {
            let gap = self.expanded.gaps[i].feature();
            if let Some(feature) = gap.filter(|_| self.weights[i] > 0.0) {
                dropped[feature] += 1;
            }
            if gap.is_some() {
                self.weights[i] = 0.0;
                let centre = if marks.is_some() { &coordinates.cell_centre() } else { &coordinates.centre };
                self.expanded.cells[i * centre.len()..(i + 1) * centre.len()].copy_from_slice(centre);
            }
        }
        if !coordinates.in_place() {
            coordinates.transform(&self.expanded.cells, &mut self.cells);
        }
        Ok(())
    }

    /// The columns of the last expanded block.
    fn columns(&self, coordinates: &Coordinates, columns: usize, rows: usize) -> Result<MatrixView<'_>> {
        let cells = if coordinates.in_place() { &self.expanded.cells } else { &self.cells };
        match columns {
            0 => Ok(MatrixView::none(rows)),
            columns => MatrixView::row_major(cells, rows, columns),
        }
    }
}

impl Problem {
    /// Whether the design's columns are the number columns of a batch as they lie.
    fn in_place(&self, numbers: usize) -> bool {
        let planes = self.design.plain_numbers();
        planes.is_some_and(|planes| planes.len() == numbers && planes.iter().enumerate().all(|(at, plane)| at == *plane))
    }

    /// Outputs of the model: one per class but the first.
    pub(crate) fn outputs(&self) -> usize {
        self.classes - 1
    }
}
