//! A table that is read again for every pass, in the memory of one partition per thread and of what the budget has room for.
//!
//! A partition that is read a second time belongs to a fit of several passes, which will want it again: it is kept from then on while
//! there is room, and only the others are parsed anew. Kept or parsed, the rows come in the same batches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

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
    shelves: Vec<Shelf>,
    /// Bytes that may still be kept.
    room: AtomicU64,
    /// The budget of tables.
    budget: u64,
}

/// What is kept of a partition.
#[derive(Default)]
struct Shelf {
    /// Whether it has been read before.
    seen: AtomicBool,
    blocks: OnceLock<Vec<Block>>,
}

#[derive(Default)]
struct Bench {
    scratch: Scratch,
    tally: Tally,
    block: Block,
}

impl Streamed {
    /// A source over a feed whose partitions are known; it may keep `room` bytes of rows.
    pub(crate) fn new(layout: Layout, feed: Box<dyn Feed>, encoder: Encoder, extents: Vec<Extent>, rows: u64, room: u64) -> Self {
        let shelves = extents.iter().map(|_| Shelf::default()).collect();
        Streamed {
            layout,
            feed,
            encoder,
            extents,
            rows,
            benches: Mutex::new(Vec::new()),
            shelves,
            room: AtomicU64::new(room),
            budget: room,
        }
    }

    /// Takes bytes from the room; false when it has too few.
    fn reserve(&self, bytes: u64) -> bool {
        self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(bytes)).is_ok()
    }

    /// Returns the room of blocks that are not kept after all.
    fn give_back(&self, blocks: Option<Vec<Block>>) {
        self.room.fetch_add(blocks.iter().flatten().map(Block::bytes).sum(), Ordering::Relaxed);
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

    fn memory(&self) -> u64 {
        self.budget / 2
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let Shelf { seen, blocks: shelf } = &self.shelves[partition];
        if let Some(blocks) = shelf.get() {
            let mut first_row = self.extents[partition].rows_before;
            for block in blocks {
                block.give(&self.layout, first_row, sink)?;
                first_row += block.rows as u64;
            }
            return Ok(());
        }
        let mut keep = seen.swap(true, Ordering::Relaxed).then(Vec::new);
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
                match &mut keep {
                    Some(blocks) if self.reserve(block.bytes()) => blocks.push(block.compact()),
                    _ => self.give_back(keep.take()),
                }
            }
            Ok(())
        });
        self.benches().push(bench);
        match (&outcome, keep) {
            (Ok(_), Some(blocks)) => self.give_back(shelf.set(blocks).err()),
            (_, keep) => self.give_back(keep),
        }
        outcome.map(|_| ()).map_err(|trouble| self.feed.report(trouble, records_before))
    }
}
