//! Rows of features that are looked at block by block.

use super::Features;
use crate::error::Result;

/// Rows that several threads can look at at once, a block at a time. What does not lie in memory as planes is brought
/// into that form block by block, so that no copy of the whole is ever made.
pub trait FeatureBlocks: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Gives the rows `lo..hi` to `sink`, once.
    fn block(&self, lo: usize, hi: usize, sink: &mut dyn FnMut(&Features<'_>) -> Result<()>) -> Result<()>;

    /// Looks at the rows `lo..hi` again because their scores are doubtful: not finite, or those of gaps. Rows that were not looked at before they were
    /// given away can be refused here, so that sound ones cost no pass of their own.
    fn doubt(&self, _lo: usize, _hi: usize) -> Result<()> {
        Ok(())
    }
}

impl FeatureBlocks for Features<'_> {
    fn rows(&self) -> usize {
        Features::rows(self)
    }

    fn block(&self, lo: usize, hi: usize, sink: &mut dyn FnMut(&Features<'_>) -> Result<()>) -> Result<()> {
        sink(&self.slice(lo, hi, &mut Vec::new()))
    }
}
