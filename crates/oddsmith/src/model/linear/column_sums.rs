//! Weighted means and products of a block's columns around their running mean.
//!
//! mean += Σ w (x − mean) / W;  products about the old mean move to the new one by − W_new δ δᵀ (Chan). Memory: p² numbers;
//! time: that of the Gram kernel plus p² per block.

use crate::num::MatrixView;
use crate::num::kernel::{CrossSums, Gram};

/// Sums of columns.
#[derive(Debug, Clone)]
pub(crate) struct ColumnSums {
    pub(crate) weight: f64,
    pub(crate) mean: Vec<f64>,
    /// Upper triangle of Σ w (x − mean)(x − mean)ᵀ.
    pub(crate) products: Vec<f64>,
    gram: Gram,
    totals: Vec<f64>,
}

impl ColumnSums {
    /// Nothing seen.
    pub(crate) fn new(columns: usize) -> Self {
        ColumnSums {
            weight: 0.0,
            mean: vec![0.0; columns],
            products: vec![0.0; columns * columns],
            gram: Gram::pooled(1, columns),
            totals: vec![0.0; columns],
        }
    }

    /// Adds a block of finite rows.
    pub(crate) fn add(&mut self, rows: MatrixView<'_>, weights: &[f64]) {
        let weight: f64 = weights.iter().sum();
        if weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            // Any row is a better centre than zero.
            let first = weights.iter().position(|w| *w > 0.0).unwrap_or(0);
            for (j, mean) in self.mean.iter_mut().enumerate() {
                *mean = rows.get(first, j);
            }
        }
        self.gram.add(rows, None, Some(weights), &self.mean, &mut self.products);
        self.totals.fill(0.0);
        CrossSums::new(&self.mean).add(rows, weights, &mut self.totals, &mut [0.0]);
        self.weight += weight;
        let total = self.weight;
        self.totals.iter_mut().for_each(|t| *t /= total);
        self.add_outer(-total);
        for (mean, shift) in self.mean.iter_mut().zip(&self.totals) {
            *mean += shift;
        }
    }

    /// products += factor · δ δᵀ with δ in `totals`.
    fn add_outer(&mut self, factor: f64) {
        let size = self.mean.len();
        for (i, row) in self.products.chunks_exact_mut(size.max(1)).enumerate() {
            let scaled = factor * self.totals[i];
            for (cell, delta) in row[i..].iter_mut().zip(&self.totals[i..]) {
                *cell += scaled * delta;
            }
        }
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            *self = other.clone();
            return;
        }
        let total = self.weight + other.weight;
        for (t, (theirs, ours)) in self.totals.iter_mut().zip(other.mean.iter().zip(&self.mean)) {
            *t = theirs - ours;
        }
        self.add_outer(self.weight * (other.weight / total));
        crate::stats::add(&mut self.products, &other.products);
        let share = other.weight / total;
        for (mean, delta) in self.mean.iter_mut().zip(&self.totals) {
            *mean += share * delta;
        }
        self.weight = total;
    }

    /// Σ w (x_j − mean_j)².
    pub(crate) fn square(&self, j: usize) -> f64 {
        self.products[j * self.mean.len() + j]
    }
}
