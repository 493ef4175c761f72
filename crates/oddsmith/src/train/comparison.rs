//! Models side by side on the same out-of-fold rows, and whether their differences are more than chance.
//!
//! Two models are compared row by row: the mean of l_a − l_b, the difference of their log losses, over its standard error. Rows
//! are taken as independent and the models as given; rows of one fold share a model, which the error does not count. Several
//! comparisons are adjusted by Holm's method.

use std::f64::consts::LN_2;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::calibration::ScoredTable;
use super::driver::worker_count;
use crate::data::SKIP;
use crate::error::{Error, Result};
use crate::eval::{Auc, CalibrationLine, Estimate, Evaluation, Figure, Settings, Undefined, hand_till};
use crate::num::special::normal;

/// The figures by which models are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Bits per row.
    pub bits: Figure,
    /// Bits per row that are saved against the class shares.
    pub bits_saved: Figure,
    /// Brier score.
    pub brier: Figure,
    /// Area under the ROC curve; with more than two classes Hand and Till's mean.
    pub auc: Figure,
    /// Calibration slope, with two classes.
    pub slope: Figure,
    /// Share of rows whose most probable class is right.
    pub accuracy: Figure,
}

impl Standing {
    fn of(evaluation: &Evaluation, classes: usize) -> Self {
        let weighting = evaluation.settings().weighting;
        let (auc, slope) = match evaluation.ranking() {
            Ok(ranking) => (Auc::of(&ranking, weighting).map(|auc| auc.estimate()), CalibrationLine::slope(&ranking, weighting)),
            Err(reason) => (hand_till(&evaluation.kept, classes, weighting).map(Estimate::exact), Err(reason)),
        };
        Standing {
            bits: evaluation.loss.bits(),
            bits_saved: evaluation.loss.bits_saved(),
            brier: evaluation.brier.score(),
            auc,
            slope,
            accuracy: evaluation.confusion.accuracy(),
        }
    }
}

/// The figures of every table, side by side on all cores.
pub fn standings(tables: &[ScoredTable], classes: usize, settings: &Settings, threads: Option<NonZeroUsize>) -> Result<Vec<Standing>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(vec![None; tables.len()]);
    let failed = Mutex::new(None);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(table) = tables.get(at) else { return };
            match table.evaluated(settings.clone()) {
                Ok(evaluation) => {
                    let standing = Standing::of(&evaluation, classes);
                    done.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(standing);
                }
                Err(error) => *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
            }
        }
    };
    match worker_count(threads, tables.len()) {
        1 => work(),
        workers => std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work)))),
    }
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let all = done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect::<Option<Vec<_>>>();
    all.ok_or_else(|| Error::internal("a model was not judged"))
}

/// The difference of two models' losses on the same rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedLoss {
    /// Bits per row by which the first needs more than the second.
    pub difference: Estimate,
    /// Two-sided p-value of no difference.
    pub p_value: f64,
}

/// Compares two models on the same rows in the same order.
pub fn paired_loss(first: &ScoredTable, second: &ScoredTable) -> Figure<PairedLoss> {
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
        return Err("a row was called impossible in its class, so a loss is infinite".into());
    }
    let spread = counted().map(|(difference, w)| w * (difference - mean).powi(2)).sum::<f64>() / weight;
    let variance = spread * squared / (weight * weight);
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
