//! The knobs of an algorithm and how it turns sums into a model.

use std::sync::Arc;

use super::Classifier;
use crate::data::{Layout, Rows};
use crate::error::Result;
use crate::stats::{Statistics, TableStats};

/// What a learner wants after a pass.
pub enum Step<S, M> {
    /// Another pass, with this empty summary (it carries the current parameters where there are some).
    Again(S),
    /// Nothing more: here is the model.
    Done(M),
}

/// The knobs of one algorithm. `finish` borrows, so one pass can be finished with many knobs.
pub trait Learner: Send + Sync {
    /// What it sums up.
    type Stats: for<'a> Statistics<Input<'a> = Rows<'a>>;
    /// What it learns.
    type Model: Classifier;

    /// Checks the knobs against the layout and gives the empty summary of the first pass.
    fn begin(&self, layout: &Arc<Layout>) -> Result<Self::Stats>;

    /// The statistics of a first pass from a table that was gathered earlier, for learners whose statistics are not that
    /// table itself; an error when the learner cannot do with the table alone.
    fn adopt(&self, _table: &TableStats) -> Result<Option<Self::Stats>> {
        Ok(None)
    }

    /// Turns the sums of a pass into a model, or asks for another pass.
    fn finish(&self, stats: &Self::Stats) -> Result<Step<Self::Stats, Self::Model>>;
}
