//! The area under the ROC curve and its variance.
//!
//! AUC = Σ_e Σ_o w_e w_o [s_e > s_o] + ½ [s_e = s_o] over W_E W_O: the share of pairs of an event and a non-event that the
//! scores order right. DeLong's variance is that of the placements: V_e is the share of others below event e, V_o the share
//! of events above other o, and var = S²(V_e)/W_E + S²(V_o)/W_O. With sampling weights the sums of squares take w² and
//! the number of rows stays the evidence. Two walks over the ranking, O(n).
//!
//! Over a histogram the pairs within one bin are not told apart: they count one half, and half their share is the most by
//! which the area can be off.

use super::figure::{Estimate, Figure, Undefined};
use super::ranking::{Ranking, Tie};
use crate::data::Weighting;
use crate::num::logspace::NeumaierSum;

/// An area with DeLong's variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Auc {
    /// The area.
    pub area: f64,
    /// Its variance; `None` when a class has one row only.
    pub variance: Option<f64>,
    /// The most by which binning may have moved the area; 0 when all scores were kept.
    pub bound: f64,
}

impl Auc {
    /// The area of a ranking.
    pub fn of(ranking: &Ranking, weighting: Weighting) -> Figure<Self> {
        let (events, others) = (ranking.events_weight, ranking.others_weight);
        if !(events > 0.0 && others > 0.0) {
            return Err(if events + others > 0.0 { Undefined::one_class() } else { Undefined::no_rows() });
        }
        let (mut below, mut right, mut tied) = (0.0, NeumaierSum::default(), NeumaierSum::default());
        for tie in ranking.ties() {
            right.add(tie.events * (below + 0.5 * tie.others));
            tied.add(tie.events * tie.others);
            below += tie.others;
        }
        let area = right.value() / (events * others);
        let bound = if ranking.binned { 0.5 * tied.value() / (events * others) } else { 0.0 };
        Ok(Auc { area, variance: variance(ranking, area, weighting), bound })
    }

    /// The area with its 95 % interval, widened by what binning may have moved.
    pub fn estimate(&self) -> Estimate {
        let Some(variance) = self.variance else { return Estimate::exact(self.area) };
        let mut estimate = Estimate::normal(self.area, variance, (0.0, 1.0));
        estimate.interval = estimate.interval.map(|(low, high)| ((low - self.bound).max(0.0), (high + self.bound).min(1.0)));
        estimate
    }
}

fn variance(ranking: &Ranking, area: f64, weighting: Weighting) -> Option<f64> {
    let (events, others) = (ranking.events_weight, ranking.others_weight);
    let sampling = weighting == Weighting::Sampling;
    let factors = |tie: &Tie| if sampling { (tie.events_squared, tie.others_squared) } else { (tie.events, tie.others) };
    let (mut others_below, mut events_below) = (0.0, 0.0);
    let (mut of_events, mut of_others) = (0.0, 0.0);
    for tie in ranking.ties() {
        let event = (others_below + 0.5 * tie.others) / others - area;
        let other = (events - events_below - 0.5 * tie.events) / events - area;
        let (event_factor, other_factor) = factors(&tie);
        of_events += event_factor * event * event;
        of_others += other_factor * other * other;
        others_below += tie.others;
        events_below += tie.events;
    }
    let (event_rows, other_rows) = ranking.rows();
    let divisor = |weight: f64, rows: u64| match sampling {
        true => weight * weight * (1.0 - 1.0 / rows as f64),
        false => weight * (weight - 1.0),
    };
    let (event_divisor, other_divisor) = (divisor(events, event_rows), divisor(others, other_rows));
    (event_divisor > 0.0 && other_divisor > 0.0).then(|| of_events / event_divisor + of_others / other_divisor)
}
