//! Whether two scores of the same rows rank them equally well: DeLong's paired test.
//!
//! z = (A − B) / √(var A + var B − 2 cov), with the covariance of the placements of both scores (see [`super::Auc`]).
//! Time O(n log n), memory O(n).

use super::metric::{Metric, Undefined};
use super::sorting::{key, sort};
use crate::data::{SKIP, Weighting};
use crate::num::special::normal;

/// Two areas over the same rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedAreas {
    /// Areas of both scores.
    pub areas: [f64; 2],
    /// Their variances.
    pub variances: [f64; 2],
    /// Their covariance.
    pub covariance: f64,
}

impl PairedAreas {
    /// First area minus second.
    pub fn difference(&self) -> f64 {
        self.areas[0] - self.areas[1]
    }

    /// Variance of the difference.
    pub fn variance(&self) -> f64 {
        (self.variances[0] + self.variances[1] - 2.0 * self.covariance).max(0.0)
    }

    /// The difference in standard errors; `None` when both rank every pair alike.
    pub fn z(&self) -> Option<f64> {
        (self.variance() > 0.0).then(|| self.difference() / self.variance().sqrt())
    }

    /// Two-sided p-value; 1 when both rank every pair alike.
    pub fn p_value(&self) -> f64 {
        self.z().map_or(1.0, normal::two_sided)
    }
}

/// Compares two scores of the same rows; class `event` against all others.
pub fn paired_areas(scores: [&[f64]; 2], labels: &[u32], weights: Option<&[f64]>, event: u32, weighting: Weighting) -> Metric<PairedAreas> {
    let counts = |&i: &usize| labels[i] != SKIP && weights.is_none_or(|w| w[i] > 0.0);
    let rows: Vec<(bool, f64)> = (0..labels.len()).filter(counts).map(|i| (labels[i] == event, weights.map_or(1.0, |w| w[i]))).collect();
    let placements = scores.map(|scores| {
        let kept: Vec<f64> = (0..labels.len()).filter(counts).map(|i| scores[i]).collect();
        placements(&kept, &rows)
    });
    let mut paired = PairedAreas { areas: [0.0; 2], variances: [0.0; 2], covariance: 0.0 };
    for side in [true, false] {
        let of_side = || rows.iter().enumerate().filter(|(_, (event, _))| *event == side).map(|(i, (_, weight))| (i, *weight));
        let (total, count) = of_side().fold((0.0, 0u64), |(sum, count), (_, weight)| (sum + weight, count + 1));
        if total <= 0.0 {
            return Err(if rows.is_empty() { Undefined::no_rows() } else { Undefined::one_class() });
        }
        let sampling = weighting == Weighting::Sampling;
        let divisor = if sampling { total * total * (1.0 - 1.0 / count as f64) } else { total * (total - 1.0) };
        if divisor <= 0.0 {
            return Err("a class with one row has no variance".into());
        }
        let means: Vec<f64> = placements.iter().map(|v| of_side().map(|(i, w)| w * v[i]).sum::<f64>() / total).collect();
        let mut sums = [0.0; 3];
        for (i, weight) in of_side() {
            let factor = if sampling { weight * weight } else { weight };
            let (a, b) = (placements[0][i] - means[0], placements[1][i] - means[1]);
            sums[0] += factor * a * a;
            sums[1] += factor * b * b;
            sums[2] += factor * a * b;
        }
        paired.areas = [means[0], means[1]];
        paired.variances[0] += sums[0] / divisor;
        paired.variances[1] += sums[1] / divisor;
        paired.covariance += sums[2] / divisor;
    }
    // Scores that part the classes without fault, or wrongly throughout, have placements without spread.
    match paired.variance() > 0.0 || paired.difference() == 0.0 {
        true => Ok(paired),
        false => Err("the placements of both scores do not vary, so their difference has no error".into()),
    }
}

/// For every event the share of others below it, for every other the share of events above it, ties as half.
fn placements(scores: &[f64], rows: &[(bool, f64)]) -> Vec<f64> {
    let mut order: Vec<(u64, u64)> = scores.iter().zip(0u64..).map(|(score, i)| (key(*score), i)).collect();
    sort(&mut order);
    let total = |side: bool| rows.iter().filter(|(event, _)| *event == side).map(|(_, weight)| weight).sum::<f64>();
    let (events, others) = (total(true), total(false));
    let mut placed = vec![0.0; rows.len()];
    let (mut events_below, mut others_below) = (0.0, 0.0);
    for tie in order.chunk_by(|a, b| a.0 == b.0) {
        let of = |side: bool| tie.iter().map(|(_, i)| rows[*i as usize]).filter(|(event, _)| *event == side).map(|(_, w)| w).sum::<f64>();
        let (tied_events, tied_others) = (of(true), of(false));
        for (_, i) in tie {
            placed[*i as usize] = match rows[*i as usize].0 {
                true => (others_below + 0.5 * tied_others) / others,
                false => (events - events_below - 0.5 * tied_events) / events,
            };
        }
        events_below += tied_events;
        others_below += tied_others;
    }
    placed
}
