//! Passes whose lanes are summed up elsewhere: the driver's own cut and its own order of merges, with workers in other processes or on
//! other machines in place of threads. So the bits are those of [`super::conclude`] over the same parts on one machine.
//!
//! Every lane is answered once, under its number. What a worker is told ([`super::LaneTask`]) holds the point of the pass and no earlier sums.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counted::Counted;
use super::driver::Lanes;
use super::hashed_fold::HashedFold;
use super::lane_task::{Judging, TASK, TaskHead, TaskKind, judging, read_sums};
use super::merged::{FAN_IN, MergeTree, Merged};
use super::question::Question;
use super::study::Study;
use crate::data::{Extent, JoinedSource, Layout, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::eval::{EvalSettings, Evaluation};
use crate::model::{AnyProcedure, BoxedStats, Classifier, Conclusion, PassInfo, Scale, Step};
use crate::persist::{self, FileKind};
use crate::record::Record;
use crate::stats::{Parts, Statistics, TableStats};

/// How far the weight of the same rows may differ between passes, by rounding alone.
const ROUNDING: f64 = 1e-9;

/// A table whose parts lie apart.
#[derive(Debug, Clone)]
pub struct SpreadTable {
    /// The columns that the parts agreed upon; keys stand among them.
    pub layout: Layout,
    /// How much there is in every part.
    pub extents: Vec<Extent>,
    /// About how many bytes all of it takes.
    pub bytes: u64,
    /// Whether every part can only be read where it is: each is a lane of its own then.
    pub apart: bool,
}

impl SpreadTable {
    /// A source that reads nothing and answers for the size of the whole.
    fn shape(&self, layout: Layout) -> Result<JoinedSource> {
        JoinedSource::some(Vec::new(), &self.extents, layout, self.bytes)
    }
}

/// What the passes end in.
pub enum RelayEnd {
    /// A model or a card.
    Concluded(Conclusion),
    /// The sums of a table.
    Sums(Box<TableStats>),
    /// A model judged, and how many rows it said nothing about.
    Judged(Box<Evaluation>, u64),
}

/// What is done to the rows.
enum Work {
    Study { study: Box<Study>, procedure: Box<dyn AnyProcedure> },
    Gather,
    Judge { model: Vec<u8>, settings: EvalSettings },
}

/// Passes under way.
pub struct Relay {
    work: Work,
    /// What rows are encoded against: the agreed columns with the keys beside them.
    layout: Arc<Layout>,
    /// The columns as they were agreed upon.
    agreed: Arc<Layout>,
    fold: Option<HashedFold>,
    shape: JoinedSource,
    /// The parts, where each is a lane of its own.
    apart: Option<Vec<Extent>>,
    empty: BoxedStats,
    lanes: Lanes,
    tree: MergeTree,
    merged: Merged<Counted<BoxedStats>>,
    /// Sums that came too early, as they came, with their level, by their first lane: in bytes they are smaller than in memory.
    early: BTreeMap<usize, (usize, Vec<u8>)>,
    taken: Vec<bool>,
    passes: usize,
    /// Rows and weight that the first whole pass saw.
    first: Option<(u64, f64)>,
}

impl Relay {
    /// How many groups of a level are one of the next.
    pub const FAN_IN: usize = FAN_IN;

    /// The passes of a study. A fold leaves rows out.
    pub fn study(study: Study, table: &SpreadTable, fold: Option<HashedFold>) -> Result<Relay> {
        let procedure = study.procedure()?;
        let study = Study { keys: procedure.needs_any()?.keys, ..study };
        let agreed = Arc::new(study.settled(table.layout.clone())?);
        let layout = study.keyed(&agreed)?;
        let empty = (*procedure).begin_any(&layout, &PassInfo::of(&table.shape((*layout).clone())?))?;
        Relay::new(Work::Study { study: Box::new(study), procedure }, (layout, agreed), fold, table, empty)
    }

    /// The sums that any one-pass model finishes from. A fold leaves rows out.
    pub fn gather(parts: Parts, table: &SpreadTable, fold: Option<HashedFold>) -> Result<Relay> {
        let layout = Arc::new(table.layout.clone());
        let empty = BoxedStats::new(TableStats::new(Arc::clone(&layout), parts));
        Relay::new(Work::Gather, (Arc::clone(&layout), layout), fold, table, empty)
    }

    /// A model judged on the rows of a fold, or on all.
    pub fn judge(model: &dyn Classifier, table: &SpreadTable, fold: Option<HashedFold>) -> Result<Relay> {
        let settings =
            EvalSettings { weighting: table.layout.weighting(), margins: model.scale() == Scale::Margin, ..EvalSettings::default() };
        let layout = Arc::new(table.layout.clone());
        let model = persist::save_model(model)?;
        let empty = BoxedStats::new(judging(&model, settings.clone())?);
        Relay::new(Work::Judge { model, settings }, (Arc::clone(&layout), layout), fold, table, empty)
    }

    fn new(
        work: Work,
        (layout, agreed): (Arc<Layout>, Arc<Layout>),
        fold: Option<HashedFold>,
        table: &SpreadTable,
        empty: BoxedStats,
    ) -> Result<Relay> {
        let shape = table.shape((*layout).clone())?;
        let apart = table.apart.then(|| table.extents.clone());
        let lanes = cut(&shape, apart.as_deref(), &empty)?;
        let tree = MergeTree::of(lanes.count(), empty.bytes());
        let (taken, merged, early) = (vec![false; lanes.count()], Merged::new(tree.clone()), BTreeMap::new());
        Ok(Relay { work, layout, agreed, fold, shape, apart, empty, lanes, tree, merged, early, taken, passes: 0, first: None })
    }

    /// Cuts the current pass, of which nothing is taken yet.
    fn cut_into(&mut self, lanes: Lanes) {
        self.taken = vec![false; lanes.count()];
        self.tree = MergeTree::of(lanes.count(), self.empty.bytes());
        self.merged = Merged::new(self.tree.clone());
        self.lanes = lanes;
    }

    /// Passes that were answered.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The columns that the parts agreed upon.
    pub fn agreed(&self) -> &Layout {
        &self.agreed
    }

    /// What the current pass is for, in words.
    pub fn purpose(&self) -> String {
        self.empty.purpose()
    }

    /// The partitions of every lane of the current pass.
    pub fn lanes(&self) -> Vec<Vec<usize>> {
        (0..self.lanes.count()).map(|lane| self.lanes.of(lane).to_vec()).collect()
    }

    /// Whether neighbouring lanes of the current pass may be one ([`Relay::join`]): its sums come to the same however they are added.
    pub fn joins(&self) -> bool {
        self.apart.is_none() && self.empty.adds_exactly()
    }

    /// Makes lanes one with those before them, but for some: the fewer sums are on their way, the better. The first lane begins in any case.
    pub fn join(&mut self, firsts: &[usize]) -> Result<()> {
        let rising = firsts.first() == Some(&0) && firsts.is_sorted_by(|a, b| a < b) && firsts.last() < Some(&self.lanes.count());
        if !rising || !self.joins() || self.taken.contains(&true) {
            return Err(Error::internal("lanes that cannot be joined"));
        }
        self.cut_into(self.lanes.joined(firsts));
        Ok(())
    }

    /// How many lanes there are, how many groups of lanes whose sums should be merged before they are sent on, how many groups of groups:
    /// one number where everything is small. A group has [`Relay::lanes_of`] and is merged in their order.
    pub fn groups(&self) -> &[usize] {
        self.tree.counts()
    }

    /// The lanes of a group; a group of level 0 is a lane.
    pub fn lanes_of(&self, level: usize, group: usize) -> std::ops::Range<usize> {
        self.tree.lanes_of(level, group)
    }

    /// Bytes that a summary takes in memory.
    pub fn summary_bytes(&self) -> usize {
        self.empty.bytes()
    }

    /// What workers are told of the current pass.
    pub fn ask(&self) -> Result<Vec<u8>> {
        let mut record = Record::new(TASK.0, TASK.1, &serde_json::json!({}))?;
        let head = |kind: TaskKind| TaskHead { kind, fold: self.fold };
        let (head, content) = match &self.work {
            Work::Study { study, procedure } => {
                let mut point = Question::no_point()?;
                (**procedure).write_point_any(&self.empty, &mut point)?;
                let (study, layout) = ((**study).clone(), Some(Arc::clone(&self.agreed)));
                (head(TaskKind::Study), Question { study, layout, number: self.passes + 2, point }.to_bytes()?)
            }
            Work::Gather => {
                let empty = self.empty.get::<TableStats>().ok_or_else(|| Error::internal("sums of something else"))?;
                (head(TaskKind::Gather), persist::to_bytes(&empty.shape()?, FileKind::Statistics)?)
            }
            Work::Judge { model, settings } => {
                self.layout.write(&mut record, "layout")?;
                (head(TaskKind::Judge { weighting: settings.weighting, margins: settings.margins }), model.clone())
            }
        };
        record.put_part("task", &head)?;
        record.put_bytes("content", content);
        persist::to_bytes(&record, FileKind::Statistics)
    }

    /// Takes the sums of a group of lanes (of one lane where the level is 0), in any order. A lane that was taken before is refused.
    pub fn take(&mut self, level: usize, group: usize, bytes: &[u8]) -> Result<()> {
        let is_asked = self.tree.counts().get(level).is_some_and(|groups| group < *groups);
        let lanes = if is_asked { self.tree.lanes_of(level, group) } else { 0..0 };
        if lanes.is_empty() || self.taken[lanes.clone()].contains(&true) {
            return Err(Error::internal(format!("group {group} of level {level} was answered twice, or nobody asked for it")));
        }
        self.taken[lanes.clone()].fill(true);
        if lanes.start != self.merged.next() {
            self.early.insert(lanes.start, (level, bytes.to_vec()));
            return Ok(());
        }
        self.merged.take_group(level, group, read_sums(&self.empty, bytes)?);
        while let Some((level, bytes)) = self.early.remove(&self.merged.next()) {
            let group = self.merged.next() / self.tree.width(level);
            self.merged.take_group(level, group, read_sums(&self.empty, &bytes)?);
        }
        Ok(())
    }

    /// Goes on from the sums of all lanes: to the end, or (`None`) to the next pass.
    pub fn advance(&mut self) -> Result<Option<RelayEnd>> {
        if let Some(missing) = self.taken.iter().position(|taken| !taken) {
            return Err(Error::data(format!("lane {missing} of {} was not answered", self.taken.len())));
        }
        let sums = std::mem::replace(&mut self.merged, Merged::new(self.tree.clone())).finish(&Counted::new(self.empty.clone()))?;
        self.passes += 1;
        self.check_rows(&sums)?;
        let next = match &self.work {
            Work::Study { procedure, .. } => match (**procedure).conclude_any(&sums.sums)? {
                Step::Done(conclusion) => return Ok(Some(RelayEnd::Concluded(conclusion))),
                Step::Again(_) if self.passes >= procedure.most_passes_any() => {
                    return Err(Error::internal(format!("the learner asked for more than {} passes", self.passes)));
                }
                Step::Again(next) => next,
            },
            Work::Gather => {
                let total = sums.sums.get::<TableStats>().ok_or_else(|| Error::internal("sums of something else"))?;
                match total.rescaled().filter(|_| self.passes == 1) {
                    Some(again) => BoxedStats::new(again),
                    None => return Ok(Some(RelayEnd::Sums(Box::new(total.clone())))),
                }
            }
            Work::Judge { .. } => {
                let total = sums.sums.get::<Judging>().ok_or_else(|| Error::internal("sums of something else"))?;
                return Ok(Some(RelayEnd::Judged(Box::new(total.sums().clone()), total.silent())));
            }
        };
        self.empty = next;
        self.cut_into(cut(&self.shape, self.apart.as_deref(), &self.empty)?);
        Ok(None)
    }

    /// Every whole pass must see the rows and the weight of the first.
    fn check_rows(&mut self, sums: &Counted<BoxedStats>) -> Result<()> {
        if !self.lanes.skips_none(self.shape.partitions()) {
            return Ok(());
        }
        let (rows, weight) = *self.first.get_or_insert((sums.rows, sums.weight));
        let near = (sums.weight - weight).abs() <= ROUNDING * weight.abs().max(sums.weight.abs());
        match rows == sums.rows && near {
            true => Ok(()),
            false => Err(Error::data(format!(
                "pass {} saw {} rows of weight {}, and the first saw {rows} of weight {weight}: the rows must be the same in every pass",
                self.passes, sums.rows, sums.weight
            ))),
        }
    }
}

/// The lanes of a pass.
fn cut(shape: &JoinedSource, apart: Option<&[Extent]>, empty: &BoxedStats) -> Result<Lanes> {
    match apart {
        None => Ok(Lanes::of_pass(empty, shape.partitions(), shape.bytes(), shape.most_lanes())),
        Some(parts) if parts.len() > 1 && empty.in_order() => {
            let what = "take rows one after the other from parts that are read apart".into();
            let advice = "let workers read files, which one of them can read from the first row to the last, or make one part".into();
            Err(ErrorKind::Unsupported { model: "a model that learns in the order of rows".into(), what, advice }.into())
        }
        Some(parts) => Ok(Lanes::of_parts(empty, parts)),
    }
}
