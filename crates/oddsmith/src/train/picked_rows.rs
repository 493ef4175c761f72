//! Some rows of a batch, brought together so that kernels see neighbours.

use crate::data::{CodesView, Csr, Features, Rows};
use crate::error::Result;
use crate::num::MatrixView;

/// Copies of chosen rows, in buffers that are used again.
#[derive(Debug, Default)]
pub(super) struct PickedRows {
    rows: usize,
    numbers: Vec<f64>,
    /// Whether `numbers` lie column after column, as they came.
    by_column: bool,
    codes: Vec<u32>,
    words: Vec<PickedWords>,
    labels: Vec<u32>,
    weights: Vec<f64>,
    weighted: bool,
}

#[derive(Debug, Default)]
struct PickedWords {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    present: Vec<bool>,
    width: usize,
}

impl PickedRows {
    /// Replaces the content by rows `chosen` of a batch.
    pub(super) fn fill(&mut self, batch: &Rows<'_>, chosen: &[usize]) {
        let features = &batch.features;
        self.rows = chosen.len();
        self.fill_numbers(features.numbers, chosen);
        self.codes.clear();
        for &i in chosen {
            self.codes.extend((0..features.codes.cols()).map(|j| features.codes.get(i, j)));
        }
        self.words.resize_with(features.words.len(), PickedWords::default);
        self.words.iter_mut().zip(features.words).for_each(|(picked, block)| picked.fill(block, chosen));
        self.labels.clear();
        self.labels.extend(chosen.iter().map(|&i| batch.labels[i]));
        self.weighted = batch.weights.is_some();
        self.weights.clear();
        if let Some(weights) = batch.weights {
            self.weights.extend(chosen.iter().map(|&i| weights[i]));
        }
    }

    fn fill_numbers(&mut self, numbers: MatrixView<'_>, chosen: &[usize]) {
        self.numbers.clear();
        // Row by row unless only columns lie in one piece.
        self.by_column = numbers.cols() > 0 && numbers.rows() > 0 && numbers.row(0).is_none() && numbers.column(0).is_some();
        if self.by_column {
            for column in (0..numbers.cols()).filter_map(|j| numbers.column(j)) {
                self.numbers.extend(chosen.iter().map(|&i| column[i]));
            }
            return;
        }
        for &i in chosen {
            match numbers.row(i) {
                Some(row) => self.numbers.extend_from_slice(row),
                None => self.numbers.extend((0..numbers.cols()).map(|j| numbers.get(i, j))),
            }
        }
    }

    /// Gives the rows to `sink`. Their place in the table is not known here.
    pub(super) fn with<T>(&self, columns: (usize, usize), sink: impl FnOnce(Rows<'_>) -> Result<T>) -> Result<T> {
        let words: Vec<Csr<'_>> = self.words.iter().map(PickedWords::view).collect();
        let numbers = match self.by_column {
            true => MatrixView::column_major(&self.numbers, self.rows, columns.0)?,
            false => MatrixView::row_major(&self.numbers, self.rows, columns.0)?,
        };
        let codes = CodesView::row_major(&self.codes, self.rows, columns.1)?;
        let features = Features { numbers, codes, words: &words };
        sink(Rows::new(features, &self.labels, self.weighted.then_some(&self.weights[..]), 0))
    }
}

impl PickedWords {
    fn fill(&mut self, block: &Csr<'_>, chosen: &[usize]) {
        (self.starts, self.width) = (vec![0], block.width);
        self.columns.clear();
        self.values.clear();
        self.present.clear();
        for &i in chosen {
            let (columns, values) = block.row(i);
            self.columns.extend_from_slice(columns);
            self.values.extend_from_slice(values);
            self.starts.push(self.columns.len());
            self.present.push(block.is_present(i));
        }
    }

    fn view(&self) -> Csr<'_> {
        Csr { starts: &self.starts, columns: &self.columns, values: &self.values, width: self.width, present: Some(&self.present) }
    }
}
