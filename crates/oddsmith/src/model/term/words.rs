//! Σ_v count_v · t_vk over the words of a text column, plus a base for every text. A missing text adds nothing.

use super::{limits, times};
use crate::data::{Csr, Features, Layout};
use crate::error::{Error, Result};
use crate::model::{Contributions, Prepared, Scores};
use crate::num::MatrixView;
use crate::num::kernel::{SparseRows, WordMeasure, WordScores, all_finite};

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
    /// The table as the scoring kernel wants it, when all its weights are finite.
    pub kernel: Prepared<Option<WordScores>>,
}

impl WordTerm {
    fn add_row(&self, words: &Csr<'_>, i: usize, sums: &mut [f64]) -> Result<()> {
        if !words.is_present(i) {
            return Ok(());
        }
        sums.iter_mut().zip(&self.base).for_each(|(sum, base)| *sum += base);
        let mut open = self.required.clone();
        let (columns, values) = words.row(i);
        for (&column, &value) in columns.iter().zip(values) {
            let count = if self.presence { f64::from(value > 0.0) } else { value };
            let weights = self.table.get(column as usize * sums.len()..(column as usize + 1) * sums.len());
            let weights = weights.ok_or_else(|| Error::internal(format!("word {column} is not in the vocabulary")))?;
            for (k, sum) in sums.iter_mut().enumerate() {
                // A certain word is ticked off instead of added.
                match self.presence && weights[k] == f64::INFINITY {
                    true => open[k] = open[k].saturating_sub(u32::from(count > 0.0)),
                    false => *sum += times(count, weights[k]),
                }
            }
        }
        sums.iter_mut().zip(open).filter(|(_, open)| *open > 0).for_each(|(sum, _)| *sum = f64::NEG_INFINITY);
        Ok(())
    }

    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) -> Result<()> {
        let classes = scores.classes();
        let words = &rows.words[self.block];
        let (out, scratch) = scores.parts_mut();
        scratch.block.clear();
        // Certain words of presence are ticked off and not added: nothing leaves the range of numbers.
        if !self.presence {
            scratch.block.extend_from_slice(out);
        }
        let finite = || self.table.iter().all(|weight| weight.is_finite()).then(|| WordScores::new(classes, &self.table));
        match (words.present, self.kernel.get(finite)) {
            (None, Some(kernel)) => {
                // Totals of words leave nothing to add for absent ones.
                if self.base.iter().any(|base| *base != 0.0) {
                    for row in out.chunks_exact_mut(classes) {
                        row.iter_mut().zip(&self.base).for_each(|(score, base)| *score += base);
                    }
                }
                let measure = if self.presence { WordMeasure::Presence } else { WordMeasure::Total };
                kernel.add(SparseRows::new(words.starts, words.columns, Some(words.values))?, measure, out)?;
            }
            _ => out.chunks_exact_mut(classes).enumerate().try_for_each(|(i, scores)| self.add_row(words, i, scores))?,
        }
        // One look at all rows is quick; row by row only where one of them left the range of numbers.
        if self.presence || all_finite(MatrixView::row_major(out, out.len() / classes.max(1), classes)?) {
            return Ok(());
        }
        for (i, (scores, before)) in out.chunks_exact_mut(classes).zip(scratch.block.chunks_exact(classes)).enumerate() {
            if limits::is_lost(scores) {
                scores.copy_from_slice(before);
                self.add_limits(words, i, scores);
            }
        }
        Ok(())
    }

    /// Adds the term to the scores of a row whose addends leave the range of numbers.
    #[cold]
    fn add_limits(&self, words: &Csr<'_>, i: usize, scores: &mut [f64]) {
        let classes = scores.len();
        scores.iter_mut().zip(&self.base).for_each(|(score, base)| *score += base);
        let (columns, values) = words.row(i);
        let weights = |column: u32| &self.table[column as usize * classes..(column as usize + 1) * classes];
        limits::add_cells(columns.iter().zip(values).map(|(column, value)| (*value, weights(*column))), scores);
    }

    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) -> Result<()> {
        let words = &rows.words[self.block];
        let feature = layout.words()[self.block];
        (0..rows.rows()).try_for_each(|i| self.add_row(words, i, out.addends_mut(i, feature)))
    }

    pub(super) fn relative_to(&self, reference: usize, classes: usize) -> Option<Self> {
        let base = super::differences(&self.base, reference, classes)?;
        Some(WordTerm { base, table: super::differences(&self.table, reference, classes)?, ..self.clone() })
    }
}
