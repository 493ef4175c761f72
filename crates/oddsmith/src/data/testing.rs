//! A source of one batch, for tests of sources that change others.

use super::{Layout, Rows, Source};
use crate::error::Result;

/// Gives a batch to whoever reads it.
type Give = fn(&mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()>;

/// One partition with one batch.
pub(crate) struct OneBatch {
    pub(crate) layout: Layout,
    pub(crate) rows: u64,
    pub(crate) give: Give,
}

impl Source for OneBatch {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn partitions(&self) -> usize {
        1
    }

    fn bytes(&self) -> u64 {
        16 * self.rows
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn scan(&self, _: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        (self.give)(sink)
    }
}
