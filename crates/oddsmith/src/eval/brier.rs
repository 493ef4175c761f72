//! The Brier score: the mean squared distance between probabilities and truth.
//!
//! Σ w Σ_k (p_k − y_k)² / Σ w; with two classes half of that, (p − y)² of the event. Time O(rows·K), memory O(1).

use super::metric::{Estimate, Metric, ONE_ROW, Undefined};
use super::scored_batch::{BLOCK_ROWS, ScoredBatch};
use crate::codec::{Codec, Encode};
use crate::data::{SKIP, Weighting};
use crate::error::Result;
use crate::num::logspace::NeumaierSum;
use crate::stats::Statistics;

/// Sums of squared distances.
#[derive(Debug, Clone, PartialEq)]
pub struct Brier {
    classes: usize,
    weighting: Weighting,
    weight: NeumaierSum,
    squared_weight: NeumaierSum,
    sum: NeumaierSum,
    squares: NeumaierSum,
}

impl Brier {
    /// Nothing seen of `classes` classes, and what weights will mean.
    pub fn new(classes: usize, weighting: Weighting) -> Self {
        let empty = NeumaierSum::default();
        Brier { classes, weighting, weight: empty, squared_weight: empty, sum: empty, squares: empty }
    }

    /// The score per row.
    pub fn score(&self) -> Metric {
        let weight = self.weight.value();
        if weight <= 0.0 {
            return Err(Undefined::no_rows());
        }
        let mean = self.sum.value() / weight;
        let rows = self.weighting.effective_rows(weight, self.squared_weight.value());
        if rows <= 1.0 {
            return Ok(Estimate::unsure(mean, ONE_ROW));
        }
        let variance = (self.squares.value() / weight - mean * mean).max(0.0) / rows;
        Ok(Estimate::normal(mean, variance, (0.0, 2.0)))
    }

    /// Adds rows that were checked, with the labels of those that count.
    pub(super) fn add(&mut self, rows: &ScoredBatch<'_>, labels: &[u32]) {
        let unit = if self.classes == 2 { 0.5 } else { 1.0 };
        for (block, labels) in labels.chunks(BLOCK_ROWS).enumerate() {
            let (mut weights, mut squared_weights, mut sum, mut squares) = (0.0, 0.0, 0.0, 0.0);
            for (i, &label) in (block * BLOCK_ROWS..).zip(labels).filter(|(_, label)| **label != SKIP) {
                let row = &rows.probabilities[i * self.classes..(i + 1) * self.classes];
                let distance = |(k, p): (usize, &f64)| (p - f64::from(u8::from(k == label as usize))).powi(2);
                let (weight, squared) = (rows.weight(i), unit * row.iter().enumerate().map(distance).sum::<f64>());
                weights += weight;
                squared_weights += weight * weight;
                sum += weight * squared;
                squares += weight * squared * squared;
            }
            self.weight.add(weights);
            self.squared_weight.add(squared_weights);
            self.sum.add(sum);
            self.squares.add(squares);
        }
    }
}

impl Encode for Brier {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("weight", &mut self.weight)?;
        codec.part("squared_weight", &mut self.squared_weight)?;
        codec.part("distance", &mut self.sum)?;
        codec.part("squares", &mut self.squares)
    }
}

impl Statistics for Brier {
    type Input<'a> = ScoredBatch<'a>;

    fn observe(&mut self, rows: ScoredBatch<'_>) -> Result<()> {
        self.add(&rows, &rows.counted_labels(self.classes)?);
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight.merge(&other.weight);
        self.squared_weight.merge(&other.squared_weight);
        self.sum.merge(&other.sum);
        self.squares.merge(&other.squares);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight.value()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}
