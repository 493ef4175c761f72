//! Log losses of several models per fold, by fold, from one pass: every row is scored by the models of its fold.
//!
//! Memory: a few numbers per candidate and fold; no score is kept. Rows that a model says nothing about are left out of its loss.

use super::folded::deal;
use super::folds::Folds;
use super::scored_table::ScoredTable;
use crate::codec::{Codec, Encode};
use crate::data::{ColumnPick, Layout, RowBuffer, Rows};
use crate::error::Result;
use crate::eval::LogLoss;
use crate::model::{Classifier, Predictor};
use crate::stats::Statistics;

/// One model per fold.
pub(super) struct FoldModels {
    /// The columns that the models know, in their order; `None` for all.
    pub(super) columns: Option<Vec<usize>>,
    pub(super) models: Vec<Box<dyn Classifier>>,
}

/// Losses of every candidate in every fold.
pub(super) struct FoldedLosses<'a> {
    folds: &'a Folds,
    layout: &'a Layout,
    candidates: &'a [&'a FoldModels],
    /// By candidate, then by fold.
    pub(super) losses: Vec<Vec<LogLoss>>,
    picks: Vec<Option<ColumnPick>>,
    picked: RowBuffer,
    chosen: Vec<Vec<usize>>,
}

impl<'a> FoldedLosses<'a> {
    pub(super) fn new(folds: &'a Folds, layout: &'a Layout, candidates: &'a [&'a FoldModels]) -> Self {
        let empty = LogLoss::new(layout.classes().len(), layout.weighting());
        let pick = |candidate: &&FoldModels| candidate.columns.as_ref().map(|columns| ColumnPick::new(layout, columns));
        FoldedLosses {
            folds,
            layout,
            candidates,
            losses: vec![vec![empty; folds.count()]; candidates.len()],
            picks: candidates.iter().map(pick).collect(),
            picked: RowBuffer::default(),
            chosen: Vec::new(),
        }
    }
}

impl Clone for FoldedLosses<'_> {
    fn clone(&self) -> Self {
        let mut copy = FoldedLosses::new(self.folds, self.layout, self.candidates);
        copy.losses = self.losses.clone();
        copy
    }
}

impl Encode for FoldedLosses<'_> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        for (at, losses) in self.losses.iter_mut().enumerate() {
            losses.iter_mut().enumerate().try_for_each(|(fold, loss)| codec.part(&format!("candidate{at}.fold{fold}"), loss))?;
        }
        Ok(())
    }
}

impl Statistics for FoldedLosses<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, batch: Rows<'_>) -> Result<()> {
        deal(&batch, self.folds, &mut self.chosen)?;
        for (fold, chosen) in self.chosen.iter().enumerate().filter(|(_, chosen)| !chosen.is_empty()) {
            self.picked.fill(&batch, chosen);
            for ((candidate, pick), losses) in self.candidates.iter().zip(&mut self.picks).zip(&mut self.losses) {
                let model = &*candidate.models[fold];
                Predictor::new(model).check_for("be chosen by its log loss")?;
                let mut told = ScoredTable::new(model.layout().classes().len());
                self.picked.with(|rows| match pick {
                    None => told.add(model, rows),
                    Some(pick) => {
                        let labels = rows.labels;
                        pick.with(&rows.features, labels.len(), |features| told.add(model, Rows { features, ..rows }))
                    }
                })?;
                told.for_blocks(&mut |judged| losses[fold].observe(judged))?;
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        let theirs = other.losses.iter().flatten();
        self.losses.iter_mut().flatten().zip(theirs).try_for_each(|(mine, theirs)| mine.merge(theirs))
    }

    fn weight(&self) -> f64 {
        self.losses.first().map_or(0.0, |losses| losses.iter().map(Statistics::weight).sum())
    }

    fn bytes(&self) -> usize {
        self.losses.iter().flatten().map(Statistics::bytes).sum()
    }
}
