//! Sparse rows that are held: a pass that hands them on as they are, so that the search for a start need not read them again and again.
//!
//! Words make long vectors of which every pass touches little, and a search takes many passes. As long as there is memory for the entries,
//! one pass gathers them in the solver's coordinates, row after row, and the search runs over the copy; a last pass looks at
//! where it ended; where that is no optimum, the search goes on from pass to pass. Merging joins the rows of one part and those of the next, in their order,
//! and the search has one thread, so the number of threads changes nothing. More entries than may be held leave nothing behind but the fact.
//! Cost: 12 bytes per entry and 32 per row, and as much again while a search runs.

mod columns;
mod face;
mod factor;
mod lasso_search;
mod quadratic_model;
mod ridge_rows;
mod ridge_search;
mod row_losses;

use std::sync::Arc;

use self::lasso_search::LassoSearch;
use self::ridge_search::RidgeSearch;
use self::row_losses::RowLosses;
use crate::codec::{Codec, Encode};
use crate::error::{Error, Result};
use crate::model::Step;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::Shape;
use crate::model::linear::fit::fit_steps::question;
use crate::model::linear::fit::learner::next_pass;
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::penalty::Penalty;
use crate::model::linear::fit::solver::SolverState;
use crate::model::linear::fit::stage::{Facts, Fitting, Stage};
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::Logistic;

/// Bytes of an entry and of a row while a search runs: two copies, by row and by column, and a dozen vectors over the rows.
const ENTRY_BYTES: u64 = 24;
const ROW_BYTES: u64 = 128;
/// Entries and rows that have numbers of 32 bits.
const MOST_ENTRIES: u64 = u32::MAX as u64;
/// Entries up to which ridge is faster over held rows with one thread than over passes with all.
const MOST_RIDGE_ENTRIES: u64 = 4 << 20;
/// Rows after which a part can tell how long rows are, and how far beyond what may be held all of them must then seem to be for it to stop at once.
const TELLING_ROWS: usize = 1000;
const CLEARLY: f64 = 1.5;
/// Share of the tolerance to which a search over held rows goes, so that the look at its end finds it near enough.
const HELD_SHARE: f64 = 0.5;
/// Entries up to which the last digits cost nothing that anybody would notice, and the distance from the optimum that they mean.
const CHEAP_ENTRIES: usize = 20_000;
const LAST_DIGITS: f64 = 1e-8;
/// Distance to which ridge goes in any case: from where others stop that is half a step.
const RIDGE_DIGITS: f64 = 1e-5;
/// Share of the absolute penalties within which all slopes come, per tolerance in standard errors.
const SLOPE_SHARE: f64 = 0.04;

impl Logistic {
    /// Whether the rows may be held while an optimum is looked for: words of two classes, here and not elsewhere, and memory for them.
    pub(in crate::model::linear) fn can_hold(&self, state: &PassState, facts: &Facts) -> bool {
        let Shape { outputs, words, .. } = facts.shape;
        let penalised = facts.penalty.words > 0.0 || !facts.penalty.absolute.is_empty();
        let room = state.source.rows.is_some_and(|rows| rows.saturating_mul(ROW_BYTES + ENTRY_BYTES) < state.source.memory);
        outputs == 1 && words > 0 && penalised && room
    }

    /// A pass that holds the rows, for a search from a point.
    pub(in crate::model::linear) fn hold(&self, state: &PassState, facts: Arc<Facts>, theta: Vec<f64>) -> LinearStats {
        let for_rows = state.source.rows.unwrap_or(0).saturating_mul(ROW_BYTES);
        let most = if facts.penalty.absolute.is_empty() { MOST_RIDGE_ENTRIES } else { MOST_ENTRIES };
        let most_entries = (state.source.memory.saturating_sub(for_rows) / ENTRY_BYTES).min(most) as usize;
        let rows = HeldRows {
            most_entries,
            all_rows: state.source.rows,
            ..HeldRows::new(&state.coordinates, facts.shape, &state.layout.word_widths())
        };
        let (coordinates, no_missing) = ((*state.coordinates).clone(), facts.no_missing);
        let sums = PassSums::Held(Box::new(rows));
        next_pass(state, coordinates, no_missing, Vec::new(), Vec::new(), Stage::Held { facts, theta }, sums)
    }

    /// Searches over rows that are held, and goes on from there as from any other start.
    pub(in crate::model::linear) fn after_held(
        &self,
        state: &PassState,
        facts: &Arc<Facts>,
        theta: &[f64],
        rows: &HeldRows,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let plan = self.plan(facts, false);
        let most = match (rows.columns.len() <= CHEAP_ENTRIES, facts.penalty.absolute.is_empty()) {
            (true, _) => LAST_DIGITS,
            (false, true) => RIDGE_DIGITS,
            (false, false) => f64::INFINITY,
        };
        let tolerance = HELD_SHARE * plan.tolerance.min(most);
        let SearchEnd { theta: end, steps, arrived } = rows.optimum(theta, &facts.penalty, tolerance, plan.most_steps);
        // The optimum is only looked at once more. A search that did not arrive has left for a place from which others do not, either: they
        // begin where it did.
        let (mut solver, next) = match arrived {
            true => SolverState::settle(end, plan, facts.penalty.clone()),
            false => SolverState::start(theta.to_vec(), plan, facts.penalty.clone()),
        };
        solver.steps = if arrived { steps } else { 0 };
        let fitting = Fitting::new(Arc::clone(facts), solver, false);
        Ok(Step::Again(self.ask(state, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }
}

/// Rows one after another: the entries of row i are `columns[starts[i]..starts[i + 1]]` with their values.
#[derive(Debug, Clone, Copy)]
struct SparseRows<'a> {
    starts: &'a [usize],
    columns: &'a [u32],
    values: &'a [f64],
}

/// Where a search ended.
#[derive(Debug)]
struct SearchEnd {
    theta: Vec<f64>,
    steps: usize,
    /// Whether that is the optimum.
    arrived: bool,
}

/// Whether steps still bring a search nearer.
#[derive(Debug)]
struct Progress {
    nearest: f64,
    fruitless: usize,
    patience: usize,
    near: f64,
}

impl Progress {
    /// Over when so many steps have not halved a distance that is near.
    fn new(patience: usize, near: f64) -> Self {
        Progress { nearest: f64::INFINITY, fruitless: 0, patience, near }
    }

    fn is_over(&mut self, distance: f64) -> bool {
        match distance < 0.5 * self.nearest {
            true => (self.nearest, self.fruitless) = (distance, 0),
            false => self.fruitless += 1,
        }
        self.fruitless >= self.patience && distance <= self.near
    }
}

/// Rows as they are.
#[derive(Debug, Clone)]
pub(crate) struct HeldRows {
    coordinates: Arc<Coordinates>,
    shape: Shape,
    /// Where the columns of each sparse block start.
    blocks: Vec<usize>,
    centre: Vec<f64>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    proportions: Vec<f64>,
    weights: Vec<f64>,
    offsets: Vec<f64>,
    /// Entries that may be held.
    most_entries: usize,
    /// Rows of all parts, where they are known: a part of long rows then knows early that they are too many.
    all_rows: Option<u64>,
    /// Whether there were more entries than may be held.
    too_many: bool,
}

impl HeldRows {
    /// Nothing seen.
    pub(crate) fn new(coordinates: &Arc<Coordinates>, shape: Shape, word_widths: &[usize]) -> Self {
        let mut next = shape.width;
        let mut block = |width: &usize| {
            next += width;
            next - width
        };
        HeldRows {
            coordinates: Arc::clone(coordinates),
            shape,
            blocks: word_widths.iter().map(&mut block).collect(),
            centre: coordinates.summed_centre(),
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            proportions: Vec::new(),
            weights: Vec::new(),
            offsets: Vec::new(),
            most_entries: MOST_ENTRIES as usize,
            all_rows: None,
            too_many: false,
        }
    }

    /// Keeps the rows of a block that count.
    pub(crate) fn add(&mut self, block: &Block<'_>) -> Result<()> {
        let shift = usize::from(self.coordinates.intercept);
        let mut z = vec![0.0; self.centre.len()];
        for i in (0..block.weights.len()).filter(|&i| block.weights[i] > 0.0) {
            if self.too_many {
                return Ok(());
            }
            if shift == 1 {
                self.push(0, 1.0);
            }
            z.iter_mut().enumerate().for_each(|(j, z)| *z = block.x.get(i, j) - self.centre[j]);
            for (k, z) in self.coordinates.project(&z).into_iter().enumerate() {
                self.push(shift + k, z);
            }
            for (words, first) in block.words.iter().zip(self.blocks.clone()) {
                let (entries, values) = words.row(i);
                if entries.iter().any(|word| *word as usize >= words.width) {
                    return Err(Error::data("an entry lies outside the columns"));
                }
                entries.iter().zip(values).for_each(|(word, value)| self.push(first + *word as usize, *value));
            }
            self.starts.push(self.columns.len());
            self.proportions.push(block.proportions[i]);
            self.weights.push(block.weights[i]);
            self.offsets.push(block.offset.get(i).copied().unwrap_or(0.0));
            self.forget_too_many();
        }
        Ok(())
    }

    fn push(&mut self, column: usize, value: f64) {
        if value != 0.0 {
            self.columns.push(column as u32);
            self.values.push(value);
        }
    }

    fn forget_too_many(&mut self) {
        if self.too_many || self.columns.len() > self.most_entries || self.expects_too_many() {
            let empty = HeldRows::new(&self.coordinates, self.shape, &[]);
            *self = HeldRows {
                too_many: true,
                most_entries: self.most_entries,
                all_rows: self.all_rows,
                blocks: std::mem::take(&mut self.blocks),
                ..empty
            };
        }
    }

    /// Whether all rows together, if they are as long as these, have clearly more entries than may be held. Every part says so by its own rows, and no
    /// sooner or later for any number of threads.
    fn expects_too_many(&self) -> bool {
        let (seen, all) = (self.proportions.len(), self.all_rows.unwrap_or(0));
        let expected = self.columns.len() as f64 / seen.max(1) as f64 * all as f64;
        seen >= TELLING_ROWS && expected > CLEARLY * self.most_entries as f64
    }

    /// The rows of another part after these.
    pub(crate) fn merge(&mut self, other: &Self) {
        let first = self.columns.len();
        self.too_many |= other.too_many;
        self.starts.extend(other.starts[1..].iter().map(|start| first + start));
        self.columns.extend_from_slice(&other.columns);
        self.values.extend_from_slice(&other.values);
        for (mine, theirs) in
            [(&mut self.proportions, &other.proportions), (&mut self.weights, &other.weights), (&mut self.offsets, &other.offsets)]
        {
            mine.extend_from_slice(theirs);
        }
        self.forget_too_many();
    }

    /// Where a search over the rows ends that comes within a distance of the optimum; at the start where they could not be held.
    fn optimum(&self, start: &[f64], penalty: &Penalty, tolerance: f64, most_steps: usize) -> SearchEnd {
        if self.too_many || start.len() != self.shape.len() {
            return SearchEnd { theta: start.to_vec(), steps: 0, arrived: false };
        }
        let mut ridge = penalty.dense.clone();
        ridge.resize(self.shape.len(), penalty.words);
        let rows = SparseRows { starts: &self.starts, columns: &self.columns, values: &self.values };
        let losses = RowLosses { proportions: &self.proportions, weights: &self.weights, offsets: &self.offsets };
        match penalty.absolute.is_empty() {
            true => RidgeSearch::new(rows, losses, &ridge, self.shape.width).minimise(start, tolerance, most_steps),
            false => LassoSearch::new(rows, losses, &ridge, &penalty.absolute).minimise(start, SLOPE_SHARE * tolerance, most_steps),
        }
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        12 * self.columns.len() + 32 * self.proportions.len()
    }
}

impl Encode for HeldRows {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.flag("too_many", &mut self.too_many)?;
        let mut starts: Vec<u64> = self.starts.iter().map(|start| *start as u64).collect();
        let mut columns: Vec<u64> = self.columns.iter().map(|column| u64::from(*column)).collect();
        codec.count_list("starts", &mut starts)?;
        codec.count_list("columns", &mut columns)?;
        codec.list("values", 1, &mut self.values)?;
        for (name, list) in [("proportions", &mut self.proportions), ("weights", &mut self.weights), ("offsets", &mut self.offsets)] {
            codec.list(name, 1, list)?;
        }
        let rows = self.proportions.len();
        let sound = starts.len() == rows + 1
            && starts.first() == Some(&0)
            && starts.last() == Some(&(columns.len() as u64))
            && starts.windows(2).all(|pair| pair[0] <= pair[1])
            && columns.len() == self.values.len()
            && [self.weights.len(), self.offsets.len()] == [rows; 2]
            && columns.iter().all(|column| *column < self.shape.len() as u64);
        if !sound {
            return Err(crate::record::fault("held rows do not fit together"));
        }
        self.starts = starts.into_iter().map(|start| start as usize).collect();
        self.columns = columns.into_iter().map(|column| column as u32).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Csr;
    use crate::num::MatrixView;
    use crate::num::kernel::Marks;

    /// A part of rows with nine entries each, of a table of which so many rows are known and 100,000 entries may be held.
    fn part(rows: usize, all_rows: Option<u64>) -> HeldRows {
        let (starts, columns): (Vec<usize>, Vec<u32>) = ((0..=8 * rows).step_by(8).collect(), (0..8).cycle().take(8 * rows).collect());
        let (values, proportions, weights) = (vec![0.5; 8 * rows], vec![1.0; rows], vec![1.0; rows]);
        let words = [Csr { starts: &starts, columns: &columns, values: &values, width: 8, present: None }];
        let block = Block {
            x: MatrixView::row_major(&[], rows, 0).unwrap(),
            marks: Marks::none(),
            proportions: &proportions,
            weights: &weights,
            offset: &[],
            words: &words,
            first: 0,
        };
        let shape = Shape { outputs: 1, width: 1, words: 8 };
        let empty = HeldRows::new(&Arc::new(Coordinates::plain(0, true)), shape, &[8]);
        let mut held = HeldRows { most_entries: 100_000, all_rows, ..empty };
        held.add(&block).unwrap();
        held
    }

    #[test]
    fn a_part_of_a_table_that_is_clearly_too_large_holds_nothing() {
        let held = |rows: usize, all_rows: Option<u64>| (part(rows, all_rows).too_many, part(rows, all_rows).proportions.len());
        assert_eq!(held(2000, Some(1_000_000)), (true, 0));
        // Nine entries of 10,000 rows may be held, those of 15,000 may be if other parts are shorter, and few rows tell nothing.
        assert_eq!(held(2000, Some(10_000)), (false, 2000));
        assert_eq!(held(2000, Some(15_000)), (false, 2000));
        assert_eq!(held(TELLING_ROWS - 1, Some(1_000_000)), (false, TELLING_ROWS - 1));
        assert_eq!(held(2000, None), (false, 2000));
        assert!(part(12_000, None).too_many);
    }
}
