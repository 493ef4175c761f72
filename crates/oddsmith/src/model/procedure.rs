//! What is concluded from passes over rows: a classifier, or a card.

use std::sync::Arc;

use super::learner::MOST_PASSES;
use super::{Learner, PassInfo, Step};
use crate::card::Card;
use crate::data::{Layout, Rows};
use crate::error::Result;
use crate::stats::Statistics;

/// Something that is concluded from mergeable sums of rows. One driver serves all of them: on one thread, on every core, over a file larger
/// than memory.
pub trait Procedure: Send + Sync {
    /// What is summed up.
    type Stats: for<'a> Statistics<Input<'a> = Rows<'a>>;
    /// What is concluded.
    type Output;

    /// Checks the options against the layout and gives the empty summary of the first pass.
    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<Self::Stats>;

    /// Concludes from the sums of a pass, or asks for another.
    fn finish(&self, stats: &Self::Stats) -> Result<Step<Self::Stats, Self::Output>>;

    /// Passes after which a procedure that asks for more is taken to be stuck; see [`Learner::most_passes`].
    fn most_passes(&self) -> usize {
        MOST_PASSES
    }
}

/// A learner is a procedure that ends in a classifier.
impl<L: Learner> Procedure for L {
    type Stats = L::Stats;
    type Output = L::Model;

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<L::Stats> {
        Learner::begin(self, layout, pass)
    }

    fn finish(&self, stats: &L::Stats) -> Result<Step<L::Stats, L::Model>> {
        Learner::finish(self, stats)
    }

    fn most_passes(&self) -> usize {
        Learner::most_passes(self)
    }
}

/// A procedure that ends in a card: tables, strata, information.
pub trait Analysis: Procedure<Output = Card> {}

impl<P: Procedure<Output = Card>> Analysis for P {}
