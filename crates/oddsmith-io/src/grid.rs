//! A batch of records as a grid of cells, column after column.
//!
//! Plain text is split 64 bytes at a time: the delimiters and line ends of a block become bits of one word, and
//! each set bit is a cell. Text with quotes takes the slower road of [`Marks::split`].

use oddsmith::error::DataFault;

use crate::cutter::LONGEST_CELL;
use crate::options::Ragged;
use crate::records::{Marks, PADDING, Record, Span};

/// What every record should look like.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// The marks between cells and records.
    pub(crate) marks: Marks,
    /// Cells of a record.
    pub(crate) width: usize,
    /// Whether a record may end with one delimiter too many.
    pub(crate) trailing: bool,
    /// What to do with other records.
    pub(crate) ragged: Ragged,
    /// Records of a batch.
    pub(crate) rows: usize,
    /// Whether a stray quote that swallows lines is a fault: where quotes are only a guess, it is likely to be wrong.
    pub(crate) guessed_quotes: bool,
    /// Whether a blank line is a row without any value: whoever answers line by line has one for it, too.
    pub(crate) blank_rows: bool,
}

/// The text of a partition on its way through the grid.
#[derive(Debug, Default)]
pub(crate) struct Text {
    /// The records, padding, and cells without their doubled quotes.
    pub(crate) bytes: Vec<u8>,
    /// Length of the records.
    body: usize,
    /// Where the next record starts.
    at: usize,
    plain: bool,
    /// Records before the current grid, also those that were skipped.
    records: u64,
    /// Blank lines that are no records.
    blank: u64,
    /// How many of them follow the record that was the last when `blank_after` was noted.
    blank_run: u64,
    /// Records before the last blank line.
    blank_after: u64,
    /// Blank lines that are records.
    blank_rows: u64,
}

impl Text {
    /// A text that is ready to be split.
    #[cfg(test)]
    pub(crate) fn of(text: &str, quote: Option<u8>) -> Self {
        let mut started = Text { bytes: text.as_bytes().to_vec(), ..Text::default() };
        started.start(quote);
        started
    }

    /// Starts to split what lies in `bytes`: whole records.
    pub(crate) fn start(&mut self, quote: Option<u8>) {
        self.body = self.bytes.len();
        self.at = 0;
        self.records = 0;
        (self.blank, self.blank_run, self.blank_after, self.blank_rows) = (0, 0, 0, 0);
        self.plain = quote.is_none_or(|quote| memchr::memchr(quote, &self.bytes).is_none());
        self.bytes.resize(self.body + PADDING, 0);
    }

    /// Number of records so far, also those that were skipped.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Blank lines so far that are followed by a record, and those that are not.
    pub(crate) fn blank_lines(&self) -> (u64, u64) {
        let last = if self.blank_after == self.records { self.blank_run } else { 0 };
        (self.blank - last, last)
    }

    /// Blank lines so far that are records.
    pub(crate) fn blank_rows(&self) -> u64 {
        self.blank_rows
    }

    #[cold]
    fn note_blank(&mut self) {
        if self.blank_after != self.records {
            (self.blank_after, self.blank_run) = (self.records, 0);
        }
        self.blank += 1;
        self.blank_run += 1;
    }

    /// Where the next record starts.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Start and end of the next line without its line end.
    pub(crate) fn peek_line(&self) -> Option<(usize, usize)> {
        let length = memchr::memchr(b'\n', &self.bytes[self.at..self.body])?;
        let end = self.at + length;
        Some((self.at, if length > 0 && self.bytes[end - 1] == b'\r' { end - 1 } else { end }))
    }

    /// Passes the line that ends at `end` and gives its record number.
    pub(crate) fn next_line(&mut self, end: usize) -> u32 {
        self.at = end + 1 + usize::from(self.bytes[end] == b'\r');
        self.records += 1;
        self.records as u32 - 1
    }
}

/// The cells of a batch; the span of row `i` in column `j` is `spans[j · capacity + i]`.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    spans: Vec<Span>,
    capacity: usize,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Record number of each row within the partition, from 0.
    pub(crate) records: Vec<u32>,
    /// Rows of the wrong width that were padded or skipped.
    pub(crate) ragged: u64,
    record: Record,
}

/// A fault in a record.
#[derive(Debug)]
pub(crate) struct RecordFault {
    /// Where the record starts in the partition.
    pub(crate) at: usize,
    /// Its number in the partition, from 0.
    pub(crate) record: u64,
    /// What is wrong.
    pub(crate) fault: Box<DataFault>,
}

impl Grid {
    /// Cells with text after their closing quote, over all batches of this grid so far; counts anew from here.
    pub(crate) fn take_stray_quotes(&mut self) -> u64 {
        self.record.swallowed = None;
        std::mem::take(&mut self.record.stray_quotes)
    }

    /// The cells of a column.
    pub(crate) fn column(&self, column: usize) -> &[Span] {
        &self.spans[column * self.capacity..column * self.capacity + self.rows]
    }

    /// Makes room for a batch.
    pub(crate) fn begin(&mut self, rows: usize, width: usize) {
        self.capacity = rows;
        self.spans.resize(rows * width, [0; 2]);
        self.rows = 0;
        self.ragged = 0;
        self.records.clear();
    }

    /// Adds a row of cells.
    pub(crate) fn push_row(&mut self, record: u32, cells: &[Span]) {
        for (column, cell) in cells.iter().enumerate() {
            self.spans[column * self.capacity + self.rows] = *cell;
        }
        self.records.push(record);
        self.rows += 1;
    }

    /// Fills the grid with the next records of the text; false when there were none.
    pub(crate) fn fill(&mut self, text: &mut Text, shape: &Shape) -> Result<bool, RecordFault> {
        self.begin(shape.rows, shape.width);
        text.bytes.truncate(text.body + PADDING);
        let before = text.at;
        if text.plain {
            self.fill_plain(text, shape)?
        } else {
            self.fill_quoted(text, shape)?
        };
        if text.body > LONGEST_CELL {
            self.check_lengths(text, shape.width, before)?;
        }
        Ok(self.rows > 0 || self.ragged > 0)
    }

    fn fill_plain(&mut self, text: &mut Text, shape: &Shape) -> Result<(), RecordFault> {
        let Marks { delimiter, line_end, .. } = shape.marks;
        let (mut record_start, mut cell_start, mut column) = (text.at, text.at, 0);
        let mut base = text.at;
        while base < text.body {
            let mut bits = mark_bits(&text.bytes, base, delimiter, line_end);
            while bits != 0 {
                let end = base + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if column < shape.width {
                    self.spans[column * self.capacity + self.rows] = [cell_start as u32, end as u32];
                }
                column += 1;
                if text.bytes[end] == line_end {
                    self.end_record(text, shape, record_start, column, [cell_start, end])?;
                    record_start = end + 1;
                    column = 0;
                    if self.rows == self.capacity {
                        text.at = end + 1;
                        return Ok(());
                    }
                }
                cell_start = end + 1;
            }
            base += 64;
        }
        text.at = text.body;
        Ok(())
    }

    /// Closes the record whose last cell is `cell`, the `found`-th.
    #[inline]
    fn end_record(&mut self, text: &mut Text, shape: &Shape, start: usize, found: usize, cell: [usize; 2]) -> Result<(), RecordFault> {
        let [from, mut to] = cell;
        if shape.marks.line_end == b'\n' && to > from && text.bytes[to - 1] == b'\r' {
            to -= 1;
            if found <= shape.width {
                self.spans[(found - 1) * self.capacity + self.rows][1] = to as u32;
            }
        }
        if found != shape.width {
            return self.odd_record(text, shape, start, found, from == to);
        }
        self.records.push(text.records as u32);
        text.records += 1;
        self.rows += 1;
        Ok(())
    }

    /// A record of another width, or a blank line, which is no record where there are several columns, unless every line is one.
    #[cold]
    fn odd_record(&mut self, text: &mut Text, shape: &Shape, at: usize, found: usize, last_empty: bool) -> Result<(), RecordFault> {
        let blank = found == 1 && last_empty;
        if blank && !shape.blank_rows {
            text.note_blank();
            return Ok(());
        }
        let record = text.records;
        text.records += 1;
        let keep = if blank {
            text.blank_rows += 1;
            true
        } else if found == shape.width + 1 && shape.trailing && last_empty {
            true
        } else {
            self.ragged += 1;
            match shape.ragged {
                Ragged::Error => {
                    let fault = DataFault::new(format!("{} expected, {found} found", cells(shape.width)))
                        .accepted("mend the row, or use --ragged pad or --ragged skip");
                    return Err(RecordFault { at, record, fault: Box::new(fault) });
                }
                Ragged::Pad => true,
                Ragged::Skip => false,
            }
        };
        if keep {
            for column in found..shape.width {
                self.spans[column * self.capacity + self.rows] = [0; 2];
            }
            self.records.push(record as u32);
            self.rows += 1;
        }
        Ok(())
    }

    fn fill_quoted(&mut self, text: &mut Text, shape: &Shape) -> Result<(), RecordFault> {
        let mut record = std::mem::take(&mut self.record);
        let mut outcome = Ok(());
        while text.at < text.body && self.rows < self.capacity && outcome.is_ok() {
            let start = text.at;
            text.at = shape.marks.split(&mut text.bytes, text.body, start, &mut record);
            let cells = &record.cells;
            for (column, cell) in cells.iter().take(shape.width).enumerate() {
                self.spans[column * self.capacity + self.rows] = *cell;
            }
            let last_empty = cells.last().is_some_and(|cell| cell[0] == cell[1]);
            let swallowed = record.swallowed.filter(|_| shape.guessed_quotes);
            outcome = if let Some((at, lines)) = swallowed {
                Err(RecordFault { at, record: text.records, fault: Box::new(swallowing(lines)) })
            } else if cells.len() != shape.width {
                self.odd_record(text, shape, start, cells.len(), last_empty)
            } else {
                self.records.push(text.records as u32);
                text.records += 1;
                self.rows += 1;
                Ok(())
            };
        }
        self.record = record;
        outcome
    }

    /// Only a partition beyond the limit can hold a cell beyond it.
    #[cold]
    fn check_lengths(&self, text: &Text, width: usize, at: usize) -> Result<(), RecordFault> {
        for column in 0..width {
            for (row, cell) in self.column(column).iter().enumerate() {
                if (cell[1] - cell[0]) as usize > LONGEST_CELL {
                    let fault = DataFault::new("a cell is longer than 16 MB").accepted("check the delimiter and the quotes");
                    return Err(RecordFault {
                        at: at.max(text.body.min(cell[0] as usize)),
                        record: u64::from(self.records[row]),
                        fault: Box::new(fault),
                    });
                }
            }
        }
        Ok(())
    }
}

/// The fault of a quote that swallows lines and is followed by text where it closes.
fn swallowing(lines: u64) -> DataFault {
    let lines = if lines == 1 { "1 line end".to_owned() } else { format!("{lines} line ends") };
    DataFault::new(format!("a quote opens a cell that holds {lines}, and text follows its closing quote"))
        .accepted("read quotes as ordinary characters with --quote none, or double those inside quoted cells")
}

fn cells(count: usize) -> String {
    if count == 1 { "1 cell".into() } else { format!("{count} cells") }
}

/// One bit per byte of the 64 at `base`: set where a delimiter or a line end stands. The comparison is a loop that
/// the compiler turns into vector code; the multiplication gathers eight 0/1 bytes into eight bits.
#[inline]
fn mark_bits(text: &[u8], base: usize, delimiter: u8, line_end: u8) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let Some(block) = text.get(base..).and_then(<[u8]>::first_chunk::<64>) else { return 0 };
    let mut hits = [0u8; 64];
    for (hit, byte) in hits.iter_mut().zip(block) {
        *hit = u8::from(*byte == delimiter) | u8::from(*byte == line_end);
    }
    let mut bits = 0;
    for (group, eight) in hits.as_chunks::<8>().0.iter().enumerate() {
        bits |= (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (8 * group);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(width: usize, ragged: Ragged, rows: usize) -> Shape {
        let marks = Marks { delimiter: b',', quote: Some(b'"'), line_end: b'\n' };
        Shape { marks, width, trailing: false, ragged, rows, guessed_quotes: true, blank_rows: false }
    }

    fn rows(text: &str, shape: &Shape) -> Result<(Vec<Vec<String>>, u64), RecordFault> {
        let mut text = Text::of(text, shape.marks.quote);
        let (mut grid, mut all, mut ragged) = (Grid::default(), Vec::new(), 0);
        while grid.fill(&mut text, shape)? {
            ragged += grid.ragged;
            for row in 0..grid.rows {
                let cell = |j: usize| grid.column(j)[row].map(|at| at as usize);
                all.push((0..shape.width).map(|j| String::from_utf8(text.bytes[cell(j)[0]..cell(j)[1]].to_vec()).unwrap()).collect());
            }
        }
        Ok((all, ragged))
    }

    #[test]
    fn bits_mark_every_delimiter_and_line_end() {
        let mut text = b"ab,c\n,,\xff\x2d".to_vec();
        text.resize(100, 0);
        assert_eq!(mark_bits(&text, 0, b',', b'\n'), 0b111_0100);
        assert_eq!(mark_bits(&text, 4, b',', b'\n'), 0b111);
    }

    #[test]
    fn plain_and_quoted_roads_agree() {
        let plain: String = (0..200).map(|i| format!("{i},{},x{}\r\n\n", i * i, "y".repeat(i % 70))).collect();
        let quoted = plain.replacen("0,0,x", "\"0\",\"0\",\"x\"", 1);
        for size in [1, 7, 64, 1000] {
            let shape = shape(3, Ragged::Error, size);
            let found = rows(&plain, &shape).unwrap();
            assert_eq!(found, rows(&quoted, &shape).unwrap());
            assert_eq!((found.0.len(), found.0[199][2].len(), found.1), (200, 60, 0));
        }
    }

    #[test]
    fn a_blank_line_is_a_row_of_one_column_and_none_of_several() {
        for text in ["1\n\n2\r\n\r\n", "\"1\"\n\n2\n\"\"\n"] {
            for size in [1, 2, 10] {
                let (found, ragged) = rows(text, &shape(1, Ragged::Error, size)).unwrap();
                assert_eq!((found.concat(), ragged), (vec!["1".into(), String::new(), "2".into(), String::new()], 0));
            }
        }
        let mut text = Text::of("\n1,2\n\n\n3,4\n\n", None);
        let (mut grid, mut found) = (Grid::default(), 0);
        while grid.fill(&mut text, &shape(2, Ragged::Error, 1)).unwrap() {
            found += grid.rows;
        }
        assert_eq!((found, text.blank_lines()), (2, (3, 1)));
    }

    #[test]
    fn a_blank_line_is_a_row_where_every_line_is() {
        for text in ["1,2\n\n3,4\r\n\r\n", "\"1\",2\n\n3,4\n\n"] {
            for size in [1, 2, 10] {
                let every = Shape { blank_rows: true, ..shape(2, Ragged::Error, size) };
                let (found, ragged) = rows(text, &every).unwrap();
                let want = [["1", "2"], ["", ""], ["3", "4"], ["", ""]].map(|row| row.map(String::from).to_vec());
                assert_eq!((found, ragged), (want.to_vec(), 0));
            }
        }
    }

    #[test]
    fn a_quote_that_swallows_lines_is_refused_where_quotes_are_a_guess() {
        let text = "1,2\n\"5 pipes,2\n3,\"wide\" pipe\n";
        let fault = rows(text, &shape(2, Ragged::Error, 10)).unwrap_err();
        assert_eq!((fault.record, fault.at), (1, 4));
        assert_eq!(fault.fault.what, "a quote opens a cell that holds 1 line end, and text follows its closing quote");
        let given = Shape { guessed_quotes: false, ..shape(1, Ragged::Pad, 10) };
        assert_eq!(rows(text, &given).unwrap().0.len(), 2);
    }

    #[test]
    fn ragged_rows_stop_pad_or_skip() {
        for text in ["1,2\n3\n4,5,6\n7,8\n", "1,2\n\"3\"\n4,5,6\n7,8\n"] {
            let fault = rows(text, &shape(2, Ragged::Error, 10)).unwrap_err();
            assert_eq!((fault.record, fault.at, fault.fault.what.as_str()), (1, 4, "2 cells expected, 1 found"));
            let (padded, count) = rows(text, &shape(2, Ragged::Pad, 10)).unwrap();
            assert_eq!(
                (padded, count),
                (
                    vec![
                        vec!["1".into(), "2".into()],
                        vec!["3".into(), String::new()],
                        vec!["4".into(), "5".into()],
                        vec!["7".into(), "8".into()]
                    ],
                    2
                )
            );
            assert_eq!(rows(text, &shape(2, Ragged::Skip, 10)).unwrap().0.len(), 2);
        }
    }

    #[test]
    fn one_trailing_delimiter_is_let_through_where_it_was_announced() {
        let trailing = Shape { trailing: true, ..shape(2, Ragged::Error, 10) };
        assert_eq!(rows("1,2,\n3,4\n", &trailing).unwrap().0.len(), 2);
        assert_eq!(rows("1,2,5\n", &trailing).unwrap_err().fault.what, "2 cells expected, 3 found");
    }

    #[test]
    fn a_cell_beyond_sixteen_megabytes_is_refused() {
        let long = format!("1,{}\n", "x".repeat(LONGEST_CELL + 1));
        assert_eq!(rows(&long, &shape(2, Ragged::Error, 10)).unwrap_err().fault.what, "a cell is longer than 16 MB");
    }
}
