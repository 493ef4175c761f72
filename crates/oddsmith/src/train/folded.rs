//! Sums and scores by fold, each from one pass: rows are brought together fold by fold, batch by batch.

use std::sync::Arc;

use super::folds::Folds;
use super::row_share::RowShare;
use super::scored_table::{ScoredTable, Truth};
use crate::codec::{Codec, Encode};
use crate::data::{MappedSource, RowBuffer, Rows, SKIP, Source};
use crate::error::{Error, Result};
use crate::model::{Classifier, Scale, Scores};
use crate::stats::Statistics;

/// The rows of a batch by fold.
pub(super) fn deal(batch: &Rows<'_>, folds: &Folds, chosen: &mut Vec<Vec<usize>>) -> Result<()> {
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
    picked: RowBuffer,
    chosen: Vec<Vec<usize>>,
}

impl<'a, S: Clone> FoldedStats<'a, S> {
    pub(super) fn new(folds: &'a Folds, empty: S) -> Self {
        FoldedStats { folds, sums: vec![empty.clone(); folds.count()], empty, picked: RowBuffer::default(), chosen: Vec::new() }
    }
}

impl<S: Clone> Clone for FoldedStats<'_, S> {
    fn clone(&self) -> Self {
        FoldedStats {
            folds: self.folds,
            empty: self.empty.clone(),
            sums: self.sums.clone(),
            picked: RowBuffer::default(),
            chosen: Vec::new(),
        }
    }
}

impl<S: Encode> Encode for FoldedStats<'_, S> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        self.sums.iter_mut().enumerate().try_for_each(|(fold, sum)| codec.part(&format!("fold{fold}"), sum))
    }
}

impl<S> Statistics for FoldedStats<'_, S>
where
    S: for<'b> Statistics<Input<'b> = Rows<'b>>,
{
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, batch: Rows<'_>) -> Result<()> {
        deal(&batch, self.folds, &mut self.chosen)?;
        for (sum, chosen) in self.sums.iter_mut().zip(&self.chosen).filter(|(_, chosen)| !chosen.is_empty()) {
            self.picked.fill(&batch, chosen);
            if let Err(error) = self.picked.with(|rows| sum.observe(rows)) {
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
    classes: usize,
    /// The rows that are scored; the others do not count.
    share: RowShare,
    truth: Truth,
    /// Scores of every candidate, row after row.
    scores: Vec<Vec<f64>>,
    /// Rows that count and that some candidate says nothing about.
    silent: u64,
    buffers: Buffers,
}

/// What is used again from batch to batch; no part of the sums.
#[derive(Default)]
struct Buffers {
    picked: RowBuffer,
    chosen: Vec<Vec<usize>>,
    scores: Scores,
}

impl<'a> FoldedScores<'a> {
    pub(super) fn new(folds: &'a Folds, models: &'a [Vec<Box<dyn Classifier>>], classes: usize, share: RowShare) -> Self {
        let scores = vec![Vec::new(); models.len()];
        FoldedScores { folds, models, classes, share, truth: Truth::default(), scores, silent: 0, buffers: Buffers::default() }
    }

    /// One table per candidate, all of the same rows.
    pub(super) fn into_tables(self) -> Vec<ScoredTable> {
        let truth = Arc::new(self.truth);
        let margins = |models: &Vec<Box<dyn Classifier>>| models.first().is_some_and(|model| model.scale() == Scale::Margin);
        let table = |(scores, models): (Vec<f64>, &Vec<Box<dyn Classifier>>)| {
            ScoredTable::of(self.classes, scores, Arc::clone(&truth), self.silent).of_margins(margins(models))
        };
        self.scores.into_iter().zip(self.models).map(table).collect()
    }

    /// Makes room for all rows when the first lanes meet: growing step by step would copy them again and again.
    fn reserve(&mut self) {
        let missing = self.folds.of_rows().len() - self.truth.labels.len();
        self.truth.labels.reserve_exact(missing);
        self.truth.weights.reserve_exact(missing);
        self.scores.iter_mut().for_each(|scores| scores.reserve_exact(missing * self.classes));
    }
}

impl Clone for FoldedScores<'_> {
    fn clone(&self) -> Self {
        FoldedScores {
            folds: self.folds,
            models: self.models,
            classes: self.classes,
            share: self.share,
            truth: self.truth.clone(),
            scores: self.scores.clone(),
            silent: self.silent,
            buffers: Buffers::default(),
        }
    }
}

impl Encode for FoldedScores<'_> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.labels("labels", &mut self.truth.labels, self.classes)?;
        let rows = self.truth.labels.len();
        codec.cells("weights", rows, &mut self.truth.weights)?;
        codec.accept("weights", &self.truth.weights, |v| v.is_finite() && v >= 0.0, "a number that is not finite or below zero")?;
        for (at, scores) in self.scores.iter_mut().enumerate() {
            codec.cells(&format!("scores{at}"), rows * self.classes, scores)?;
        }
        codec.count("silent", &mut self.silent)
    }
}

impl Statistics for FoldedScores<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, batch: Rows<'_>) -> Result<()> {
        let Buffers { picked, chosen, scores } = &mut self.buffers;
        deal(&batch, self.folds, chosen)?;
        let (start, classes) = (self.truth.labels.len(), self.classes);
        self.truth.add(&batch)?;
        self.scores.iter_mut().for_each(|scores| scores.resize((start + batch.labels.len()) * classes, 0.0));
        if !self.share.is_all() {
            let taken = |i: &usize| self.share.takes(batch.first_row + *i as u64);
            chosen.iter_mut().for_each(|chosen| chosen.retain(taken));
            let own = self.truth.labels[start..].iter_mut().enumerate();
            own.filter(|(i, _)| !taken(i)).for_each(|(_, label)| *label = SKIP);
        }
        for (fold, chosen) in chosen.iter().enumerate().filter(|(_, chosen)| !chosen.is_empty()) {
            // All candidates look at the rows while they are in the cache.
            picked.fill(&batch, chosen);
            for (models, kept) in self.models.iter().zip(&mut self.scores) {
                picked.with(|rows| models[fold].score_relative(&rows.features, scores))?;
                let kept = &mut kept[start * classes..];
                for (row, &i) in scores.values().chunks_exact(classes.max(1)).zip(chosen) {
                    kept[i * classes..(i + 1) * classes].copy_from_slice(row);
                    // Models are compared on rows that all of them have something to say about.
                    let label = &mut self.truth.labels[start + i];
                    if row[0].is_nan() && *label != SKIP {
                        *label = SKIP;
                        self.silent += 1;
                    }
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        if !other.truth.labels.is_empty() && self.truth.labels.capacity() < self.folds.of_rows().len() {
            self.reserve();
        }
        self.truth.labels.extend_from_slice(&other.truth.labels);
        self.truth.weights.extend_from_slice(&other.truth.weights);
        self.scores.iter_mut().zip(&other.scores).for_each(|(mine, theirs)| mine.extend_from_slice(theirs));
        self.silent += other.silent;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.truth.weight()
    }

    fn discloses(&self) -> Option<String> {
        Some("the scores and the class of every row".into())
    }

    fn bytes(&self) -> usize {
        12 * self.truth.labels.len() + self.scores.iter().map(|scores| 8 * scores.len()).sum::<usize>()
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

impl MappedSource for MaskedSource<'_> {
    type Work = Vec<u32>;

    fn inner(&self) -> &dyn Source {
        self.source
    }

    fn map(&self, rows: Rows<'_>, labels: &mut Vec<u32>, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let first = rows.first_row as usize;
        let folds = self.folds.of_rows().get(first..first + rows.labels.len());
        let folds = folds.ok_or_else(|| Error::internal("a batch lies beyond the rows that were dealt to folds"))?;
        labels.clear();
        labels.extend(rows.labels.iter().zip(folds).map(|(label, fold)| if self.taught[usize::from(*fold)] { *label } else { SKIP }));
        sink(Rows { labels, ..rows })
    }
}

/// Labels of all rows, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelColumn {
    pub(super) labels: Vec<u32>,
    /// The key whose codes are kept beside the labels.
    key: Option<usize>,
    /// Codes of the key.
    pub(super) keys: Vec<u32>,
}

impl LabelColumn {
    /// Labels, and the codes of a key.
    pub(super) fn with_key(key: Option<usize>) -> Self {
        LabelColumn { key, ..LabelColumn::default() }
    }
}

impl Encode for LabelColumn {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.labels("labels", &mut self.labels, usize::MAX)?;
        codec.labels("keys", &mut self.keys, usize::MAX)
    }
}

impl Statistics for LabelColumn {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, batch: Rows<'_>) -> Result<()> {
        self.labels.extend_from_slice(&batch.counted_labels()?);
        if let Some(key) = self.key {
            self.keys.extend((0..batch.labels.len()).map(|i| batch.keys.get(i, key)));
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.labels.extend_from_slice(&other.labels);
        self.keys.extend_from_slice(&other.keys);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.labels.len() as f64
    }

    fn discloses(&self) -> Option<String> {
        Some("the class of every row".into())
    }

    fn bytes(&self) -> usize {
        4 * (self.labels.len() + self.keys.len())
    }
}
