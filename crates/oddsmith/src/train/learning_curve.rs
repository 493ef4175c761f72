//! Learning curves: what models of a growing part of the rows need on rows that they have not seen.
//!
//! The rows of every fold are dealt to sixteen parts with equal class proportions, the first 1, 2, 4, 8 and 16 of which are the prefixes: a shuffled order, so that a
//! sorted table teaches every class from the start. The model of a fold learns from a prefix of the other folds' rows and is judged on
//! the fold. For one-pass models one pass gathers the sums of every fold's addition to every prefix, and a longer prefix is the shorter one
//! with its addition merged; other models are refitted. All losses come from one more pass. The figure of a prefix is the mean of its folds'
//! bits; its standard error is their standard deviation over √folds, and does not count that folds share rows they learn from.

use super::compare::{Candidate, Comparison};
use super::cross_validation::{CrossValidation, FoldTables};
use super::driver::pass;
use super::folded_losses::{FoldModels, FoldedLosses};
use super::folds::Folds;
use crate::card::{Cell, FixedTable, Table};
use crate::data::SKIP;
use crate::error::{ErrorKind, Result};
use crate::eval::{Estimate, LogLoss, Metric, Undefined, metric_cells};
use crate::model::{AnyLearner, Classifier};
use crate::num::special::student_t;

/// Parts of the rows; prefixes double up to all of them.
const PARTS: usize = 16;
/// 1/16, 1/8, 1/4, 1/2, 1.
const PREFIXES: usize = PARTS.ilog2() as usize + 1;

/// A model at one prefix.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint {
    /// Name of the model.
    pub model: String,
    /// Share of the rows of the other folds that it learned from.
    pub share: f64,
    /// So many rows, the mean over folds.
    pub rows: f64,
    /// Bits per row on the rows of the fold: the mean over folds with Student's interval.
    pub bits: Metric,
    /// Standard error of the mean over folds.
    pub std_error: Option<f64>,
}

/// The part of every row: those of a class and a fold are shared out evenly.
fn parts(labels: &[u32], folds: &Folds, seed: u64) -> Result<Folds> {
    let cell = |(label, fold): (&u32, &u16)| if *label == SKIP { SKIP } else { label * folds.count() as u32 + u32::from(*fold) };
    let cells: Vec<u32> = labels.iter().zip(folds.of_rows()).map(cell).collect();
    Folds::stratified(&cells, PARTS.min(labels.len()), seed)
}

/// The first prefix, counted from 0, that holds a part: parts 0, 1, 2–3, 4–7 and 8–15.
fn addition(part: u16) -> usize {
    (u16::BITS - part.leading_zeros()) as usize
}

impl Comparison<'_> {
    /// The learning curve of every model, from the shortest prefix up.
    pub fn curve(&self) -> Result<Vec<CurvePoint>> {
        let folds = self.deal(0)?;
        let labels = folds.labels()?;
        let parts = parts(&labels, folds.folds(), self.seed)?;
        let cells = folds.with_folds(folds.folds().crossed(PREFIXES, |row| addition(parts.of_rows()[row]))?);
        let learners: Vec<&dyn AnyLearner> = self.candidates.iter().map(|candidate| &*candidate.learner).collect();
        let mut additions = cells.gather(&learners)?.map(|tables| tables.dealt(PREFIXES)).unwrap_or_default().into_iter();
        let (mut prefix, mut fitted) = (additions.next(), Vec::new());
        for at in 0..PREFIXES {
            if let (Some(prefix), true) = (&mut prefix, at > 0) {
                additions.next().map_or(Ok(()), |addition| prefix.add(&addition))?;
            }
            for candidate in self.candidates {
                fitted.push(self.models_of_prefix(&folds, &cells, candidate, prefix.as_ref(), at)?);
            }
        }
        let running: Vec<&FoldModels> = fitted.iter().flatten().collect();
        let empty = FoldedLosses::new(folds.folds(), self.source.layout(), &running);
        let mut losses = pass(self.source, &empty, self.threads, self.control)?.losses.into_iter();
        let sizes = sizes(&labels, folds.folds(), cells.folds());
        let mut point = |(at, fitted): (usize, &Result<FoldModels, String>)| {
            let candidate = &self.candidates[at % self.candidates.len()];
            let bits = match fitted {
                Ok(_) => bits_of_folds(&losses.next().unwrap_or_default()),
                Err(reason) => Err(Undefined(reason.clone())),
            };
            let prefix = at / self.candidates.len();
            CurvePoint::of_folds(&candidate.name, (1 << prefix) as f64 / PARTS as f64, sizes[prefix], bits)
        };
        let points: Vec<CurvePoint> = fitted.iter().enumerate().map(&mut point).collect();
        let of_candidate = |at: usize| points.iter().skip(at).step_by(self.candidates.len()).cloned();
        Ok((0..self.candidates.len()).flat_map(of_candidate).collect())
    }

    /// The models of all folds at a prefix, or why there are none: a short prefix may not be enough.
    fn models_of_prefix(
        &self,
        folds: &CrossValidation<'_>,
        cells: &CrossValidation<'_>,
        candidate: &Candidate,
        prefix: Option<&FoldTables>,
        at: usize,
    ) -> Result<Result<FoldModels, String>> {
        let count = folds.folds().count();
        let model = |fold: usize| -> Result<Box<dyn Classifier>> {
            if let Some(model) = folds.finished(&*candidate.learner, prefix, &folds.others(fold))? {
                return Ok(model);
            }
            let taught = (0..count * PREFIXES).map(|cell| cell / PREFIXES != fold && cell % PREFIXES <= at).collect::<Vec<_>>();
            cells.refit(&*candidate.learner, self.source, &taught)
        };
        match (0..count).map(model).collect::<Result<Vec<_>>>() {
            Ok(models) => Ok(Ok(FoldModels { columns: None, models })),
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => Err(error),
            Err(error) => Ok(Err(error.to_string())),
        }
    }
}

/// Rows with a class that the models of every prefix learn from, the mean over folds.
fn sizes(labels: &[u32], folds: &Folds, cells: &Folds) -> [f64; PREFIXES] {
    let counted = labels.iter().zip(cells.of_rows()).filter(|(label, _)| **label != SKIP);
    let mut sizes = [0.0; PREFIXES];
    counted.for_each(|(_, cell)| sizes[usize::from(*cell) % PREFIXES] += 1.0);
    // A row teaches the models of all folds but its own.
    let share = 1.0 - 1.0 / folds.count() as f64;
    let mut sum = 0.0;
    sizes.map(|size| {
        sum += size;
        share * sum
    })
}

fn bits_of_folds(losses: &[LogLoss]) -> Metric<Vec<f64>> {
    losses.iter().map(|loss| loss.bits().map(|bits| bits.value)).collect()
}

impl CurvePoint {
    /// A model of a share of the rows, `rows` of them, from its bits in every fold or the reason why there are none.
    pub fn of_folds(model: &str, share: f64, rows: f64, bits: Metric<Vec<f64>>) -> Self {
        let of = |bits, std_error| CurvePoint { model: model.to_owned(), share, rows, bits, std_error };
        let bits = match bits {
            Ok(bits) => bits,
            Err(reason) => return of(Err(reason), None),
        };
        let folds = bits.len() as f64;
        let mean = bits.iter().sum::<f64>() / folds;
        let squares: f64 = bits.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (squares / (folds - 1.0) / folds).sqrt();
        let reach = error * student_t::quantile_upper(0.025, folds - 1.0);
        of(Ok(Estimate::within(mean, (mean - reach, mean + reach))), Some(error))
    }
}

/// One row per model and prefix.
pub fn curve_table(points: &[CurvePoint]) -> Table {
    let mut table = FixedTable::new("curve", ["model", "share", "rows", "bits", "std_error", "bits_low", "bits_high", "note"]);
    for CurvePoint { model, share, rows, bits, std_error } in points {
        let [value, low, high, note] = metric_cells(bits);
        let error = std_error.map_or(Cell::Empty, Cell::from);
        table.push([model.as_str().into(), (*share).into(), rows.round().into(), value, error, low, high, note]);
    }
    table.into()
}
