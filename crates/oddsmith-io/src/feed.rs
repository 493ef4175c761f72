//! A table as a feed of raw batches, cut into partitions that can be read side by side.

use std::sync::atomic::AtomicUsize;

use oddsmith::data::Levels;
use oddsmith::error::DataFault;
use oddsmith::notice::Notice;
use oddsmith::{Error, Result};

use crate::column::RawBatch;
use crate::column_encoder::Spot;
use crate::fault::Place;
use crate::grid::{Grid, Text};
use crate::missing::Markers;
use crate::record_counts::Records;

/// Where a pass over all partitions stands.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    /// The next partition to hand out.
    pub(crate) next: AtomicUsize,
}

/// The buffers of one worker.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The text of a partition.
    pub(crate) text: Text,
    /// The cells of a batch.
    pub(crate) grid: Grid,
}

/// Why a partition could not be read to its end.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// A fault in a row, whose number in the whole table is not known yet; with the number of lines before it in its
    /// partition, where its line matters.
    Row(Spot, Option<u64>),
    /// Anything else.
    Other(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Other(error)
    }
}

impl From<Spot> for Trouble {
    fn from(spot: Spot) -> Self {
        Trouble::Row(spot, None)
    }
}

/// A table that can be read batch by batch.
pub(crate) trait Feed: Send + Sync {
    /// The table for messages.
    fn place(&self) -> &Place;

    /// Column names.
    fn names(&self) -> &[String];

    /// Cells that are missing.
    fn markers(&self) -> &Markers;

    /// The decimal mark.
    fn decimal(&self) -> u8;

    /// Size in bytes, as far as it is known.
    fn bytes(&self) -> u64;

    /// Whether a typed column holds numbers; `None` when only its cells can tell.
    fn holds_numbers(&self, _column: usize) -> Option<bool> {
        None
    }

    /// Whether a column is a category because its type says so.
    fn holds_levels(&self, _column: usize) -> bool {
        false
    }

    /// The order of levels that the table itself declares for a column, once all its rows were read.
    fn level_order(&self, _column: usize) -> Option<Levels> {
        None
    }

    /// Says which columns will be read, before the first pass.
    fn use_columns(&mut self, _columns: &[usize]) -> Result<Vec<Notice>> {
        Ok(Vec::new())
    }

    /// Shows the first rows.
    fn sample(&self, look: &mut dyn FnMut(&RawBatch<'_>)) -> Result<Sample>;

    /// Takes the next partition of a pass and loads it; `None` at the end.
    fn claim(&self, pass: &Pass, scratch: &mut Scratch) -> Result<Option<usize>>;

    /// Loads a partition again.
    fn load(&self, partition: usize, scratch: &mut Scratch) -> Result<()>;

    /// Gives the batches of the loaded partition; the result counts its records and the ragged ones among them.
    fn batches(
        &self,
        partition: usize,
        scratch: &mut Scratch,
        sink: &mut dyn FnMut(&RawBatch<'_>) -> Result<(), Trouble>,
    ) -> Result<Records, Trouble>;

    /// Lines before a partition, where the table has lines.
    fn lines_before(&self, partition: usize) -> Option<u64>;

    /// Lines before the partition that was claimed last, where they are counted as it streams by.
    fn lines_claimed(&self) -> Option<u64> {
        None
    }

    /// Turns trouble into an error; `before` is the number of records in earlier partitions.
    fn report(&self, trouble: Trouble, before: u64) -> Error {
        self.report_at(trouble, before, None)
    }

    /// The same where the lines before the partition were counted when it was claimed.
    fn report_at(&self, trouble: Trouble, before: u64, claimed: Option<u64>) -> Error {
        match trouble {
            Trouble::Other(error) => error,
            Trouble::Row(spot, lines) => {
                let line = lines.and_then(|lines| Some(claimed.or_else(|| self.lines_before(spot.at.0))? + lines + 1));
                let fault = DataFault { row: Some(before + spot.at.1 + 1), line, ..*spot.fault };
                self.place().fault(fault)
            }
        }
    }
}

/// What the first rows say about the size of the whole.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample {
    /// Rows in the sample.
    pub(crate) rows: u64,
    /// Bytes that they take in the file.
    pub(crate) bytes: u64,
}

impl Sample {
    /// The rows to expect in so many bytes.
    pub(crate) fn rows_in(&self, bytes: u64) -> u64 {
        let rows = (u128::from(bytes) * u128::from(self.rows)).checked_div(u128::from(self.bytes));
        rows.and_then(|rows| u64::try_from(rows).ok()).unwrap_or(0)
    }
}

/// Rows of a batch: enough to be worth a call, few enough that their cells stay in the cache.
pub(crate) fn batch_rows(columns: usize) -> usize {
    const CELLS: usize = 48 << 10;
    let rows = (CELLS / columns.max(1)).clamp(16, 8192);
    1 << rows.ilog2()
}
