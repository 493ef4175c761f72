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
        for (&column, &value) in columns.iter().zip(values) {
            let count = if self.presence { f64::from(value > 0.0) } else { value };
            let weights = &self.table[column as usize * sums.len()..];
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += times(count, *weight));
        }
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
