//! A column in as few bytes as its values take: a file from which every cell comes back as it was, gaps and order included.
//!
//! ```text
//! 8  "oddscell"   4  version   1  code: 1 words of a prefix-free code, 2 arithmetic
//! 4  length of the column's name, the name   8  rows   4  number of different cells
//! for each of them, in order: 4  length + 1 of its text, 0 for a gap; the text; and with words 1  length of its word in bits
//! 8  first bytes of the BLAKE3 of the cells' numbers   8  bytes of the stream, the stream   16  first bytes of the BLAKE3 of all before
//! ```
//!
//! The sum at the end is verified before anything is read, so a file that is cut or altered is told apart; whatever passes is still read
//! strictly, and decoded in constant memory.

use super::sealed_bytes::{SealedBytes, first};
use crate::error::{DataFault, Error, Result};
use crate::info::Distribution;
use crate::info::code::{PrefixCode, RangeDecoder, RangeEncoder, SymbolCounts};

const KIND: SealedBytes = SealedBytes { magic: b"oddscell", name: "column file" };
const VERSION: u32 = 1;

/// How cells are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnCode {
    /// A word each, by Huffman's code.
    Huffman,
    /// A word each, by Shannon's code.
    Shannon,
    /// A word each, none longer than this many bits.
    Limited(u32),
    /// All together by arithmetic coding, with probabilities that follow what was seen.
    Arithmetic,
}

/// A coded column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFile {
    name: String,
    cells: Vec<Option<String>>,
    rows: u64,
    /// Words by cell; none for arithmetic coding.
    words: Option<PrefixCode>,
    symbols_sum: [u8; 8],
    stream: Vec<u8>,
    ideal_bits: f64,
}

impl ColumnFile {
    /// Codes a column: its different cells, `None` for a gap, and which of them every row has.
    pub fn new(name: &str, cells: Vec<Option<String>>, rows: &[u32], code: ColumnCode) -> Result<Self> {
        let mut counts = vec![0.0; cells.len()];
        for &symbol in rows {
            *counts.get_mut(symbol as usize).ok_or_else(|| Error::internal("a cell of a column is none of its values"))? += 1.0;
        }
        if rows.is_empty() {
            return Err(DataFault::new("the column has no rows").column(name).accepted("there is nothing to code").into());
        }
        let p = Distribution::of_counts(&counts)?;
        let words = match code {
            ColumnCode::Huffman => Some(PrefixCode::huffman(&p)?),
            ColumnCode::Shannon => Some(PrefixCode::shannon(&p)?),
            ColumnCode::Limited(bits) => Some(PrefixCode::limited(&p, bits)?),
            ColumnCode::Arithmetic => None,
        };
        let (stream, ideal_bits) = match &words {
            Some(words) => {
                let symbols: Vec<usize> = rows.iter().map(|symbol| *symbol as usize).collect();
                let bits = words.encode(&symbols)?;
                let length = bits.len() as f64;
                (bits.into_bytes(), length)
            }
            None => {
                let (mut counts, mut encoder) = (SymbolCounts::new(cells.len())?, RangeEncoder::default());
                rows.iter().try_for_each(|symbol| counts.encode(*symbol as usize, &mut encoder))?;
                (encoder.finish(), counts.ideal_bits())
            }
        };
        let mut hasher = blake3::Hasher::new();
        for symbol in rows {
            hasher.update(&symbol.to_le_bytes());
        }
        let symbols_sum = first(hasher.finalize().as_bytes());
        Ok(ColumnFile { name: name.to_owned(), cells, rows: rows.len() as u64, words, symbols_sum, stream, ideal_bits })
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its different cells; `None` is a gap.
    pub fn cells(&self) -> &[Option<String>] {
        &self.cells
    }

    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bits of the coded cells.
    pub fn stream_bits(&self) -> u64 {
        8 * self.stream.len() as u64
    }

    /// Bits of the words, or −Σ log2 of the probabilities that coded; known to whoever coded.
    pub fn ideal_bits(&self) -> f64 {
        self.ideal_bits
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = KIND.begin(self.stream.len());
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.push(if self.words.is_some() { 1 } else { 2 });
        put_text(&mut bytes, self.name.len() as u32, &self.name);
        bytes.extend_from_slice(&self.rows.to_le_bytes());
        bytes.extend_from_slice(&(self.cells.len() as u32).to_le_bytes());
        let lengths = self.words.as_ref().map(PrefixCode::lengths);
        for (at, cell) in self.cells.iter().enumerate() {
            match cell {
                Some(text) => put_text(&mut bytes, text.len() as u32 + 1, text),
                None => bytes.extend_from_slice(&0u32.to_le_bytes()),
            }
            // A cell that no row has has no word; 255 says so, and no word is as long.
            bytes.extend(lengths.as_ref().map(|lengths| lengths[at].and_then(|length| u8::try_from(length).ok()).unwrap_or(u8::MAX)));
        }
        bytes.extend_from_slice(&self.symbols_sum);
        bytes.extend_from_slice(&(self.stream.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&self.stream);
        KIND.seal(bytes)
    }

    /// Whether bytes begin as such a file does.
    pub fn is_one(bytes: &[u8]) -> bool {
        KIND.is_one(bytes)
    }

    /// The file in bytes; one that is cut, altered or of another kind is refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader(KIND.open(bytes, 1)?);
        if reader.number(4)? != u64::from(VERSION) {
            return Err(KIND.broken("it is of a later version"));
        }
        let has_words = match reader.number(1)? {
            1 => true,
            2 => false,
            _ => return Err(KIND.broken("its code is none that this program knows")),
        };
        let length = reader.number(4)?;
        let name = reader.text(length)?;
        let (rows, count) = (reader.number(8)?, reader.number(4)?);
        let (mut cells, mut lengths) = (Vec::new(), Vec::new());
        for _ in 0..count {
            cells.push(match reader.number(4)? {
                0 => None,
                length => Some(reader.text(length - 1)?),
            });
            if has_words {
                let length = reader.number(1)? as u32;
                lengths.push((length != u32::from(u8::MAX)).then_some(length));
            }
        }
        let symbols_sum = first(reader.take(8)?);
        let length = reader.number(8)?;
        let stream = reader.take(length)?.to_vec();
        if !reader.0.is_empty() || cells.is_empty() {
            return Err(KIND.broken("it holds more, or less, than a column"));
        }
        let words =
            if has_words { Some(PrefixCode::of_lengths(&lengths).map_err(|_| KIND.broken("its words make no code"))?) } else { None };
        Ok(ColumnFile { name, cells, rows, words, symbols_sum, stream, ideal_bits: f64::NAN })
    }

    /// Gives every cell, `None` for a gap, in the order of the rows. Everything is decoded once before, so that nothing comes out of a file
    /// whose cells are not those that went in.
    pub fn for_each(&self, sink: &mut dyn FnMut(Option<&str>) -> Result<()>) -> Result<()> {
        let mut hasher = blake3::Hasher::new();
        self.symbols(&mut |symbol| {
            hasher.update(&(symbol as u32).to_le_bytes());
            Ok(())
        })?;
        if self.symbols_sum != first::<8>(hasher.finalize().as_bytes()) {
            return Err(KIND.broken("the cells that come out are not those that went in"));
        }
        self.symbols(&mut |symbol| sink(self.cells[symbol].as_deref()))
    }

    fn symbols(&self, sink: &mut dyn FnMut(usize) -> Result<()>) -> Result<()> {
        match &self.words {
            Some(words) => words.decode_each(&self.stream, self.rows, sink),
            None => {
                let (mut counts, mut decoder) = (SymbolCounts::new(self.cells.len())?, RangeDecoder::new(&self.stream));
                for _ in 0..self.rows {
                    sink(counts.decode(&mut decoder))?;
                }
                decoder.finish()
            }
        }
    }
}

fn put_text(bytes: &mut Vec<u8>, length: u32, text: &str) {
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// What is left to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let length = usize::try_from(length).ok().filter(|length| *length <= self.0.len());
        let (taken, rest) = self.0.split_at(length.ok_or_else(|| KIND.broken("it ends within a part that it announces"))?);
        self.0 = rest;
        Ok(taken)
    }

    /// A whole number of up to eight bytes, the lowest first.
    fn number(&mut self, bytes: u64) -> Result<u64> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn text(&mut self, length: u64) -> Result<String> {
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| KIND.broken("a text in it is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(code: ColumnCode) -> ColumnFile {
        let cells = vec![Some("a, \"b\"\n".to_owned()), None, Some(String::new()), Some("ü".to_owned()), Some("never".to_owned())];
        ColumnFile::new("x", cells, &[0, 0, 1, 2, 0, 3, 1, 0], code).unwrap()
    }

    fn back(file: &ColumnFile) -> Result<Vec<Option<String>>> {
        let mut cells = Vec::new();
        file.for_each(&mut |cell| {
            cells.push(cell.map(str::to_owned));
            Ok(())
        })?;
        Ok(cells)
    }

    #[test]
    fn every_cell_comes_back() {
        for code in [ColumnCode::Huffman, ColumnCode::Shannon, ColumnCode::Limited(2), ColumnCode::Arithmetic] {
            let file = column(code);
            let read = ColumnFile::from_bytes(&file.to_bytes()).unwrap();
            assert_eq!((read.name(), read.rows()), ("x", 8));
            let expected = [0, 0, 1, 2, 0, 3, 1, 0].map(|at: usize| file.cells()[at].clone());
            assert_eq!(back(&read).unwrap(), expected, "{code:?}");
        }
        assert_eq!(column(ColumnCode::Huffman).ideal_bits(), 4.0 + 2.0 * 2.0 + 2.0 * 3.0);
        assert!(ColumnFile::new("x", vec![None], &[], ColumnCode::Huffman).unwrap_err().to_string().contains("no rows"));
        let one = ColumnFile::new("x", vec![Some("only".into())], &[0; 5], ColumnCode::Arithmetic).unwrap();
        assert_eq!((one.stream_bits(), back(&one).unwrap().len()), (0, 5));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_an_error() {
        for code in [ColumnCode::Huffman, ColumnCode::Arithmetic] {
            let bytes = column(code).to_bytes();
            assert!((0..bytes.len()).all(|length| ColumnFile::from_bytes(&bytes[..length]).is_err()));
            for bit in 0..8 * bytes.len() {
                let mut altered = bytes.clone();
                altered[bit / 8] ^= 1 << (bit % 8);
                assert!(ColumnFile::from_bytes(&altered).is_err(), "{bit}");
            }
        }
    }

    #[test]
    fn a_forged_sum_does_not_pass_for_cells() {
        for code in [ColumnCode::Huffman, ColumnCode::Arithmetic] {
            let honest = column(code).to_bytes();
            let held = KIND.open(&honest, 1).unwrap();
            for at in 0..held.len() {
                let mut forged = KIND.begin(held.len());
                forged.extend_from_slice(held);
                forged[KIND.magic.len() + at] ^= 0x15;
                let forged = KIND.seal(forged);
                // Whatever is read is an error or another column, never a panic.
                if let Ok(file) = ColumnFile::from_bytes(&forged)
                    && file.rows() < 1 << 20
                {
                    drop(back(&file));
                }
            }
        }
    }
}
