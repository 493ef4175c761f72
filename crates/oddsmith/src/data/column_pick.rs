//! Some columns of a batch, brought together in buffers that are used again.

use super::{CodesView, Csr, Features, Layout, Plane};
use crate::error::Result;
use crate::num::MatrixView;

/// Which columns of a batch are looked at, and copies of them.
#[derive(Debug, Clone, Default)]
pub struct ColumnPick {
    numbers: Vec<usize>,
    codes: Vec<usize>,
    words: Vec<usize>,
    number_cells: Vec<f64>,
    code_cells: Vec<u32>,
}

impl ColumnPick {
    /// The features with these indices.
    pub(crate) fn new(layout: &Layout, features: &[usize]) -> Self {
        let mut pick = ColumnPick::default();
        for &j in features {
            match layout.plane(j) {
                Plane::Numbers(at) => pick.numbers.push(at),
                Plane::Codes(at) => pick.codes.push(at),
                Plane::Words(at) => pick.words.push(at),
            }
        }
        pick
    }

    /// Gives the picked columns of all rows of a batch to `sink`.
    pub(crate) fn with<T>(&mut self, batch: &Features<'_>, rows: usize, sink: impl FnOnce(Features<'_>) -> Result<T>) -> Result<T> {
        self.number_cells.clear();
        self.code_cells.clear();
        for i in 0..rows {
            self.number_cells.extend(self.numbers.iter().map(|&j| batch.numbers.get(i, j)));
            self.code_cells.extend(self.codes.iter().map(|&j| batch.codes.get(i, j)));
        }
        let words: Vec<Csr<'_>> = self.words.iter().map(|&block| batch.words[block]).collect();
        sink(Features {
            numbers: MatrixView::row_major(&self.number_cells, rows, self.numbers.len())?,
            codes: CodesView::row_major(&self.code_cells, rows, self.codes.len())?,
            words: &words,
        })
    }
}
