//! The expected calibration error: Σ_b (W_b/W) |ȳ_b − p̄_b| over bins of equal width in the predicted probability.
//!
//! Of a calibrated model it is not zero: each bin's difference has the standard error of its rows. `by_chance` is what
//! calibrated probabilities would show on as many rows, Σ_b (W_b/W) √(2/π) se_b, and the interval is that of the sum with the
//! signs held, ± 1.96 √(Σ (W_b/W)² se_b²), which is honest where differences are larger than their errors. O(n).

use super::figure::{Estimate, Figure, Mass, Undefined};
use super::ranking::{Ranking, ScoreScale};
use crate::data::Weighting;

/// The error and what chance alone would give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationError {
    /// The error.
    pub error: Estimate,
    /// What calibrated probabilities would show on these rows.
    pub by_chance: f64,
}

#[derive(Clone, Copy, Default)]
struct Bin {
    mass: Mass,
    events: f64,
    predicted: f64,
    spread: f64,
}

/// The error over `bins` bins; the last one holds a probability of 1.
pub fn calibration_error(ranking: &Ranking, bins: usize, weighting: Weighting) -> Figure<CalibrationError> {
    if ranking.scale() == ScoreScale::Order {
        return Err("the scores are no probabilities".into());
    }
    let total = ranking.weight();
    if total <= 0.0 {
        return Err(Undefined::no_rows());
    }
    let mut table = vec![Bin::default(); bins.max(1)];
    for tie in ranking.ties() {
        let p = ranking.scale().probability(tie.score);
        let last = table.len() - 1;
        let bin = &mut table[((p * bins as f64) as usize).min(last)];
        bin.mass.add(tie.weight(), tie.squared_weight());
        bin.events += tie.events;
        bin.predicted += tie.weight() * p;
        bin.spread += tie.events * (1.0 - p) * (1.0 - p) + tie.others * p * p;
    }
    let (mut error, mut by_chance, mut variance) = (0.0, 0.0, 0.0);
    for bin in table.iter().filter(|bin| bin.mass.weight > 0.0) {
        let Mass { weight, squared } = bin.mass;
        let (share, gap) = (weight / total, (bin.events - bin.predicted) / weight);
        let rows = weighting.effective_rows(weight, squared);
        let spread = (bin.spread / weight - gap * gap).max(0.0);
        let squared_error = spread / rows;
        error += share * gap.abs();
        by_chance += share * (squared_error * std::f64::consts::FRAC_2_PI).sqrt();
        variance += share * share * squared_error;
    }
    Ok(CalibrationError { error: Estimate::normal(error, variance, (0.0, 1.0)), by_chance })
}
