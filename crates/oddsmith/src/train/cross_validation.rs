//! Cross-validation: every row is predicted by a model that has not seen its fold.
//!
//! Models that finish from one pass over the data share that pass: the sums of all k folds are gathered at once, and the model
//! of a fold finishes from the merged sums of the others. Sums are added in another order than by a separate fit, so results agree to
//! rounding, not in every bit. Other models are refitted k times over the rows of the other folds. All predictions come from one more
//! pass. Time: one pass, k finishes and one prediction per row and model, against k fits and predictions.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::driver::{fit, pass};
use super::folded::{FoldedScores, FoldedStats, LabelColumn, MaskedSource};
use super::folds::Folds;
use super::row_share::RowShare;
use super::scored_table::ScoredTable;
use crate::control::Control;
use crate::data::{Role, Source};
use crate::error::{Error, Result};
use crate::model::discriminant::DiscriminantStats;
use crate::model::{AnyLearner, BoxedStats, Classifier, PassInfo, Step};
use crate::record::Record;
use crate::stats::{Parts, Statistics, TableStats};

/// The folds of a source.
pub struct CrossValidation<'a> {
    source: &'a dyn Source,
    folds: Folds,
    threads: Option<NonZeroUsize>,
    control: &'a Control,
}

/// How rows are dealt to folds.
#[derive(Debug, Clone, Copy)]
pub struct FoldSpec<'a> {
    /// Number of folds, from 2 up.
    pub folds: usize,
    /// Start of the random numbers.
    pub seed: u64,
    /// Group of every row; rows of a group stay together. Without them the source's own groups count, and where it has none folds have
    /// equal proportions of classes.
    pub groups: Option<&'a [u32]>,
}

/// Sums of every fold, shared by models that finish from one pass.
pub struct FoldTables {
    tables: Vec<TableStats>,
}

impl FoldTables {
    /// The sums of cells, dealt out as the tables of `parts` parts of every fold: cell f·parts + i belongs to part i of fold f.
    pub(super) fn dealt(self, parts: usize) -> Vec<FoldTables> {
        let mut dealt: Vec<FoldTables> = (0..parts).map(|_| FoldTables { tables: Vec::new() }).collect();
        self.tables.into_iter().enumerate().for_each(|(cell, table)| dealt[cell % parts].tables.push(table));
        dealt
    }

    /// Adds the sums of every fold to those of the same fold.
    pub(super) fn add(&mut self, other: &FoldTables) -> Result<()> {
        self.tables.iter_mut().zip(&other.tables).try_for_each(|(mine, theirs)| mine.merge(theirs))
    }

    /// The sums of some folds together; `None` for no folds.
    pub(super) fn merged(&self, some: &[bool]) -> Result<Option<TableStats>> {
        let mut sum: Option<TableStats> = None;
        for (table, _) in self.tables.iter().zip(some).filter(|(_, some)| **some) {
            match &mut sum {
                Some(sum) => sum.merge(table)?,
                none => *none = Some(table.clone()),
            }
        }
        Ok(sum)
    }
}

impl<'a> CrossValidation<'a> {
    /// Deals the rows of a source.
    pub fn new(source: &'a dyn Source, spec: FoldSpec<'_>, threads: Option<NonZeroUsize>, control: &'a Control) -> Result<Self> {
        let key = source.layout().key(Role::Group);
        let LabelColumn { labels, keys, .. } = pass(source, &LabelColumn::with_key(key), threads, control)?;
        let folds = match spec.groups.or(key.map(|_| &keys[..])) {
            None => Folds::stratified(&labels, spec.folds, spec.seed)?,
            Some(groups) if groups.len() == labels.len() => Folds::grouped(groups, &labels, spec.folds, spec.seed)?,
            Some(groups) => return Err(Error::data(format!("{} groups come with {} rows", groups.len(), labels.len()))),
        };
        Ok(CrossValidation { source, folds, threads, control })
    }

    /// The same rows dealt otherwise.
    pub(super) fn with_folds(&self, folds: Folds) -> Self {
        CrossValidation { source: self.source, folds, threads: self.threads, control: self.control }
    }

    /// The class of every row, or [`crate::data::SKIP`].
    pub(super) fn labels(&self) -> Result<Vec<u32>> {
        Ok(pass(self.source, &LabelColumn::default(), self.threads, self.control)?.labels)
    }

    /// The folds.
    pub fn folds(&self) -> &Folds {
        &self.folds
    }

    /// Gathers the sums that these learners finish from, in one pass; `None` when none of them does.
    pub fn gather(&self, learners: &[&dyn AnyLearner]) -> Result<Option<FoldTables>> {
        let layout = Arc::new(self.source.layout().clone());
        let wanted = learners.iter().filter_map(|learner| parts_of(*learner, &layout)).reduce(Parts::union);
        let Some(parts) = wanted else { return Ok(None) };
        let empty = FoldedStats::new(&self.folds, TableStats::new(layout, parts));
        Ok(Some(FoldTables { tables: pass(self.source, &empty, self.threads, self.control)?.sums }))
    }

    /// One model per fold, learned from all other folds.
    pub fn models(&self, learner: &dyn AnyLearner, tables: Option<&FoldTables>) -> Result<Vec<Box<dyn Classifier>>> {
        (0..self.folds.count()).map(|fold| self.model(learner, tables, &self.others(fold))).collect()
    }

    /// All folds but one.
    pub(super) fn others(&self, fold: usize) -> Vec<bool> {
        (0..self.folds.count()).map(|other| other != fold).collect()
    }

    fn model(&self, learner: &dyn AnyLearner, tables: Option<&FoldTables>, taught: &[bool]) -> Result<Box<dyn Classifier>> {
        match self.finished(learner, tables, taught)? {
            Some(model) => Ok(model),
            None => self.refit(learner, self.source, taught),
        }
    }

    /// The model of the sums of some folds; `None` when the learner needs the rows.
    pub(super) fn finished(
        &self,
        learner: &dyn AnyLearner,
        tables: Option<&FoldTables>,
        taught: &[bool],
    ) -> Result<Option<Box<dyn Classifier>>> {
        let layout = Arc::new(self.source.layout().clone());
        if let (Some(tables), Some(parts)) = (tables, parts_of(learner, &layout))
            && tables.tables[0].parts().covers(&parts)
            && let Some(sum) = tables.merged(taught)?
            && let Step::Done(model) = learner.finish_any(&BoxedStats::new(sum))?
        {
            return Ok(Some(model));
        }
        Ok(None)
    }

    /// A model of the rows of some folds, by passes over the data.
    pub(super) fn refit(&self, learner: &dyn AnyLearner, source: &dyn Source, taught: &[bool]) -> Result<Box<dyn Classifier>> {
        let masked = MaskedSource::new(source, &self.folds, taught.to_vec())?;
        Ok(fit(&Borrowed(learner), &masked, self.threads, self.control)?.model)
    }

    pub(super) fn source(&self) -> &dyn Source {
        self.source
    }

    pub(super) fn threads(&self) -> Option<NonZeroUsize> {
        self.threads
    }

    pub(super) fn control(&self) -> &Control {
        self.control
    }

    /// What the models of each row's fold say about it, in the order of rows: one table per candidate. Rows that some candidate says
    /// nothing about are left out of all tables, which count them as silent.
    pub fn out_of_fold(&self, models: &[Vec<Box<dyn Classifier>>]) -> Result<Vec<ScoredTable>> {
        self.out_of_fold_shared(models, RowShare::ALL)
    }

    /// The same for a share of the rows; the others do not count.
    pub fn out_of_fold_shared(&self, models: &[Vec<Box<dyn Classifier>>], share: RowShare) -> Result<Vec<ScoredTable>> {
        let classes = self.source.layout().classes().len();
        Ok(pass(self.source, &FoldedScores::new(&self.folds, models, classes, share), self.threads, self.control)?.into_tables())
    }
}

/// The sums that a learner finishes from, when they are those of a table.
pub(super) fn parts_of(learner: &dyn AnyLearner, layout: &Arc<crate::data::Layout>) -> Option<Parts> {
    let stats = learner.begin_any(layout, &PassInfo::default()).ok()?;
    let table = stats.get::<TableStats>().or_else(|| stats.get::<DiscriminantStats>().and_then(DiscriminantStats::table));
    table.map(TableStats::parts)
}

/// A learner behind a reference.
pub struct Borrowed<'a>(pub &'a dyn AnyLearner);

impl crate::model::Learner for Borrowed<'_> {
    type Stats = BoxedStats;
    type Model = Box<dyn Classifier>;

    fn begin(&self, layout: &Arc<crate::data::Layout>, pass: &PassInfo) -> Result<BoxedStats> {
        self.0.begin_any(layout, pass)
    }

    fn finish(&self, stats: &BoxedStats) -> Result<Step<BoxedStats, Box<dyn Classifier>>> {
        self.0.finish_any(stats)
    }

    fn most_passes(&self) -> usize {
        self.0.most_passes_any()
    }

    fn searches(&self) -> bool {
        self.0.searches_any()
    }

    fn looks(&self, stats: &BoxedStats) -> Result<Vec<crate::model::Look>> {
        self.0.looks_any(stats)
    }

    fn write_point(&self, empty: &BoxedStats, point: &mut Record) -> Result<()> {
        self.0.write_point_any(empty, point)
    }

    fn at_point(&self, layout: &Arc<crate::data::Layout>, point: &Record) -> Result<BoxedStats> {
        self.0.at_point_any(layout, point)
    }
}
