//! The ROC curve: what every threshold catches and what it falsely raises.

use super::metric::{Metric, Undefined};
use super::ranking::{Ranking, ScoreScale};

/// Calling the event from a score up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RocPoint {
    /// Rows with at least this score are called events; +∞ calls none.
    pub threshold: f64,
    /// Weight of the events that are called.
    pub true_positives: f64,
    /// Weight of the others that are called.
    pub false_positives: f64,
}

/// All thresholds that differ, from the highest down.
#[derive(Debug, Clone, PartialEq)]
pub struct Roc {
    /// The points; the first calls no row, the last calls all.
    pub points: Vec<RocPoint>,
    /// Weight of all events.
    pub events: f64,
    /// Weight of all others.
    pub others: f64,
    /// What thresholds are.
    pub scale: ScoreScale,
}

impl Roc {
    /// The curve of a ranking.
    pub fn of(ranking: &Ranking) -> Metric<Self> {
        let (events, others) = (ranking.events_weight, ranking.others_weight);
        if !(events > 0.0 && others > 0.0) {
            return Err(if events + others > 0.0 { Undefined::one_class() } else { Undefined::no_rows() });
        }
        // Weights above a score are sums from the top, so that the corner of the curve loses no digits.
        let ties: Vec<_> = ranking.ties().collect();
        let mut points = Vec::with_capacity(ties.len() + 1);
        let (mut true_positives, mut false_positives) = (0.0, 0.0);
        points.push(RocPoint { threshold: f64::INFINITY, true_positives, false_positives });
        for tie in ties.iter().rev() {
            true_positives += tie.events;
            false_positives += tie.others;
            points.push(RocPoint { threshold: tie.score, true_positives, false_positives });
        }
        Ok(Roc { points, events, others, scale: ranking.scale() })
    }

    /// What is called from a probability up; nothing where no score reaches it.
    pub fn called_from(&self, probability: f64) -> &RocPoint {
        let reached = |point: &RocPoint| point.threshold == f64::INFINITY || self.scale.probability(point.threshold) >= probability;
        // Thresholds fall, so what is reached comes first.
        &self.points[self.points.partition_point(reached).saturating_sub(1)]
    }

    /// Share of events that are called.
    pub fn sensitivity(&self, point: &RocPoint) -> f64 {
        (point.true_positives / self.events).min(1.0)
    }

    /// Share of others that are not called.
    pub fn specificity(&self, point: &RocPoint) -> f64 {
        ((self.others - point.false_positives) / self.others).max(0.0)
    }

    /// The point with the largest sensitivity + specificity, the highest threshold of several.
    pub fn youden(&self) -> RocPoint {
        let sum = |point: &RocPoint| self.sensitivity(point) + self.specificity(point);
        self.points.iter().skip(1).fold(self.points[0], |best, point| if sum(point) > sum(&best) { *point } else { best })
    }
}
