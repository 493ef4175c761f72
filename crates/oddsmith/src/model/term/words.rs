//! Σ_v count_v · t_vk over the words of a text column, plus a base for every text. A missing text adds nothing.

use super::times;
use crate::data::{Csr, Features, Layout};
use crate::model::Evidence;

/// Weights of the words of a text column.
#[derive(Debug, Clone, PartialEq)]
pub struct WordTerm {
    /// Index of the sparse block.
    pub block: usize,
    /// Whether a count above one counts as one.
    pub presence: bool,
    /// What every text adds before any word is read, per class: the factor of all absent words.
    pub base: Vec<f64>,
    /// Per class, how many words have probability one: their weight is infinite and a text that lacks one of them is
    /// impossible. All zero unless smoothing is off.
    pub required: Vec<u32>,
    /// Weights: `table[word · classes + k]`.
    pub table: Vec<f64>,
}

impl WordTerm {
    fn add_row(&self, words: &Csr<'_>, i: usize, sums: &mut [f64]) {
        if !words.is_present(i) {
            return;
        }
        sums.iter_mut().zip(&self.base).for_each(|(sum, base)| *sum += base);
        let (columns, values) = words.row(i);
        if self.required.iter().any(|&count| count > 0) {
            return self.add_strict_row(columns, values, sums);
        }
        for (&column, &value) in columns.iter().zip(values) {
            let count = if self.presence { f64::from(value > 0.0) } else { value };
            let weights = &self.table[column as usize * sums.len()..];
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += times(count, *weight));
        }
    }

    /// The same where some words are certain: an infinite weight is ticked off instead of added.
    fn add_strict_row(&self, columns: &[u32], values: &[f64], sums: &mut [f64]) {
        let mut open = self.required.clone();
        for (&column, _) in columns.iter().zip(values).filter(|(_, value)| **value > 0.0) {
            let weights = &self.table[column as usize * sums.len()..];
            for (k, sum) in sums.iter_mut().enumerate() {
                match weights[k] == f64::INFINITY {
                    true => open[k] -= 1,
                    false => *sum += weights[k],
                }
            }
        }
        sums.iter_mut().zip(open).filter(|(_, open)| *open > 0).for_each(|(sum, _)| *sum = f64::NEG_INFINITY);
    }

    pub(super) fn add_scores(&self, rows: &Features<'_>, classes: usize, out: &mut [f64]) {
        let words = &rows.words[self.block];
        out.chunks_exact_mut(classes).enumerate().for_each(|(i, scores)| self.add_row(words, i, scores));
    }

    pub(super) fn add_evidence(&self, rows: &Features<'_>, layout: &Layout, out: &mut Evidence) {
        let words = &rows.words[self.block];
        let feature = layout.words()[self.block];
        (0..rows.rows()).for_each(|i| self.add_row(words, i, out.addends_mut(i, feature)));
    }

    pub(super) fn relative_to(&self, reference: usize, classes: usize) -> Option<Self> {
        let base = super::differences(&self.base, reference, classes)?;
        Some(WordTerm { base, table: super::differences(&self.table, reference, classes)?, ..self.clone() })
    }
}
