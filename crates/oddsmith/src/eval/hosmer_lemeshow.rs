//! Hosmer and Lemeshow's test: rows are cut into groups at quantiles of the predicted probability, and observed and
//! expected counts are compared.
//!
//! Cuts are the type-7 quantiles at 0, 1/g, …, 1 without repeats, groups closed on the right, the first on both sides. χ² =
//! Σ over groups and outcomes of (O − E)²/E with groups − 2 degrees of freedom. A row of weight 2 is the row twice. The test
//! is widely reported and weak: it depends on the grouping, and with many rows it refuses every model.

use super::calibration::evidence_per_weight;
use super::metric::{Metric, Undefined};
use super::ranking::{Ranking, ScoreScale};
use crate::data::Weighting;
use crate::num::special::chi_squared;

/// One group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    /// Highest probability of the group.
    pub upper: f64,
    /// Weight of its rows.
    pub rows: f64,
    /// Weight of its events.
    pub observed: f64,
    /// Sum of its predicted probabilities.
    pub expected: f64,
}

/// The test.
#[derive(Debug, Clone, PartialEq)]
pub struct HosmerLemeshow {
    /// Cut points, the lowest and highest probability included.
    pub breaks: Vec<f64>,
    /// Groups in rising order.
    pub groups: Vec<Group>,
    /// The statistic.
    pub chi_squared: f64,
    /// Its degrees of freedom.
    pub df: usize,
    /// Upper tail.
    pub p_value: f64,
}

/// The test with at most `groups` groups.
pub fn hosmer_lemeshow(ranking: &Ranking, groups: usize, weighting: Weighting) -> Metric<HosmerLemeshow> {
    if ranking.scale() == ScoreScale::Order {
        return Err("the scores are no probabilities".into());
    }
    if ranking.weight() <= 0.0 {
        return Err(Undefined::no_rows());
    }
    let unit = evidence_per_weight(ranking, weighting);
    let ties: Vec<(f64, f64, f64)> =
        ranking.ties().map(|tie| (ranking.scale().probability(tie.score), unit * tie.weight(), unit * tie.events)).collect();
    let mut breaks = quantiles(&ties, groups);
    breaks.dedup();
    if breaks.len() < 4 {
        return Err("fewer than three groups have different probabilities".into());
    }
    let mut table: Vec<Group> = breaks[1..].iter().map(|&upper| Group { upper, rows: 0.0, observed: 0.0, expected: 0.0 }).collect();
    let mut at = 0;
    for (p, weight, events) in ties {
        while at + 1 < table.len() && p > table[at].upper {
            at += 1;
        }
        table[at].rows += weight;
        table[at].observed += events;
        table[at].expected += weight * p;
    }
    let mut chi = 0.0;
    for group in &table {
        let (others, unexpected) = (group.rows - group.observed, group.rows - group.expected);
        if !(group.expected > 0.0 && unexpected > 0.0) {
            return Err("a group is expected to have no events, or nothing else".into());
        }
        chi += (group.observed - group.expected).powi(2) / group.expected + (others - unexpected).powi(2) / unexpected;
    }
    let df = table.len() - 2;
    Ok(HosmerLemeshow { breaks, groups: table, chi_squared: chi, df, p_value: chi_squared::sf(chi, df as f64) })
}

/// Type-7 quantiles at 0, 1/g, …, 1 of values that stand for as many rows as they weigh.
fn quantiles(ties: &[(f64, f64, f64)], groups: usize) -> Vec<f64> {
    let rows: f64 = ties.iter().map(|(_, weight, _)| weight).sum();
    let mut before = 0.0;
    let ends: Vec<f64> = ties
        .iter()
        .map(|(_, weight, _)| {
            before += weight;
            before
        })
        .collect();
    // The value of the row with this index, counted from 0; a little slack keeps weights that are not whole from stepping over an end.
    let value = |index: f64| ties[ends.partition_point(|end| *end <= index + 1e-9 * rows.max(1.0)).min(ties.len() - 1)].0;
    // R adds four units of the last place of 1 before it takes the whole part, so that 0.3 · 10 is 3; sums of weights round as they grow.
    let whole_slack = 4.0 * f64::EPSILON * rows.max(1.0);
    (0..=groups)
        .map(|q| {
            let position = (rows - 1.0).max(0.0) * (q as f64 / groups as f64);
            let low = (position + whole_slack).floor();
            let share = position - low;
            let share = if share.abs() < whole_slack { 0.0 } else { share };
            let (a, b) = (value(low), value(low + 1.0));
            if share == 0.0 || a == b { a } else { (1.0 - share) * a + share * b }
        })
        .collect()
}
