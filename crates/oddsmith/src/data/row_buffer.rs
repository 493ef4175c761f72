//! Rows that are owned: copies of some rows of a batch, brought together so that kernels see neighbours.

use super::{CodesView, Csr, Features, Rows};
use crate::error::Result;
use crate::num::MatrixView;

/// Copies of rows, in buffers that are used again.
#[derive(Debug, Clone, Default)]
pub struct RowBuffer {
    rows: usize,
    numbers: Numbers,
    codes: Codes,
    words: Vec<Words>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    keys: Codes,
}

#[derive(Debug, Clone, Default)]
struct Numbers {
    values: Vec<f64>,
    columns: usize,
    /// Whether they lie column after column, as they came.
    by_column: bool,
}

#[derive(Debug, Clone, Default)]
struct Codes {
    values: Vec<u32>,
    columns: usize,
}

#[derive(Debug, Clone, Default)]
struct Words {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    present: Vec<bool>,
    width: usize,
}

impl RowBuffer {
    /// Replaces the content by rows `chosen` of a batch.
    pub fn fill(&mut self, batch: &Rows<'_>, chosen: &[usize]) {
        let features = &batch.features;
        self.rows = chosen.len();
        self.numbers.fill(features.numbers, chosen);
        self.codes.fill(features.codes, chosen);
        self.words.resize_with(features.words.len(), Words::default);
        self.words.iter_mut().zip(features.words).for_each(|(own, block)| own.fill(block, chosen));
        self.labels.clear();
        self.labels.extend(chosen.iter().map(|&i| batch.labels[i]));
        match batch.weights {
            None => self.weights = None,
            Some(weights) => {
                let own = self.weights.get_or_insert_default();
                own.clear();
                own.extend(chosen.iter().map(|&i| weights[i]));
            }
        }
        self.keys.fill(batch.keys, chosen);
    }

    /// Gives the rows to `sink`. Their place in the table is not known here.
    pub fn with<T>(&self, sink: impl FnOnce(Rows<'_>) -> Result<T>) -> Result<T> {
        let words: Vec<Csr<'_>> = self.words.iter().map(Words::view).collect();
        let features = Features { numbers: self.numbers.view(self.rows)?, codes: self.codes.view(self.rows)?, words: &words };
        let keys = self.keys.view(self.rows)?;
        sink(Rows { keys, ..Rows::new(features, &self.labels, self.weights.as_deref(), 0) })
    }
}

impl Numbers {
    fn fill(&mut self, from: MatrixView<'_>, chosen: &[usize]) {
        self.values.clear();
        self.columns = from.cols();
        // Row by row unless only columns lie in one piece.
        self.by_column = from.cols() > 0 && from.rows() > 0 && from.row(0).is_none() && from.column(0).is_some();
        if self.by_column {
            for column in (0..from.cols()).filter_map(|j| from.column(j)) {
                self.values.extend(chosen.iter().map(|&i| column[i]));
            }
            return;
        }
        for &i in chosen {
            match from.row(i) {
                Some(row) => self.values.extend_from_slice(row),
                None => self.values.extend((0..from.cols()).map(|j| from.get(i, j))),
            }
        }
    }

    fn view(&self, rows: usize) -> Result<MatrixView<'_>> {
        match self.by_column {
            true => MatrixView::column_major(&self.values, rows, self.columns),
            false => MatrixView::row_major(&self.values, rows, self.columns),
        }
    }
}

impl Codes {
    fn fill(&mut self, from: CodesView<'_>, chosen: &[usize]) {
        self.values.clear();
        self.columns = from.cols();
        for &i in chosen {
            self.values.extend((0..from.cols()).map(|j| from.get(i, j)));
        }
    }

    fn view(&self, rows: usize) -> Result<CodesView<'_>> {
        CodesView::row_major(&self.values, rows, self.columns)
    }
}

impl Words {
    fn fill(&mut self, block: &Csr<'_>, chosen: &[usize]) {
        self.width = block.width;
        self.starts.clear();
        self.starts.push(0);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_rows_keep_all_that_belongs_to_them() {
        let (numbers, codes, keys) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [7, 8, 9], [0, 1, 2]);
        let words =
            [Csr { starts: &[0, 1, 1, 3], columns: &[4, 0, 2], values: &[1.0, 2.0, 3.0], width: 5, present: Some(&[true, false, true]) }];
        for by_column in [false, true] {
            let matrix = match by_column {
                true => MatrixView::column_major(&numbers, 3, 2),
                false => MatrixView::row_major(&numbers, 3, 2),
            };
            let features = Features { numbers: matrix.unwrap(), codes: CodesView::row_major(&codes, 3, 1).unwrap(), words: &words };
            let batch =
                Rows { keys: CodesView::row_major(&keys, 3, 1).unwrap(), ..Rows::new(features, &[0, 1, 0], Some(&[0.5, 1.0, 2.0]), 10) };
            let mut buffer = RowBuffer::default();
            buffer.fill(&batch, &[2, 0]);
            buffer
                .with(|rows| {
                    for (own, from) in [(0, 2), (1, 0)] {
                        assert_eq!(
                            (0..2).map(|j| rows.features.numbers.get(own, j)).collect::<Vec<_>>(),
                            [features.numbers.get(from, 0), features.numbers.get(from, 1)]
                        );
                        assert_eq!((rows.features.codes.get(own, 0), rows.keys.get(own, 0)), (codes[from], keys[from]));
                        assert_eq!(rows.features.words[0].row(own), words[0].row(from));
                        assert_eq!((rows.labels[own], rows.weights.map(|w| w[own])), (batch.labels[from], batch.weights.map(|w| w[from])));
                    }
                    Ok(())
                })
                .unwrap();
        }
    }
}
