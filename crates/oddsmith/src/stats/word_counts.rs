//! How often each word of a text column occurs in each class, and in how many rows.
//!
//! Per class k and word v over the rows that hold a text: T = Σ w count, P = Σ w [count > 0]; per class the weight D
//! of such rows. Each of T and P is kept only when asked for. Time O(entries), memory O(K · words).

use super::class_table::ClassTable;
use super::parts::WordParts;
use super::{add, take};
use crate::data::{Csr, SKIP};
use crate::error::{DataFault, Result};
use crate::num::kernel::{SparseRows, WordMeasure, add_words, widest};

/// Rows whose entries are checked and counted while they are in the cache.
const BLOCK_ROWS: usize = 256;

/// Word counts by class.
#[derive(Debug, Clone, PartialEq)]
pub struct WordCounts {
    /// Weight of the rows that hold a text, per class.
    pub documents: Vec<f64>,
    /// Weighted sums of counts.
    pub totals: Option<ClassTable>,
    /// Weight of the rows that hold the word.
    pub presence: Option<ClassTable>,
}

impl WordCounts {
    /// Nothing seen of `width` words.
    pub fn new(classes: usize, width: usize, parts: WordParts) -> Self {
        let table = |wanted: bool| wanted.then(|| ClassTable::new(classes, width));
        WordCounts { documents: vec![0.0; classes], totals: table(parts.totals), presence: table(parts.presence) }
    }

    /// Adds a batch. `name` is the column's name, for messages.
    pub fn observe(&mut self, words: Csr<'_>, labels: &[u32], weights: Option<&[f64]>, first_row: u64, name: &str) -> Result<()> {
        // Rows without a text do not count here, though they count for other columns.
        let absent = words
            .present
            .map(|present| labels.iter().zip(present).map(|(&label, here)| if *here { label } else { SKIP }).collect::<Vec<_>>());
        let labels = absent.as_deref().unwrap_or(labels);
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            self.documents[label as usize] += weights.map_or(1.0, |w| w[i]);
        }
        let classes = self.documents.len();
        for lo in (0..labels.len()).step_by(BLOCK_ROWS) {
            let hi = (lo + BLOCK_ROWS).min(labels.len());
            let (block, labels, weights) = (words.slice(lo, hi), &labels[lo..hi], weights.map(|w| &w[lo..hi]));
            let rows = SparseRows::new(block.starts, block.columns, Some(block.values))?;
            if let Some((i, value)) = bad_count(&block, labels) {
                let fault =
                    DataFault::new("a word count cannot be").column(name).row(first_row + (lo + i) as u64 + 1).value(value.to_string());
                return Err(fault.accepted("counts are finite numbers from 0 up").into());
            }
            for (table, measure) in [(&mut self.totals, WordMeasure::Total), (&mut self.presence, WordMeasure::Presence)] {
                if let Some(table) = table {
                    add_words(rows, labels, weights, measure, (classes, words.width), table.cells_mut())?;
                }
            }
        }
        Ok(())
    }

    fn tables<'a>(&'a mut self, other: &'a Self) -> impl Iterator<Item = (&'a mut ClassTable, &'a ClassTable)> {
        let totals = self.totals.as_mut().zip(other.totals.as_ref());
        totals.into_iter().chain(self.presence.as_mut().zip(other.presence.as_ref()))
    }

    /// Adds another summary of the same words.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.documents, &other.documents);
        self.tables(other).for_each(|(mine, theirs)| mine.add(theirs));
    }

    /// Takes another summary away.
    pub fn subtract(&mut self, other: &Self) {
        take(&mut self.documents, &other.documents);
        self.tables(other).for_each(|(mine, theirs)| mine.take(theirs));
    }

    /// Forgets class `k`.
    pub fn clear(&mut self, k: usize) {
        self.documents[k] = 0.0;
        self.totals.iter_mut().chain(&mut self.presence).for_each(|table| table.clear(k));
    }

    /// The same counts in another shape; see [`ClassTable::project`].
    #[must_use]
    pub fn project(&self, classes: &[usize], words: &[Option<usize>], shape: (usize, usize)) -> Self {
        let mut documents = vec![0.0; shape.0];
        for (k, &to) in classes.iter().enumerate() {
            documents[to] = self.documents[k];
        }
        let table = |table: &Option<ClassTable>| table.as_ref().map(|t| t.project(classes, words, shape));
        WordCounts { documents, totals: table(&self.totals), presence: table(&self.presence) }
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        self.totals.iter().chain(&self.presence).map(ClassTable::bytes).sum()
    }
}

/// The first row that counts and holds a negative, infinite or missing number, and that number.
fn bad_count(words: &Csr<'_>, labels: &[u32]) -> Option<(usize, f64)> {
    let good = |value: &f64| (0.0..f64::INFINITY).contains(value);
    let entries = &words.values[words.starts[0]..words.starts[labels.len()]];
    // Without a branch the whole block is looked at as vectors.
    if widest(
        #[inline(always)]
        || entries.iter().fold(true, |all, value| all & good(value)),
    ) {
        return None;
    }
    let counted = labels.iter().enumerate().filter(|(_, label)| **label != SKIP);
    counted.map(|(i, _)| i).find_map(|i| words.row(i).1.iter().find(|value| !good(value)).map(|value| (i, *value)))
}
