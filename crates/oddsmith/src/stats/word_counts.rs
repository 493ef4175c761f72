//! How often each word of a text column occurs in each class, and in how many rows.
//!
//! Per class k and word v over the rows that hold a text: T = Σ w count, P = Σ w [count > 0]; per class the weight D
//! of such rows. Each of T and P is kept only when asked for. Time O(entries), memory O(K · words).

use super::class_table::ClassTable;
use super::parts::WordParts;
use super::{add, take};
use crate::data::{Csr, SKIP};
use crate::error::{DataFault, Error, Result};
use crate::num::kernel::{SparseRows, WordMeasure, add_words};

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
        let mut sum = 0.0;
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            self.documents[label as usize] += weights.map_or(1.0, |w| w[i]);
            sum += words.row(i).1.iter().map(|value| value.abs() - value).sum::<f64>();
        }
        // Negative, infinite and missing counts show in the sum, so only batches that have them are searched.
        if sum != 0.0 {
            return Err(bad_count(&words, first_row, name));
        }
        let classes = self.documents.len();
        let rows = SparseRows::new(words.starts, words.columns, Some(words.values))?;
        for (table, measure) in [(&mut self.totals, WordMeasure::Total), (&mut self.presence, WordMeasure::Presence)] {
            if let Some(table) = table {
                add_words(rows, labels, weights, measure, (classes, words.width), table.cells_mut())?;
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

    /// The same counts in another shape; see [`ClassTable::recast`].
    #[must_use]
    pub fn recast(&self, classes: &[usize], words: &[Option<usize>], shape: (usize, usize)) -> Self {
        let mut documents = vec![0.0; shape.0];
        for (k, &to) in classes.iter().enumerate() {
            documents[to] = self.documents[k];
        }
        let table = |table: &Option<ClassTable>| table.as_ref().map(|t| t.recast(classes, words, shape));
        WordCounts { documents, totals: table(&self.totals), presence: table(&self.presence) }
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        self.totals.iter().chain(&self.presence).map(ClassTable::bytes).sum()
    }
}

fn bad_count(words: &Csr<'_>, first_row: u64, name: &str) -> Error {
    let bad =
        (0..words.rows()).find_map(|i| words.row(i).1.iter().find(|value| !(0.0..f64::INFINITY).contains(*value)).map(|value| (i, value)));
    let (row, value) = bad.map_or((0, f64::NAN), |(i, value)| (i as u64, *value));
    let fault = DataFault::new("a word count cannot be").column(name).row(first_row + row + 1).value(value.to_string());
    fault.accepted("counts are finite numbers from 0 up").into()
}
