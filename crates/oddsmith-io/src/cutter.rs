//! Cuts a stream of text into partitions that end where a record ends.
//!
//! Every partition starts outside quotes, so partitions can be split side by side. Where the cuts fall
//! depends on the text and the partition size alone.

use std::io::{self, Read};

use memchr::memchr_iter;
use oddsmith::Result;
use oddsmith::error::DataFault;

use crate::fault::Place;
use crate::opening::Flow;
use crate::record_counts::counted;
use crate::records::Marks;

/// The longest quoted cell; a longer one is a quote that nobody closed.
pub(crate) const LONGEST_CELL: usize = 16 << 20;
/// The longest record.
const LONGEST_RECORD: usize = 64 << 20;
/// Bytes that are made room for at first: a file of a few lines must not pay for a large piece.
const FIRST_ROOM: usize = 64 << 10;

/// A piece of the text: whole records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Where it starts in the text.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) length: usize,
}

/// Reads a stream piece by piece.
pub(crate) struct Cutter {
    flow: Flow,
    marks: Marks,
    place: Place,
    /// Bytes of a piece.
    target: usize,
    /// Whether to give a piece as soon as it holds a record, for streams that people wait for.
    eager: bool,
    /// The bytes after the last cut.
    carry: Vec<u8>,
    offset: u64,
    /// Lines before the carry.
    lines: Lines,
    ended: bool,
}

/// How the line of a fault is found.
enum Lines {
    /// Line ends are counted on the way.
    Counted(u64),
    /// Lines before `offset` can be counted when a fault needs it.
    Later,
}

/// A fault at a place in the text, whose line the owner of the text may find out.
pub(crate) enum CutFault {
    /// Anything that is complete as it is.
    Final(oddsmith::Error),
    /// A fault at this byte, with the number of lines before it where it is known.
    At(u64, Option<u64>, Box<DataFault>),
}

impl Cutter {
    /// A cutter over a text that can be read again.
    pub(crate) fn new(flow: Flow, marks: Marks, offset: u64, target: usize, place: Place) -> Self {
        Cutter { flow, marks, place, target: target.max(1), eager: false, carry: Vec::new(), offset, lines: Lines::Later, ended: false }
    }

    /// The same over a stream that is read once and that people may wait for, of which `lines` lines are behind.
    pub(crate) fn eager(self, lines: u64) -> Self {
        Cutter { eager: true, lines: Lines::Counted(lines), ..self }
    }

    /// Lines before the next piece, where they are counted.
    pub(crate) fn lines(&self) -> Option<u64> {
        match self.lines {
            Lines::Counted(lines) => Some(lines),
            Lines::Later => None,
        }
    }

    /// Fills `text` with the next piece; `None` at the end. The last piece gets the line end it may lack.
    pub(crate) fn next(&mut self, text: &mut Vec<u8>) -> Result<Option<Cut>, CutFault> {
        let cut = self.cut(text);
        if cut.is_err() {
            self.ended = true;
            self.carry.clear();
        }
        cut
    }

    fn cut(&mut self, text: &mut Vec<u8>) -> Result<Option<Cut>, CutFault> {
        let mut filled = self.carry.len();
        text.resize(filled.max(text.len()), 0);
        text[..filled].copy_from_slice(&self.carry);
        let mut wanted = self.target.max(filled + 1);
        loop {
            filled = self.fill(text, filled, wanted).map_err(|error| CutFault::Final(self.place.io(error)))?;
            let (end, open) = self.marks.last_end(&text[..filled]);
            if let Some(open) = open.filter(|&open| self.ended || filled - open > LONGEST_CELL) {
                return Err(self.unclosed(&text[..filled], open));
            }
            if filled - end.unwrap_or(0) > LONGEST_RECORD {
                return Err(self.endless());
            }
            let length = match end {
                _ if self.ended => filled,
                Some(end) => end,
                None => {
                    wanted = filled.max(self.target / 2) * 2;
                    continue;
                }
            };
            self.carry.clear();
            self.carry.extend_from_slice(&text[length..filled]);
            text.truncate(length);
            if length == 0 {
                return Ok(None);
            }
            let cut = Cut { offset: self.offset, length };
            self.offset += length as u64;
            if let Lines::Counted(lines) = &mut self.lines {
                *lines += memchr_iter(self.marks.line_end, text).count() as u64;
            }
            if text[length - 1] != self.marks.line_end {
                text.push(self.marks.line_end);
            }
            return Ok(Some(cut));
        }
    }

    /// Reads until `wanted` bytes are there or the stream ends; an eager cutter stops at the first line end.
    fn fill(&mut self, text: &mut Vec<u8>, mut filled: usize, wanted: usize) -> io::Result<usize> {
        text.truncate(wanted);
        while filled < wanted && !self.ended {
            if filled == text.len() {
                text.resize((2 * filled).max(FIRST_ROOM).min(wanted), 0);
            }
            match self.flow.read(&mut text[filled..]) {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    filled += count;
                    if self.eager && text[filled - count..filled].contains(&self.marks.line_end) {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn unclosed(&self, text: &[u8], open: usize) -> CutFault {
        let line_ends = |text: &[u8]| memchr_iter(self.marks.line_end, text).count() as u64;
        let swallowed = counted(line_ends(&text[open..]), "line end");
        let fault = DataFault::new(format!("a quote is opened and never closed, and swallows {swallowed}"))
            .accepted("close it, or read quotes as ordinary characters with --quote none");
        let lines = self.lines().map(|lines| lines + line_ends(&text[..open]));
        CutFault::At(self.offset + open as u64, lines, Box::new(fault))
    }

    fn endless(&self) -> CutFault {
        let fault = DataFault::new("a row is longer than 64 MB").accepted("check that the file is a table and that its lines end");
        CutFault::At(self.offset, self.lines(), Box::new(fault))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: Marks = Marks { delimiter: b',', quote: Some(b'"'), line_end: b'\n' };

    fn pieces(text: &str, target: usize) -> Result<Vec<String>, CutFault> {
        let mut cutter = Cutter::new(Box::new(io::Cursor::new(text.to_owned())), MARKS, 0, target, Place::named("t"));
        let (mut all, mut buffer, mut expected) = (Vec::new(), Vec::new(), 0);
        while let Some(cut) = cutter.next(&mut buffer)? {
            assert_eq!(cut.offset, expected);
            expected += cut.length as u64;
            all.push(String::from_utf8(buffer.clone()).unwrap());
        }
        Ok(all)
    }

    #[test]
    fn pieces_end_at_records_whatever_their_size() {
        let text = "a,b\n1,\"x\ny\"\n2,z\n3,w";
        for target in 1..30 {
            let pieces = pieces(text, target).ok().unwrap();
            assert_eq!(pieces.concat(), format!("{text}\n"));
            assert!(pieces.iter().all(|piece| piece.ends_with('\n') && !piece.starts_with('y')), "{pieces:?}");
        }
        assert_eq!(pieces(text, 5).ok().unwrap().len(), 4);
    }

    #[test]
    fn an_open_quote_is_found_at_the_end_and_after_sixteen_megabytes() {
        let Err(CutFault::At(offset, None, fault)) = pieces("a,b\n1,\"x\ny\n", 4) else { panic!() };
        assert_eq!((offset, fault.what.as_str()), (6, "a quote is opened and never closed, and swallows 2 line ends"));
        let mut long = String::from("a\n\"");
        long.extend(std::iter::repeat_n("x\n", 20 << 20));
        long.push_str("\"\n");
        let Err(CutFault::At(offset, None, _)) = pieces(&long, 4 << 20) else { panic!() };
        assert_eq!(offset, 2);
        let endless = "x".repeat((64 << 20) + 1);
        let Err(CutFault::At(0, None, fault)) = pieces(&endless, 4 << 20) else { panic!() };
        assert_eq!(fault.what, "a row is longer than 64 MB");
    }
}
