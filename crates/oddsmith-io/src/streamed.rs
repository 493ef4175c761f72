//! A table that is read again for every pass, in the memory of one partition per thread.

use std::sync::{Mutex, PoisonError};

use oddsmith::Result;
use oddsmith::data::{Layout, Rows, Source};

use crate::block::Block;
use crate::encoder::{Encoder, Tally};
use crate::feed::{Feed, Scratch};

/// Records and rows of a partition, and how many come before it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extent {
    /// Records in earlier partitions.
    pub(crate) records_before: u64,
    /// Rows that count in earlier partitions.
    pub(crate) rows_before: u64,
}

/// The feed and how to encode it.
pub(crate) struct Streamed {
    layout: Layout,
    feed: Box<dyn Feed>,
    encoder: Encoder,
    extents: Vec<Extent>,
    rows: u64,
    /// Buffers between two scans.
    benches: Mutex<Vec<Bench>>,
}

#[derive(Default)]
struct Bench {
    scratch: Scratch,
    tally: Tally,
    block: Block,
}

impl Streamed {
    /// A source over a feed whose partitions are known.
    pub(crate) fn new(layout: Layout, feed: Box<dyn Feed>, encoder: Encoder, extents: Vec<Extent>, rows: u64) -> Self {
        Streamed { layout, feed, encoder, extents, rows, benches: Mutex::new(Vec::new()) }
    }

    fn benches(&self) -> std::sync::MutexGuard<'_, Vec<Bench>> {
        self.benches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Streamed {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn partitions(&self) -> usize {
        self.extents.len()
    }

    fn bytes(&self) -> u64 {
        self.feed.bytes()
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let mut bench = self.benches().pop().unwrap_or_default();
        let Bench { scratch, tally, block } = &mut bench;
        let Extent { records_before, mut rows_before } = self.extents[partition];
        let reading = (self.feed.decimal(), self.feed.markers());
        self.feed.load(partition, scratch)?;
        let outcome = self.feed.batches(partition, scratch, &mut |batch| {
            self.encoder.encode((partition, batch), reading, tally, block)?;
            if block.rows > 0 {
                block.give(&self.layout, rows_before, sink)?;
                rows_before += block.rows as u64;
            }
            Ok(())
        });
        self.benches().push(bench);
        outcome.map(|_| ()).map_err(|trouble| self.feed.report(trouble, records_before))
    }
}
