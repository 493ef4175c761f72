//! A delimited text, or `__label__` lines, as a feed.
//!
//! The first pass cuts the text while it reads it; later passes read the same pieces again. A stream that is
//! read once has a first pass only.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use oddsmith::error::DataFault;
use oddsmith::{Error, Result};

use crate::column::RawBatch;
use crate::column_encoder::Spot;
use crate::cutter::{Cut, CutFault, Cutter};
use crate::fasttext;
use crate::fault::Place;
use crate::feed::{Feed, Pass, Sample, Scratch, Trouble};
use crate::foreign;
use crate::grid::{RecordFault, Shape};
use crate::missing::Markers;
use crate::record_counts::Records;
use crate::store::Store;

/// How records become cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Splitting {
    /// At delimiters.
    Delimited,
    /// Into labels and words; `every_label` gives a row for each label of a line.
    FastText {
        /// Whether a line with several labels becomes several rows.
        every_label: bool,
    },
}

/// What is known about a text before its rows are read.
pub(crate) struct TextFacts {
    /// The table for messages.
    pub(crate) place: Place,
    /// Column names.
    pub(crate) names: Vec<String>,
    /// The shape of records.
    pub(crate) shape: Shape,
    /// How records become cells.
    pub(crate) splitting: Splitting,
    /// The decimal mark.
    pub(crate) decimal: u8,
    /// Cells that are missing.
    pub(crate) markers: Markers,
    /// The first bytes of the rows.
    pub(crate) window: Vec<u8>,
}

/// The feed.
pub(crate) struct TextFeed {
    facts: TextFacts,
    store: Option<Arc<Store>>,
    cutting: Mutex<Cutting>,
    cuts: OnceLock<Vec<Cut>>,
}

struct Cutting {
    cutter: Cutter,
    cuts: Vec<Cut>,
    /// Lines before the piece that was cut last.
    lines: Option<u64>,
}

impl TextFeed {
    /// A feed over a cutter; `store` holds the text when it can be read again.
    pub(crate) fn new(facts: TextFacts, cutter: Cutter, store: Option<Arc<Store>>) -> Self {
        TextFeed { facts, store, cutting: Mutex::new(Cutting { cutter, cuts: Vec::new(), lines: None }), cuts: OnceLock::new() }
    }

    fn check_utf8(&self, bytes: &[u8], partition: usize) -> Result<()> {
        if simdutf8::basic::from_utf8(bytes).is_ok() {
            return Ok(());
        }
        let offset = self.cut(partition).map_or(0, |cut| cut.offset);
        let valid = simdutf8::compat::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        Err(not_utf8(&self.facts.place, offset + valid as u64))
    }

    /// Where a partition lies, as far as the text is cut.
    fn cut(&self, partition: usize) -> Option<Cut> {
        match self.cuts.get() {
            Some(cuts) => cuts.get(partition).copied(),
            None => self.cutting.lock().unwrap_or_else(PoisonError::into_inner).cuts.get(partition).copied(),
        }
    }

    /// Line ends before a byte of the text.
    fn count_lines(&self, offset: u64) -> Option<u64> {
        let store = self.store.as_ref()?;
        let mut step = vec![0; 1 << 20];
        let (mut at, mut lines) = (0, 0);
        while at < offset {
            let wanted = step.len().min((offset - at) as usize);
            let count = store.read_at(at, &mut step[..wanted]).ok().filter(|count| *count > 0)?;
            lines += memchr::memchr_iter(self.facts.shape.marks.line_end, &step[..count]).count() as u64;
            at += count as u64;
        }
        Some(lines)
    }

    fn cut_fault(&self, fault: CutFault) -> Error {
        match fault {
            CutFault::Final(error) => error,
            CutFault::At(offset, lines, fault) => {
                let line = lines.or_else(|| self.count_lines(offset)).map(|lines| lines + 1);
                self.facts.place.fault(DataFault { line, ..*fault })
            }
        }
    }
}

/// The fault of bytes that are not UTF-8.
pub(crate) fn not_utf8(place: &Place, offset: u64) -> Error {
    if let Some(fault) = foreign::by_extension(place.name()) {
        return place.fault(fault);
    }
    place.fault(DataFault::new(format!("byte {offset} is not valid UTF-8")).accepted("name the file's encoding, such as --encoding latin1"))
}

impl Feed for TextFeed {
    fn place(&self) -> &Place {
        &self.facts.place
    }

    fn names(&self) -> &[String] {
        &self.facts.names
    }

    fn markers(&self) -> &Markers {
        &self.facts.markers
    }

    fn decimal(&self) -> u8 {
        self.facts.decimal
    }

    fn bytes(&self) -> u64 {
        self.store.as_ref().map_or(0, |store| store.len())
    }

    fn sample(&self, look: &mut dyn FnMut(&RawBatch<'_>)) -> Result<Sample> {
        let mut scratch = Scratch::default();
        scratch.text.bytes.extend_from_slice(&self.facts.window);
        // A cell takes a byte at least, so a window of a few wide rows does not ask for room for thousands of them.
        let rows = (self.facts.window.len() / self.facts.shape.width.max(1) + 1).clamp(1, 4096);
        let shape = Shape { rows, ragged: crate::options::Ragged::Skip, ..self.facts.shape.clone() };
        scratch.text.start(shape.marks.quote);
        match self.facts.splitting {
            Splitting::Delimited => _ = scratch.grid.fill(&mut scratch.text, &shape),
            Splitting::FastText { every_label } => _ = fasttext::fill(&mut scratch.grid, &mut scratch.text, shape.rows, every_label),
        }
        look(&RawBatch::Cells(&scratch.text, &scratch.grid));
        Ok(Sample { rows: scratch.text.records(), bytes: scratch.text.position() as u64 })
    }

    fn claim(&self, pass: &Pass, scratch: &mut Scratch) -> Result<Option<usize>> {
        if let Some(cuts) = self.cuts.get() {
            let partition = pass.next.fetch_add(1, Ordering::Relaxed);
            return if partition < cuts.len() { self.load(partition, scratch).map(|()| Some(partition)) } else { Ok(None) };
        }
        let mut cutting = self.cutting.lock().unwrap_or_else(PoisonError::into_inner);
        cutting.lines = cutting.cutter.lines();
        pass.next.fetch_add(1, Ordering::Relaxed);
        match cutting.cutter.next(&mut scratch.text.bytes).map_err(|fault| self.cut_fault(fault))? {
            Some(cut) if self.store.is_some() => cutting.cuts.push(cut),
            Some(cut) => cutting.cuts = vec![cut],
            None => {
                // The first worker that comes to the end says where the cuts are; those after it agree.
                _ = self.cuts.set(std::mem::take(&mut cutting.cuts));
                return Ok(None);
            }
        }
        Ok(Some(cutting.cuts.len() - 1))
    }

    fn load(&self, partition: usize, scratch: &mut Scratch) -> Result<()> {
        let place = &self.facts.place;
        let cut = self.cuts.get().and_then(|cuts| cuts.get(partition)).ok_or_else(|| Error::internal("a partition that was never cut"))?;
        let store = self.store.as_ref().ok_or_else(|| Error::internal("a stream cannot be read twice"))?;
        let text = &mut scratch.text.bytes;
        text.resize(cut.length, 0);
        let count = store.read_at(cut.offset, text).map_err(|error| place.io(error))?;
        if count < cut.length {
            return Err(place.changed());
        }
        if text.last() != Some(&self.facts.shape.marks.line_end) {
            text.push(self.facts.shape.marks.line_end);
        }
        Ok(())
    }

    fn batches(
        &self,
        partition: usize,
        scratch: &mut Scratch,
        sink: &mut dyn FnMut(&RawBatch<'_>) -> Result<(), Trouble>,
    ) -> Result<Records, Trouble> {
        let Scratch { text, grid, .. } = scratch;
        let shape = &self.facts.shape;
        self.check_utf8(&text.bytes, partition)?;
        text.start(shape.marks.quote);
        let mut records = Records::default();
        loop {
            let more = match self.facts.splitting {
                Splitting::Delimited => match grid.fill(text, shape) {
                    Ok(more) => more,
                    Err(RecordFault { at, record, fault }) => {
                        let lines = memchr::memchr_iter(shape.marks.line_end, &text.bytes[..at]).count() as u64;
                        return Err(Trouble::Row(Spot { at: (partition, record), fault }, Some(lines)));
                    }
                },
                Splitting::FastText { every_label } => {
                    records.several_labels += fasttext::fill(grid, text, shape.rows, every_label);
                    grid.rows > 0
                }
            };
            if !more {
                records.all = text.records();
                (records.blank, records.blank_at_end) = text.blank_lines();
                records.blank_rows = text.blank_rows();
                records.stray_quotes = grid.take_stray_quotes();
                return Ok(records);
            }
            records.ragged += grid.ragged;
            sink(&RawBatch::Cells(text, grid))?;
        }
    }

    fn lines_claimed(&self) -> Option<u64> {
        self.cutting.lock().unwrap_or_else(PoisonError::into_inner).lines
    }

    fn lines_before(&self, partition: usize) -> Option<u64> {
        self.lines_claimed().or_else(|| self.count_lines(self.cut(partition)?.offset))
    }
}
