//! Reads the raw columns of a block, finds gaps and infinities, and computes the values that formulas ask for.
//!
//! Numbers that enter the design as they are go straight into the cells. All other values live in registers, column after
//! column, and every step of arithmetic is one loop over the rows of the block. Whether a column holds anything but finite
//! numbers is seen from the sum of 0·x; only a column that does is read again to find the rows.

use super::block::{DesignBlock, Gap, Scratch};
use super::copies::{Copies, has_nonfinite};
use super::step::Step;
use crate::data::{Features, MISSING};
use crate::error::{DataFault, Result};
use crate::num::MatrixView;

/// A number column that is used.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberColumn {
    pub(super) plane: usize,
    pub(super) feature: usize,
    pub(super) name: String,
    /// What stands in for a missing value.
    pub(super) stand_in: Option<f64>,
    /// Where its values go for arithmetic and products.
    pub(super) register: Option<usize>,
    /// The column of the design that holds it as it is.
    pub(super) copy: Option<usize>,
    /// The column of the design that is 1 where it is missing.
    pub(super) indicator: Option<usize>,
}

/// A code column that is used.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CodeColumn {
    pub(super) plane: usize,
    pub(super) feature: usize,
    pub(super) name: String,
    /// Number of levels of the layout.
    pub(super) levels: u32,
    /// Whether a missing value is a level of its own, behind the others.
    pub(super) missing_level: bool,
}

/// A text column that is used.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextColumn {
    pub(super) plane: usize,
    pub(super) feature: usize,
    pub(super) name: String,
}

/// A computed value that must be finite.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Computed {
    pub(super) register: usize,
    /// How the formula writes it.
    pub(super) text: String,
    /// The number column to name, as a position in [`Intake::numbers`].
    pub(super) number: usize,
}

/// What is read of a block.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Intake {
    pub(super) numbers: Vec<NumberColumn>,
    pub(super) codes: Vec<CodeColumn>,
    pub(super) texts: Vec<TextColumn>,
    pub(super) steps: Vec<Step>,
    pub(super) computed: Vec<Computed>,
    /// First registers of intervals, NaN where a value lies outside of all, each with a number column to name.
    pub(super) cuts: Vec<(usize, usize)>,
    pub(super) registers: usize,
    /// A missing value is an error.
    refuse_missing: bool,
    copies: Copies,
}

impl Intake {
    /// Nothing to read yet.
    pub(super) fn new(refuse_missing: bool) -> Self {
        Intake { refuse_missing, ..Intake::default() }
    }

    /// Plans the copies, once all number columns are known.
    pub(super) fn plan_copies(&mut self) {
        self.copies = Copies::new(&self.numbers);
    }

    /// Reads rows `lo..hi`: fills copied cells (of rows that are `width` wide), registers and codes, and notes gaps.
    pub(super) fn read(&self, features: &Features<'_>, lo: usize, hi: usize, width: usize, block: &mut DesignBlock) -> Result<()> {
        let rows = hi - lo;
        block.gaps.clear();
        block.gaps.resize(rows, Gap::None);
        block.has_gaps = false;
        block.scratch.registers.resize(self.registers * rows, 0.0);
        block.scratch.codes.resize(self.codes.len() * rows, 0);
        self.read_numbers(features.numbers.slice(lo, hi), lo, width, block)?;
        self.read_codes(features, lo, hi, block)?;
        self.read_texts(features, lo, hi, block)?;
        let Scratch { registers, codes, .. } = &mut block.scratch;
        self.steps.iter().for_each(|step| step.run(registers, codes, rows));
        self.check_computed(lo, rows, block)?;
        self.check_cuts(lo, rows, block)
    }

    /// A value outside of all intervals has no level: it is missing.
    fn check_cuts(&self, lo: usize, rows: usize, block: &mut DesignBlock) -> Result<()> {
        for &(register, number) in &self.cuts {
            let source = &self.numbers[number];
            for i in 0..rows {
                if block.scratch.registers[register * rows + i].is_nan() && block.gaps[i] == Gap::None {
                    self.note_missing(&source.name, source.feature, lo, i, block)?;
                }
            }
        }
        Ok(())
    }

    fn read_numbers(&self, values: MatrixView<'_>, lo: usize, width: usize, block: &mut DesignBlock) -> Result<()> {
        let rows = values.rows();
        let mut suspects = std::mem::take(&mut block.scratch.suspects);
        suspects.clear();
        suspects.resize(self.numbers.len(), false);
        self.copies.copy(values, width, &mut block.cells, &mut suspects);
        for (source, suspect) in self.numbers.iter().zip(&mut suspects) {
            if let Some(register) = source.register {
                let register = &mut block.scratch.registers[register * rows..(register + 1) * rows];
                match values.column(source.plane) {
                    Some(column) => register.copy_from_slice(column),
                    None => register.iter_mut().enumerate().for_each(|(i, x)| *x = values.get(i, source.plane)),
                }
                *suspect |= has_nonfinite(register);
            }
        }
        let repaired = self.numbers.iter().zip(&suspects).filter(|(_, suspect)| **suspect);
        let result = repaired.map(|(source, _)| source).try_for_each(|source| self.repair(source, values, lo, width, block));
        block.scratch.suspects = suspects;
        result
    }

    /// Finds the rows of a number column that are not finite: refuses infinities, puts the mean into gaps or notes them.
    fn repair(&self, source: &NumberColumn, values: MatrixView<'_>, lo: usize, width: usize, block: &mut DesignBlock) -> Result<()> {
        let rows = values.rows();
        for i in 0..rows {
            let x = values.get(i, source.plane);
            if x.is_infinite() && !block.counts(i) {
                block.note(i, Gap::Missing(source.feature as u32));
                continue;
            }
            if x.is_infinite() {
                let fault = DataFault::new("the value is not finite:").column(&source.name).row(row_number(block, lo, i));
                return Err(fault.value(x.to_string()).accepted("leave the cell empty if it is not known").into());
            }
            if !x.is_nan() {
                continue;
            }
            let Some(stand_in) = source.stand_in else {
                self.note_missing(&source.name, source.feature, lo, i, block)?;
                continue;
            };
            let mut put = |column: Option<usize>, value: f64| {
                if let Some(column) = column {
                    block.cells[i * width + column] = value;
                }
            };
            put(source.copy, stand_in);
            put(source.indicator, 1.0);
            if let Some(register) = source.register {
                block.scratch.registers[register * rows + i] = stand_in;
            }
        }
        Ok(())
    }

    fn read_codes(&self, features: &Features<'_>, lo: usize, hi: usize, block: &mut DesignBlock) -> Result<()> {
        let rows = hi - lo;
        let (data, row_stride, column_stride) = features.codes.parts();
        for (slot, source) in self.codes.iter().enumerate() {
            let mut odd = false;
            for (i, code) in block.scratch.codes[slot * rows..(slot + 1) * rows].iter_mut().enumerate() {
                *code = data[(lo + i) * row_stride + source.plane * column_stride];
                odd |= *code >= source.levels;
            }
            for i in (0..rows).filter(|_| odd) {
                let code = &mut block.scratch.codes[slot * rows + i];
                if *code < source.levels {
                    continue;
                }
                let raw = *code;
                *code = if raw == MISSING && source.missing_level { source.levels } else { 0 };
                if raw != MISSING {
                    block.note(i, Gap::Unseen(source.feature as u32));
                } else if !source.missing_level {
                    self.note_missing(&source.name, source.feature, lo, i, block)?;
                }
            }
        }
        Ok(())
    }

    fn read_texts(&self, features: &Features<'_>, lo: usize, hi: usize, block: &mut DesignBlock) -> Result<()> {
        for source in &self.texts {
            let Some(texts) = features.words.get(source.plane) else { continue };
            for i in (lo..hi).filter(|i| !texts.is_present(*i)) {
                self.note_missing(&source.name, source.feature, lo, i - lo, block)?;
            }
        }
        Ok(())
    }

    fn note_missing(&self, name: &str, feature: usize, lo: usize, i: usize, block: &mut DesignBlock) -> Result<()> {
        if self.refuse_missing && block.counts(i) {
            let fault = DataFault::new("the value is missing").column(name).row(row_number(block, lo, i));
            return Err(fault.accepted("missing values may be dropped, or replaced by a mean or an indicator").into());
        }
        block.note(i, Gap::Missing(feature as u32));
        Ok(())
    }

    /// Refuses computed values that are not finite, in rows without gaps.
    fn check_computed(&self, lo: usize, rows: usize, block: &mut DesignBlock) -> Result<()> {
        for computed in &self.computed {
            let span = computed.register * rows..(computed.register + 1) * rows;
            if !has_nonfinite(&block.scratch.registers[span.clone()]) {
                continue;
            }
            let source = &self.numbers[computed.number];
            for i in 0..rows {
                let fine = block.scratch.registers[span.start + i].is_finite() || block.gaps[i] != Gap::None;
                if fine {
                    continue;
                }
                if !block.counts(i) {
                    block.note(i, Gap::Missing(source.feature as u32));
                    continue;
                }
                let raw = source.register.map_or(f64::NAN, |register| block.scratch.registers[register * rows + i]);
                let fault = DataFault::new(format!("`{}` has no finite value for", computed.text)).column(&source.name);
                let fault = fault.row(row_number(block, lo, i)).value(raw.to_string());
                return Err(fault.accepted("change the formula or leave the cell empty").into());
            }
        }
        Ok(())
    }
}

/// The 1-based row of the source that row `i` of the block is.
fn row_number(block: &DesignBlock, lo: usize, i: usize) -> u64 {
    block.first_row + (lo + i) as u64 + 1
}
