//! Where rows come from.

use super::{Layout, Rows};
use crate::error::Result;

/// Memory that no table is too small for: 64 MiB.
const LEAST_MEMORY: u64 = 64 << 20;

/// Lanes that are enough to keep the cores of one machine busy to the end of a pass.
const LANES: usize = 64;

/// Rows that can be read again and again, cut into partitions that can be read side by side.
///
/// Reading is a callback and not an iterator because a batch borrows buffers that the source reuses for
/// the next one: a stream of any length needs the memory of one batch per thread.
pub trait Source: Sync {
    /// What the rows are encoded against.
    fn layout(&self) -> &Layout;

    /// Number of partitions. It depends on the data alone, never on the number of threads: the order of
    /// partitions is the order in which sums are merged.
    fn partitions(&self) -> usize;

    /// Rough size of the whole in bytes, by which the driver decides how finely to cut its work.
    fn bytes(&self) -> u64;

    /// Number of rows where it is known without reading.
    fn rows(&self) -> Option<u64>;

    /// Bytes that a learner may take beside the source to keep something of every row: as many as a table in memory takes itself, unless a
    /// budget says otherwise.
    fn memory(&self) -> u64 {
        self.bytes().max(LEAST_MEMORY)
    }

    /// Most lanes into which a pass may be cut: enough for all who sum them up at once.
    fn most_lanes(&self) -> usize {
        LANES
    }

    /// Gives every batch of a partition, in order, to `sink`; stops at the first error.
    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()>;
}
