//! A column of levels while its cells are encoded for the first time.
//!
//! Cells of text are looked up by their bytes. Typed cells are spelled once for every value, not once for every row: the codes of a dictionary's values and of
//! small whole numbers are kept, and a row costs one look into a list.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, downcast_dictionary_array, downcast_integer_array};
use arrow_buffer::ArrowNativeType;
use oddsmith::data::{Kind, MISSING};
use oddsmith::error::DataFault;

use crate::column::Column;
use crate::column_encoder::{Spot, View};
use crate::interner::Interner;
use crate::kinds;
use crate::mixed_cells::{OddCell, is_number};
use crate::typed;

/// Whole numbers below this are found by themselves.
const SMALL: usize = 1 << 16;
/// The code of a small number that was not met yet; one below [`MISSING`], where no column has so many levels.
const UNMET: u32 = MISSING - 1;
/// Levels up to which the rows of each are counted by a sweep of their own, eight rows an instruction.
const FEW: usize = 4;
/// Levels up to which rows are counted in several lists at once: a count that waits for the one before it is slow.
const SOME: usize = 16;

/// A column of levels.
#[derive(Debug)]
pub(crate) struct LevelLane {
    given: Option<Kind>,
    /// All values that were met, markers too.
    values: Interner,
    /// For each value the number of its level, or [`MISSING`].
    codes: Vec<u32>,
    /// For each level its value.
    pub(crate) levels: Vec<u32>,
    /// For each level its rows.
    pub(crate) counts: Vec<u64>,
    /// Cells without a value.
    pub(crate) missing: u64,
    /// The first cell that is no boolean although the caller said so.
    pub(crate) bad: Option<Spot>,
    /// The first cell that is no number.
    pub(crate) odd: Option<OddCell>,
    /// The dictionary of the last batch, and the codes of its values: batches mostly share it.
    dictionary: Option<Dictionary>,
    /// Codes of small whole numbers, [`UNMET`] where there is none yet.
    small: Vec<u32>,
}

/// A dictionary whose values have codes.
#[derive(Debug)]
struct Dictionary {
    values: ArrayRef,
    codes: Vec<u32>,
    /// Whether every code is the place of its value, as where the column was met first in this dictionary: nothing needs to be looked up.
    in_place: bool,
}

impl LevelLane {
    /// A lane; `given` is the kind that the caller gave.
    pub(crate) fn new(given: Option<Kind>) -> Self {
        LevelLane {
            given,
            values: Interner::default(),
            codes: Vec::new(),
            levels: Vec::new(),
            counts: Vec::new(),
            missing: 0,
            bad: None,
            odd: None,
            dictionary: None,
            small: Vec::new(),
        }
    }

    /// The kind that the caller gave.
    pub(crate) fn given(&self) -> Option<Kind> {
        self.given
    }

    /// The text of a level.
    pub(crate) fn name(&self, level: u32) -> &[u8] {
        self.values.name(self.levels[level as usize])
    }

    /// Number of levels, with those that a dictionary has and no row.
    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether more levels than this occur in rows.
    pub(crate) fn has_more_than(&self, most: usize) -> bool {
        self.len() > most && self.counts.iter().filter(|rows| **rows > 0).count() > most
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> u64 {
        let known = self.small.capacity() + self.dictionary.as_ref().map_or(0, |known| known.codes.capacity());
        self.values.memory() + (self.codes.capacity() * 4 + self.levels.capacity() * 12 + known * 4) as u64
    }

    /// Encodes the cells of the kept rows.
    pub(crate) fn observe(&mut self, view: &View<'_>, column: usize, out: &mut [u32]) {
        let column = view.batch.column(column);
        let done = matches!(&column, Column::Array(Some(array)) if self.observe_typed(*array, view, out));
        if !done {
            column.each_text(view.keep, |i, cell| out[i] = self.code_of(view, i, cell));
        }
        self.missing += tally(out, &mut self.counts);
    }

    /// Encodes cells of a dictionary or whole numbers; says whether they were.
    fn observe_typed(&mut self, array: &dyn Array, view: &View<'_>, out: &mut [u32]) -> bool {
        // Whether a value is true or false is told by the first row that has it, which a dictionary does not know.
        if let Some(dictionary) = array.as_any_dictionary_opt().filter(|_| self.given != Some(Kind::Boolean)) {
            self.meet_dictionary(dictionary.values(), view);
            let Some(known) = &self.dictionary else { return false };
            downcast_dictionary_array!(
                array => known.look_up(array.keys(), view.keep, out),
                _ => return false
            );
            return true;
        }
        downcast_integer_array!(
            array => self.observe_integers(array, view, out),
            _ => return false
        );
        true
    }

    /// Gives the values of a dictionary their codes, in its order, before any row asks for them.
    fn meet_dictionary(&mut self, values: &ArrayRef, view: &View<'_>) {
        if self.dictionary.as_ref().is_some_and(|known| Arc::ptr_eq(&known.values, values)) {
            return;
        }
        let all: Vec<u32> = (0..values.len() as u32).collect();
        let (mut codes, mut buffer) = (vec![MISSING; all.len()], String::new());
        typed::each(values, &all, |at, cell| {
            let Some(cell) = cell.text(&mut buffer) else { return };
            let (value, new) = self.values.intern(cell);
            if new {
                let code = if view.markers.has(cell) { MISSING } else { self.add_level(value) };
                self.codes.push(code);
            }
            codes[at] = self.codes[value as usize];
        });
        let in_place = codes.iter().enumerate().all(|(place, code)| place == *code as usize);
        self.dictionary = Some(Dictionary { values: Arc::clone(values), codes, in_place });
    }

    fn observe_integers<T: ArrowPrimitiveType>(&mut self, values: &PrimitiveArray<T>, view: &View<'_>, out: &mut [u32]) {
        for (i, (&row, out)) in view.keep.iter().zip(out).enumerate() {
            // A number below zero is a very large one here.
            let at = values.value(row as usize).as_usize();
            *out = match self.small.get(at).copied() {
                _ if values.is_null(row as usize) => MISSING,
                Some(code) if code != UNMET => code,
                _ => self.meet_integer(values, row, (view, i), at),
            };
        }
    }

    /// The code of a whole number that is not among the known ones.
    #[cold]
    fn meet_integer(&mut self, values: &dyn Array, row: u32, (view, i): (&View<'_>, usize), at: usize) -> u32 {
        let (mut code, mut buffer) = (MISSING, String::new());
        typed::each(values, &[row], |_, cell| code = self.code_of(view, i, cell.text(&mut buffer)));
        if at < SMALL {
            self.small.resize(self.small.len().max(at + 1), UNMET);
            self.small[at] = code;
        }
        code
    }

    /// The code of a cell of text.
    fn code_of(&mut self, view: &View<'_>, i: usize, cell: Option<&[u8]>) -> u32 {
        let Some(cell) = cell else { return MISSING };
        let (value, new) = self.values.intern(cell);
        if new { self.meet(view, i, cell) } else { self.codes[value as usize] }
    }

    /// The code of a value that was never met before.
    fn meet(&mut self, view: &View<'_>, i: usize, cell: &[u8]) -> u32 {
        let code = if view.markers.has(cell) { MISSING } else { self.add_level(self.codes.len() as u32) };
        self.codes.push(code);
        if code != MISSING && self.odd.is_none() && !is_number(cell, view.decimal) {
            let at = (view.partition, view.batch.record(view.keep[i] as usize));
            self.odd = Some(OddCell { at, text: String::from_utf8_lossy(cell).into_owned() });
        }
        if code != MISSING && self.given == Some(Kind::Boolean) && kinds::lenient_boolean(cell).is_none() {
            let fault = DataFault::new("is not true or false:")
                .accepted("correct it, list it as missing with --missing-markers, or give the column another --kind");
            Spot::earlier(&mut self.bad, Some(Spot::new(view, i, fault, cell)));
        }
        code
    }

    fn add_level(&mut self, value: u32) -> u32 {
        self.levels.push(value);
        self.counts.push(0);
        self.levels.len() as u32 - 1
    }

    /// Adds what another worker saw and gives the new numbers of its levels; those without rows have none.
    pub(crate) fn merge(&mut self, other: &LevelLane) -> Vec<u32> {
        self.missing += other.missing;
        Spot::earlier(&mut self.bad, other.bad.clone());
        OddCell::earlier(&mut self.odd, other.odd.as_ref());
        let mut renumbered = Vec::with_capacity(other.len());
        for (level, rows) in other.counts.iter().enumerate() {
            if *rows == 0 {
                renumbered.push(MISSING);
                continue;
            }
            let (value, new) = self.values.intern(other.name(level as u32));
            if new {
                let code = self.add_level(value);
                self.codes.push(code);
            }
            let code = self.codes[value as usize];
            self.counts[code as usize] += rows;
            renumbered.push(code);
        }
        renumbered
    }
}

impl Dictionary {
    /// The codes of the kept rows' keys.
    fn look_up<K: ArrowPrimitiveType>(&self, keys: &PrimitiveArray<K>, keep: &[u32], out: &mut [u32]) {
        let code = |key: K::Native| self.codes.get(key.as_usize()).copied().unwrap_or(MISSING);
        let whole = keys.null_count() == 0 && keep.len() == keys.len();
        if whole && self.in_place {
            let levels = self.codes.len() as u32;
            let code = |key: u32| if key < levels { key } else { MISSING };
            return out.iter_mut().zip(keys.values()).for_each(|(out, key)| *out = code(key.as_usize() as u32));
        }
        if whole {
            return out.iter_mut().zip(keys.values()).for_each(|(out, key)| *out = code(*key));
        }
        for (out, &row) in out.iter_mut().zip(keep) {
            *out = if keys.is_null(row as usize) { MISSING } else { code(keys.value(row as usize)) };
        }
    }
}

/// Counts rows by code, and those without one.
pub(crate) fn tally(codes: &[u32], counts: &mut [u64]) -> u64 {
    let count = match counts.len() {
        levels if levels <= FEW => tally_by_sweeps,
        levels if levels <= SOME => tally_in_lists,
        _ => tally_one_by_one,
    };
    count(codes, counts)
}

fn tally_by_sweeps(codes: &[u32], counts: &mut [u64]) -> u64 {
    let mut missing = codes.len() as u64;
    for (level, count) in counts.iter_mut().enumerate() {
        // Sums of 32 bits take twice as many lanes of a register; so few rows do not overflow them.
        let rows: u64 =
            codes.chunks(1 << 16).map(|part| u64::from(part.iter().map(|code| u32::from(*code == level as u32)).sum::<u32>())).sum();
        *count += rows;
        missing -= rows;
    }
    missing
}

fn tally_in_lists(codes: &[u32], counts: &mut [u64]) -> u64 {
    let mut lists = [[0u64; SOME + 1]; 4];
    for four in codes.chunks(4) {
        lists.iter_mut().zip(four).for_each(|(list, code)| list[(*code as usize).min(SOME)] += 1);
    }
    for list in lists {
        counts.iter_mut().zip(list).for_each(|(count, own)| *count += own);
    }
    lists.iter().map(|list| list[SOME]).sum()
}

fn tally_one_by_one(codes: &[u32], counts: &mut [u64]) -> u64 {
    let mut missing = 0;
    for code in codes {
        match counts.get_mut(*code as usize) {
            Some(count) => *count += 1,
            None => missing += 1,
        }
    }
    missing
}
