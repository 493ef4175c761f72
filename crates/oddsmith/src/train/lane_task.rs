//! What a worker is told of a pass, and the sums that it answers with.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::column_source::ColumnSource;
use super::counted::Counted;
use super::driver::sum_of;
use super::evaluator::{Evaluator, score_scale};
use super::hashed_fold::{HashedFold, HashedFoldSource};
use super::merged::{MergeTree, Merged};
use super::question::Question;
use super::row_states::RowStates;
use crate::codec::{Codec, Encode, thin_out};
use crate::control::Control;
use crate::data::{Layout, Source, Weighting};
use crate::error::Result;
use crate::eval::{EvalSettings, Evaluation};
use crate::model::{BoxedStats, Classifier};
use crate::persist::{self, FileKind};
use crate::record::{Record, fault};
use crate::stats::{Statistics, TableStats};

/// Tags and versions of what travels.
pub(super) const TASK: (&str, u32) = ("lanes", 1);
const LANE: (&str, u32) = ("lane", 1);

/// A model in front of a statistic over judged rows, which own each other.
pub(super) type Judging = Evaluator<Arc<dyn Classifier>, Evaluation>;

/// A model in front of an empty evaluation.
pub(super) fn judging(model: &[u8], settings: EvalSettings) -> Result<Judging> {
    let model: Arc<dyn Classifier> = Arc::from(persist::load_model(model)?);
    let classes = model.layout().classes().len();
    Ok(Evaluator::new(model, Evaluation::new(classes, score_scale(classes), settings)))
}

/// What is done to the rows, and to which of them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskHead {
    pub(super) kind: TaskKind,
    pub(super) fold: Option<HashedFold>,
}

/// What the content of a task is.
#[derive(Serialize, Deserialize)]
pub(super) enum TaskKind {
    Study,
    Gather,
    Judge { weighting: Weighting, margins: bool },
}

/// What a worker sums up.
pub struct LaneTask {
    layout: Arc<Layout>,
    empty: BoxedStats,
    fold: Option<HashedFold>,
    /// The columns of a model that is judged, where it is not all of them.
    model: Option<Arc<dyn Classifier>>,
}

impl LaneTask {
    /// What [`super::Relay::ask`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<LaneTask> {
        let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
        record.expect(TASK.0, TASK.1)?;
        let TaskHead { kind, fold } = record.part("task")?;
        let content = record.bytes("content")?;
        match kind {
            TaskKind::Study => {
                let question = Question::from_bytes(content)?;
                let layout = question.layout.as_ref().ok_or_else(|| fault("it has no columns"))?;
                let layout = question.study.keyed(layout)?;
                let empty = question.empty()?.ok_or_else(|| fault("it asks for no sums"))?;
                Ok(LaneTask { layout, empty, fold, model: None })
            }
            TaskKind::Gather => {
                let empty = TableStats::of_shape(&persist::from_bytes(content, Some(FileKind::Statistics))?.1)?;
                Ok(LaneTask { layout: Arc::clone(empty.layout()), empty: BoxedStats::new(empty), fold, model: None })
            }
            TaskKind::Judge { weighting, margins } => {
                let settings = EvalSettings { weighting, margins, ..EvalSettings::default() };
                let empty = judging(content, settings)?;
                let (layout, model) = (Arc::new(Layout::read(&record, "layout")?), Some(Arc::clone(empty.model())));
                Ok(LaneTask { layout, empty: BoxedStats::new(empty), fold, model })
            }
        }
    }

    /// What rows must be encoded against.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The sums of a group of lanes, each of which has some partitions, as [`super::Relay::take`] takes them: of one lane where the level is 0.
    pub fn sum(&self, source: &dyn Source, level: usize, lanes: &[Vec<usize>], control: &Control) -> Result<Vec<u8>> {
        let folded = self.fold.map(|fold| HashedFoldSource::new(source, &self.layout, fold));
        let source = folded.as_ref().map_or(source, |folded| folded as &dyn Source);
        let of_model = match &self.model {
            Some(model) if *model.layout() != *self.layout => Some(ColumnSource::for_model(source, &**model)?),
            _ => None,
        };
        let source = of_model.as_ref().map_or(source, |columns| columns as &dyn Source);
        let empty = Counted::new(self.empty.clone());
        let mut merged = Merged::new(MergeTree::of_group(lanes.len(), level));
        for (lane, partitions) in lanes.iter().enumerate() {
            merged.take(lane, Ok(sum_of(source, &empty, &RowStates::default(), partitions, control)?));
        }
        write_sums(merged.finish(&empty)?)
    }

    /// Nothing yet of a group of sums that others summed up.
    pub fn merger(&self) -> LaneMerger {
        LaneMerger { empty: self.empty.clone(), total: None }
    }
}

/// The sums of several groups of lanes on their way to one, in the order in which they are given.
pub struct LaneMerger {
    empty: BoxedStats,
    total: Option<Counted<BoxedStats>>,
}

impl LaneMerger {
    /// Adds the sums of the next group.
    pub fn take(&mut self, bytes: &[u8]) -> Result<()> {
        let sums = read_sums(&self.empty, bytes)?;
        match &mut self.total {
            Some(total) => total.merge(&sums),
            none => {
                *none = Some(sums);
                Ok(())
            }
        }
    }

    /// The sums of all of them.
    pub fn finish(self) -> Result<Vec<u8>> {
        write_sums(self.total.unwrap_or_else(|| Counted::new(self.empty)))
    }
}

/// Sums as workers send them: arrays of zeros, such as those of words that a lane does not have, are short.
fn write_sums(mut sums: Counted<BoxedStats>) -> Result<Vec<u8>> {
    let mut record = Record::new(LANE.0, LANE.1, &serde_json::json!({}))?;
    sums.encode(&mut Codec::out(&mut record, "").among_workers())?;
    drop(sums);
    thin_out(&mut record);
    persist::to_bytes(&record, FileKind::Statistics)
}

/// The sums that a worker sent, which must be those of the same pass.
pub(super) fn read_sums(empty: &BoxedStats, bytes: &[u8]) -> Result<Counted<BoxedStats>> {
    let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
    record.expect(LANE.0, LANE.1)?;
    let mut sums = Counted::new(empty.clone());
    sums.encode(&mut Codec::from(&record, "").among_workers())?;
    Ok(sums)
}
