//! A table that was parsed once and is kept in memory.

use oddsmith::Result;
use oddsmith::data::{Layout, Rows, Source};

use crate::block::Block;

/// The blocks of all partitions.
pub(crate) struct Table {
    layout: Layout,
    partitions: Vec<Vec<Block>>,
    /// Rows before each partition.
    before: Vec<u64>,
    rows: u64,
    bytes: u64,
}

impl Table {
    /// A table of encoded partitions.
    pub(crate) fn new(layout: Layout, partitions: Vec<Vec<Block>>) -> Self {
        let mut rows = 0;
        let before = partitions
            .iter()
            .map(|blocks| {
                let first = rows;
                rows += blocks.iter().map(|block| block.rows as u64).sum::<u64>();
                first
            })
            .collect();
        let bytes = partitions.iter().flatten().map(Block::bytes).sum();
        Table { layout, partitions, before, rows, bytes }
    }
}

impl Source for Table {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn partitions(&self) -> usize {
        self.partitions.len()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let mut first_row = self.before[partition];
        for block in &self.partitions[partition] {
            block.give(&self.layout, first_row, sink)?;
            first_row += block.rows as u64;
        }
        Ok(())
    }
}
