//! Reads the raw columns of a block, finds gaps and infinities, and computes the values that formulas ask for.
//!
//! Numbers that enter the design as they are go straight into the cells: run by run where rows lie side by side, a tile of
//! rows at a time where columns do. All other values live in registers, column after column, and every step of arithmetic
//! is one loop over the rows of the block. Whether a column holds anything but finite numbers is seen from exponent bits;
//! only a column that does is read again to find the rows.

use super::block::{DesignBlock, Gap, Scratch};
use super::step::Step;
use crate::data::{Features, MISSING};
use crate::error::{DataFault, Error, Result};
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

/// Neighbouring planes that become neighbouring columns of the design.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    plane: usize,
    column: usize,
    number: usize,
    length: usize,
}

/// What is read of a block.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Intake {
    pub(super) numbers: Vec<NumberColumn>,
    pub(super) codes: Vec<CodeColumn>,
    pub(super) texts: Vec<TextColumn>,
    pub(super) steps: Vec<Step>,
    pub(super) computed: Vec<Computed>,
    pub(super) registers: usize,
    /// A missing value is an error.
    refuse_missing: bool,
    runs: Vec<Run>,
}

/// Rows copied column by column at a time, so that their cells stay in the nearest cache.
const TILE: usize = 64;

const EXPONENT: u64 = 0x7ff0_0000_0000_0000;

/// All exponent bits set: NaN or infinite.
#[inline(always)]
fn is_nonfinite(x: f64) -> bool {
    x.to_bits() & EXPONENT == EXPONENT
}

#[inline]
fn has_nonfinite(values: &[f64]) -> bool {
    values.iter().fold(false, |found, x| found | is_nonfinite(*x))
}

impl Intake {
    /// Nothing to read yet.
    pub(super) fn new(refuse_missing: bool) -> Self {
        Intake { refuse_missing, ..Intake::default() }
    }

    /// Plans the copies, once all number columns are known.
    pub(super) fn plan_copies(&mut self) {
        self.runs.clear();
        for (number, source) in self.numbers.iter().enumerate() {
            let Some(column) = source.copy else { continue };
            match self.runs.last_mut() {
                Some(run)
                    if (run.plane, run.column, run.number)
                        == (source.plane.wrapping_sub(run.length), column.wrapping_sub(run.length), number - run.length) =>
                {
                    run.length += 1;
                }
                _ => self.runs.push(Run { plane: source.plane, column, number, length: 1 }),
            }
        }
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
        self.check_computed(lo, rows, block)
    }

    fn read_numbers(&self, values: MatrixView<'_>, lo: usize, width: usize, block: &mut DesignBlock) -> Result<()> {
        let rows = values.rows();
        let mut suspects = std::mem::take(&mut block.scratch.suspects);
        suspects.clear();
        suspects.resize(self.numbers.len(), false);
        match values.as_strided_rows() {
            Some((data, stride)) => self.copy_runs(data, stride, width, &mut block.cells, &mut suspects),
            None => self.copy_tiles(values, width, &mut block.cells, &mut suspects),
        }
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

    /// Copies numbers whose rows lie side by side.
    fn copy_runs(&self, data: &[f64], stride: usize, width: usize, cells: &mut [f64], suspects: &mut [bool]) {
        for run in &self.runs {
            let suspects = &mut suspects[run.number..run.number + run.length];
            for (i, row) in cells.chunks_exact_mut(width.max(1)).enumerate() {
                let from = &data[i * stride + run.plane..][..run.length];
                row[run.column..run.column + run.length].copy_from_slice(from);
                suspects.iter_mut().zip(from).for_each(|(suspect, x)| *suspect |= is_nonfinite(*x));
            }
        }
    }

    /// Copies numbers of any other order.
    fn copy_tiles(&self, values: MatrixView<'_>, width: usize, cells: &mut [f64], suspects: &mut [bool]) {
        for (tile, rows) in cells.chunks_mut(TILE * width.max(1)).enumerate() {
            let first = tile * TILE;
            for (source, suspect) in self.numbers.iter().zip(suspects.iter_mut()) {
                let Some(to) = source.copy else { continue };
                match values.column(source.plane) {
                    Some(column) => {
                        let column = &column[first..first + rows.len() / width];
                        *suspect |= has_nonfinite(column);
                        rows.chunks_exact_mut(width).zip(column).for_each(|(row, x)| row[to] = *x);
                    }
                    None => {
                        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
                            row[to] = values.get(first + i, source.plane);
                            *suspect |= is_nonfinite(row[to]);
                        }
                    }
                }
            }
        }
    }

    /// Finds the rows of a number column that are not finite: refuses infinities, puts the mean into gaps or notes them.
    fn repair(&self, source: &NumberColumn, values: MatrixView<'_>, lo: usize, width: usize, block: &mut DesignBlock) -> Result<()> {
        let rows = values.rows();
        for i in 0..rows {
            let x = values.get(i, source.plane);
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
                    block.gaps[i].note(Gap::Unseen(source.feature as u32));
                    block.has_gaps = true;
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
        if self.refuse_missing {
            let fault = DataFault::new("the value is missing").column(name).row(row_number(block, lo, i));
            return Err(fault.accepted("missing values may be dropped, or replaced by a mean or an indicator").into());
        }
        block.gaps[i].note(Gap::Missing(feature as u32));
        block.has_gaps = true;
        Ok(())
    }

    /// Refuses computed values that are not finite, in rows without gaps.
    fn check_computed(&self, lo: usize, rows: usize, block: &DesignBlock) -> Result<()> {
        let register = |at: usize| &block.scratch.registers[at * rows..(at + 1) * rows];
        for computed in &self.computed {
            let values = register(computed.register);
            if !has_nonfinite(values) {
                continue;
            }
            let Some(i) = (0..rows).find(|&i| is_nonfinite(values[i]) && block.gaps[i] == Gap::None) else { continue };
            let source = &self.numbers[computed.number];
            let Some(raw) = source.register.map(|at| register(at)[i]) else {
                return Err(Error::internal("a computed value has no column"));
            };
            let fault = DataFault::new(format!("`{}` has no finite value for", computed.text)).column(&source.name);
            return Err(fault
                .row(row_number(block, lo, i))
                .value(raw.to_string())
                .accepted("change the formula or leave the cell empty")
                .into());
        }
        Ok(())
    }
}

/// The 1-based row of the source that row `i` of the block is.
fn row_number(block: &DesignBlock, lo: usize, i: usize) -> u64 {
    block.first_row + (lo + i) as u64 + 1
}
