//! Sums and non-zero counts of number columns, for models that read numbers as counts or flags.
//!
//! Per class k and column j over present values: T = Σ w x, P = Σ w [x > threshold], W = Σ w; per column the weight of
//! negative values, which count models must refuse. Sums of whole numbers are exact up to 2^53.
//! Time O(rows · columns), memory O(K · columns).

use super::class_table::ClassTable;
use super::number_moments::infinite;
use super::{add, take};
use crate::data::SKIP;
use crate::error::Result;
use crate::num::MatrixView;

/// Tallies of number columns by class.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberTallies {
    /// Weight of the rows where the value is present.
    pub weight: ClassTable,
    /// Weighted sum of the values.
    pub totals: ClassTable,
    /// Weight of the rows where the value is above the threshold.
    pub positive: ClassTable,
    /// A value above this is a set flag.
    pub threshold: f64,
    /// Weight of the rows where the value is below zero, per column.
    pub negative: Vec<f64>,
}

impl NumberTallies {
    /// Nothing seen.
    pub fn new(classes: usize, columns: usize, threshold: f64) -> Self {
        let table = || ClassTable::new(classes, columns);
        NumberTallies { weight: table(), totals: table(), positive: table(), threshold, negative: vec![0.0; columns] }
    }

    /// Adds a batch. `name` gives the name of a column, for the message about an infinite value.
    pub fn observe(
        &mut self,
        values: MatrixView<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        first_row: u64,
        name: &dyn Fn(usize) -> String,
    ) -> Result<()> {
        for i in (0..values.rows()).filter(|&i| labels[i] != SKIP) {
            let k = labels[i] as usize;
            let w = weights.map_or(1.0, |weights| weights[i]);
            for j in 0..values.cols() {
                let x = values.get(i, j);
                if x.is_infinite() {
                    return Err(infinite(name(j), first_row + i as u64 + 1, x));
                }
                if !x.is_nan() {
                    self.weight.row_mut(k)[j] += w;
                    self.totals.row_mut(k)[j] += w * x;
                    self.positive.row_mut(k)[j] += if x > self.threshold { w } else { 0.0 };
                    self.negative[j] += if x < 0.0 { w } else { 0.0 };
                }
            }
        }
        Ok(())
    }

    /// Adds another summary of the same columns.
    pub fn merge(&mut self, other: &Self) {
        self.weight.add(&other.weight);
        self.totals.add(&other.totals);
        self.positive.add(&other.positive);
        add(&mut self.negative, &other.negative);
    }

    /// Takes another summary away.
    pub fn subtract(&mut self, other: &Self) {
        self.weight.take(&other.weight);
        // Totals of columns with negative values may be negative themselves, so they are not clipped at zero.
        for ((mine, theirs), weight) in self.totals.cells_mut().iter_mut().zip(other.totals.cells()).zip(self.weight.cells()) {
            *mine = if *weight == 0.0 { 0.0 } else { *mine - theirs };
        }
        self.positive.take(&other.positive);
        take(&mut self.negative, &other.negative);
    }

    /// Forgets class `k`.
    pub fn clear(&mut self, k: usize) {
        [&mut self.weight, &mut self.totals, &mut self.positive].into_iter().for_each(|table| table.clear(k));
    }

    /// The same tallies in another shape; see [`ClassTable::project`].
    #[must_use]
    pub fn project(&self, classes: &[usize], columns: &[Option<usize>], shape: (usize, usize)) -> Self {
        let mut negative = vec![0.0; shape.1];
        for (j, to) in columns.iter().enumerate() {
            if let Some(to) = to {
                negative[*to] = self.negative[j];
            }
        }
        NumberTallies {
            weight: self.weight.project(classes, columns, shape),
            totals: self.totals.project(classes, columns, shape),
            positive: self.positive.project(classes, columns, shape),
            threshold: self.threshold,
            negative,
        }
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        3 * self.weight.bytes()
    }
}
