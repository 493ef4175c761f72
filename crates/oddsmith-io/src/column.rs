//! One column of a batch as it comes from the file, before anything is encoded.

use arrow_array::{Array, Float64Array};

use crate::array_feed::Arrays;
use crate::grid::{Grid, Text};
use crate::missing::Markers;
use crate::number;
use crate::records::Span;
use crate::short_cells::{BLOCK, ShortCells};
use crate::spelled::Spelled;
use crate::typed::{self, Typed};

/// A batch of rows as it comes from the file.
pub(crate) enum RawBatch<'a> {
    /// Cells of text.
    Cells(&'a Text, &'a Grid),
    /// Typed columns.
    Arrays(&'a Arrays),
}

/// A column of a batch.
pub(crate) enum Column<'a> {
    /// Cells of text and where they lie.
    Cells(&'a [u8], &'a [Span]),
    /// Typed cells; `None` when the column was not read.
    Array(Option<&'a dyn Array>),
}

/// What a cell of a number column holds.
#[derive(Clone, Copy)]
pub(crate) enum NumberCell<'a> {
    /// A finite number.
    Number(f64),
    /// Nothing.
    Null,
    /// Anything else: a missing marker, an infinite number, one with leading zeros, or no number at all.
    Text(&'a [u8]),
}

impl<'a> RawBatch<'a> {
    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        match self {
            RawBatch::Cells(_, grid) => grid.rows,
            RawBatch::Arrays(arrays) => arrays.rows,
        }
    }

    /// The record number of a row within its partition, from 0.
    pub(crate) fn record(&self, row: usize) -> u64 {
        match self {
            RawBatch::Cells(_, grid) => u64::from(grid.records[row]),
            RawBatch::Arrays(arrays) => arrays.first + row as u64,
        }
    }

    /// A column by its place in the file.
    pub(crate) fn column(&self, column: usize) -> Column<'a> {
        match self {
            RawBatch::Cells(text, grid) => Column::Cells(&text.bytes, grid.column(column)),
            RawBatch::Arrays(arrays) => Column::Array(arrays.columns[column].as_deref()),
        }
    }
}

impl Column<'_> {
    /// Gives the text of each kept row to `cell`, `None` for a null.
    #[inline]
    pub(crate) fn each_text(&self, keep: &[u32], mut cell: impl FnMut(usize, Option<&[u8]>)) {
        match self {
            Column::Cells(text, spans) => {
                for (i, &row) in keep.iter().enumerate() {
                    let [start, end] = spans[row as usize];
                    cell(i, Some(&text[start as usize..end as usize]));
                }
            }
            Column::Array(Some(array)) => {
                let mut spelled = Spelled::default();
                typed::each(*array, keep, |i, typed| cell(i, spelled.text(&typed)));
            }
            Column::Array(None) => (0..keep.len()).for_each(|i| cell(i, None)),
        }
    }

    /// Gives the number of each kept row to `cell`.
    #[inline]
    pub(crate) fn each_number(&self, keep: &[u32], decimal: u8, markers: &Markers, mut cell: impl FnMut(usize, NumberCell<'_>)) {
        match self {
            Column::Cells(text, spans) => {
                let mut block = ShortCells::new();
                for (at, rows) in keep.chunks(BLOCK).enumerate() {
                    block.read(text, spans, rows, decimal);
                    for (t, &row) in rows.iter().enumerate() {
                        let [start, end] = spans[row as usize].map(|at| at as usize);
                        let value = if block.is_number(t) { Some(block.values[t]) } else { number::plain(text, start, end, decimal) };
                        match value {
                            Some(value) if !markers.has_number(value) => cell(at * BLOCK + t, NumberCell::Number(value)),
                            _ => cell(at * BLOCK + t, judge(&text[start..end], decimal, markers)),
                        }
                    }
                }
            }
            Column::Array(Some(array)) => match array.as_any().downcast_ref::<Float64Array>() {
                Some(values) => each_real(values, keep, decimal, markers, cell),
                None => typed::each(*array, keep, |i, typed| with_number(&typed, decimal, markers, |value| cell(i, value))),
            },
            Column::Array(None) => (0..keep.len()).for_each(|i| cell(i, NumberCell::Null)),
        }
    }
}

/// Gives the cells of a column of 64-bit numbers: most columns are, and cells that are numbers need not be made into anything first.
#[inline]
fn each_real(values: &Float64Array, keep: &[u32], decimal: u8, markers: &Markers, mut cell: impl FnMut(usize, NumberCell<'_>)) {
    let (numbers, nulls) = (values.values(), values.nulls());
    for (i, &row) in keep.iter().enumerate() {
        let value = numbers[row as usize];
        if nulls.is_some_and(|nulls| nulls.is_null(row as usize)) {
            cell(i, NumberCell::Null);
        } else if value.is_finite() && !markers.has_number(value) {
            cell(i, NumberCell::Number(value));
        } else {
            with_number(&Typed::Real(value), decimal, markers, |value| cell(i, value));
        }
    }
}

/// Gives what a typed cell holds as a number.
#[inline]
fn with_number(typed: &Typed<'_>, decimal: u8, markers: &Markers, cell: impl FnOnce(NumberCell<'_>)) {
    match typed.number() {
        Some(value) if value.is_finite() && !markers.has_number(value) => cell(NumberCell::Number(value)),
        Some(value) if !value.is_infinite() => cell(NumberCell::Null),
        _ => match typed.text(&mut String::new()) {
            None => cell(NumberCell::Null),
            Some(text) => cell(judge(text, decimal, markers)),
        },
    }
}

/// What to make of a cell that is not plainly a number.
#[cold]
fn judge<'a>(cell: &'a [u8], decimal: u8, markers: &Markers) -> NumberCell<'a> {
    match number::parse(cell, decimal) {
        Some(value) if value.is_finite() && !number::zero_padded(cell) => {
            if markers.has_number(value) {
                NumberCell::Null
            } else {
                NumberCell::Number(value)
            }
        }
        _ => NumberCell::Text(cell),
    }
}
