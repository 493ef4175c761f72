//! Short numbers of a column, many cells at a time.
//!
//! Cells of up to eight bytes after a sign fit in one word each. All steps of [`crate::number`]'s short road are then taken for all
//! cells of a block side by side, without a branch, so that vector instructions carry them out; what is not plainly a
//! number of that length is left to the road for single cells. The results are the same in every bit.

use oddsmith::num::kernel::widest;

use crate::number::{EXACT, POWERS, beyond_nine, eight_digits, equal_bytes, every};
use crate::records::Span;

/// Cells of a block.
pub(crate) const BLOCK: usize = 64;
/// Bytes of a word.
const WORD: usize = 8;

/// The cells of a block on their way.
pub(crate) struct ShortCells {
    /// The last eight bytes of each cell, with what stands before it.
    words: [u64; BLOCK],
    /// Bytes after the sign; 0 for cells that are too long or too near the beginning of the text.
    lengths: [u64; BLOCK],
    /// The sign bits.
    signs: [u64; BLOCK],
    /// The numbers.
    pub(crate) values: [f64; BLOCK],
    /// Not zero where the cell is no such number.
    refused: [u64; BLOCK],
}

impl ShortCells {
    pub(crate) fn new() -> Self {
        ShortCells { words: [0; BLOCK], lengths: [0; BLOCK], signs: [0; BLOCK], values: [0.0; BLOCK], refused: [0; BLOCK] }
    }

    /// Whether a cell was read.
    #[inline(always)]
    pub(crate) fn is_number(&self, cell: usize) -> bool {
        self.refused[cell] == 0
    }

    /// Reads up to [`BLOCK`] cells.
    pub(crate) fn read(&mut self, text: &[u8], spans: &[Span], rows: &[u32], decimal: u8) {
        self.lengths.fill(0);
        for (t, &row) in rows.iter().enumerate().take(BLOCK) {
            let [start, end] = spans[row as usize].map(|at| at as usize);
            let window = end.checked_sub(WORD).and_then(|from| text.get(from..end)).and_then(|window| window.first_chunk());
            let (Some(window), Some(first)) = (window, text.get(start)) else { continue };
            let negative = *first == b'-';
            let length = end - start - usize::from(negative);
            self.words[t] = u64::from_le_bytes(*window);
            self.lengths[t] = if length <= WORD { length as u64 } else { 0 };
            self.signs[t] = u64::from(negative) << 63;
        }
        let ShortCells { words, lengths, signs, values, refused } = self;
        widest(
            #[inline(always)]
            || {
                for t in 0..BLOCK {
                    (values[t], refused[t]) = number(words[t], lengths[t], signs[t], decimal ^ b'0');
                }
            },
        );
    }
}

/// The number in the last `length` bytes of a word, and whether there is none. `mark` is the decimal mark less the digit zero.
#[inline(always)]
fn number(word: u64, length: u64, sign: u64, mark: u8) -> (f64, u64) {
    // After this a digit is its value, and what stands before the cell is zero.
    let before = (8 * (WORD as u64 - length)) & 63;
    let word = (word ^ every(b'0')) & (u64::MAX << before);
    let head = word >> before;
    let padded = (length > 1) & (head & 0xff == 0) & ((head >> 8) & 0xff != u64::from(mark));
    let marks = equal_bytes(word, mark);
    // The lowest bit of the byte of the first mark; zero without one.
    let first = (marks & marks.wrapping_neg()) >> 7;
    let below = first.wrapping_sub(1);
    let squeezed = ((word & below) << 8) | (word & !(below | first.wrapping_mul(0xff)));
    let digits = if first == 0 { word } else { squeezed };
    let mut power = 1.0;
    for (decimals, of_ten) in POWERS.iter().enumerate().take(WORD).skip(1) {
        power = if first == 1 << (8 * (WORD - 1 - decimals)) { *of_ten } else { power };
    }
    let count = length.wrapping_sub(u64::from(first != 0));
    let refused = beyond_nine(digits) | u64::from(padded) | u64::from((length == 0) | (count == 0));
    // The bits of 2^52 + m, less 2^52: exact.
    let exact = f64::from_bits((EXACT as f64).to_bits() | eight_digits(digits)) - EXACT as f64;
    (f64::from_bits((exact / power).to_bits() | sign), refused)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::number::plain;

    /// Reads cells side by side and one by one: a number that both roads find is the same.
    fn check(cells: &[String], decimal: u8) -> usize {
        let (mut text, mut spans) = (b"12345678;".to_vec(), Vec::new());
        for cell in cells {
            let start = text.len() as u32;
            text.extend_from_slice(cell.as_bytes());
            spans.push([start, text.len() as u32]);
            text.push(b';');
        }
        text.extend_from_slice(&[0; 16]);
        let rows: Vec<u32> = (0..cells.len() as u32).collect();
        let mut block = ShortCells::new();
        block.read(&text, &spans, &rows, decimal);
        for (t, [start, end]) in spans.iter().enumerate() {
            let single = plain(&text, *start as usize, *end as usize, decimal);
            let short = cells[t].trim_start_matches('-').len() <= WORD && !cells[t].starts_with("--");
            let found = block.is_number(t).then(|| block.values[t].to_bits());
            assert_eq!(found, single.map(f64::to_bits).filter(|_| short), "{:?}", cells[t]);
        }
        (0..cells.len()).filter(|t| block.is_number(*t)).count()
    }

    #[test]
    fn short_numbers_are_read_and_nothing_else() {
        let texts = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let numbers =
            ["0", "7", "-7", "0.5", "-0.25", ".5", "5.", "12345678", "-1234567", "0.259574", "-0.781425", "-12.3456", "1234567.", "-0"];
        assert_eq!(check(&texts(&numbers), b'.'), numbers.len());
        let others = [
            "",
            "-",
            ".",
            "-.",
            "007",
            "-01.5",
            "00",
            "1e5",
            "+1",
            " 1",
            "1 ",
            "1,5",
            "1..5",
            "123456789",
            "-0.1234567",
            "NA",
            "a",
            "--1",
            "1-2",
        ];
        assert_eq!(check(&texts(&others), b'.'), 0);
        assert_eq!(check(&texts(&["1,5", "-0,25", "1.5"]), b','), 2);
    }

    #[test]
    fn a_cell_at_the_very_beginning_is_left_to_the_other_road() {
        let mut block = ShortCells::new();
        block.read(b"1,2,3,4,5;", &[[0, 1], [8, 9]], &[0, 1], b'.');
        assert!(!block.is_number(0) && block.is_number(1) && block.values[1] == 5.0);
    }

    proptest! {
        #[test]
        fn both_roads_agree(cells in prop::collection::vec("-?[0-9.,e ]{0,10}", 1..BLOCK)) {
            check(&cells, b'.');
        }

        #[test]
        fn decimals_are_the_nearest_numbers(numbers in prop::collection::vec(-99_999_999i32..=99_999_999, 1..BLOCK), decimals in 0usize..7) {
            let cells: Vec<String> = numbers.iter().map(|n| format!("{:.*}", decimals, f64::from(*n) / 10f64.powi(decimals as i32))).collect();
            check(&cells, b'.');
        }
    }
}
