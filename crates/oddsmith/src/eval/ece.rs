//! The expected calibration error: Σ_b (W_b/W) |ȳ_b − p̄_b| over bins of equal width in the predicted probability.
//!
//! Of a calibrated model it is not zero: each bin's difference has the standard error of its rows. `by_chance` is what
//! calibrated probabilities would show on as many rows, Σ_b (W_b/W) √(2/π) s_b with s_b² the mean of p(1 − p) over the bin's rows. The
//! interval is that of the sum with the signs held, ± 1.96 √(Σ (W_b/W)² se_b²), which is honest where differences are larger than their errors;
//! se_b comes from the spread of y − p, and from p(1 − p) in a bin of a single row. O(n).

use super::metric::{Estimate, Mass, Metric, Undefined};
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
    /// Σ w (y − p)².
    squares: f64,
    /// Σ w p(1 − p).
    binomial: f64,
}

/// The error over `bins` bins; the last one holds a probability of 1.
pub fn calibration_error(ranking: &Ranking, bins: usize, weighting: Weighting) -> Metric<CalibrationError> {
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
        bin.squares += tie.events * (1.0 - p) * (1.0 - p) + tie.others * p * p;
        bin.binomial += tie.weight() * p * (1.0 - p);
    }
    let (mut error, mut by_chance, mut variance) = (0.0, 0.0, 0.0);
    for bin in table.iter().filter(|bin| bin.mass.weight > 0.0) {
        let Mass { weight, squared } = bin.mass;
        let (share, gap) = (weight / total, (bin.events - bin.predicted) / weight);
        let rows = weighting.effective_rows(weight, squared);
        let calibrated = bin.binomial / weight / rows;
        let observed = (bin.squares / weight - gap * gap).max(0.0) / rows;
        error += share * gap.abs();
        by_chance += share * (calibrated * std::f64::consts::FRAC_2_PI).sqrt();
        variance += share * share * if rows > 1.0 { observed } else { calibrated };
    }
    Ok(CalibrationError { error: Estimate::normal(error, variance, (0.0, 1.0)), by_chance })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_single_rows_are_as_sure_as_their_probabilities() {
        let rows = [(0.2, false, 1.0), (0.7, true, 1.0), (0.5, true, 1.0)];
        let found = calibration_error(&Ranking::new(rows, ScoreScale::Probability), 10, Weighting::None).unwrap();
        let spreads = [0.2 * 0.8, 0.7 * 0.3, 0.25f64];
        let chance: f64 = spreads.iter().map(|spread| (spread * std::f64::consts::FRAC_2_PI).sqrt() / 3.0).sum();
        assert!((found.error.value - 1.0 / 3.0).abs() < 1e-15 && (found.by_chance - chance).abs() < 1e-15);
        let (_, high) = found.error.interval.unwrap();
        let reach = 1.959_963_984_540_054 * spreads.iter().sum::<f64>().sqrt() / 3.0;
        assert!((high - found.error.value - reach).abs() < 1e-12);
    }
}
