//! Learners, statistics and models behind boxes, so that the registry can hold them all in one table. The boxes are
//! learners, statistics and models themselves: one driver serves both.

use std::any::Any;
use std::sync::Arc;

use super::{Additive, Classifier, Decision, Generative, Inference, Learner, LinearLogOdds, PassInfo, Scale, Scores, Step, TableNeeds};
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
    /// See [`Statistics::merge`]; the other one must be of the same learner.
    fn merge_any(&mut self, other: &dyn AnyStats) -> Result<()>;
    /// See [`Statistics::weight`].
    fn total_weight(&self) -> f64;
    /// See [`Statistics::skips`].
    fn leaves_out(&self, partition: usize, partitions: usize) -> bool;
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

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.0.merge_any(&*other.0)
    }

    fn weight(&self) -> f64 {
        self.0.total_weight()
    }

    fn skips(&self, partition: usize, partitions: usize) -> bool {
        self.0.leaves_out(partition, partitions)
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

/// A learner whose types are hidden.
pub trait AnyLearner: Send + Sync {
    /// See [`Learner::needs`].
    fn needs_any(&self) -> Result<TableNeeds>;
    /// See [`Learner::begin`].
    fn begin_any(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<BoxedStats>;
    /// See [`Learner::finish`]; a [`TableStats`] is taken as the statistics of a first pass.
    fn finish_any(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Box<dyn Classifier>>>;
    /// See [`Learner::most_passes`].
    fn most_passes_any(&self) -> usize;
    /// See [`Learner::write_point`].
    fn write_point_any(&self, empty: &BoxedStats, point: &mut Record) -> Result<()>;
    /// See [`Learner::at_point`].
    fn at_point_any(&self, layout: &Arc<Layout>, point: &Record) -> Result<BoxedStats>;
}

impl<L> AnyLearner for L
where
    L: Learner,
    L::Stats: 'static,
    L::Model: 'static,
{
    fn needs_any(&self) -> Result<TableNeeds> {
        self.needs()
    }

    fn begin_any(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<BoxedStats> {
        Ok(BoxedStats::new(self.begin(layout, pass)?))
    }

    fn write_point_any(&self, empty: &BoxedStats, point: &mut Record) -> Result<()> {
        let empty = empty.get::<L::Stats>().ok_or_else(|| Error::internal("a learner was given the statistics of another"))?;
        self.write_point(empty, point)
    }

    fn at_point_any(&self, layout: &Arc<Layout>, point: &Record) -> Result<BoxedStats> {
        Ok(BoxedStats::new(self.at_point(layout, point)?))
    }

    fn most_passes_any(&self) -> usize {
        self.most_passes()
    }

    fn finish_any(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Box<dyn Classifier>>> {
        let adopted = match (stats.get::<L::Stats>(), stats.get::<TableStats>()) {
            (None, Some(table)) => self.adopt(table)?,
            _ => None,
        };
        let stats = stats.get::<L::Stats>().or(adopted.as_ref());
        let stats = stats.ok_or_else(|| Error::internal("a learner was given the statistics of another"))?;
        Ok(match self.finish(stats)? {
            Step::Again(next) => Step::Again(BoxedStats::new(next)),
            Step::Done(model) => Step::Done(Box::new(model)),
        })
    }
}

impl Learner for Box<dyn AnyLearner> {
    type Stats = BoxedStats;
    type Model = Box<dyn Classifier>;

    fn needs(&self) -> Result<TableNeeds> {
        (**self).needs_any()
    }

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<BoxedStats> {
        (**self).begin_any(layout, pass)
    }

    fn finish(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Box<dyn Classifier>>> {
        (**self).finish_any(stats)
    }

    fn most_passes(&self) -> usize {
        (**self).most_passes_any()
    }

    fn write_point(&self, empty: &BoxedStats, point: &mut Record) -> Result<()> {
        (**self).write_point_any(empty, point)
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<BoxedStats> {
        (**self).at_point_any(layout, point)
    }
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
