//! Precision against recall, and the average precision Σ (R_n − R_{n−1}) P_n over thresholds from the highest down.

use super::metric::{Metric, Undefined};
use super::ranking::Ranking;
use super::roc::Roc;

/// Calling the event from a score up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrPoint {
    /// Rows with at least this score are called events.
    pub threshold: f64,
    /// Share of the called rows that have the event.
    pub precision: f64,
    /// Share of the events that are called.
    pub recall: f64,
}

/// The curve, from the highest threshold down. It needs events; without others precision is 1 throughout.
pub fn precision_recall(ranking: &Ranking) -> Metric<Vec<PrPoint>> {
    if ranking.events_weight <= 0.0 {
        let reason = if ranking.others_weight > 0.0 { "no row has the event".into() } else { Undefined::no_rows() };
        return Err(reason);
    }
    let ties: Vec<_> = ranking.ties().collect();
    let (mut right, mut called) = (0.0, 0.0);
    let point = |tie: &super::Tie| {
        right += tie.events;
        called += tie.weight();
        PrPoint { threshold: tie.score, precision: right / called, recall: (right / ranking.events_weight).min(1.0) }
    };
    Ok(ties.iter().rev().map(point).collect())
}

/// Area under the steps of the curve.
pub fn average_precision(ranking: &Ranking) -> Metric<f64> {
    let mut before = 0.0;
    let step = |point: PrPoint| {
        let gained = point.recall - before;
        before = point.recall;
        gained * point.precision
    };
    Ok(precision_recall(ranking)?.into_iter().map(step).sum())
}

impl Roc {
    /// Precision at a point: share of the called rows that have the event; `None` when none is called.
    pub fn precision(&self, point: &super::RocPoint) -> Option<f64> {
        let called = point.true_positives + point.false_positives;
        (called > 0.0).then(|| point.true_positives / called)
    }
}
