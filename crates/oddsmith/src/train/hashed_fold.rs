//! Folds by what a row says, and not by where it stands: every worker deals its own rows, and all deal alike.
//!
//! Rows that say the same in every column are in the same fold, so no row is predicted by a model that saw its copy.

use serde::{Deserialize, Serialize};

use crate::data::{Layout, MappedSource, RowHashes, Rows, SKIP, Source, mixed};
use crate::error::{Error, Result};

/// Most folds.
const MOST_FOLDS: u64 = 1 << 16;

/// One side of a cut into folds: the rows of a fold, or all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashedFold {
    count: u64,
    fold: u64,
    seed: u64,
    held: bool,
}

impl HashedFold {
    /// The rows of fold `fold` of `count` where `held`, else the rows of all others.
    pub fn new(count: u64, fold: u64, seed: u64, held: bool) -> Result<Self> {
        match (2..=MOST_FOLDS).contains(&count) && fold < count {
            true => Ok(HashedFold { count, fold, seed, held }),
            false => Err(Error::option("folds", count, format!("from 2 to {MOST_FOLDS}"))),
        }
    }

    fn takes(&self, hash: u64) -> bool {
        (mixed(hash ^ mixed(self.seed)) % self.count == self.fold) == self.held
    }
}

/// Only the rows of one side: the labels of the others become [`SKIP`].
pub(super) struct HashedFoldSource<'a> {
    source: &'a dyn Source,
    names: RowHashes,
    fold: HashedFold,
}

impl<'a> HashedFoldSource<'a> {
    pub(super) fn new(source: &'a dyn Source, layout: &Layout, fold: HashedFold) -> Self {
        HashedFoldSource { source, names: RowHashes::new(layout), fold }
    }
}

impl MappedSource for HashedFoldSource<'_> {
    type Work = (Vec<u32>, Vec<u64>);

    fn inner(&self) -> &dyn Source {
        self.source
    }

    fn map(&self, rows: Rows<'_>, (labels, hashes): &mut Self::Work, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        self.names.write(&rows, rows.labels, hashes);
        labels.clear();
        for (i, (label, hash)) in rows.labels.iter().zip(hashes.iter()).enumerate() {
            let words = rows.features.words.iter().enumerate().map(|(block, words)| {
                let (columns, values) = words.row(i);
                let entries = columns.iter().zip(values).map(|(column, value)| mixed(u64::from(*column) ^ value.to_bits().rotate_left(32)));
                mixed(block as u64).wrapping_mul(entries.fold(0, u64::wrapping_add))
            });
            let hash = words.fold(*hash, u64::wrapping_add);
            labels.push(if self.fold.takes(hash) { *label } else { SKIP });
        }
        sink(Rows { labels, ..rows })
    }
}
