//! What is learned about one column while its cells are encoded for the first time.
//!
//! A lane numbers levels and words in the order in which it meets them; every worker has its own lanes, and
//! [`crate::settle`] brings their numbers together. All counts are exact and add up in any order.

use oddsmith::data::WordValue;
use oddsmith::error::DataFault;

use crate::block::WordBlock;
use crate::column::{NumberCell, RawBatch};
use crate::interner::Interner;
use crate::missing::Markers;
use crate::number;
use crate::tokens::{TermBuffer, Tokenizer, hashed_column};

/// The rows that a lane looks at.
pub(crate) struct View<'a> {
    /// Index of the partition.
    pub(crate) partition: usize,
    /// The batch.
    pub(crate) batch: &'a RawBatch<'a>,
    /// The rows that count.
    pub(crate) keep: &'a [u32],
    /// The decimal mark.
    pub(crate) decimal: u8,
    /// The cells that are missing.
    pub(crate) markers: &'a Markers,
}

/// A cell that cannot be used: where it stands and what is wrong with it. Spots compare by place.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    /// Partition and record.
    pub(crate) at: (usize, u64),
    /// The fault; its column is named later.
    pub(crate) fault: Box<DataFault>,
}

impl Spot {
    pub(crate) fn new(view: &View<'_>, i: usize, fault: DataFault, cell: &[u8]) -> Self {
        let fault = Box::new(fault.value(String::from_utf8_lossy(cell)));
        Spot { at: (view.partition, view.batch.record(view.keep[i] as usize)), fault }
    }

    /// Names the column.
    #[must_use]
    pub(crate) fn in_column(mut self, name: &str) -> Self {
        self.fault.column = Some(name.into());
        self
    }

    /// Keeps the earlier of two.
    pub(crate) fn earlier(kept: &mut Option<Spot>, other: Option<Spot>) {
        if let Some(other) = other
            && kept.as_ref().is_none_or(|spot| other.at < spot.at)
        {
            *kept = Some(other);
        }
    }
}

/// A column of numbers.
#[derive(Debug)]
pub(crate) struct NumberLane {
    given: bool,
    /// Cells without a value.
    pub(crate) missing: u64,
    /// Smallest value.
    pub(crate) min: f64,
    /// Largest value.
    pub(crate) max: f64,
    /// The first cell that cannot be used: infinite, or no number although the caller said so.
    pub(crate) bad: Option<Spot>,
    /// A cell showed that the column does not hold numbers.
    pub(crate) contradicted: bool,
    /// There is a number besides 0 and 1.
    others: bool,
}

impl NumberLane {
    /// A lane; `given` when the caller said that the column holds numbers.
    pub(crate) fn new(given: bool) -> Self {
        let (min, max) = (f64::INFINITY, f64::NEG_INFINITY);
        NumberLane { given, missing: 0, min, max, bad: None, contradicted: false, others: false }
    }

    /// Whether zeros and ones are all that there is.
    pub(crate) fn holds_flags(&self) -> bool {
        !self.others && self.min == 0.0 && self.max == 1.0
    }

    /// Encodes the cells of the kept rows.
    pub(crate) fn observe(&mut self, view: &View<'_>, column: usize, out: &mut [f64]) {
        if self.contradicted {
            return;
        }
        let (mut min, mut max) = (self.min, self.max);
        view.batch.column(column).each_number(view.keep, view.decimal, view.markers, |i, cell| {
            let value = match cell {
                NumberCell::Number(value) => value,
                NumberCell::Null => self.gap(),
                NumberCell::Text(cell) => self.odd(view, i, cell),
            };
            out[i] = value;
            min = if value < min { value } else { min };
            max = if value > max { value } else { max };
        });
        (self.min, self.max) = (min, max);
        self.others = self.others || min < 0.0 || max > 1.0 || out.iter().any(|value| *value > 0.0 && *value < 1.0);
    }

    fn gap(&mut self) -> f64 {
        self.missing += 1;
        f64::NAN
    }

    fn spot(&mut self, spot: Spot) -> f64 {
        Spot::earlier(&mut self.bad, Some(spot));
        f64::NAN
    }

    #[cold]
    fn odd(&mut self, view: &View<'_>, i: usize, cell: &[u8]) -> f64 {
        if view.markers.has(cell) {
            return self.gap();
        }
        match number::parse(cell, view.decimal) {
            Some(value) if value.is_infinite() => self.spot(Spot::new(view, i, not_finite(), cell)),
            Some(value) if self.given => value,
            None if self.given => self.spot(Spot::new(view, i, not_a_number(), cell)),
            _ => {
                self.contradicted = true;
                f64::NAN
            }
        }
    }

    /// Adds what another worker saw.
    pub(crate) fn merge(&mut self, other: NumberLane) {
        self.missing += other.missing;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.contradicted |= other.contradicted;
        self.others |= other.others;
        Spot::earlier(&mut self.bad, other.bad);
    }
}

/// The fault of an infinite number.
pub(crate) fn not_finite() -> DataFault {
    DataFault::new("is not a finite number:").accepted("correct it, or list it as missing with --missing-markers")
}

/// The fault of a cell in a number column that is something else.
pub(crate) fn not_a_number() -> DataFault {
    DataFault::new("is not a number:").accepted("correct it, list it as missing with --missing-markers, or give the column another --kind")
}

/// A column of text.
#[derive(Debug)]
pub(crate) struct WordLane {
    tokenizer: Tokenizer,
    /// The number of columns when terms are hashed.
    pub(crate) hashed: Option<usize>,
    value: WordValue,
    /// The terms that were met.
    pub(crate) terms: Interner,
    /// For each term the rows it stands in.
    pub(crate) documents: Vec<u64>,
    /// Cells without a text.
    pub(crate) missing: u64,
    /// Cells with one.
    pub(crate) texts: u64,
    buffer: TermBuffer,
}

impl WordLane {
    /// A lane over terms of this tokenizer.
    pub(crate) fn new(tokenizer: Tokenizer, hashed: Option<usize>, value: WordValue) -> Self {
        let (terms, buffer) = (Interner::default(), TermBuffer::default());
        WordLane { tokenizer, hashed, value, terms, documents: Vec::new(), missing: 0, texts: 0, buffer }
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> u64 {
        self.terms.memory() + self.documents.capacity() as u64 * 8
    }

    /// Encodes the texts of the kept rows.
    pub(crate) fn observe(&mut self, view: &View<'_>, column: usize, out: &mut WordBlock) {
        let WordLane { tokenizer, hashed, value, terms, documents, missing, texts, buffer } = self;
        view.batch.column(column).each_text(view.keep, |_, cell| {
            let text = cell.filter(|cell| !view.markers.has(cell)).and_then(|cell| std::str::from_utf8(cell).ok());
            let Some(text) = text else {
                *missing += 1;
                return out.end_row(false);
            };
            *texts += 1;
            let start = out.columns.len();
            tokenizer.add_row(text, buffer, *value, out, |term| match hashed {
                Some(width) => Some(hashed_column(term, *width)),
                None => Some(terms.intern(term.as_bytes()).0),
            });
            if hashed.is_none() {
                documents.resize(terms.len(), 0);
                out.columns[start..].iter().for_each(|term| documents[*term as usize] += 1);
            }
        });
    }

    /// Adds what another worker saw and gives the new numbers of its terms.
    pub(crate) fn merge(&mut self, other: &WordLane) -> Vec<u32> {
        self.missing += other.missing;
        self.texts += other.texts;
        let renumbered: Vec<u32> = (0..other.terms.len() as u32).map(|term| self.terms.intern(other.terms.name(term)).0).collect();
        self.documents.resize(self.terms.len(), 0);
        for (term, &new) in renumbered.iter().enumerate() {
            self.documents[new as usize] += other.documents[term];
        }
        renumbered
    }
}
