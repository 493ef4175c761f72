//! Cross-validated bits of many subsets of columns.
//!
//! Models that finish from one pass share it among all subsets too: the sums of every fold's other folds are gathered and merged
//! once, and a model of some columns finishes from its part of them. Other models are refitted. The losses of all subsets that are
//! asked for together come from one more pass, in which a row is scored by the model of its fold of every subset. Memory: the sums of
//! k folds; no score is kept.

use super::column_source::ColumnSource;
use super::cross_validation::{CrossValidation, parts_of};
use super::driver::pass;
use super::folded_losses::{FoldModels, FoldedLosses};
use crate::error::{Error, ErrorKind, Result};
use crate::eval::LogLoss;
use crate::model::{AnyLearner, BoxedStats, Classifier, Step};
use crate::stats::{Statistics, TableStats};

/// For every fold the sums of all other folds, over all columns.
pub struct SubsetSums {
    others: Vec<TableStats>,
}

impl CrossValidation<'_> {
    /// Gathers the sums from which models of all subsets of columns finish; `None` when the learner needs the rows.
    pub fn gather_for_subsets(&self, learner: &dyn AnyLearner) -> Result<Option<SubsetSums>> {
        let Some(tables) = self.gather(&[learner])? else { return Ok(None) };
        let count = self.folds().count();
        let others = (0..count).map(|fold| tables.merged(&self.others(fold)));
        Ok(others.collect::<Result<Option<Vec<_>>>>()?.map(|others| SubsetSums { others }))
    }

    /// Bits per row of models of some columns on folds that they have not seen; `None` for a subset without a model, or with a row
    /// that was called impossible in its class.
    pub fn bits_of_subsets(&self, learner: &dyn AnyLearner, sums: Option<&SubsetSums>, subsets: &[Vec<usize>]) -> Result<Vec<Option<f64>>> {
        let candidates = subsets.iter().map(|columns| self.candidate(learner, sums, columns)).collect::<Result<Vec<_>>>()?;
        let running: Vec<&FoldModels> = candidates.iter().flatten().collect();
        let empty = FoldedLosses::new(self.folds(), self.source().layout(), &running);
        let losses = if running.is_empty() { empty } else { pass(self.source(), &empty, self.threads(), self.control())? }.losses;
        let mut bits = losses.iter().map(|folds| bits_of_all(folds));
        candidates.iter().map(|candidate| candidate.as_ref().and_then(|_| bits.next()).transpose().map(Option::flatten)).collect()
    }

    fn candidate(&self, learner: &dyn AnyLearner, sums: Option<&SubsetSums>, columns: &[usize]) -> Result<Option<FoldModels>> {
        let models = (0..self.folds().count()).map(|fold| self.model_of_columns(learner, sums, columns, fold)).collect::<Result<_>>();
        match models {
            Ok(models) => Ok(Some(FoldModels { columns: Some(columns.to_vec()), models })),
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
        self.refit(learner, &narrow, &self.others(fold))
    }
}

/// Whether an error says that this subset has no model, though others may: separation, a singular matrix, a kind that does not suit.
pub fn has_no_model(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } | ErrorKind::Data(_))
}

/// Bits per row over all folds.
fn bits_of_all(folds: &[LogLoss]) -> Result<Option<f64>> {
    let mut all = folds.first().cloned().ok_or_else(|| Error::internal("there are no folds"))?;
    folds[1..].iter().try_for_each(|fold| all.merge(fold))?;
    Ok(all.bits().ok().map(|bits| bits.value))
}
