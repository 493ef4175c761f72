//! Text into records and cells.
//!
//! A record ends at a line end outside quotes; `\r` before `\n` belongs to the line end. A quote opens only at
//! the start of a cell, a doubled quote inside stands for one, and what follows a closing quote up to the next
//! delimiter is kept as written.

use memchr::{memchr, memchr2};

/// Bytes of zeros after the text, so that blocks can be loaded past its end.
pub(crate) const PADDING: usize = 64;

/// Where a cell lies in the text buffer: start and end.
pub(crate) type Span = [u32; 2];

/// The marks that structure a delimited text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Between cells.
    pub(crate) delimiter: u8,
    /// Around cells.
    pub(crate) quote: Option<u8>,
    /// After records: `\n` (with or without `\r` before it) or `\r`.
    pub(crate) line_end: u8,
}

/// The cells of a record; reused from record to record.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Where they lie.
    pub(crate) cells: Vec<Span>,
    /// Cells with text after their closing quote, counted over all records.
    pub(crate) stray_quotes: u64,
    /// The last such cell that holds line ends: where its quote opens, and how many line ends.
    pub(crate) swallowed: Option<(usize, u64)>,
}

impl Marks {
    /// Splits the record at `at` of `text[..body]`, which ends with a line end, and gives the place after it.
    /// Cells with doubled quotes are written without them behind the padding that follows the body.
    pub(crate) fn split(&self, text: &mut Vec<u8>, body: usize, mut at: usize, record: &mut Record) -> usize {
        record.cells.clear();
        loop {
            let (cell, end) = match self.quote {
                Some(quote) if text[at] == quote => {
                    let (cell, end, stray) = self.quoted(text, body, at, quote);
                    if stray {
                        self.note_stray(text, at, quote, record);
                    }
                    (cell, end)
                }
                _ => {
                    let end = self.cell_end(text, body, at);
                    ([at as u32, end as u32], end)
                }
            };
            record.cells.push(cell);
            if end < body && text[end] == self.delimiter {
                at = end + 1;
                continue;
            }
            if self.line_end == b'\n'
                && let Some(cell) = record.cells.last_mut()
                && cell[1] > cell[0]
                && cell[1] as usize == end
                && text[end - 1] == b'\r'
            {
                cell[1] -= 1;
            }
            return (end + 1).min(body);
        }
    }

    /// Notes a cell that has text after its closing quote.
    #[cold]
    fn note_stray(&self, text: &[u8], at: usize, quote: u8, record: &mut Record) {
        record.stray_quotes += 1;
        let lines = memchr::memchr_iter(self.line_end, &text[at..closing(text, at, quote).0]).count() as u64;
        if lines > 0 {
            record.swallowed = Some((at, lines));
        }
    }

    /// The next delimiter or line end.
    fn cell_end(&self, text: &[u8], body: usize, at: usize) -> usize {
        memchr2(self.delimiter, self.line_end, &text[at..body]).map_or(body, |found| at + found)
    }

    /// A cell that starts with a quote, where its delimiter or line end stands, and whether text follows its closing quote.
    fn quoted(&self, text: &mut Vec<u8>, body: usize, at: usize, quote: u8) -> (Span, usize, bool) {
        let (close, doubled) = closing(&text[..body], at, quote);
        let after = (close + 1).min(body);
        let end = self.cell_end(text, body, after);
        let tail_end =
            if end > after && self.line_end == b'\n' && end < body && text[end] == b'\n' && text[end - 1] == b'\r' { end - 1 } else { end };
        if !doubled && tail_end <= after {
            return ([at as u32 + 1, close as u32], end, false);
        }
        let start = text.len();
        let mut i = at + 1;
        while i < close {
            let byte = text[i];
            text.push(byte);
            i += if byte == quote { 2 } else { 1 };
        }
        text.extend_from_within(after..tail_end.max(after));
        ([start as u32, text.len() as u32], end, tail_end > after)
    }

    /// How far the text consists of whole records: the place after the last line end outside quotes, and the
    /// place of a quote that is still open at the end.
    pub(crate) fn last_end(&self, text: &[u8]) -> (Option<usize>, Option<usize>) {
        let line_end = |lo: usize, hi: usize| memchr::memrchr(self.line_end, &text[lo..hi]).map(|found| lo + found + 1);
        let Some(quote) = self.quote else { return (line_end(0, text.len()), None) };
        let mut last = None;
        let mut outside = 0;
        loop {
            let Some(open) = self.next_opening(text, outside, quote) else {
                return (line_end(outside, text.len()).or(last), None);
            };
            last = line_end(outside, open).or(last);
            let (close, _) = closing(text, open, quote);
            if close == text.len() {
                return (last, Some(open));
            }
            outside = close + 1;
        }
    }

    /// The next quote at the start of a cell; quotes elsewhere are ordinary characters.
    pub(crate) fn next_opening(&self, text: &[u8], from: usize, quote: u8) -> Option<usize> {
        memchr::memchr_iter(quote, &text[from..])
            .map(|found| from + found)
            .find(|&at| at == 0 || text[at - 1] == self.delimiter || text[at - 1] == self.line_end)
    }
}

/// Where the quote that opens at `at` closes (the end of the text where it does not), and whether doubled quotes stand between.
#[inline]
pub(crate) fn closing(text: &[u8], at: usize, quote: u8) -> (usize, bool) {
    let (mut from, mut doubled) = (at + 1, false);
    loop {
        match memchr(quote, &text[from..]) {
            None => return (text.len(), doubled),
            Some(found) if text.get(from + found + 1) == Some(&quote) => {
                doubled = true;
                from += found + 2;
            }
            Some(found) => return (from + found, doubled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMA: Marks = Marks { delimiter: b',', quote: Some(b'"'), line_end: b'\n' };

    fn records(text: &str, marks: Marks) -> Vec<Vec<String>> {
        let mut buffer = text.as_bytes().to_vec();
        let body = buffer.len();
        let (mut at, mut record, mut all) = (0, Record::default(), Vec::new());
        while at < body {
            at = marks.split(&mut buffer, body, at, &mut record);
            let read = |cell: &Span| String::from_utf8(buffer[cell[0] as usize..cell[1] as usize].to_vec()).unwrap();
            all.push(record.cells.iter().map(read).collect());
        }
        all
    }

    #[test]
    fn quotes_protect_delimiters_line_ends_and_quotes() {
        let found = records("a,\"b,\nc\",\"d\"\"e\"\r\n\"\",x,\"\"\"\"\n", COMMA);
        assert_eq!(found, [["a", "b,\nc", "d\"e"], ["", "x", "\""]]);
    }

    #[test]
    fn a_quote_inside_a_plain_cell_is_an_ordinary_character() {
        assert_eq!(records("5\" pipe,2\n\"say \"hi\" now\",3\r\n", COMMA), [["5\" pipe", "2"], ["say hi\" now\"", "3"]]);
    }

    #[test]
    fn carriage_returns_end_records_with_or_without_line_feeds() {
        assert_eq!(records("a,b\r\n1,\"2\"\r\n", COMMA), [["a", "b"], ["1", "2"]]);
        assert_eq!(records("a,b\r1,2\r", Marks { line_end: b'\r', ..COMMA }), [["a", "b"], ["1", "2"]]);
        assert_eq!(records("a,\0b\n", COMMA), [["a", "\0b"]]);
    }

    #[test]
    fn the_last_record_end_ignores_quoted_line_ends() {
        assert_eq!(COMMA.last_end(b"a\nb,\"x\ny"), (Some(2), Some(4)));
        assert_eq!(COMMA.last_end(b"a\nb,\"x\ny\"\nz"), (Some(10), None));
        assert_eq!(COMMA.last_end(b"a\nb\"\nc"), (Some(5), None));
        assert_eq!(COMMA.last_end(b"\"a\"\"\n\"\nb"), (Some(7), None));
    }
}
