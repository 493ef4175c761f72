//! Sums and scores by fold, each from one pass: rows are brought together fold by fold, batch by batch.

use super::calibration::ScoredTable;
use super::folds::Folds;
use super::picked_rows::PickedRows;
use crate::data::{Layout, Rows, SKIP, Source};
use crate::error::{Error, Result};
use crate::model::{Classifier, Scores};
use crate::stats::Statistics;

/// The rows of a batch by fold.
fn deal(batch: &Rows<'_>, folds: &Folds, chosen: &mut Vec<Vec<usize>>) -> Result<()> {
    chosen.resize_with(folds.count(), Vec::new);
    chosen.iter_mut().for_each(Vec::clear);
    let first = batch.first_row as usize;
    let own = folds.of_rows().get(first..first + batch.labels.len());
    let own = own.ok_or_else(|| Error::internal("a batch lies beyond the rows that were dealt to folds"))?;
    own.iter().enumerate().for_each(|(i, fold)| chosen[usize::from(*fold)].push(i));
    Ok(())
}

/// One summary per fold.
pub(super) struct FoldedStats<'a, S> {
    folds: &'a Folds,
    empty: S,
    pub(super) sums: Vec<S>,
    picked: PickedRows,
    chosen: Vec<Vec<usize>>,
}

impl<'a, S: Clone> FoldedStats<'a, S> {
    pub(super) fn new(folds: &'a Folds, empty: S) -> Self {
        FoldedStats { folds, sums: vec![empty.clone(); folds.count()], empty, picked: PickedRows::default(), chosen: Vec::new() }
    }
}

impl<S: Clone> Clone for FoldedStats<'_, S> {
    fn clone(&self) -> Self {
        FoldedStats {
            folds: self.folds,
            empty: self.empty.clone(),
            sums: self.sums.clone(),
            picked: PickedRows::default(),
            chosen: Vec::new(),
        }
    }
}

impl<S> Statistics for FoldedStats<'_, S>
where
    S: for<'b> Statistics<Input<'b> = Rows<'b>>,
{
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, batch: Rows<'_>) -> Result<()> {
        deal(&batch, self.folds, &mut self.chosen)?;
        let columns = (batch.features.numbers.cols(), batch.features.codes.cols());
        for (sum, chosen) in self.sums.iter_mut().zip(&self.chosen).filter(|(_, chosen)| !chosen.is_empty()) {
            self.picked.fill(&batch, chosen);
            if let Err(error) = self.picked.with(columns, |rows| sum.observe(rows)) {
                // The whole batch knows in which row of the table the fault lies.
                self.empty.clone().observe(batch)?;
                return Err(error);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.sums.iter_mut().zip(&other.sums).try_for_each(|(mine, theirs)| mine.merge(theirs))
    }

    fn weight(&self) -> f64 {
        self.sums.iter().map(Statistics::weight).sum()
    }

    fn bytes(&self) -> usize {
        self.sums.iter().map(Statistics::bytes).sum()
    }
}

/// What the model of each row's fold says about the row, for several candidates.
pub(super) struct FoldedScores<'a> {
    folds: &'a Folds,
    /// One model per fold, for every candidate.
    models: &'a [Vec<Box<dyn Classifier>>],
    pub(super) tables: Vec<ScoredTable>,
    picked: PickedRows,
    chosen: Vec<Vec<usize>>,
    scores: Scores,
}

impl<'a> FoldedScores<'a> {
    pub(super) fn new(folds: &'a Folds, models: &'a [Vec<Box<dyn Classifier>>], classes: usize) -> Self {
        let tables = vec![ScoredTable::new(classes); models.len()];
        FoldedScores { folds, models, tables, picked: PickedRows::default(), chosen: Vec::new(), scores: Scores::new() }
    }
}

impl Clone for FoldedScores<'_> {
    fn clone(&self) -> Self {
        FoldedScores {
            folds: self.folds,
            models: self.models,
            tables: self.tables.clone(),
            picked: PickedRows::default(),
            chosen: Vec::new(),
            scores: Scores::new(),
        }
    }
}

impl Statistics for FoldedScores<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, batch: Rows<'_>) -> Result<()> {
        deal(&batch, self.folds, &mut self.chosen)?;
        let columns = (batch.features.numbers.cols(), batch.features.codes.cols());
        // Models are compared on rows that all of them have something to say about.
        let mut silent = Vec::new();
        let starts: Vec<usize> = self.tables.iter_mut().map(|table| table.make_room(&batch)).collect::<Result<_>>()?;
        for (fold, chosen) in self.chosen.iter().enumerate().filter(|(_, chosen)| !chosen.is_empty()) {
            self.picked.fill(&batch, chosen);
            for ((models, table), start) in self.models.iter().zip(&mut self.tables).zip(&starts) {
                let scores = &mut self.scores;
                self.picked.with(columns, |rows| models[fold].score_relative(&rows.features, scores))?;
                chosen.iter().enumerate().for_each(|(at, i)| table.put(start + i, scores.row(at)));
                silent.extend(chosen.iter().enumerate().filter(|(at, _)| scores.row(*at)[0].is_nan()).map(|(_, i)| *i));
            }
        }
        for (table, start) in self.tables.iter_mut().zip(&starts) {
            silent.iter().for_each(|i| table.skip(start + i));
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.tables.iter_mut().zip(&other.tables).for_each(|(mine, theirs)| mine.append(theirs));
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.tables.first().map_or(0.0, ScoredTable::weight)
    }

    fn bytes(&self) -> usize {
        self.tables.iter().map(ScoredTable::bytes).sum()
    }
}

/// A source without the rows of some folds: their labels become [`SKIP`].
pub struct MaskedSource<'a> {
    source: &'a dyn Source,
    folds: &'a Folds,
    taught: Vec<bool>,
}

impl<'a> MaskedSource<'a> {
    /// Only the rows of folds that are `taught`.
    pub fn new(source: &'a dyn Source, folds: &'a Folds, taught: Vec<bool>) -> Result<Self> {
        match taught.len() == folds.count() {
            true => Ok(MaskedSource { source, folds, taught }),
            false => Err(Error::internal(format!("{} folds are taught of {}", taught.len(), folds.count()))),
        }
    }
}

impl Source for MaskedSource<'_> {
    fn layout(&self) -> &Layout {
        self.source.layout()
    }

    fn partitions(&self) -> usize {
        self.source.partitions()
    }

    fn bytes(&self) -> u64 {
        self.source.bytes()
    }

    fn rows(&self) -> Option<u64> {
        self.source.rows()
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let mut labels = Vec::new();
        self.source.scan(partition, &mut |batch| {
            let first = batch.first_row as usize;
            let folds = self.folds.of_rows().get(first..first + batch.labels.len());
            let folds = folds.ok_or_else(|| Error::internal("a batch lies beyond the rows that were dealt to folds"))?;
            labels.clear();
            labels.extend(batch.labels.iter().zip(folds).map(|(label, fold)| if self.taught[usize::from(*fold)] { *label } else { SKIP }));
            sink(Rows { labels: &labels, ..batch })
        })
    }
}

/// Labels of all rows, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelColumn {
    pub(super) labels: Vec<u32>,
}

impl Statistics for LabelColumn {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, batch: Rows<'_>) -> Result<()> {
        self.labels.extend_from_slice(&batch.counted_labels()?);
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.labels.extend_from_slice(&other.labels);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.labels.len() as f64
    }

    fn bytes(&self) -> usize {
        4 * self.labels.len()
    }
}
