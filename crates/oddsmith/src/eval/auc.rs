//! The area under the ROC curve and its variance.
//!
//! AUC = Σ_e Σ_o w_e w_o [s_e > s_o] + ½ [s_e = s_o] over W_E W_O: the share of pairs of an event and a non-event that the
//! scores order right. DeLong's variance is that of the placements: V_e is the share of others below event e, V_o the share
//! of events above other o, and var = S²(V_e)/W_E + S²(V_o)/W_O. With sampling weights the sums of squares take w² and
//! the number of rows stays the evidence. Two walks over the ranking, O(n); without weights one walk, in whole numbers, so that
//! nothing is rounded before the last division.
//!
//! Over a histogram the pairs within one bin are not told apart: they count one half, and half their share is the most by
//! which the area can be off.

use super::metric::{Estimate, Metric, Undefined};
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
    pub fn of(ranking: &Ranking, weighting: Weighting) -> Metric<Self> {
        let (events, others) = (ranking.events_weight, ranking.others_weight);
        if !(events > 0.0 && others > 0.0) {
            return Err(if events + others > 0.0 { Undefined::one_class() } else { Undefined::no_rows() });
        }
        if let Some((events, others)) = ranking.unweighted()
            && let Some(counted) = Placements::count(events, others).auc(events.len() as u128, others.len() as u128)
        {
            return Ok(counted);
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
        let Some(variance) = self.variance else { return Estimate::unsure(self.area, "a class has one row only") };
        let mut estimate = Estimate::normal(self.area, variance, (0.0, 1.0));
        estimate.interval = estimate.interval.map(|(low, high)| ((low - self.bound).max(0.0), (high + self.bound).min(1.0)));
        estimate
    }
}

/// Sums of placements when every row counts once: whole numbers, and so exact. A placement is twice the number of rows of the other
/// class below, ties as one.
#[derive(Default)]
struct Placements {
    /// Σ v of others and of events.
    sums: [u128; 2],
    /// Σ v².
    squares: [u128; 2],
}

impl Placements {
    /// One walk over both sorted sides.
    fn count(events: &[f64], others: &[f64]) -> Self {
        let mut placed = Placements::default();
        let (mut event, mut other) = (0, 0);
        while event < events.len() && other < others.len() {
            let (a, b) = (events[event], others[other]);
            if a == b {
                let run = |side: &[f64], from: usize| side[from..].iter().take_while(|score| **score == a).count();
                let (tied_events, tied_others) = (run(events, event), run(others, other));
                placed.add(1, 2 * other + tied_others, tied_events);
                placed.add(0, 2 * event + tied_events, tied_others);
                event += tied_events;
                other += tied_others;
                continue;
            }
            // Which class comes next is as good as random, so no branch depends on it.
            let is_event = a < b;
            placed.add(usize::from(is_event), 2 * if is_event { other } else { event }, 1);
            event += usize::from(is_event);
            other += usize::from(!is_event);
        }
        placed.add(1, 2 * others.len(), events.len() - event);
        placed.add(0, 2 * events.len(), others.len() - other);
        placed
    }

    #[inline(always)]
    fn add(&mut self, side: usize, placement: usize, rows: usize) {
        let (placement, rows) = (placement as u128, rows as u128);
        self.sums[side] += rows * placement;
        self.squares[side] += rows * placement * placement;
    }

    /// The area and its variance; `None` when a whole number does not fit.
    fn auc(&self, events: u128, others: u128) -> Option<Auc> {
        let area = self.sums[1] as f64 / 2.0 / (events as f64 * others as f64);
        // n² times the variance of v, from which that of v / (2 m) per row of the side.
        let of_side = |side: usize, rows: u128, other_rows: u128| {
            let spread = rows.checked_mul(self.squares[side])?.checked_sub(self.sums[side].checked_mul(self.sums[side])?)?;
            let (rows, other_rows) = (rows as f64, other_rows as f64);
            Some(spread as f64 / rows / (4.0 * other_rows * other_rows) / (rows * (rows - 1.0)))
        };
        let both = (of_side(1, events, others)?, of_side(0, others, events)?);
        Some(Auc { area, variance: (events > 1 && others > 1).then_some(both.0 + both.1), bound: 0.0 })
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
