//! How many rows, and how much weight, each class has.
//!
//! Per class k: rows n_k, weight W_k = Σ w_i and V_k = Σ w_i². The last gives unbiased divisors under
//! sampling weights: W_k − V_k/W_k. Time O(rows), memory O(K).

use super::{add, take};
use crate::codec::{Codec, Encode};
use crate::data::{SKIP, Weighting};
use crate::error::{Error, Result};
use crate::num::kernel::widest;
use crate::record::{Record, fault};

/// Most rows in a file: counts stay exact in 64-bit numbers, and sums of many files stay within 64-bit integers.
const MOST_ROWS: u64 = 1 << 53;

/// Rows, weights and squared weights per class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassWeights {
    /// Rows per class.
    pub rows: Vec<u64>,
    /// Weight per class.
    pub weight: Vec<f64>,
    /// Squared weight per class.
    pub squared: Vec<f64>,
}

impl Encode for ClassWeights {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.counts("rows", &mut self.rows)?;
        codec.weights("weight", &mut self.weight)?;
        codec.weights("squared", &mut self.squared)?;
        let total = self.rows.iter().try_fold(0u64, |sum, rows| sum.checked_add(*rows));
        if codec.is_reading() && total.is_none_or(|total| total > MOST_ROWS) {
            return Err(fault(format!("`{}` counts more than {MOST_ROWS} rows", codec.full_name("rows"))));
        }
        match (0..self.rows.len()).find(|&k| self.rows[k] == 0 && (self.weight[k] > 0.0 || self.squared[k] > 0.0)) {
            Some(k) if codec.is_reading() => {
                Err(fault(format!("`{}` has sums of class {k}, which has no rows", codec.full_name("weight"))))
            }
            _ => Ok(()),
        }
    }
}

impl ClassWeights {
    /// Nothing seen of `classes` classes.
    pub fn new(classes: usize) -> Self {
        ClassWeights { rows: vec![0; classes], weight: vec![0.0; classes], squared: vec![0.0; classes] }
    }

    /// Stores the figures in a record.
    pub fn write(&self, record: &mut Record) -> Result<()> {
        Codec::out(record, "").part("classes", &mut self.clone())
    }

    /// Reads the figures of `classes` classes back; a class without rows has no weight.
    pub fn read(record: &Record, classes: usize) -> Result<Self> {
        let mut read = ClassWeights::new(classes);
        Codec::from(record, "").part("classes", &mut read)?;
        Ok(read)
    }

    /// Adds the labels of a batch; a label that is neither a class nor [`SKIP`] is an error.
    pub fn observe(&mut self, labels: &[u32], weights: Option<&[f64]>) -> Result<()> {
        let rows = rows_by_class(labels, self.rows.len());
        let counted: u64 = rows.iter().sum();
        if counted < labels.len() as u64
            && let Some(label) = labels.iter().find(|label| **label != SKIP && **label as usize >= self.rows.len())
        {
            return Err(Error::internal(format!("a row has label {label} of {} classes", self.rows.len())));
        }
        for (k, &count) in rows.iter().enumerate() {
            self.rows[k] += count;
            if weights.is_none() {
                self.weight[k] += count as f64;
                self.squared[k] += count as f64;
            }
        }
        for (&label, &w) in labels.iter().zip(weights.unwrap_or(&[])).filter(|(label, _)| **label != SKIP) {
            self.weight[label as usize] += w;
            self.squared[label as usize] += w * w;
        }
        Ok(())
    }

    /// Adds another summary.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            *mine += theirs;
        }
        add(&mut self.weight, &other.weight);
        add(&mut self.squared, &other.squared);
    }

    /// Takes another summary away.
    pub fn subtract(&mut self, other: &Self) {
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            *mine = mine.saturating_sub(*theirs);
        }
        take(&mut self.weight, &other.weight);
        take(&mut self.squared, &other.squared);
        for k in self.empty() {
            (self.weight[k], self.squared[k]) = (0.0, 0.0);
        }
    }

    /// Classes without rows.
    pub fn empty(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&k| self.rows[k] == 0).collect()
    }

    /// Total weight.
    pub fn total(&self) -> f64 {
        self.weight.iter().sum()
    }

    /// How many independent rows the weights are worth as evidence.
    pub fn effective_rows(&self, weighting: Weighting) -> f64 {
        weighting.effective_rows(self.total(), self.squared.iter().sum())
    }

    /// Total rows.
    pub fn total_rows(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// The same figures with class `k` moved to `map[k]` among `classes` classes.
    #[must_use]
    pub fn project(&self, map: &[usize], classes: usize) -> Self {
        let mut moved = ClassWeights::new(classes);
        for (k, &to) in map.iter().enumerate() {
            moved.rows[to] = self.rows[k];
            moved.weight[to] = self.weight[k];
            moved.squared[to] = self.squared[k];
        }
        moved
    }
}

/// Classes up to which every one is looked for among all labels: comparing eight labels at a time costs less than waiting for a counter, which the row
/// before has just changed.
const FEW_CLASSES: usize = 8;

/// How many rows have the label of each class; other labels are not counted.
pub(super) fn rows_by_class(labels: &[u32], classes: usize) -> Vec<u64> {
    if classes <= FEW_CLASSES {
        let of_class = |class: u32| {
            widest(
                #[inline(always)]
                || labels.iter().map(|label| u64::from(*label == class)).sum(),
            )
        };
        return (0..classes as u32).map(of_class).collect();
    }
    let mut rows = vec![0; classes];
    for label in labels {
        if let Some(count) = rows.get_mut(*label as usize) {
            *count += 1;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_however_many_classes_there_are() {
        for classes in [1, 2, 3, 8, 9, 40] {
            let mut labels: Vec<u32> = (0..1000u32).map(|i| i * i % classes).collect();
            labels.extend([SKIP; 5]);
            let plain = |class: u32| labels.iter().filter(|label| **label == class).count() as u64;
            assert_eq!(rows_by_class(&labels, classes as usize), (0..classes).map(plain).collect::<Vec<_>>());
            let mut weights = ClassWeights::new(classes as usize);
            weights.observe(&labels, None).unwrap();
            assert_eq!(weights.total_rows(), 1000);
            labels.push(classes);
            assert!(weights.observe(&labels, None).unwrap_err().to_string().contains(&format!("label {classes} of")));
        }
    }
}
