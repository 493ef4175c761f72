//! The reliability curve without bins, and what it splits the Brier score into.
//!
//! The curve is the rising step function of the predicted probability that is nearest to the outcomes (pool adjacent
//! violators; Dimitriadis, Gneiting and Jordan's CORP). With S the Brier score, S_C that of the curve's values and
//! S_0 that of the base rate: miscalibration S − S_C, discrimination S_0 − S_C, uncertainty S_0, and S is the first minus the
//! second plus the third, exactly. The band is Wilson's 95 % interval of each step's rate, made monotone: the
//! true curve rises, so what bounds it at one place bounds it beyond. It does not count the choice of the steps.

use super::metric::{Mass, Metric, Undefined, share};
use super::ranking::{Ranking, ScoreScale, Tie};
use crate::calibrate::pool;
use crate::data::Weighting;
use crate::num::logspace::NeumaierSum;

/// Rows whose recalibrated probability is the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReliabilityStep {
    /// Lowest and highest predicted probability.
    pub range: (f64, f64),
    /// Mean predicted probability.
    pub predicted: f64,
    /// Observed rate of events: the recalibrated probability.
    pub observed: f64,
    /// Band around the observed rate.
    pub band: (f64, f64),
    /// Weight of the rows.
    pub weight: f64,
}

/// The curve and the split of the Brier score.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    /// Steps in rising order.
    pub steps: Vec<ReliabilityStep>,
    /// Brier score of the predictions: (p − y)² of the event.
    pub brier: f64,
    /// What recalibrating would gain.
    pub miscalibration: f64,
    /// What the order of the predictions gains against the base rate.
    pub discrimination: f64,
    /// Brier score of the base rate.
    pub uncertainty: f64,
}

impl Reliability {
    /// The curve of a ranking by log odds or probabilities.
    pub fn of(ranking: &Ranking, weighting: Weighting) -> Metric<Self> {
        if ranking.scale() == ScoreScale::Order {
            return Err("the scores are no probabilities".into());
        }
        let total = ranking.weight();
        if total <= 0.0 {
            return Err(Undefined::no_rows());
        }
        let ties: Vec<Tie> = ranking.ties().collect();
        let probability = |tie: &Tie| ranking.scale().probability(tie.score);
        let runs = pool(ties.iter().map(|tie| (tie.events / tie.weight(), tie.weight())));
        let squared = |tie: &Tie, p: f64| tie.events * (1.0 - p) * (1.0 - p) + tie.others * p * p;
        let (mut brier, mut recalibrated) = (NeumaierSum::default(), NeumaierSum::default());
        let mut steps = Vec::with_capacity(runs.len());
        for run in &runs {
            let members = &ties[run.first..run.first + run.len];
            let mut predicted = NeumaierSum::default();
            for tie in members {
                brier.add(squared(tie, probability(tie)));
                recalibrated.add(squared(tie, run.mean));
                predicted.add(tie.weight() * probability(tie));
            }
            let mass = Mass { weight: run.weight, squared: members.iter().map(Tie::squared_weight).sum() };
            let interval = share(run.weight * run.mean, mass, weighting, "").ok().and_then(|rate| rate.interval);
            steps.push(ReliabilityStep {
                range: (probability(&members[0]), probability(&members[run.len - 1])),
                predicted: predicted.value() / run.weight,
                observed: run.mean,
                band: interval.unwrap_or((0.0, 1.0)),
                weight: run.weight,
            });
        }
        make_monotone(&mut steps);
        let rate = ranking.events_weight / total;
        let (brier, recalibrated, uncertainty) = (brier.value() / total, recalibrated.value() / total, rate * (1.0 - rate));
        Ok(Reliability {
            steps,
            brier,
            miscalibration: (brier - recalibrated).max(0.0),
            discrimination: (uncertainty - recalibrated).max(0.0),
            uncertainty,
        })
    }
}

fn make_monotone(steps: &mut [ReliabilityStep]) {
    let mut low = 0.0f64;
    for step in steps.iter_mut() {
        low = low.max(step.band.0);
        step.band.0 = low;
    }
    let mut high = 1.0f64;
    for step in steps.iter_mut().rev() {
        high = high.min(step.band.1);
        step.band.1 = high;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_the_brier_score_add_up() {
        let rows = [(0.1, false), (0.2, true), (0.2, false), (0.4, false), (0.7, true), (0.9, true), (0.95, false)];
        let ranking = Ranking::new(rows.map(|(p, event)| (p, event, 1.0)), ScoreScale::Probability);
        let curve = Reliability::of(&ranking, Weighting::None).unwrap();
        assert!((curve.brier - (curve.miscalibration - curve.discrimination + curve.uncertainty)).abs() < 1e-15);
        // 0.2, 0.2, 0.4 pool to 1/3; 0.7, 0.9, 0.95 to 2/3.
        let observed: Vec<f64> = curve.steps.iter().map(|step| step.observed).collect();
        assert!(observed.iter().zip([0.0, 1.0 / 3.0, 2.0 / 3.0]).all(|(got, want)| (got - want).abs() < 1e-15) && observed.len() == 3);
        assert!(curve.steps.windows(2).all(|pair| pair[0].band.0 <= pair[1].band.0 && pair[0].band.1 <= pair[1].band.1));
        assert!(curve.steps.iter().all(|step| step.band.0 <= step.observed && step.observed <= step.band.1));
    }
}
