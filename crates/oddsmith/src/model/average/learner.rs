//! How an average is learned: all models side by side, then their weights.

use std::fmt;
use std::sync::Arc;

use super::entries::DEFAULT_MODELS;
use super::members::{MemberFits, Members, nest};
use super::model::{AverageModel, Weighing};
use super::split::Split;
use super::stacking::{StackSearch, StackSums};
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows, SKIP};
use crate::error::{Error, ErrorKind, Result};
use crate::info::{Candidate, ModelPosterior};
use crate::model::{AnyLearner, Classifier, Evidence, Learner, Params, PassInfo, Step, TableNeeds, Takes, Text, written};
use crate::record::{Record, fault};
use crate::stats::Statistics;

/// Columns that all kinds of models take.
pub(super) const TAKES: Takes = Takes { text: Text::No, ..Takes::ALL };

/// How models are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeighBy {
    /// By evidence where all models have one of the same data, else by stacking.
    Auto,
    /// By their posterior probabilities.
    Evidence,
    /// By how well their mixture predicts rows that they have not seen.
    Stacking,
    /// All the same.
    Equal,
}

/// The models of an average and how they are weighed.
pub struct Average {
    names: Vec<String>,
    learners: Vec<Box<dyn AnyLearner>>,
    weigh_by: WeighBy,
    /// Number columns that stay numbers though they hold only 0 and 1; `None` where all of them do.
    flags: Option<Vec<String>>,
}

impl fmt::Debug for Average {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Average").field("names", &self.names).field("weigh_by", &self.weigh_by).finish_non_exhaustive()
    }
}

impl Average {
    /// The average that was asked for.
    pub fn from_params(params: &Params) -> Result<Self> {
        let list = params.text("models").unwrap_or(DEFAULT_MODELS);
        let (mut names, mut learners): (Vec<String>, Vec<Box<dyn AnyLearner>>) = (Vec::new(), Vec::new());
        let (mut flags, mut all_take_booleans) = (None, true);
        for (entry, options) in written::parse_list(list)? {
            let name = written::named(entry, &options);
            if entry.name == super::NAME || names.contains(&name) {
                return Err(Error::option("models", name, "other models than averages, every one once"));
            }
            let learner = (entry.build)(&options)?;
            let needs = (*learner).needs_any()?;
            if needs.formula.is_some() || !needs.keys.is_empty() || needs.response.is_some() || !needs.reserved.is_empty() {
                return Err(Error::option("models", name, "models of all columns, without keys, offsets or responses in columns"));
            }
            // One model that wants booleans makes them of 0 and 1, if the others can read them.
            flags = flags.or(needs.flags);
            all_take_booleans &= entry.takes.booleans;
            names.push(name);
            learners.push(learner);
        }
        if names.is_empty() {
            return Err(Error::option("models", list, "one model at least"));
        }
        let weigh_by = match params.text("weigh-by") {
            Some("evidence") => WeighBy::Evidence,
            Some("stacking") => WeighBy::Stacking,
            Some("equal") => WeighBy::Equal,
            _ => WeighBy::Auto,
        };
        Ok(Average { names, learners, weigh_by, flags: flags.filter(|_| all_take_booleans) })
    }

    /// The posterior of models that all have evidence of the same data; else why not.
    fn posterior(&self, models: &[Arc<dyn Classifier>]) -> std::result::Result<(ModelPosterior, Evidence), String> {
        let mut evidences: Vec<Evidence> = Vec::new();
        for (model, name) in models.iter().zip(&self.names) {
            let evidence = model.evidence().ok_or_else(|| format!("{name} has no evidence"))?;
            if evidences.first().is_some_and(|first| first.of != evidence.of) {
                return Err(format!("{} and {name} have evidence of different data", self.names[0]));
            }
            evidences.push(evidence);
        }
        let candidate = |(name, evidence): (&String, &Evidence)| Candidate { name: name.clone(), prior: 1.0, log_evidence: evidence.ln };
        let posterior =
            ModelPosterior::new(self.names.iter().zip(&evidences).map(candidate).collect()).map_err(|error| error.to_string())?;
        let first = evidences[0];
        let mixed = Evidence { ln: posterior.log_evidence(), is_laplace: evidences.iter().any(|each| each.is_laplace), ..first };
        Ok((posterior, mixed))
    }

    /// What follows when all models of all rows are there.
    fn weighed(&self, layout: &Arc<Layout>, models: Vec<Arc<dyn Classifier>>) -> Result<Step<AverageStats, AverageModel>> {
        let count = models.len();
        let members = Members::new(models, layout)?;
        let alone = count == 1 || self.weigh_by == WeighBy::Equal;
        let posterior = self.posterior(members.models());
        let done = |weighing, weights: Vec<f64>| AverageModel::new(layout, &self.names, members.clone(), weights, weighing).map(Step::Done);
        match (self.weigh_by, posterior) {
            _ if alone => done(Weighing::Equal, vec![1.0 / count as f64; count]),
            (WeighBy::Auto | WeighBy::Evidence, Ok((posterior, evidence))) => {
                let log_evidences = posterior.candidates().iter().map(|candidate| candidate.log_evidence).collect();
                done(Weighing::Evidence { evidence, log_evidences }, posterior.posterior().to_vec())
            }
            (WeighBy::Evidence, Err(reason)) => Err(ErrorKind::Unsupported {
                model: super::NAME.into(),
                what: format!("weigh by evidence: {reason}"),
                advice: crate::error::Advice::set("weigh-by", "stacking"),
            }
            .into()),
            _ => {
                let part = MemberFits::begin(&self.learners, layout)?;
                Ok(Step::Again(AverageStats::new(layout, Stage::Part { whole: Some(members), part })))
            }
        }
    }
}

/// The sums of a pass.
#[derive(Clone)]
pub struct AverageStats {
    layout: Arc<Layout>,
    split: Arc<Split>,
    stage: Stage,
    weight: f64,
}

/// What a pass is for. Whoever answers a question knows nothing of earlier stages.
#[derive(Clone)]
enum Stage {
    /// Models of all rows.
    Whole(MemberFits),
    /// Models of three rows in four.
    Part { whole: Option<Members>, part: MemberFits },
    /// Weights over the fourth.
    Weights(Box<Weights>),
}

/// The search for weights.
#[derive(Clone)]
struct Weights {
    whole: Option<Members>,
    part: Members,
    search: StackSearch,
    sums: StackSums,
}

impl AverageStats {
    fn new(layout: &Arc<Layout>, stage: Stage) -> Self {
        AverageStats { layout: Arc::clone(layout), split: Arc::new(Split::new(layout)), stage, weight: 0.0 }
    }
}

impl Encode for AverageStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("weight", &mut self.weight)?;
        match &mut self.stage {
            Stage::Whole(fits) | Stage::Part { part: fits, .. } => fits.encode(codec),
            Stage::Weights(weights) => codec.part("mixture", &mut weights.sums),
        }
    }
}

impl Statistics for AverageStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let counted = rows.counted_labels()?;
        self.weight += (0..counted.len()).filter(|&i| counted[i] != SKIP).map(|i| rows.weights.map_or(1.0, |w| w[i])).sum::<f64>();
        let rows = Rows { labels: &counted, ..rows };
        match &mut self.stage {
            Stage::Whole(fits) => fits.observe(&rows),
            Stage::Part { part, .. } => part.observe(&Rows { labels: &self.split.labels(&rows, false), ..rows }),
            Stage::Weights(weights) => weights.sums.observe(&weights.part, &rows, &self.split.labels(&rows, true)),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight += other.weight;
        match (&mut self.stage, &other.stage) {
            (Stage::Whole(mine), Stage::Whole(theirs)) | (Stage::Part { part: mine, .. }, Stage::Part { part: theirs, .. }) => {
                mine.merge(theirs)
            }
            (Stage::Weights(mine), Stage::Weights(theirs)) => {
                mine.sums.merge(&theirs.sums);
                Ok(())
            }
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn in_order(&self) -> bool {
        match &self.stage {
            Stage::Whole(fits) | Stage::Part { part: fits, .. } => fits.in_order(),
            Stage::Weights(_) => false,
        }
    }

    fn purpose(&self) -> String {
        match &self.stage {
            Stage::Whole(fits) => fits.purpose(),
            Stage::Part { part, .. } => format!("of three rows in four: {}", part.purpose()),
            Stage::Weights(_) => "how well a mixture of models predicts the fourth row".into(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match &self.stage {
            Stage::Whole(fits) | Stage::Part { part: fits, .. } => fits.discloses(),
            Stage::Weights(_) => None,
        }
    }

    fn bytes(&self) -> usize {
        match &self.stage {
            Stage::Whole(fits) | Stage::Part { part: fits, .. } => fits.bytes(),
            Stage::Weights(weights) => size_of_val(&weights.sums),
        }
    }
}

impl Learner for Average {
    type Stats = AverageStats;
    type Model = AverageModel;

    fn needs(&self) -> Result<TableNeeds> {
        Ok(TableNeeds { flags: self.flags.clone(), ..TableNeeds::default() })
    }

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<AverageStats> {
        TAKES.check(super::NAME, layout)?;
        Ok(AverageStats::new(layout, Stage::Whole(MemberFits::begin(&self.learners, layout)?)))
    }

    fn finish(&self, stats: &AverageStats) -> Result<Step<AverageStats, AverageModel>> {
        let layout = &stats.layout;
        let again = |stage| Ok(Step::Again(AverageStats { stage, weight: 0.0, ..stats.clone() }));
        let known =
            |whole: &Option<Members>| whole.clone().ok_or_else(|| Error::internal("weights are finished where the models are not known"));
        match &stats.stage {
            Stage::Whole(fits) => match fits.finish(&self.learners)? {
                Step::Again(next) => again(Stage::Whole(next)),
                Step::Done(models) => self.weighed(layout, models),
            },
            Stage::Part { whole, part } => match part.finish(&self.learners)? {
                Step::Again(next) => again(Stage::Part { whole: whole.clone(), part: next }),
                Step::Done(models) => {
                    let sums = StackSums::new(vec![1.0 / models.len() as f64; models.len()]);
                    let (whole, part) = (Some(known(whole)?), Members::new(models, layout)?);
                    again(Stage::Weights(Box::new(Weights { whole, part, search: StackSearch::new(), sums })))
                }
            },
            Stage::Weights(weights) => {
                let Weights { whole, part, search, sums } = &**weights;
                // Few different rows may all fall on one side of the split; then nothing tells the models apart.
                if sums.rows <= 0.0 {
                    let equal = vec![1.0 / self.names.len() as f64; self.names.len()];
                    return AverageModel::new(layout, &self.names, known(whole)?, equal, Weighing::Equal).map(Step::Done);
                }
                match search.next(sums) {
                    Ok((weights, search)) => {
                        let (whole, part) = (whole.clone(), part.clone());
                        again(Stage::Weights(Box::new(Weights { whole, part, search, sums: StackSums::new(weights) })))
                    }
                    Err(best) => {
                        let (each, mixture) = best.nats_per_row();
                        let weighing = Weighing::Stacking { rows: best.rows, each, mixture };
                        AverageModel::new(layout, &self.names, known(whole)?, best.weights, weighing).map(Step::Done)
                    }
                }
            }
        }
    }

    fn write_point(&self, empty: &AverageStats, point: &mut Record) -> Result<()> {
        let stage: u64 = match &empty.stage {
            Stage::Whole(_) => 0,
            Stage::Part { .. } => 1,
            Stage::Weights(_) => 2,
        };
        point.put_counts("stage", &[stage]);
        match &empty.stage {
            Stage::Whole(fits) | Stage::Part { part: fits, .. } => fits.write_point(&self.learners, point),
            Stage::Weights(weights) => {
                weights.sums.write_point(point);
                for (m, model) in weights.part.models().iter().enumerate() {
                    let (key, prefix) = nest("model", m);
                    point.put_nested(&key, &prefix, model.record()?)?;
                }
                Ok(())
            }
        }
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<AverageStats> {
        if !point.arrays.contains_key("stage") {
            return self.begin(layout, &PassInfo::default());
        }
        let stage = match point.counts_of("stage", 1)?[0] {
            0 => Stage::Whole(MemberFits::at_point(&self.learners, layout, point)?),
            1 => Stage::Part { whole: None, part: MemberFits::at_point(&self.learners, layout, point)? },
            2 => {
                let mut models: Vec<Arc<dyn Classifier>> = Vec::new();
                for m in 0..self.learners.len() {
                    let (key, prefix) = nest("model", m);
                    models.push(Arc::from(super::model::read_member(&point.nested(&key, &prefix)?)?));
                }
                let sums = StackSums::at_point(models.len(), point)?;
                let part = Members::new(models, layout)?;
                Stage::Weights(Box::new(Weights { whole: None, part, search: StackSearch::new(), sums }))
            }
            _ => return Err(fault("`stage` is none that an average has")),
        };
        Ok(AverageStats::new(layout, stage))
    }

    fn most_passes(&self) -> usize {
        self.learners.iter().map(|learner| (**learner).most_passes_any()).max().unwrap_or(0).saturating_mul(2).saturating_add(200)
    }
}
