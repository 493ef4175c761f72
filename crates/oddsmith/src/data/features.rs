//! Borrowed views of a batch of rows: numbers, codes and sparse words side by side.
//!
//! Hot paths never box a row: a batch is three planes, each laid out so that one kernel can walk it.
//! A row is a batch of one; there is no second path.

use std::borrow::Cow;

use super::Layout;
use crate::error::{DataFault, Error, Result};
use crate::num::MatrixView;
pub use crate::num::kernel::{MISSING, SKIP, UNSEEN};

/// A matrix of category codes, one column per category feature, in either order.
#[derive(Debug, Clone, Copy)]
pub struct CodesView<'a> {
    data: &'a [u32],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a> CodesView<'a> {
    /// A view of `rows` × `cols` codes, checked against the length of `data`.
    pub fn new(data: &'a [u32], rows: usize, cols: usize, row_stride: usize, col_stride: usize) -> Result<Self> {
        let last = if rows == 0 || cols == 0 { None } else { Some((rows - 1) * row_stride + (cols - 1) * col_stride) };
        if last.is_some_and(|last| last >= data.len()) {
            return Err(Error::internal(format!("a {rows} × {cols} code matrix does not fit {} codes", data.len())));
        }
        Ok(CodesView { data, rows, cols, row_stride, col_stride })
    }

    /// Codes stored row after row.
    pub fn row_major(data: &'a [u32], rows: usize, cols: usize) -> Result<Self> {
        Self::new(data, rows, cols, cols, 1)
    }

    /// Codes stored column after column.
    pub fn column_major(data: &'a [u32], rows: usize, cols: usize) -> Result<Self> {
        Self::new(data, rows, cols, 1, rows)
    }

    /// No columns at all.
    pub fn none(rows: usize) -> CodesView<'static> {
        CodesView { data: &[], rows, cols: 0, row_stride: 0, col_stride: 0 }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The code at row `i`, column `j`.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> u32 {
        self.data[i * self.row_stride + j * self.col_stride]
    }

    /// The codes of column `j` as they lie, where its rows lie one after the other.
    pub fn column(&self, j: usize) -> Option<&'a [u32]> {
        (self.row_stride == 1 && j < self.cols && self.rows > 0).then(|| &self.data[j * self.col_stride..][..self.rows])
    }

    /// Distance between rows and between columns in the data, and the data themselves, for kernels.
    pub fn parts(&self) -> (&'a [u32], usize, usize) {
        (self.data, self.row_stride, self.col_stride)
    }

    /// The first `at` columns, and the others.
    pub fn split_columns(&self, at: usize) -> (CodesView<'a>, CodesView<'a>) {
        let at = at.min(self.cols);
        let rest = if at == self.cols || self.rows == 0 { &[][..] } else { &self.data[at * self.col_stride..] };
        (CodesView { cols: at, ..*self }, CodesView { data: rest, cols: self.cols - at, ..*self })
    }

    /// The rows `lo..hi`.
    pub fn slice(&self, lo: usize, hi: usize) -> CodesView<'a> {
        let data = if self.cols == 0 || lo >= hi { &[][..] } else { &self.data[lo * self.row_stride..] };
        CodesView { data, rows: hi - lo, ..*self }
    }
}

/// Sparse rows: the entries of row `i` are `columns[starts[i]..starts[i+1]]` with their values.
#[derive(Debug, Clone, Copy)]
pub struct Csr<'a> {
    /// Where each row starts, relative to the start of `columns`; one more entry than there are rows.
    pub starts: &'a [usize],
    /// Column of each entry.
    pub columns: &'a [u32],
    /// Value of each entry.
    pub values: &'a [f64],
    /// Number of columns.
    pub width: usize,
    /// Which rows hold a text at all; `None` when all do. A missing text is not an empty one.
    pub present: Option<&'a [bool]>,
}

impl<'a> Csr<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Columns and values of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Whether row `i` holds a text.
    #[inline]
    pub fn is_present(&self, i: usize) -> bool {
        self.present.is_none_or(|present| present[i])
    }

    /// The rows `lo..hi`.
    pub fn slice(&self, lo: usize, hi: usize) -> Csr<'a> {
        Csr { starts: &self.starts[lo..=hi], present: self.present.map(|p| &p[lo..hi]), ..*self }
    }
}

/// The features of a batch of rows, plane by plane, in the order of the layout's planes.
#[derive(Debug, Clone, Copy)]
pub struct Features<'a> {
    /// Number columns; NaN is missing.
    pub numbers: MatrixView<'a>,
    /// Category and boolean columns as codes.
    pub codes: CodesView<'a>,
    /// One sparse block per text column.
    pub words: &'a [Csr<'a>],
}

impl<'a> Features<'a> {
    /// Only numbers.
    pub fn of_numbers(numbers: MatrixView<'a>) -> Self {
        Features { numbers, codes: CodesView::none(numbers.rows()), words: &[] }
    }

    /// Only codes.
    pub fn of_codes(codes: CodesView<'a>) -> Self {
        Features { numbers: MatrixView::none(codes.rows()), codes, words: &[] }
    }

    /// Only words.
    pub fn of_words(words: &'a [Csr<'a>]) -> Self {
        let rows = words.first().map_or(0, Csr::rows);
        Features { numbers: MatrixView::none(rows), codes: CodesView::none(rows), words }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.numbers.rows()
    }

    /// The rows `lo..hi`; `words` is the caller's buffer for the cut sparse blocks.
    pub fn slice<'b>(&self, lo: usize, hi: usize, words: &'b mut Vec<Csr<'a>>) -> Features<'b>
    where
        'a: 'b,
    {
        words.clear();
        words.extend(self.words.iter().map(|block| block.slice(lo, hi)));
        Features { numbers: self.numbers.slice(lo, hi), codes: self.codes.slice(lo, hi), words }
    }

    /// Checks that the planes have the shape that the layout asks for.
    pub fn check(&self, layout: &Layout) -> Result<()> {
        let rows = self.rows();
        let widths: Vec<usize> = self.words.iter().map(|block| block.width).collect();
        let fits = self.numbers.cols() == layout.numbers().len()
            && self.codes.cols() == layout.codes().len()
            && self.codes.rows() == rows
            && widths == layout.word_widths()
            && self.words.iter().all(|block| block.rows() == rows);
        match fits {
            true => Ok(()),
            false => Err(Error::internal(format!(
                "a batch of {rows} rows with {} numbers, {} codes and {widths:?} words does not fit a layout of {} features",
                self.numbers.cols(),
                self.codes.cols(),
                layout.features().len()
            ))),
        }
    }
}

/// A batch of labelled rows.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The features.
    pub features: Features<'a>,
    /// Class of each row, or [`SKIP`].
    pub labels: &'a [u32],
    /// Weight of each row; `None` means 1.
    pub weights: Option<&'a [f64]>,
    /// Index of the first row in the whole source, from 0, for messages.
    pub first_row: u64,
    /// Codes of the layout's keys, one column each; [`MISSING`] where a row has none.
    pub keys: CodesView<'a>,
    /// Whether the source knows that no number is missing or infinite, so that nobody need look.
    pub finite: bool,
}

impl<'a> Rows<'a> {
    /// Rows without keys.
    pub fn new(features: Features<'a>, labels: &'a [u32], weights: Option<&'a [f64]>, first_row: u64) -> Self {
        Rows { features, labels, weights, first_row, keys: CodesView::none(labels.len()), finite: false }
    }

    /// The same rows, of which the source knows that no number is missing or infinite.
    #[must_use]
    pub fn of_finite_numbers(self) -> Self {
        Rows { finite: true, ..self }
    }

    /// The labels of the rows that count: a row of weight zero becomes [`SKIP`]. A weight that is negative or not
    /// finite is an error.
    pub fn counted_labels(&self) -> Result<Cow<'a, [u32]>> {
        let Some(weights) = self.weights.filter(|weights| !weights.iter().all(|w| *w > 0.0 && *w < f64::INFINITY)) else {
            return Ok(Cow::Borrowed(self.labels));
        };
        let mut labels = self.labels.to_vec();
        for (i, (label, weight)) in labels.iter_mut().zip(weights).enumerate() {
            if *label != SKIP && !(0.0..f64::INFINITY).contains(weight) {
                let fault = DataFault::new("a row weight cannot be").row(self.first_row + i as u64 + 1).value(weight.to_string());
                return Err(fault.accepted("weights are finite numbers from 0 up").into());
            }
            if *weight == 0.0 {
                *label = SKIP;
            }
        }
        Ok(Cow::Owned(labels))
    }
}
