//! How far to shrink: Ledoit and Wolf's share, class by class, from a second pass over the rows.
//!
//! With z the row in its class's own units around the class mean, R = Σ w z zᵀ / W the class's correlation matrix, μ = tr(R)/p and
//! n the number of rows (W under frequency weights, W²/V under sampling weights with V = Σ w²):
//! β = (Σ w |z|⁴ / W − |R|²) / (p n), the uncertainty of R; d = (|R|² − 2 μ tr R + p μ²)/p, its distance from μ I;
//! δ = min(β, d)/d. Only Σ w |z|⁴ is new in the second pass. Time O(rows · p), memory O(K).

use std::sync::Arc;

use super::covariance::class_units;
use super::moments::Moments;
use crate::data::{Rows, SKIP};
use crate::error::{Error, Result};
use crate::stats::Statistics;

/// Sums of fourth powers around the means of the first pass.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FourthMoments {
    pub(super) moments: Arc<Moments>,
    /// 1 / (column's unit in the class) in scaled coordinates: `inverse_units[k][at]`.
    inverse_units: Arc<Vec<Vec<f64>>>,
    /// Σ w |z|⁴ per class.
    fourth: Vec<f64>,
    weight: f64,
}

impl FourthMoments {
    /// Nothing seen, around the means of `moments`.
    pub(super) fn new(moments: Moments) -> Self {
        let classes = moments.products.len();
        let inverse = |k: usize| class_units(&moments, k).squares.iter().map(|square| 1.0 / square.sqrt()).collect();
        let inverse_units = (0..classes).map(inverse).collect();
        FourthMoments { inverse_units: Arc::new(inverse_units), fourth: vec![0.0; classes], weight: 0.0, moments: Arc::new(moments) }
    }

    /// The share of shrinkage of every class.
    pub(super) fn shares(&self) -> Vec<f64> {
        (0..self.fourth.len()).map(|k| self.share(k)).collect()
    }

    fn share(&self, k: usize) -> f64 {
        let moments = &self.moments;
        let width = moments.width();
        // With one column every share gives the same matrix.
        if width < 2 {
            return 0.0;
        }
        let (weight, squared) = (moments.classes.weight[k], moments.classes.squared[k]);
        let units = class_units(moments, k);
        let deviations: Vec<f64> = units.squares.iter().map(|square| square.sqrt()).collect();
        let correlation = |i: usize, j: usize| moments.products[k][(i, j)] / (weight * deviations[i] * deviations[j]);
        let norm: f64 = (0..width).map(|i| (0..width).map(|j| correlation(i, j).powi(2)).sum::<f64>()).sum();
        let (p, mean) = (width as f64, units.mean_variance);
        let rows = moments.layout.weighting().effective_rows(weight, squared);
        let distance = (norm - 2.0 * mean * (mean * p) + p * mean * mean) / p;
        let uncertainty = ((self.fourth[k] / weight - norm) / (p * rows)).max(0.0).min(distance);
        if uncertainty > 0.0 { uncertainty / distance } else { 0.0 }
    }
}

impl Statistics for FourthMoments {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let moments = Arc::clone(&self.moments);
        rows.features.check(&moments.layout)?;
        let numbers = rows.features.numbers;
        for (i, &label) in rows.labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            // A row with a gap anywhere took no part in the first pass either.
            if (0..numbers.cols()).any(|j| numbers.get(i, j).is_nan()) {
                continue;
            }
            let k = label as usize;
            let w = rows.weights.map_or(1.0, |weights| weights[i]);
            let scaled = |at: usize| (numbers.get(i, moments.columns[at]) - moments.centre[at]) / moments.scale[at];
            let z = |at: usize| (scaled(at) - moments.offsets[k][at]) * self.inverse_units[k][at];
            let length: f64 = (0..moments.width()).map(|at| z(at).powi(2)).sum();
            self.fourth[k] += w * length * length;
            self.weight += w;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        if !Arc::ptr_eq(&self.moments, &other.moments) && self.moments != other.moments {
            return Err(Error::internal("second passes around different means were merged"));
        }
        crate::stats::add(&mut self.fourth, &other.fourth);
        self.weight += other.weight;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn bytes(&self) -> usize {
        self.fourth.len() * size_of::<f64>()
    }
}
