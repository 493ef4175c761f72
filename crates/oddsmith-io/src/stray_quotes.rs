//! Whether quotes in a text are ordinary characters, as in lines of `5" pipe` or `"Hi", she wrote` that nobody meant to enclose.
//!
//! Read without quotes, all lines of such a text have the same number of cells. Read with quotes, some lines vanish inside a cell, or text
//! follows a closing quote, where a program that writes quotes puts a delimiter or a line end. Both together are proof enough. One
//! alone is, where tabs or bars separate cells; but prose inside quotes has commas of its own, and people who type quotes around cells
//! that hold commas do not always double those inside.

use crate::records::{Marks, closing};
use crate::sniff::Window;

/// An open quote at the end of a window that is not the whole text may be closed later; after so many lines it is not believed.
const LONGEST_BELIEVED: usize = 50;

/// What the quotes of a window enclose.
#[derive(Default)]
struct Enclosed {
    /// A cell holds line ends.
    lines: bool,
    /// Text follows a closing quote.
    tails: bool,
    /// A cell holds line ends, and its quote is closed nowhere or in the midst of text.
    stray: bool,
}

/// Whether the quotes of these marks are better read as ordinary characters.
pub(crate) fn are_text(window: &Window<'_>, marks: Marks) -> bool {
    let Some(quote) = marks.quote.filter(|quote| window.bytes.contains(quote)) else { return false };
    let Some(width) = even_width(window, marks).filter(|_| !starts_enclosed(window.bytes, marks, quote)) else { return false };
    let found = enclosed(window, marks, quote);
    found.stray || (width > 1 && (found.lines || found.tails) && !matches!(marks.delimiter, b',' | b';'))
}

/// The number of cells of all lines that are not blank, where it is the same when quotes mean nothing.
fn even_width(window: &Window<'_>, marks: Marks) -> Option<usize> {
    let mut lines: Vec<&[u8]> = window.bytes.split(|byte| *byte == marks.line_end).collect();
    if !window.whole {
        lines.pop();
    }
    let cells = |line: &&[u8]| memchr::memchr_iter(marks.delimiter, line).count() + 1;
    let mut widths = lines.iter().filter(|line| !line.trim_ascii().is_empty()).map(cells);
    let first = widths.next()?;
    widths.all(|width| width == first).then_some(first)
}

/// Whether every cell of the first line stands in quotes: a program wrote them.
fn starts_enclosed(text: &[u8], marks: Marks, quote: u8) -> bool {
    let line = text.split(|byte| *byte == marks.line_end).next().unwrap_or_default().trim_ascii();
    let encloses = |cell: &[u8]| cell.len() > 1 && cell.starts_with(&[quote]) && cell.ends_with(&[quote]);
    line.split(|byte| *byte == marks.delimiter).all(encloses)
}

fn enclosed(window: &Window<'_>, marks: Marks, quote: u8) -> Enclosed {
    let text = window.bytes;
    let mut found = Enclosed::default();
    let mut from = 0;
    while let Some(open) = marks.next_opening(text, from, quote) {
        let (close, _) = closing(text, open, quote);
        let lines = memchr::memchr_iter(marks.line_end, &text[open..close]).count();
        let ends_there = |byte: &u8| [marks.delimiter, marks.line_end, b'\r'].contains(byte);
        let tail = !text.get(close + 1).is_none_or(ends_there);
        found.lines |= lines > 0 && close < text.len();
        found.tails |= tail;
        found.stray |= lines > 0 && tail;
        if close == text.len() {
            found.stray |= window.whole || lines > LONGEST_BELIEVED;
            break;
        }
        from = close + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_at(delimiter: u8, text: &str, whole: bool) -> bool {
        let marks = Marks { delimiter, quote: Some(b'"'), line_end: b'\n' };
        are_text(&Window { bytes: text.as_bytes(), whole, encoding: "UTF-8" }, marks)
    }

    #[test]
    fn quotes_that_swallow_rows_are_ordinary_characters() {
        assert!(text_at(b'\t', "ham\t\"Hi there\nspam\tnow \"free\" again\nham\tok\n", true));
        assert!(text_at(b'\t', "ham\t\"Hi there\nspam\tnow or never\"\nham\tok\n", true));
        assert!(text_at(b'\t', "ham\t\"Hi there\nspam\tnow or never\nham\tok", true));
        assert!(text_at(b'\t', "ham\t\"Hi\" there\nspam\tnow or never\n", true));
        assert!(text_at(b',', "1,\"5 pipe\n2,\"6 pipe\n", true));
        assert!(text_at(b'\t', "\"Hi there\nnow \"or\" never\n", true), "a column alone");
    }

    #[test]
    fn quotes_that_enclose_are_kept() {
        assert!(!text_at(b',', "id,note\n1,\"Dear Sir\nYours, Bob\"\n2,ok\n", true), "prose has commas");
        assert!(!text_at(b',', "id,note\n1,\"two\nlines\"\n", true), "the lines are not rectangular");
        assert!(!text_at(b'\t', "a\tb\n\"x\"\t\"y\"\n", true), "no line is swallowed");
        assert!(!text_at(b',', "a,b\n\"5\" pipe\",2\n", true), "no line is swallowed, and commas may be meant");
        assert!(!text_at(b'\t', "note\n\"two\nlines\"\n", true), "a column alone may hold lines");
        assert!(!text_at(b'\t', "\"a\"\t\"b\"\n1\t\"x\n2\ty\"\n", true), "the header stands in quotes");
        assert!(!text_at(b'\t', "a\tb\n1\t2\n3\t\"begins in the window", false), "the window may have cut the cell");
    }
}
