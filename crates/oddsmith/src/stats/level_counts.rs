//! How often each level of each category column occurs in each class.
//!
//! The levels of all columns stand side by side: column j owns the cells `offsets[j]..offsets[j+1]`.
//! Counts are exact for whole weights up to 2^53. Time O(rows · columns), memory O(K · Σ levels).

use super::class_table::ClassTable;
use crate::data::CodesView;
use crate::num::kernel::{self, Codes, LevelSums};

/// Level counts by class.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelCounts {
    classes: usize,
    /// Where the levels of each column start; the last entry is the total.
    pub offsets: Vec<usize>,
    /// Weight of every level.
    pub counts: ClassTable,
}

impl LevelCounts {
    /// Nothing seen of columns with these numbers of levels.
    pub fn new(classes: usize, levels: &[usize]) -> Self {
        Self::from_counts(classes, levels, ClassTable::new(classes, levels.iter().sum()))
    }

    /// Counts that are yet to be read.
    pub(super) fn unread(classes: usize, levels: &[usize]) -> Self {
        Self::from_counts(classes, levels, ClassTable::unread(levels.iter().sum()))
    }

    /// Counts of columns with these numbers of levels, which stand side by side in the table.
    fn from_counts(classes: usize, levels: &[usize], counts: ClassTable) -> Self {
        let mut offsets = vec![0];
        for &count in levels {
            offsets.push(offsets[offsets.len() - 1] + count);
        }
        LevelCounts { classes, offsets, counts }
    }

    /// The counts of column `j` in class `k`, level by level.
    pub fn column(&self, k: usize, j: usize) -> &[f64] {
        &self.counts.row(k)[self.offsets[j]..self.offsets[j + 1]]
    }

    /// Adds a batch; codes outside the levels (missing, unseen) are left out.
    pub fn observe(&mut self, codes: CodesView<'_>, labels: &[u32], weights: Option<&[f64]>) {
        let (data, row_stride, col_stride) = codes.parts();
        let mut left_out = vec![0.0; 2 * self.classes * codes.cols()];
        let (missing, unseen) = left_out.split_at_mut(self.classes * codes.cols());
        let sums = LevelSums { counts: self.counts.cells_mut(), missing, unseen };
        kernel::LevelCounts::new(self.classes, &self.offsets).add(Codes { data, row_stride, col_stride }, labels, weights, sums);
    }

    /// Adds another summary of the same columns.
    pub fn merge(&mut self, other: &Self) {
        self.counts.add(&other.counts);
    }

    /// Takes another summary away.
    pub fn subtract(&mut self, other: &Self) {
        self.counts.take(&other.counts);
    }
}
