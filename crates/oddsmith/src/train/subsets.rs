//! Cross-validated bits of many subsets of columns.
//!
//! Models that finish from one pass share it among all subsets too: the sums of every fold's other folds are gathered and merged
//! once, and a model of some columns finishes from its part of them. Other models are refitted. The losses of all subsets that are
//! asked for together come from one more pass, in which a row is scored by the model of its fold of every subset. Memory: the sums of
//! k folds; no score is kept.

use super::column_pick::ColumnPick;
use super::column_source::ColumnSource;
use super::cross_validation::{CrossValidation, parts_of};
use super::driver::pass;
use super::folded::deal;
use super::folds::Folds;
use super::picked_rows::PickedRows;
use super::scored_table::ScoredTable;
use crate::data::{Layout, Rows};
use crate::error::{Error, ErrorKind, Result};
use crate::eval::LogLoss;
use crate::model::{AnyLearner, BoxedStats, Classifier, Step};
use crate::stats::{Statistics, TableStats};

/// For every fold the sums of all other folds, over all columns.
pub struct SubsetSums {
    others: Vec<TableStats>,
}

/// A subset of columns with its model of every fold.
struct Candidate {
    columns: Vec<usize>,
    models: Vec<Box<dyn Classifier>>,
}

impl CrossValidation<'_> {
    /// Gathers the sums from which models of all subsets of columns finish; `None` when the learner needs the rows.
    pub fn gather_for_subsets(&self, learner: &dyn AnyLearner) -> Result<Option<SubsetSums>> {
        let Some(tables) = self.gather(&[learner])? else { return Ok(None) };
        let count = self.folds().count();
        let others = (0..count).map(|fold| tables.merged(&(0..count).map(|other| other != fold).collect::<Vec<_>>()));
        Ok(others.collect::<Result<Option<Vec<_>>>>()?.map(|others| SubsetSums { others }))
    }

    /// Bits per row of models of some columns on folds that they have not seen; `None` for a subset without a model, or with a row
    /// that was called impossible in its class.
    pub fn bits_of_subsets(&self, learner: &dyn AnyLearner, sums: Option<&SubsetSums>, subsets: &[Vec<usize>]) -> Result<Vec<Option<f64>>> {
        let candidates = subsets.iter().map(|columns| self.candidate(learner, sums, columns)).collect::<Result<Vec<_>>>()?;
        let running: Vec<&Candidate> = candidates.iter().flatten().collect();
        let mut bits = match running.is_empty() {
            true => Vec::new(),
            false => {
                pass(self.source(), &FoldedLosses::new(self.folds(), self.source().layout(), &running), self.threads(), self.control())?
                    .bits()
            }
        }
        .into_iter();
        Ok(candidates.iter().map(|candidate| candidate.as_ref().and_then(|_| bits.next().flatten())).collect())
    }

    fn candidate(&self, learner: &dyn AnyLearner, sums: Option<&SubsetSums>, columns: &[usize]) -> Result<Option<Candidate>> {
        let models = (0..self.folds().count()).map(|fold| self.model_of_columns(learner, sums, columns, fold)).collect::<Result<_>>();
        match models {
            Ok(models) => Ok(Some(Candidate { columns: columns.to_vec(), models })),
            Err(error) if has_no_model(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn model_of_columns(
        &self,
        learner: &dyn AnyLearner,
        sums: Option<&SubsetSums>,
        columns: &[usize],
        fold: usize,
    ) -> Result<Box<dyn Classifier>> {
        if let Some(sums) = sums {
            let narrow = sums.others[fold].select(columns)?;
            if parts_of(learner, narrow.layout()).is_some_and(|parts| narrow.parts().covers(&parts))
                && let Step::Done(model) = learner.finish_any(&BoxedStats::new(narrow))?
            {
                return Ok(model);
            }
        }
        let narrow = ColumnSource::new(self.source(), columns)?;
        self.refit(learner, &narrow, &(0..self.folds().count()).map(|other| other != fold).collect::<Vec<_>>())
    }
}

/// Whether an error says that this subset has no model, though others may: separation, a singular matrix, a kind that does not suit.
pub fn has_no_model(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } | ErrorKind::Data(_))
}

/// Log losses of several subsets of columns.
struct FoldedLosses<'a> {
    folds: &'a Folds,
    layout: &'a Layout,
    candidates: &'a [&'a Candidate],
    losses: Vec<LogLoss>,
    picks: Vec<ColumnPick>,
    picked: PickedRows,
    chosen: Vec<Vec<usize>>,
}

impl<'a> FoldedLosses<'a> {
    fn new(folds: &'a Folds, layout: &'a Layout, candidates: &'a [&'a Candidate]) -> Self {
        let classes = layout.classes().len();
        let picks = candidates.iter().map(|candidate| ColumnPick::new(layout, &candidate.columns)).collect();
        let losses = vec![LogLoss::new(classes, layout.weighting()); candidates.len()];
        FoldedLosses { folds, layout, candidates, losses, picks, picked: PickedRows::default(), chosen: Vec::new() }
    }

    fn bits(&self) -> Vec<Option<f64>> {
        self.losses.iter().map(|loss| loss.bits().ok().map(|bits| bits.value)).collect()
    }
}

impl Clone for FoldedLosses<'_> {
    fn clone(&self) -> Self {
        let mut copy = FoldedLosses::new(self.folds, self.layout, self.candidates);
        copy.losses = self.losses.clone();
        copy
    }
}

impl Statistics for FoldedLosses<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, batch: Rows<'_>) -> Result<()> {
        deal(&batch, self.folds, &mut self.chosen)?;
        let columns = (batch.features.numbers.cols(), batch.features.codes.cols());
        for (fold, chosen) in self.chosen.iter().enumerate().filter(|(_, chosen)| !chosen.is_empty()) {
            self.picked.fill(&batch, chosen);
            for ((candidate, pick), loss) in self.candidates.iter().zip(&mut self.picks).zip(&mut self.losses) {
                let model = &*candidate.models[fold];
                let mut told = ScoredTable::new(model.layout().classes().len());
                self.picked.with(columns, |rows| {
                    let labels = rows.labels;
                    pick.with(&rows.features, labels.len(), |features| told.add(model, Rows { features, ..rows }))
                })?;
                told.for_blocks(&mut |judged| loss.observe(judged))?;
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.losses.iter_mut().zip(&other.losses).try_for_each(|(mine, theirs)| mine.merge(theirs))
    }

    fn weight(&self) -> f64 {
        self.losses.first().map_or(0.0, Statistics::weight)
    }

    fn bytes(&self) -> usize {
        self.losses.iter().map(Statistics::bytes).sum()
    }
}
