//! The options of an algorithm and how it turns sums into a model.

use std::sync::Arc;

use super::{Classifier, Look, TableNeeds};
use crate::data::{Layout, Rows, Source};
use crate::error::Result;
use crate::record::Record;
use crate::stats::{Statistics, TableStats};

/// Passes that no learner needs unless its options say so.
pub(super) const MOST_PASSES: usize = 10_000;

/// What a learner wants after a pass.
pub enum Step<S, M> {
    /// Another pass, with this empty summary (it carries the current parameters where there are some).
    Again(S),
    /// Nothing more: here is the model.
    Done(M),
}

/// What is known of the passes before the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassInfo {
    /// Partitions of the source; a learner may ask for passes over some of them.
    pub partitions: usize,
    /// Rows of the source, where they are known.
    pub rows: Option<u64>,
    /// Bytes that a learner may take to keep something of every row from pass to pass; 0 where rows stay where they are.
    pub memory: u64,
    /// Threads on which [`Learner::finish`] may work on what it keeps. They never change a bit of what it concludes.
    pub threads: usize,
}

impl PassInfo {
    /// Of passes over a source.
    pub fn of(source: &dyn Source) -> Self {
        PassInfo { partitions: source.partitions(), rows: source.rows(), memory: source.memory(), threads: 1 }
    }
}

impl Default for PassInfo {
    /// Rows in one piece, however many.
    fn default() -> Self {
        PassInfo { partitions: 1, rows: None, memory: 0, threads: 1 }
    }
}

/// The options of one algorithm. `finish` borrows, so one pass can be finished with many options.
pub trait Learner: Send + Sync {
    /// What it sums up.
    type Stats: for<'a> Statistics<Input<'a> = Rows<'a>>;
    /// What it learns.
    type Model: Classifier;

    /// What it wants of a table before it is read; an error when options contradict each other.
    fn needs(&self) -> Result<TableNeeds> {
        Ok(TableNeeds::default())
    }

    /// Checks the options against the layout and gives the empty summary of the first pass.
    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<Self::Stats>;

    /// The statistics of a first pass from a table that was gathered earlier, for learners whose statistics are not that
    /// table itself; an error when the learner cannot do with the table alone.
    fn adopt(&self, _table: &TableStats) -> Result<Option<Self::Stats>> {
        Ok(None)
    }

    /// Turns the sums of a pass into a model, or asks for another pass.
    fn finish(&self, stats: &Self::Stats) -> Result<Step<Self::Stats, Self::Model>>;

    /// Whether it finds its parameters step by step, so that [`Learner::looks`] has something to tell.
    fn searches(&self) -> bool {
        false
    }

    /// What the sums of a pass say about the points at which its searches looked; nothing for points that a search turns away from, and for passes
    /// that are no step of it.
    fn looks(&self, _stats: &Self::Stats) -> Result<Vec<Look>> {
        Ok(Vec::new())
    }

    /// Passes after which a learner that asks for more is taken to be stuck. One whose options bound its steps says how many passes they may
    /// cost.
    fn most_passes(&self) -> usize {
        MOST_PASSES
    }

    /// Writes down the point at which a pass is asked for: what its empty summary knows beyond the options and the layout. A learner
    /// of one pass has nothing to write.
    fn write_point(&self, _empty: &Self::Stats, _point: &mut Record) -> Result<()> {
        Ok(())
    }

    /// The empty summary of the pass that is asked for at a point, for whoever sums rows up and knows nothing of earlier passes. It is
    /// observed, merged and written down; only whoever asked can finish from it.
    fn at_point(&self, layout: &Arc<Layout>, _point: &Record) -> Result<Self::Stats> {
        self.begin(layout, &PassInfo::default())
    }
}
