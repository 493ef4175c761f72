//! The models of an average while they are fitted, all in the same passes.

use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{ColumnPick, Features, Layout, Rows};
use crate::error::{Error, Result};
use crate::model::{AnyLearner, BoxedStats, Classifier, PassInfo, Predictions, Predictor, Scores, Step};
use crate::num::log_sum_exp;
use crate::record::Record;
use crate::stats::Statistics;

/// Version of what is stored of a point.
const VERSION: u32 = 1;

/// A model that is under way, fitted, or fitted by whoever asked for the pass.
#[derive(Clone)]
enum MemberFit {
    Fitting(BoxedStats),
    Fitted(Arc<dyn Classifier>),
    Elsewhere,
}

/// All models of an average.
#[derive(Clone)]
pub(super) struct MemberFits(Vec<MemberFit>);

impl MemberFits {
    /// The first pass of all of them.
    pub(super) fn begin(learners: &[Box<dyn AnyLearner>], layout: &Arc<Layout>) -> Result<Self> {
        // All fits share every pass, so none of them may leave partitions out.
        let each = |learner: &dyn AnyLearner| Ok(MemberFit::Fitting(learner.begin_any(layout, &PassInfo::default())?));
        learners.iter().map(|learner| each(&**learner)).collect::<Result<_>>().map(MemberFits)
    }

    /// The next pass of those that ask for one, or all models.
    pub(super) fn finish(&self, learners: &[Box<dyn AnyLearner>]) -> Result<Step<Self, Vec<Arc<dyn Classifier>>>> {
        let mut next = Vec::new();
        for (member, learner) in self.0.iter().zip(learners) {
            next.push(match member {
                MemberFit::Fitted(model) => MemberFit::Fitted(Arc::clone(model)),
                MemberFit::Elsewhere => return Err(Error::internal("a fit is finished where its earlier passes are not known")),
                MemberFit::Fitting(stats) => match (**learner).finish_any(stats)? {
                    Step::Again(stats) => MemberFit::Fitting(stats),
                    Step::Done(model) => MemberFit::Fitted(Arc::from(model)),
                },
            });
        }
        let done: Option<Vec<Arc<dyn Classifier>>> =
            next.iter().map(|member| if let MemberFit::Fitted(model) = member { Some(Arc::clone(model)) } else { None }).collect();
        Ok(done.map_or_else(|| Step::Again(MemberFits(next)), Step::Done))
    }

    fn fitting(&self) -> impl Iterator<Item = &BoxedStats> {
        self.0.iter().filter_map(|member| if let MemberFit::Fitting(stats) = member { Some(stats) } else { None })
    }

    /// Adds a batch.
    pub(super) fn observe(&mut self, rows: &Rows<'_>) -> Result<()> {
        for member in &mut self.0 {
            if let MemberFit::Fitting(stats) = member {
                stats.observe(*rows)?;
            }
        }
        Ok(())
    }

    /// Adds other sums of the same pass.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        for pair in self.0.iter_mut().zip(&other.0) {
            if let (MemberFit::Fitting(mine), MemberFit::Fitting(theirs)) = pair {
                mine.merge(theirs)?;
            }
        }
        Ok(())
    }

    /// Whether one of them learns from one row after the other.
    pub(super) fn in_order(&self) -> bool {
        self.fitting().any(Statistics::in_order)
    }

    /// What the pass is for.
    pub(super) fn purpose(&self) -> String {
        self.fitting().map(Statistics::purpose).collect::<Vec<_>>().join("; ")
    }

    /// What the sums tell of single rows.
    pub(super) fn discloses(&self) -> Option<String> {
        let told: Vec<String> = self.fitting().filter_map(Statistics::discloses).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.fitting().map(Statistics::bytes).sum()
    }

    /// Writes the points of all fits that are under way.
    pub(super) fn write_point(&self, learners: &[Box<dyn AnyLearner>], point: &mut Record) -> Result<()> {
        for (m, (member, learner)) in self.0.iter().zip(learners).enumerate() {
            if let MemberFit::Fitting(stats) = member {
                let mut inner = Record::new(super::NAME, VERSION, &serde_json::json!({}))?;
                (**learner).write_point_any(stats, &mut inner)?;
                let (key, prefix) = nest("fit", m);
                point.put_nested(&key, &prefix, inner)?;
            }
        }
        Ok(())
    }

    /// The pass of a point.
    pub(super) fn at_point(learners: &[Box<dyn AnyLearner>], layout: &Arc<Layout>, point: &Record) -> Result<Self> {
        let each = |m: usize, learner: &dyn AnyLearner| {
            let (key, prefix) = nest("fit", m);
            if point.head.get(&key).is_none() {
                return Ok(MemberFit::Elsewhere);
            }
            Ok(MemberFit::Fitting(learner.at_point_any(layout, &point.nested(&key, &prefix)?)?))
        };
        learners.iter().enumerate().map(|(m, learner)| each(m, &**learner)).collect::<Result<_>>().map(MemberFits)
    }
}

impl Encode for MemberFits {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        for (m, member) in self.0.iter_mut().enumerate() {
            if let MemberFit::Fitting(stats) = member {
                codec.part(&format!("model{m}"), stats)?;
            }
        }
        Ok(())
    }
}

/// The key and the prefix of what is stored of model `m`.
pub(super) fn nest(what: &str, m: usize) -> (String, String) {
    (format!("{what} {m}"), format!("{what}{m}:"))
}

/// Fitted models over the columns of one table.
#[derive(Clone)]
pub(super) struct Members {
    models: Vec<Arc<dyn Classifier>>,
    picks: Vec<ColumnPick>,
}

impl Members {
    /// Models whose columns are among those of a layout.
    pub(super) fn new(models: Vec<Arc<dyn Classifier>>, layout: &Layout) -> Result<Self> {
        let mut picks = Vec::new();
        for model in &models {
            Predictor::new(&**model).check_for("be averaged")?;
            if model.layout().classes() != layout.classes() {
                return Err(Error::internal("models of an average have other classes"));
            }
            let columns = model.layout().names().iter().map(|name| layout.index(name)).collect::<Result<Vec<_>>>()?;
            picks.push(ColumnPick::new(layout, &columns));
        }
        Ok(Members { models, picks })
    }

    /// The models.
    pub(super) fn models(&self) -> &[Arc<dyn Classifier>] {
        &self.models
    }

    /// ln p_m(k|x) of every model, one matrix of rows and classes each; NaN where a model says nothing.
    pub(super) fn log_probabilities(&self, rows: &Features<'_>) -> Result<Vec<Scores>> {
        let mut all = Vec::new();
        let mut predictions = Predictions::new();
        for (model, pick) in self.models.iter().zip(&self.picks) {
            // A copy is empty but for the places of columns.
            pick.clone().with(rows, rows.rows(), |own| Predictor::new(&**model).predict(&own, &mut predictions))?;
            let mut scores = predictions.scores().clone();
            let classes = scores.classes();
            for row in scores.parts_mut().0.chunks_exact_mut(classes.max(1)) {
                let total = log_sum_exp(row.iter());
                row.iter_mut().for_each(|score| *score -= total);
            }
            all.push(scores);
        }
        Ok(all)
    }
}
