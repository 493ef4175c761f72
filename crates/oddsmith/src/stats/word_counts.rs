//! How often each word of a text column occurs in each class, and in how many rows.
//!
//! Per class k and word v over the rows that hold a text: T = Σ w count, P = Σ w [count > 0]; per class the weight D
//! of such rows. Each of T and P is kept only when asked for. Time O(entries), memory O(K · words).

use super::class_table::ClassTable;
use super::parts::WordParts;
use super::{add, take};
use crate::data::{Csr, SKIP};
use crate::error::{DataFault, Result};

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
        for i in (0..words.rows()).filter(|&i| labels[i] != SKIP && words.is_present(i)) {
            let k = labels[i] as usize;
            let w = weights.map_or(1.0, |weights| weights[i]);
            self.documents[k] += w;
            let (columns, values) = words.row(i);
            if let Some(value) = values.iter().find(|value| !(0.0..f64::INFINITY).contains(*value)) {
                let fault = DataFault::new("a word count cannot be").column(name).row(first_row + i as u64 + 1).value(value.to_string());
                return Err(fault.accepted("counts are finite numbers from 0 up").into());
            }
            if let Some(totals) = &mut self.totals {
                let cells = totals.row_mut(k);
                for (&column, &value) in columns.iter().zip(values) {
                    cells[column as usize] += w * value;
                }
            }
            if let Some(presence) = &mut self.presence {
                let cells = presence.row_mut(k);
                for (&column, &value) in columns.iter().zip(values) {
                    cells[column as usize] += if value > 0.0 { w } else { 0.0 };
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
