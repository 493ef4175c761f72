//! Scores of rows whose wide categories are marked: a row of a hundred thousand levels has one, and is scored by it.
//!
//! a_k + Σ_j β_kj (x_j − c_j) = (a_k − Σ_marks c_j β_kj) + Σ_cells β_kj (x_j − c_j) + β_k of the marks. Time per row: cells and marks, not levels.

use crate::data::design::{MarkedColumns, Place};
use crate::data::{Design, DesignBlock, Features};
use crate::error::Result;
use crate::model::linear::model::Parameters;
use crate::num::MatrixView;
use crate::num::kernel::{LinearScores, Marks, Panel};

/// Columns up to which rows are scored cell by cell.
const MOST_CELLS: usize = 3000;

/// The coefficients of cells and of marks.
pub(super) struct WideScores<'a> {
    design: &'a Design,
    columns: &'a MarkedColumns,
    cells: LinearScores,
    /// One number per output for every mark, zeros for the mark of none.
    marks: Vec<f64>,
    outputs: usize,
}

impl<'a> WideScores<'a> {
    /// Of a design that has so many columns that it is worth it.
    pub(super) fn new(design: &'a Design, parameters: &Parameters) -> Option<Self> {
        let (columns, outputs, width) = (design.marked_columns()?, parameters.outputs(), parameters.centre.len());
        if width <= MOST_CELLS {
            return None;
        }
        let mut base = parameters.base.clone();
        let (mut of_cells, mut centre) = (vec![0.0; outputs * columns.cells()], vec![0.0; columns.cells()]);
        let mut marks = vec![0.0; outputs * (columns.marks() + 1)];
        for j in 0..width {
            for m in 0..outputs {
                let coefficient = parameters.coefficients[m * width + j];
                match columns.place(j) {
                    Place::Cell(cell) => {
                        of_cells[m * columns.cells() + cell] = coefficient;
                        centre[cell] = parameters.centre[j];
                    }
                    Place::Mark(mark) => {
                        marks[mark * outputs + m] = coefficient;
                        base[m] -= parameters.centre[j] * coefficient;
                    }
                }
            }
        }
        Some(WideScores { design, columns, cells: LinearScores::new(&base, &of_cells, &centre), marks, outputs })
    }

    /// Writes the scores of the rows `lo..hi`, which are read into `block`.
    pub(super) fn score(
        &self,
        rows: &Features<'_>,
        (lo, hi): (usize, usize),
        block: &mut DesignBlock,
        panel: &mut Panel,
        out: &mut [f64],
    ) -> Result<()> {
        self.design.expand_marked(rows, lo, hi, block)?;
        let x = match self.columns.cells() {
            0 => MatrixView::none(hi - lo),
            cells => MatrixView::row_major(&block.cells, hi - lo, cells)?,
        };
        self.cells.score(x, panel, out);
        Marks::new(self.columns.terms(), self.columns.marks(), &block.marks).add_scores(&self.marks, self.outputs, out);
        Ok(())
    }
}
