//! Learners, statistics and models behind boxes, so that the registry can hold them all in one table. The boxes are
//! learners, statistics and models themselves: one driver serves both.

use std::any::Any;
use std::sync::Arc;

use super::{
    Additive, Classifier, Conclusion, Decision, Evidence, Generative, Inference, Learner, LinearLogOdds, Look, Neighbours, PassInfo, Paths,
    Procedure, RowLimits, Scale, Scores, Step, TableNeeds,
};
use crate::card::Card;
use crate::codec::{Codec, Encode};
use crate::data::{Features, Layout, Rows};
use crate::error::{Error, Result};
use crate::notice::Notice;
use crate::record::Record;
use crate::stats::{Statistics, TableStats};

/// Statistics of some learner.
pub trait AnyStats: Send + Sync {
    /// See [`Statistics::observe`].
    fn observe_rows(&mut self, rows: Rows<'_>) -> Result<()>;
    /// See [`Statistics::row_state`].
    fn kept_by_row(&self) -> usize;
    /// See [`Statistics::observe_kept`].
    fn observe_kept_rows(&mut self, rows: Rows<'_>, kept: &mut [f64]) -> Result<()>;
    /// See [`Statistics::merge`]; the other one must be of the same learner.
    fn merge_any(&mut self, other: &dyn AnyStats) -> Result<()>;
    /// See [`Statistics::weight`].
    fn total_weight(&self) -> f64;
    /// See [`Statistics::skips`].
    fn leaves_out(&self, partition: usize, partitions: usize) -> bool;
    /// See [`Statistics::in_order`].
    fn takes_rows_in_order(&self) -> bool;
    /// See [`Statistics::adds_exactly`].
    fn is_exact(&self) -> bool;
    /// See [`Encode::encode`].
    fn encode_any(&mut self, codec: &mut Codec<'_>) -> Result<()>;
    /// See [`Statistics::purpose`].
    fn is_for(&self) -> String;
    /// See [`Statistics::discloses`].
    fn tells(&self) -> Option<String>;
    /// See [`Statistics::bytes`].
    fn size(&self) -> usize;
    /// A copy.
    fn boxed(&self) -> Box<dyn AnyStats>;
    /// The concrete statistics.
    fn as_any(&self) -> &dyn Any;
}

impl<S> AnyStats for S
where
    S: for<'a> Statistics<Input<'a> = Rows<'a>> + 'static,
{
    fn observe_rows(&mut self, rows: Rows<'_>) -> Result<()> {
        self.observe(rows)
    }

    fn kept_by_row(&self) -> usize {
        self.row_state()
    }

    fn observe_kept_rows(&mut self, rows: Rows<'_>, kept: &mut [f64]) -> Result<()> {
        self.observe_kept(rows, kept)
    }

    fn merge_any(&mut self, other: &dyn AnyStats) -> Result<()> {
        let other = other.as_any().downcast_ref::<S>().ok_or_else(|| Error::internal("statistics of different learners were merged"))?;
        self.merge(other)
    }

    fn total_weight(&self) -> f64 {
        self.weight()
    }

    fn leaves_out(&self, partition: usize, partitions: usize) -> bool {
        self.skips(partition, partitions)
    }

    fn takes_rows_in_order(&self) -> bool {
        self.in_order()
    }

    fn is_exact(&self) -> bool {
        self.adds_exactly()
    }

    fn encode_any(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        self.encode(codec)
    }

    fn is_for(&self) -> String {
        self.purpose()
    }

    fn tells(&self) -> Option<String> {
        self.discloses()
    }

    fn size(&self) -> usize {
        self.bytes()
    }

    fn boxed(&self) -> Box<dyn AnyStats> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Statistics of some learner, in a box.
pub struct BoxedStats(Box<dyn AnyStats>);

impl BoxedStats {
    /// Hides the type of the statistics.
    pub fn new(stats: impl AnyStats + 'static) -> Self {
        BoxedStats(Box::new(stats))
    }

    /// The concrete statistics, when they are of type `S`.
    pub fn get<S: 'static>(&self) -> Option<&S> {
        self.0.as_any().downcast_ref()
    }

    /// The concrete statistics of the procedure that asks for them.
    fn of<S: 'static>(&self) -> Result<&S> {
        self.get().ok_or_else(|| Error::internal("a procedure was given the statistics of another"))
    }
}

impl Clone for BoxedStats {
    fn clone(&self) -> Self {
        BoxedStats(self.0.boxed())
    }
}

impl Encode for BoxedStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        self.0.encode_any(codec)
    }
}

impl Statistics for BoxedStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.0.observe_rows(rows)
    }

    fn row_state(&self) -> usize {
        self.0.kept_by_row()
    }

    fn observe_kept(&mut self, rows: Rows<'_>, kept: &mut [f64]) -> Result<()> {
        self.0.observe_kept_rows(rows, kept)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.0.merge_any(&*other.0)
    }

    fn weight(&self) -> f64 {
        self.0.total_weight()
    }

    fn skips(&self, partition: usize, partitions: usize) -> bool {
        self.0.leaves_out(partition, partitions)
    }

    fn in_order(&self) -> bool {
        self.0.takes_rows_in_order()
    }

    fn adds_exactly(&self) -> bool {
        self.0.is_exact()
    }

    fn purpose(&self) -> String {
        self.0.is_for()
    }

    fn discloses(&self) -> Option<String> {
        self.0.tells()
    }

    fn bytes(&self) -> usize {
        self.0.size()
    }
}

/// A procedure whose types are hidden: a learner, or an analysis that ends in a card.
pub trait AnyProcedure: Send + Sync {
    /// See [`Procedure::needs`].
    fn needs_any(&self) -> Result<TableNeeds>;
    /// See [`Procedure::begin`].
    fn begin_any(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<BoxedStats>;
    /// See [`Procedure::finish`].
    fn conclude_any(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Conclusion>>;
    /// See [`Procedure::most_passes`].
    fn most_passes_any(&self) -> usize;
    /// See [`Procedure::searches`].
    fn searches_any(&self) -> bool;
    /// See [`Procedure::looks`].
    fn looks_any(&self, stats: &BoxedStats) -> Result<Vec<Look>>;
    /// See [`Procedure::write_point`].
    fn write_point_any(&self, empty: &BoxedStats, point: &mut Record) -> Result<()>;
    /// See [`Procedure::at_point`].
    fn at_point_any(&self, layout: &Arc<Layout>, point: &Record) -> Result<BoxedStats>;
}

impl<P> AnyProcedure for P
where
    P: Procedure,
    P::Stats: 'static,
    P::Output: Into<Conclusion>,
{
    fn needs_any(&self) -> Result<TableNeeds> {
        Procedure::needs(self)
    }

    fn begin_any(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<BoxedStats> {
        Ok(BoxedStats::new(Procedure::begin(self, layout, pass)?))
    }

    fn conclude_any(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Conclusion>> {
        Ok(match Procedure::finish(self, stats.of::<P::Stats>()?)? {
            Step::Again(next) => Step::Again(BoxedStats::new(next)),
            Step::Done(output) => Step::Done(output.into()),
        })
    }

    fn most_passes_any(&self) -> usize {
        Procedure::most_passes(self)
    }

    fn searches_any(&self) -> bool {
        Procedure::searches(self)
    }

    fn looks_any(&self, stats: &BoxedStats) -> Result<Vec<Look>> {
        Procedure::looks(self, stats.of::<P::Stats>()?)
    }

    fn write_point_any(&self, empty: &BoxedStats, point: &mut Record) -> Result<()> {
        Procedure::write_point(self, empty.of::<P::Stats>()?, point)
    }

    fn at_point_any(&self, layout: &Arc<Layout>, point: &Record) -> Result<BoxedStats> {
        Ok(BoxedStats::new(Procedure::at_point(self, layout, point)?))
    }
}

/// A learner whose types are hidden.
pub trait AnyLearner: AnyProcedure {
    /// See [`Learner::finish`]; a [`TableStats`] is taken as the statistics of a first pass.
    fn finish_any(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Box<dyn Classifier>>>;
}

impl<L> AnyLearner for L
where
    L: Learner,
    L::Stats: 'static,
    L::Model: 'static,
{
    fn finish_any(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Box<dyn Classifier>>> {
        let adopted = match (stats.get::<L::Stats>(), stats.get::<TableStats>()) {
            (None, Some(table)) => self.adopt(table)?,
            _ => None,
        };
        let stats = match &adopted {
            Some(adopted) => adopted,
            None => stats.of::<L::Stats>()?,
        };
        Ok(match Learner::finish(self, stats)? {
            Step::Again(next) => Step::Again(BoxedStats::new(next)),
            Step::Done(model) => Step::Done(Box::new(model)),
        })
    }
}

/// What a learner and an analysis behind a pointer ask of the procedure that they are.
macro_rules! asks_its_procedure {
    () => {
        fn needs(&self) -> Result<TableNeeds> {
            (**self).needs_any()
        }

        fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<BoxedStats> {
            (**self).begin_any(layout, pass)
        }

        fn most_passes(&self) -> usize {
            (**self).most_passes_any()
        }

        fn searches(&self) -> bool {
            (**self).searches_any()
        }

        fn looks(&self, stats: &BoxedStats) -> Result<Vec<Look>> {
            (**self).looks_any(stats)
        }

        fn write_point(&self, empty: &BoxedStats, point: &mut Record) -> Result<()> {
            (**self).write_point_any(empty, point)
        }

        fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<BoxedStats> {
            (**self).at_point_any(layout, point)
        }
    };
}

impl Learner for Box<dyn AnyLearner> {
    type Stats = BoxedStats;
    type Model = Box<dyn Classifier>;

    fn finish(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Box<dyn Classifier>>> {
        (**self).finish_any(stats)
    }

    asks_its_procedure!();
}

impl Procedure for Box<dyn AnyProcedure> {
    type Stats = BoxedStats;
    type Output = Conclusion;

    fn finish(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Conclusion>> {
        (**self).conclude_any(stats)
    }

    asks_its_procedure!();
}

/// A model behind a pointer answers as the model.
macro_rules! answers_as_its_model {
    ($pointer:ty $(, $life:lifetime)?) => {
        impl$(<$life>)? Classifier for $pointer {
        fn layout(&self) -> &Layout {
            (**self).layout()
        }

        fn tag(&self) -> &'static str {
            (**self).tag()
        }

        fn scale(&self) -> Scale {
            (**self).scale()
        }

        fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
            (**self).score(rows, out)
        }

        fn score_relative(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
            (**self).score_relative(rows, out)
        }

        fn contributions(&self) -> Result<&dyn Additive> {
            (**self).contributions()
        }

        fn linear(&self) -> Option<LinearLogOdds> {
            (**self).linear()
        }

        fn generative(&self) -> Option<&dyn Generative> {
            (**self).generative()
        }

        fn shows_every_cell(&self) -> bool {
            (**self).shows_every_cell()
        }

        fn decision(&self) -> Decision {
            (**self).decision()
        }

        fn inference(&self) -> Option<&dyn Inference> {
            (**self).inference()
        }

        fn limits(&self) -> Option<&dyn RowLimits> {
            (**self).limits()
        }

        fn evidence(&self) -> Option<Evidence> {
            (**self).evidence()
        }

        fn neighbours(&self) -> Option<&dyn Neighbours> {
            (**self).neighbours()
        }

        fn paths(&self) -> Option<&dyn Paths> {
            (**self).paths()
        }

        fn free_parameters(&self) -> usize {
            (**self).free_parameters()
        }

        fn card(&self) -> Card {
            (**self).card()
        }

        fn notices(&self) -> Vec<Notice> {
            (**self).notices()
        }

        fn record(&self) -> Result<Record> {
            (**self).record()
        }        }
    };
}

answers_as_its_model!(Box<dyn Classifier>);
answers_as_its_model!(&'a dyn Classifier, 'a);
answers_as_its_model!(Arc<dyn Classifier>);
