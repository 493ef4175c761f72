//! Raw batches into blocks of a layout that is already known: later passes, and prediction.

use oddsmith::data::{DocumentCounts, Feature, Layout, Levels, MISSING, SKIP, Space, UNSEEN, Vocabulary, WordValue};
use oddsmith::error::DataFault;

use crate::block::Block;
use crate::column::{NumberCell, RawBatch};
use crate::column_encoder::{Spot, not_a_number, not_finite};
use crate::condition::RowFilter;
use crate::interner::Interner;
use crate::kinds;
use crate::missing::Markers;
use crate::number;
use crate::options::TextOptions;
use crate::selection;
use crate::settle::unsigned_zero;
use crate::tokens::{TermBuffer, Tokenizer, hashed_column};

/// Level names to codes.
#[derive(Debug)]
struct LevelIndex {
    names: Interner,
    boolean: bool,
}

impl LevelIndex {
    fn new(levels: &Levels, boolean: bool) -> Self {
        let mut names = Interner::default();
        levels.names().iter().for_each(|name| _ = names.intern(name.as_bytes()));
        LevelIndex { names, boolean }
    }

    #[inline]
    fn code(&self, cell: &[u8], markers: &Markers) -> u32 {
        match self.names.get(cell) {
            Some(code) => code,
            None => self.odd(cell, markers),
        }
    }

    fn odd(&self, cell: &[u8], markers: &Markers) -> u32 {
        if markers.has(cell) {
            return MISSING;
        }
        if self.boolean {
            return kinds::lenient_boolean(cell).map_or(UNSEEN, u32::from);
        }
        self.names.get(unsigned_zero(cell)).unwrap_or(UNSEEN)
    }
}

/// How one feature is encoded.
#[derive(Debug)]
enum Known {
    Number,
    Levels(LevelIndex),
    Words { tokenizer: Tokenizer, terms: Interner, hashed: Option<usize>, value: WordValue, factors: Option<Vec<f64>> },
}

impl Known {
    fn new(feature: &Feature, options: &TextOptions) -> Self {
        match &feature.space {
            Space::Number => Known::Number,
            Space::Levels { levels, boolean } => Known::Levels(LevelIndex::new(levels, *boolean)),
            Space::Words { vocabulary, value, form } => {
                let mut terms = Interner::default();
                let hashed = match vocabulary {
                    Vocabulary::Hashed(width) => Some(*width),
                    Vocabulary::Listed(listed) => {
                        listed.iter().for_each(|term| _ = terms.intern(term.as_bytes()));
                        None
                    }
                };
                let factors = form.weights.as_ref().map(DocumentCounts::factors);
                Known::Words { tokenizer: Tokenizer::for_vocabulary(vocabulary, form, options), terms, hashed, value: *value, factors }
            }
        }
    }
}

/// Which columns of the file feed which parts of a layout.
#[derive(Debug, Clone)]
pub(crate) struct Wiring {
    /// The column of each feature.
    pub(crate) features: Vec<usize>,
    /// The target column.
    pub(crate) target: Option<usize>,
    /// The weight column.
    pub(crate) weight: Option<usize>,
    /// Which rows are read.
    pub(crate) filter: Option<RowFilter>,
}

/// What happened while encoding, and buffers.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// For each feature, cells with a level that the layout does not know, and the first of them.
    pub(crate) unseen: Vec<(u64, String)>,
    /// Rows that the condition did not let through.
    pub(crate) left_out: u64,
    /// The rows of the last batch that were encoded.
    pub(crate) keep: Vec<u32>,
    buffer: TermBuffer,
}

impl Tally {
    /// Adds what happened in a later part of the table.
    pub(crate) fn join(&mut self, later: &Tally) {
        self.left_out += later.left_out;
        self.unseen.resize_with(self.unseen.len().max(later.unseen.len()), Default::default);
        for ((count, first), (more, next)) in self.unseen.iter_mut().zip(&later.unseen) {
            if *count == 0 {
                first.clone_from(next);
            }
            *count += more;
        }
    }
}

/// The encoder.
#[derive(Debug)]
pub(crate) struct Encoder {
    wiring: Wiring,
    known: Vec<Known>,
    names: Vec<String>,
    labels: LevelIndex,
    weight_name: String,
    planes: (usize, usize, usize),
    /// Whether rows without a label are left out, as in learning.
    labelled_only: bool,
}

impl Encoder {
    /// An encoder for a layout.
    pub(crate) fn new(layout: &Layout, wiring: Wiring, weight_name: &str, labelled_only: bool, options: &TextOptions) -> Self {
        let labels = LevelIndex::new(&Levels::in_order(layout.classes().labels().to_vec()), false);
        Encoder {
            wiring,
            known: layout.features().iter().map(|feature| Known::new(feature, options)).collect(),
            names: layout.names(),
            labels,
            weight_name: weight_name.into(),
            planes: (layout.numbers().len(), layout.codes().len(), layout.words().len()),
            labelled_only,
        }
    }

    /// Encodes a batch.
    pub(crate) fn encode(
        &self,
        (partition, batch): (usize, &RawBatch<'_>),
        (decimal, markers): (u8, &Markers),
        tally: &mut Tally,
        block: &mut Block,
    ) -> Result<(), Spot> {
        let Tally { unseen, left_out, keep, buffer } = tally;
        unseen.resize(self.known.len(), (0, String::new()));
        selection::by_condition((partition, batch), self.wiring.filter.as_ref(), (decimal, markers), keep, left_out)?;
        if let Some(column) = self.wiring.weight {
            selection::by_weight((partition, batch), column, (decimal, markers), keep, &mut block.weights)
                .map_err(|spot| spot.in_column(&self.weight_name))?;
        }
        block.labels.clear();
        block.labels.resize(keep.len(), SKIP);
        if let Some(column) = self.wiring.target {
            batch.column(column).each_text(keep, |i, cell| {
                block.labels[i] = cell.map_or(SKIP, |cell| self.labels.code(cell, markers));
            });
            if self.labelled_only {
                selection::by_label(keep, &mut block.labels, &mut block.weights);
            }
        }
        let rows = keep.len();
        block.reset(rows, self.planes.0, self.planes.1, self.planes.2);
        let (mut number, mut code, mut word) = (0, 0, 0);
        for (j, known) in self.known.iter().enumerate() {
            let column = batch.column(self.wiring.features[j]);
            match known {
                Known::Number => {
                    let out = &mut block.numbers[number * rows..(number + 1) * rows];
                    let mut bad = None;
                    column.each_number(keep, decimal, markers, |i, cell| {
                        out[i] = match cell {
                            NumberCell::Number(value) => value,
                            NumberCell::Null => f64::NAN,
                            NumberCell::Text(text) => odd_number(text, decimal, markers).unwrap_or_else(|fault| {
                                let at = (partition, batch.record(keep[i] as usize));
                                let fault = Box::new(fault.column(&self.names[j]).value(String::from_utf8_lossy(text)));
                                Spot::earlier(&mut bad, Some(Spot { at, fault }));
                                f64::NAN
                            }),
                        };
                    });
                    bad.map_or(Ok(()), Err)?;
                    number += 1;
                }
                Known::Levels(index) => {
                    let out = &mut block.codes[code * rows..(code + 1) * rows];
                    column.each_text(keep, |i, cell| {
                        out[i] = cell.map_or(MISSING, |cell| index.code(cell, markers));
                        if out[i] == UNSEEN {
                            note_unseen(&mut unseen[j], cell.unwrap_or_default());
                        }
                    });
                    code += 1;
                }
                Known::Words { tokenizer, terms, hashed, value, factors } => {
                    let out = &mut block.words[word];
                    column.each_text(keep, |_, cell| {
                        let text = cell.filter(|cell| !markers.has(cell)).and_then(|cell| std::str::from_utf8(cell).ok());
                        let Some(text) = text else { return out.end_row(false) };
                        tokenizer.add_row(text, buffer, *value, out, |term| match hashed {
                            Some(width) => Some(hashed_column(term, *width)),
                            None => terms.get(term.as_bytes()),
                        });
                    });
                    if let Some(factors) = factors {
                        out.weigh(factors);
                    }
                    word += 1;
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn note_unseen((count, first): &mut (u64, String), cell: &[u8]) {
    if *count == 0 {
        *first = String::from_utf8_lossy(cell).into_owned();
    }
    *count += 1;
}

/// A cell that is not simply a finite number; leading zeros are harmless where the column is known to hold numbers.
#[cold]
fn odd_number(cell: &[u8], decimal: u8, markers: &Markers) -> Result<f64, Box<DataFault>> {
    if markers.has(cell) {
        return Ok(f64::NAN);
    }
    match number::parse(cell, decimal) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(Box::new(not_finite())),
        None => Err(Box::new(not_a_number())),
    }
}
