//! Numbers as they are, with the group of their row: what neighbours are looked for among. Memory O(rows · columns).

use crate::codec::{Codec, Encode};
use crate::data::SKIP;
use crate::error::Result;
use crate::num::MatrixView;
use crate::record::fault;

/// All values of number columns.
#[derive(Debug, Clone)]
pub(super) struct NumberRows {
    groups: usize,
    group: Vec<u32>,
    columns: Vec<Vec<f64>>,
}

impl NumberRows {
    /// Nothing seen.
    pub(super) fn new(groups: usize, columns: usize) -> Self {
        NumberRows { groups, group: Vec::new(), columns: vec![Vec::new(); columns] }
    }

    /// Adds a batch.
    pub(super) fn observe(&mut self, values: MatrixView<'_>, groups: &[u32]) {
        let counted = || groups.iter().enumerate().filter(|(_, group)| **group != SKIP);
        self.group.extend(counted().map(|(_, group)| *group));
        for (j, column) in self.columns.iter_mut().enumerate() {
            column.extend(counted().map(|(i, _)| values.get(i, j)));
        }
    }

    /// Adds later rows.
    pub(super) fn merge(&mut self, other: &Self) {
        self.group.extend_from_slice(&other.group);
        self.columns.iter_mut().zip(&other.columns).for_each(|(mine, theirs)| mine.extend_from_slice(theirs));
    }

    /// The values of a column that are there, with their groups.
    pub(super) fn column(&self, j: usize) -> Vec<(f64, u32)> {
        self.columns[j].iter().zip(&self.group).filter(|(x, _)| !x.is_nan()).map(|(x, group)| (*x, *group)).collect()
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.group.len() * (size_of::<u32>() + self.columns.len() * size_of::<f64>())
    }
}

impl Encode for NumberRows {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.labels("group", &mut self.group, self.groups)?;
        for (j, column) in self.columns.iter_mut().enumerate() {
            codec.list(&format!("column-{j}"), 1, column)?;
            if column.len() != self.group.len() {
                return Err(fault(format!("`{}` has other numbers of values than of rows", codec.full_name(&format!("column-{j}")))));
            }
        }
        match codec.is_reading() && self.group.contains(&SKIP) {
            true => Err(fault(format!("`{}` holds rows that do not count", codec.full_name("group")))),
            false => Ok(()),
        }
    }
}
