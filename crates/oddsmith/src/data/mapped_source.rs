//! Sources that are made of another one, batch by batch.

use super::{Layout, Rows, Source};
use crate::error::Result;

/// A source whose batches are those of another one, changed on their way. It has the partitions and rows of the other.
pub trait MappedSource: Sync {
    /// Buffers that are used again from batch to batch.
    type Work: Default;

    /// The other source.
    fn inner(&self) -> &dyn Source;

    /// What the changed rows are encoded against.
    fn mapped_layout(&self) -> &Layout {
        self.inner().layout()
    }

    /// Rough size of the changed rows in bytes.
    fn mapped_bytes(&self) -> u64 {
        self.inner().bytes()
    }

    /// Gives a batch, changed, to `sink`.
    fn map(&self, rows: Rows<'_>, work: &mut Self::Work, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()>;
}

impl<M: MappedSource> Source for M {
    fn layout(&self) -> &Layout {
        self.mapped_layout()
    }

    fn partitions(&self) -> usize {
        self.inner().partitions()
    }

    fn bytes(&self) -> u64 {
        self.mapped_bytes()
    }

    fn rows(&self) -> Option<u64> {
        self.inner().rows()
    }

    fn memory(&self) -> u64 {
        self.inner().memory()
    }

    fn most_lanes(&self) -> usize {
        self.inner().most_lanes()
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let mut work = M::Work::default();
        self.inner().scan(partition, &mut |rows| self.map(rows, &mut work, sink))
    }
}
