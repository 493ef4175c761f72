//! What is done to rows: sums of passes, and what they lead to.

use std::sync::Arc;

use super::learner::MOST_PASSES;
use super::{Classifier, Learner, Look, PassInfo, Step, TableNeeds};
use crate::card::Card;
use crate::data::{Layout, Rows};
use crate::error::Result;
use crate::record::Record;
use crate::stats::Statistics;

/// Something that is concluded from mergeable sums of rows. One driver serves all of them: on one thread, on every core, over a file larger
/// than memory, between places that keep their rows.
pub trait Procedure: Send + Sync {
    /// What is summed up.
    type Stats: for<'a> Statistics<Input<'a> = Rows<'a>>;
    /// What is concluded.
    type Output;

    /// What it wants of a table before it is read; an error when options contradict each other.
    fn needs(&self) -> Result<TableNeeds> {
        Ok(TableNeeds::default())
    }

    /// Checks the options against the layout and gives the empty summary of the first pass.
    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<Self::Stats>;

    /// Concludes from the sums of a pass, or asks for another.
    fn finish(&self, stats: &Self::Stats) -> Result<Step<Self::Stats, Self::Output>>;

    /// Writes down the point at which a pass is asked for; see [`Learner::write_point`].
    fn write_point(&self, _empty: &Self::Stats, _point: &mut Record) -> Result<()> {
        Ok(())
    }

    /// The empty summary of the pass that is asked for at a point; see [`Learner::at_point`].
    fn at_point(&self, layout: &Arc<Layout>, _point: &Record) -> Result<Self::Stats> {
        self.begin(layout, &PassInfo::default())
    }

    /// Passes after which a procedure that asks for more is taken to be stuck; see [`Learner::most_passes`].
    fn most_passes(&self) -> usize {
        MOST_PASSES
    }

    /// Whether there are steps to tell; see [`Learner::searches`].
    fn searches(&self) -> bool {
        false
    }

    /// What a pass saw; see [`Learner::looks`].
    fn looks(&self, _stats: &Self::Stats) -> Result<Vec<Look>> {
        Ok(Vec::new())
    }
}

/// A learner is a procedure that ends in a classifier.
impl<L: Learner> Procedure for L {
    type Stats = L::Stats;
    type Output = L::Model;

    fn needs(&self) -> Result<TableNeeds> {
        Learner::needs(self)
    }

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<L::Stats> {
        Learner::begin(self, layout, pass)
    }

    fn finish(&self, stats: &L::Stats) -> Result<Step<L::Stats, L::Model>> {
        Learner::finish(self, stats)
    }

    fn write_point(&self, empty: &L::Stats, point: &mut Record) -> Result<()> {
        Learner::write_point(self, empty, point)
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<L::Stats> {
        Learner::at_point(self, layout, point)
    }

    fn most_passes(&self) -> usize {
        Learner::most_passes(self)
    }

    fn searches(&self) -> bool {
        Learner::searches(self)
    }

    fn looks(&self, stats: &L::Stats) -> Result<Vec<Look>> {
        Learner::looks(self, stats)
    }
}

/// A procedure that ends in a card: tables, strata, information.
pub trait Analysis: Procedure<Output = Card> {}

impl<P: Procedure<Output = Card>> Analysis for P {}

/// What a procedure ends in.
pub enum Conclusion {
    /// A model.
    Model(Box<dyn Classifier>),
    /// An account of the rows.
    Card(Box<Card>),
}

impl<M: Classifier + 'static> From<M> for Conclusion {
    fn from(model: M) -> Self {
        Conclusion::Model(Box::new(model))
    }
}

impl From<Card> for Conclusion {
    fn from(card: Card) -> Self {
        Conclusion::Card(Box::new(card))
    }
}
