//! Models side by side on the same out-of-fold rows, and whether their differences are more than chance.
//!
//! Two models are compared row by row: the mean of l_a − l_b, the difference of their log losses, over its standard error. Rows
//! are taken as independent and the models as given; rows of one fold share a model, which the error does not count. Several
//! comparisons are adjusted by Holm's method.

use std::f64::consts::LN_2;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::driver::worker_count;
use super::scored_table::ScoredTable;
use crate::data::{SKIP, Weighting};
use crate::error::{Error, Result};
use crate::eval::{
    Auc, Brier, CalibrationLine, Confusion, Estimate, EvalSettings, Kept, LogLoss, Metric, Ranking, ScoreScale, Undefined, hand_till,
};
use crate::num::special::normal;
use crate::stats::Statistics;

/// The figures by which models are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    /// Bits per row.
    pub bits: Metric,
    /// Bits per row that are saved against the class proportions.
    pub bits_saved: Metric,
    /// Brier score.
    pub brier: Metric,
    /// Area under the ROC curve; with more than two classes Hand and Till's mean.
    pub auc: Metric,
    /// Calibration slope, with two classes.
    pub slope: Metric,
    /// Share of rows whose most probable class is right.
    pub accuracy: Metric,
}

/// A piece of the work on one model.
enum Piece {
    /// What is summed row by row.
    Sums(Box<(LogLoss, Brier, Confusion)>),
    /// Area and slope, which look at the order of all rows.
    Order(Metric, Metric),
}

/// The sums of a table.
fn sums(table: &ScoredTable, classes: usize, settings: &EvalSettings) -> Result<Piece> {
    let (decision, weighting) = (settings.decision.clone(), settings.weighting);
    let confusion = Confusion::new(classes, decision, weighting);
    let mut sums = Box::new((LogLoss::new(classes, weighting), Brier::new(classes, weighting), confusion));
    table.for_blocks(&mut |rows| {
        sums.0.observe(rows)?;
        sums.1.observe(rows)?;
        sums.2.observe(rows)
    })?;
    Ok(Piece::Sums(sums))
}

/// What needs the order of the rows of a table.
fn order(table: &ScoredTable, classes: usize, settings: &EvalSettings) -> Result<Piece> {
    let weighting = settings.weighting;
    if classes == 2 {
        let ranking = Ranking::of_labels(&table.log_odds(), table.labels(), Some(table.weights()), 1, ScoreScale::LogOdds);
        let auc = Auc::of(&ranking, weighting).map(|auc| auc.estimate());
        return Ok(Piece::Order(auc, CalibrationLine::slope(&ranking, weighting)));
    }
    let mut kept = Kept::new(classes, ScoreScale::Probability, usize::MAX);
    table.for_blocks(&mut |rows| kept.observe(rows))?;
    let auc = hand_till(&kept, classes, weighting).map(Estimate::exact);
    Ok(Piece::Order(auc, Err(Undefined::not_two(classes))))
}

/// The figures of every table, side by side on all cores.
pub fn metrics_of(tables: &[ScoredTable], classes: usize, settings: &EvalSettings, threads: Option<NonZeroUsize>) -> Result<Vec<Metrics>> {
    // The longer pieces come first, so that cores end together.
    let jobs = 2 * tables.len();
    let next = AtomicUsize::new(0);
    let pieces = Mutex::new((0..jobs).map(|_| None).collect::<Vec<Option<Result<Piece>>>>());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let piece = match (tables.get(at), at < jobs) {
                (Some(table), _) => order(table, classes, settings),
                (None, true) => sums(&tables[at - tables.len()], classes, settings),
                (None, false) => return,
            };
            pieces.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(piece);
        }
    };
    match worker_count(threads, jobs) {
        1 => work(),
        workers => std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work)))),
    }
    let pieces = pieces.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut pieces = pieces.into_iter().map(|piece| piece.unwrap_or_else(|| Err(Error::internal("a model was not judged"))));
    let orders = pieces.by_ref().take(tables.len()).collect::<Result<Vec<_>>>()?;
    let metrics = |((order, sums), margins): ((Piece, Result<Piece>), bool)| match (order, sums?) {
        (Piece::Order(auc, slope), Piece::Sums(sums)) => {
            let (loss, brier, confusion) = *sums;
            if margins {
                let none = || Err(Undefined::margins());
                let auc = if classes == 2 { auc } else { none() };
                return Ok(Metrics { bits: none(), bits_saved: none(), brier: none(), auc, slope: none(), accuracy: confusion.accuracy() });
            }
            Ok(Metrics {
                bits: loss.bits(),
                bits_saved: loss.bits_saved(),
                brier: brier.score(),
                auc,
                slope,
                accuracy: confusion.accuracy(),
            })
        }
        _ => Err(Error::internal("the pieces of a judgement came in another order")),
    };
    orders.into_iter().zip(pieces).zip(tables.iter().map(ScoredTable::holds_margins)).map(metrics).collect()
}

/// The difference of two models' losses on the same rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedLoss {
    /// Bits per row by which the first needs more than the second.
    pub difference: Estimate,
    /// Two-sided p-value of no difference.
    pub p_value: f64,
}

/// Compares two models on the same rows in the same order. What `weighting` says of the weights decides how much evidence the rows are.
pub fn paired_loss(first: &ScoredTable, second: &ScoredTable, weighting: Weighting) -> Metric<PairedLoss> {
    if first.holds_margins() || second.holds_margins() {
        return Err(Undefined::margins());
    }
    let (left, right) = (first.losses(), second.losses());
    if first.labels() != second.labels() {
        return Err("the models were judged on different rows".into());
    }
    let (mut weight, mut squared, mut sum) = (0.0, 0.0, 0.0);
    let counted = || (0..left.len()).filter(|&i| first.labels()[i] != SKIP).map(|i| (left[i] - right[i], first.weights()[i]));
    for (difference, w) in counted() {
        weight += w;
        squared += w * w;
        sum += w * difference;
    }
    if weight <= 0.0 {
        return Err(Undefined::no_rows());
    }
    let mean = sum / weight;
    if !mean.is_finite() {
        return Err("a row is impossible in its class, so a loss is infinite".into());
    }
    let rows = weighting.effective_rows(weight, squared);
    if rows <= 1.0 {
        return Err("there is only one row".into());
    }
    let spread = counted().map(|(difference, w)| w * (difference - mean).powi(2)).sum::<f64>() / weight;
    let variance = spread / rows;
    let p_value = if variance > 0.0 {
        normal::two_sided(mean / variance.sqrt())
    } else if mean == 0.0 {
        1.0
    } else {
        0.0
    };
    let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
    Ok(PairedLoss { difference: Estimate::normal(mean / LN_2, variance / (LN_2 * LN_2), everywhere), p_value })
}
