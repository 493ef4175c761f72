//! Net benefit: what acting on the probabilities is worth, in events found per row.
//!
//! Acting from a probability t up is right for someone to whom a missed event costs (1 − t)/t times a false alarm.
//! NB(t) = TP/W − FP/W · t/(1 − t); acting on all rows gives the base rate minus its complement times the same odds, acting
//! on none gives 0.

use super::metric::{Metric, Undefined};
use super::ranking::{Ranking, ScoreScale};

/// Net benefit at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetBenefit {
    /// Threshold probability, above 0 and below 1.
    pub threshold: f64,
    /// Of acting on rows whose probability is at least the threshold.
    pub model: f64,
    /// Of acting on every row.
    pub all: f64,
}

/// The decision curve at rising thresholds above 0 and below 1.
pub fn net_benefit(ranking: &Ranking, thresholds: &[f64]) -> Metric<Vec<NetBenefit>> {
    if ranking.scale() == ScoreScale::Order {
        return Err("the scores are no probabilities".into());
    }
    let total = ranking.weight();
    if total <= 0.0 {
        return Err(Undefined::no_rows());
    }
    let mut ties = ranking.ties().peekable();
    let (mut events_below, mut others_below) = (0.0, 0.0);
    let mut curve = Vec::with_capacity(thresholds.len());
    for &threshold in thresholds {
        while let Some(tie) = ties.next_if(|tie| ranking.scale().probability(tie.score) < threshold) {
            events_below += tie.events;
            others_below += tie.others;
        }
        let odds = threshold / (1.0 - threshold);
        let benefit = |events: f64, others: f64| events / total - others / total * odds;
        curve.push(NetBenefit {
            threshold,
            model: benefit(ranking.events_weight - events_below, ranking.others_weight - others_below),
            all: benefit(ranking.events_weight, ranking.others_weight),
        });
    }
    Ok(curve)
}
