//! What a column holds, judged by its cells.
//!
//! - number: every cell that is not missing is a decimal or scientific number without leading zeros (`inf` counts as a
//!   number here and is refused later, with its row);
//! - boolean: every such cell is `true` or `false` in any case;
//! - text: more than half of such cells differ from each other, and the different ones have three words or more on average;
//! - category: everything else.
//!
//! Where the caller asks for it, a number column whose only values are 0 and 1 is a boolean.
//!
//! The guess is made on the first rows and holds until a later cell contradicts it; then the file is read again.

use oddsmith::data::Kind;

use crate::column::{Column, NumberCell, RawBatch};
use crate::interner::Interner;
use crate::missing::Markers;
use crate::number;

/// How the cells of a column are to be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As numbers.
    Number,
    /// As codes of levels: categories and booleans.
    Levels,
    /// As words.
    Words,
}

/// An encoding and whether the caller asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The encoding.
    pub(crate) encoding: Encoding,
    /// The kind that the caller gave.
    pub(crate) given: Option<Kind>,
    /// Levels that should be 0 and 1 alone; otherwise the column is read again as numbers.
    pub(crate) flags: bool,
}

impl Choice {
    /// The choice that a given kind implies.
    pub(crate) fn given(kind: Kind) -> Self {
        let encoding = match kind {
            Kind::Number => Encoding::Number,
            Kind::Category | Kind::Boolean => Encoding::Levels,
            Kind::Text => Encoding::Words,
        };
        Choice { encoding, given: Some(kind), flags: false }
    }

    /// A choice that a later cell may overturn.
    pub(crate) fn guessed(encoding: Encoding) -> Self {
        Choice { encoding, given: None, flags: false }
    }

    /// Zeros and ones, until a later cell says otherwise.
    pub(crate) fn flags() -> Self {
        Choice { encoding: Encoding::Levels, given: None, flags: true }
    }
}

/// Guesses the encoding of a column from the first rows; `numbers` is what its type says, if it has one, and `flags` whether zeros and
/// ones are to be told from other numbers.
pub(crate) fn guess(batch: &RawBatch<'_>, column: usize, numbers: Option<bool>, flags: bool, decimal: u8, markers: &Markers) -> Choice {
    let keep: Vec<u32> = (0..batch.rows() as u32).collect();
    let column = batch.column(column);
    if numbers.unwrap_or_else(|| all_numbers(&column, &keep, decimal, markers)) {
        let flags = flags && zeros_and_ones(&column, &keep, decimal, markers);
        return if flags { Choice::flags() } else { Choice::guessed(Encoding::Number) };
    }
    let mut values = Interner::default();
    let mut cells = 0;
    column.each_text(&keep, |_, cell| {
        if let Some(cell) = cell.filter(|cell| !markers.has(cell)) {
            cells += 1;
            values.intern(cell);
        }
    });
    let different = (0..values.len() as u32).map(|number| values.name(number));
    Choice::guessed(if is_text(cells, different) { Encoding::Words } else { Encoding::Levels })
}

fn all_numbers(column: &Column<'_>, keep: &[u32], decimal: u8, markers: &Markers) -> bool {
    let mut numbers = true;
    column.each_number(keep, decimal, markers, |_, cell| {
        numbers &= match cell {
            NumberCell::Number(_) | NumberCell::Null => true,
            NumberCell::Text(text) => markers.has(text) || number::parse(text, decimal).is_some_and(f64::is_infinite),
        };
    });
    numbers
}

/// Whether there are zeros and ones and no other numbers.
fn zeros_and_ones(column: &Column<'_>, keep: &[u32], decimal: u8, markers: &Markers) -> bool {
    let (mut zeros, mut ones, mut others) = (false, false, false);
    column.each_number(keep, decimal, markers, |_, cell| match cell {
        NumberCell::Number(0.0) => zeros = true,
        NumberCell::Number(1.0) => ones = true,
        NumberCell::Number(_) => others = true,
        NumberCell::Null => {}
        NumberCell::Text(text) => others |= !markers.has(text),
    });
    zeros && ones && !others
}

/// The rule for text: more than half of the cells differ, and have three words or more on average.
pub(crate) fn is_text<'a>(cells: u64, different: impl ExactSizeIterator<Item = &'a [u8]>) -> bool {
    let count = different.len() as u64;
    if count * 2 <= cells {
        return false;
    }
    let words: u64 = different.map(|value| value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() as u64).sum();
    words >= 3 * count
}

/// The boolean that a cell spells, `true` or `false` in any case.
pub(crate) fn boolean(cell: &[u8]) -> Option<bool> {
    let cell = cell.trim_ascii();
    match cell {
        _ if cell.eq_ignore_ascii_case(b"true") => Some(true),
        _ if cell.eq_ignore_ascii_case(b"false") => Some(false),
        _ => None,
    }
}

/// The boolean in a column that is known to hold booleans, where more spellings are safe.
pub(crate) fn lenient_boolean(cell: &[u8]) -> Option<bool> {
    boolean(cell).or_else(|| match cell.trim_ascii().to_ascii_lowercase().as_slice() {
        b"1" | b"t" | b"y" | b"yes" => Some(true),
        b"0" | b"f" | b"n" | b"no" => Some(false),
        _ => flag(cell),
    })
}

/// The boolean that a number spells: 0 or 1, however it is written.
pub(crate) fn flag(cell: &[u8]) -> Option<bool> {
    match number::parse(cell, b'.').or_else(|| number::parse(cell, b',')) {
        Some(0.0) => Some(false),
        Some(1.0) => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Shape, Text};
    use crate::options::Ragged;
    use crate::records::Marks;

    fn guess_of(cells: &[&str]) -> Encoding {
        let mut text = Text::of(&cells.iter().map(|cell| format!("x\t{cell}\n")).collect::<String>(), None);
        let marks = Marks { delimiter: b'\t', quote: None, line_end: b'\n' };
        let mut grid = Grid::default();
        grid.fill(
            &mut text,
            &Shape { marks, width: 2, trailing: false, ragged: Ragged::Error, rows: 100, guessed_quotes: true, blank_rows: false },
        )
        .unwrap();
        guess(&RawBatch::Cells(&text, &grid), 1, None, true, b'.', &Markers::new(None)).encoding
    }

    #[test]
    fn numbers_need_every_cell() {
        assert_eq!(guess_of(&["1", "", "2.5e3", "NA", " 7 "]), Encoding::Number);
        assert_eq!(guess_of(&["1", "inf"]), Encoding::Number);
        assert_eq!(guess_of(&["", "NA"]), Encoding::Number);
        assert_eq!(guess_of(&["1", "two"]), Encoding::Levels);
        assert_eq!(guess_of(&["01234", "99999"]), Encoding::Levels);
        assert_eq!(guess_of(&["0", "0.5"]), Encoding::Number);
        assert_eq!(guess_of(&["0", "0"]), Encoding::Number);
        assert_eq!(guess_of(&["0", "1", "", "1.0"]), Encoding::Levels);
    }

    #[test]
    fn text_differs_from_row_to_row_and_has_words() {
        let prose = ["the cat sat", "a dog ran off", "no news today at all"];
        assert_eq!(guess_of(&prose), Encoding::Words);
        assert_eq!(guess_of(&["John Smith", "Ann Lee", "Bo Li"]), Encoding::Levels);
        assert_eq!(guess_of(&["not at all", "not at all", "a lot of it", "a lot of it"]), Encoding::Levels);
    }

    #[test]
    fn booleans_are_spelled_out_unless_announced() {
        assert_eq!((boolean(b"TRUE"), boolean(b"False"), boolean(b"yes"), boolean(b"1")), (Some(true), Some(false), None, None));
        assert_eq!((lenient_boolean(b"Yes"), lenient_boolean(b"0"), lenient_boolean(b"2")), (Some(true), Some(false), None));
        assert_eq!((flag(b"1.0"), flag(b"-0"), flag(b"0,0"), flag(b"2"), flag(b"x")), (Some(true), Some(false), Some(false), None, None));
    }
}
