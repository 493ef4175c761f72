//! The encoded rows of one batch: numbers, codes and sparse words, column after column.

use oddsmith::Result;
use oddsmith::data::{CodesView, Csr, Features, Layout, Rows};
use oddsmith::num::MatrixView;

/// Sparse rows of one text column.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordBlock {
    pub(crate) starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
    present: Vec<bool>,
    gaps: bool,
}

impl WordBlock {
    /// Forgets all rows.
    pub(crate) fn reset(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.values.clear();
        self.present.clear();
        self.gaps = false;
    }

    /// Adds an entry to the row that is being written.
    pub(crate) fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// Ends the row.
    pub(crate) fn end_row(&mut self, present: bool) {
        self.starts.push(self.columns.len());
        self.present.push(present);
        self.gaps |= !present;
    }

    /// Renumbers columns, leaves out those without a new number, and sorts rows again.
    pub(crate) fn renumber(&mut self, new: &[u32], absent: u32) {
        let mut row: Vec<(u32, f64)> = Vec::new();
        let mut kept = 0;
        let mut start = 0;
        for i in 1..self.starts.len() {
            let end = self.starts[i];
            row.clear();
            row.extend((start..end).map(|at| (new[self.columns[at] as usize], self.values[at])).filter(|(column, _)| *column != absent));
            row.sort_unstable_by_key(|(column, _)| *column);
            for &(column, value) in &row {
                self.columns[kept] = column;
                self.values[kept] = value;
                kept += 1;
            }
            start = end;
            self.starts[i] = kept;
        }
        self.columns.truncate(kept);
        self.values.truncate(kept);
    }

    /// Multiplies every entry by the factor of its column, and gives every row the length 1.
    pub(crate) fn weigh(&mut self, factors: &[f64]) {
        for row in self.starts.windows(2) {
            let (columns, values) = (&self.columns[row[0]..row[1]], &mut self.values[row[0]..row[1]]);
            values.iter_mut().zip(columns).for_each(|(value, column)| *value *= factors[*column as usize]);
            let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
            if length > 0.0 {
                values.iter_mut().for_each(|value| *value /= length);
            }
        }
    }

    fn view(&self, width: usize) -> Csr<'_> {
        Csr { starts: &self.starts, columns: &self.columns, values: &self.values, width, present: self.gaps.then_some(&self.present[..]) }
    }
}

/// A batch of encoded rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    /// Number of rows.
    pub(crate) rows: usize,
    /// Column-major numbers.
    pub(crate) numbers: Vec<f64>,
    /// Column-major codes.
    pub(crate) codes: Vec<u32>,
    /// One sparse block per text column.
    pub(crate) words: Vec<WordBlock>,
    /// Class of each row.
    pub(crate) labels: Vec<u32>,
    /// Weight of each row; empty when rows have no weights.
    pub(crate) weights: Vec<f64>,
}

impl Block {
    /// Makes room for `rows` rows of the given planes; labels and weights are the caller's.
    pub(crate) fn reset(&mut self, rows: usize, numbers: usize, codes: usize, words: usize) {
        self.rows = rows;
        self.numbers.resize(rows * numbers, 0.0);
        self.codes.resize(rows * codes, 0);
        self.words.resize_with(words, WordBlock::default);
        for block in &mut self.words {
            block.reset();
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        let words: usize = self.words.iter().map(|w| w.starts.len() * 8 + w.columns.len() * 12 + w.present.len()).sum();
        (self.numbers.len() * 8 + self.codes.len() * 4 + words + self.labels.len() * 4 + self.weights.len() * 8) as u64
    }

    /// A copy that takes no more memory than its rows need.
    pub(crate) fn compact(&self) -> Block {
        self.clone()
    }

    /// Shows the features to `look`.
    pub(crate) fn with_features<T>(&self, layout: &Layout, look: impl FnOnce(Features<'_>) -> Result<T>) -> Result<T> {
        let words: Vec<Csr<'_>> = self.words.iter().zip(layout.word_widths()).map(|(block, width)| block.view(width)).collect();
        look(Features {
            numbers: MatrixView::column_major(&self.numbers, self.rows, layout.numbers().len())?,
            codes: CodesView::column_major(&self.codes, self.rows, layout.codes().len())?,
            words: &words,
        })
    }

    /// Gives the rows to a sink.
    pub(crate) fn give(&self, layout: &Layout, first_row: u64, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        self.with_features(layout, |features| {
            sink(Rows::new(features, &self.labels, (!self.weights.is_empty()).then_some(&self.weights[..]), first_row))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renumbered_rows_stay_sorted_and_lose_what_has_no_number() {
        let mut block = WordBlock::default();
        block.reset();
        for (row, present) in [(vec![(0, 1.0), (1, 2.0), (2, 3.0)], true), (vec![], false), (vec![(1, 5.0)], true)] {
            row.into_iter().for_each(|(column, value)| block.push(column, value));
            block.end_row(present);
        }
        block.renumber(&[9, u32::MAX, 4], u32::MAX);
        assert_eq!((&block.starts[..], &block.columns[..], &block.values[..]), (&[0, 2, 2, 2][..], &[4, 9][..], &[3.0, 1.0][..]));
        assert!(!block.view(10).is_present(1) && block.view(10).is_present(2));
    }
}
