//! Everything that one-pass models learn from, over one layout, in switchable parts.
//!
//! Naive Bayes, LDA and QDA all finish from this one summary, so a statistics file gathered once serves every
//! one-pass model, option and subset of columns.

use std::sync::Arc;

use super::scales::scaled;
use super::{ClassWeights, LevelCounts, NumberMoments, NumberTallies, Parts, Scatter, ScatterPart, Statistics, WordCounts};
use crate::data::{Layout, Rows};
use crate::error::{ErrorKind, Result};
use crate::num::MatrixView;

/// Sums over the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableStats {
    pub(crate) layout: Arc<Layout>,
    pub(crate) parts: Parts,
    pub(crate) classes: ClassWeights,
    pub(crate) moments: Option<NumberMoments>,
    pub(crate) tallies: Option<NumberTallies>,
    pub(crate) levels: Option<LevelCounts>,
    pub(crate) words: Vec<WordCounts>,
    pub(crate) scatter: Option<Scatter>,
    /// Powers of two that number columns are multiplied by; `None` is all ones.
    pub(crate) scales: Option<Arc<Vec<f64>>>,
    /// Largest absolute value of the number columns whose squares left the range of numbers; zero for all others.
    pub(crate) extremes: Vec<f64>,
}

impl TableStats {
    /// Nothing seen.
    pub fn new(layout: Arc<Layout>, parts: Parts) -> Self {
        let (classes, numbers) = (layout.classes().len(), layout.numbers().len());
        let has_numbers = numbers > 0;
        TableStats {
            parts,
            classes: ClassWeights::new(classes),
            moments: (parts.moments && has_numbers).then(|| NumberMoments::new(classes, numbers)),
            tallies: (parts.tallies && has_numbers).then(|| NumberTallies::new(classes, numbers, parts.flag_threshold)),
            levels: (parts.levels && !layout.codes().is_empty()).then(|| LevelCounts::new(classes, &layout.level_counts())),
            words: layout.word_widths().into_iter().map(|width| WordCounts::new(classes, width, parts.words)).collect(),
            scatter: (parts.scatter != ScatterPart::None && has_numbers)
                .then(|| Scatter::new(classes, numbers, parts.scatter, parts.patterns)),
            scales: None,
            extremes: vec![0.0; numbers],
            layout,
        }
    }

    /// The layout.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Which parts are kept.
    pub fn parts(&self) -> Parts {
        self.parts
    }

    /// Rows and weights per class.
    pub fn classes(&self) -> &ClassWeights {
        &self.classes
    }

    /// Moments of number columns, if kept and if there are any.
    pub fn moments(&self) -> Option<&NumberMoments> {
        self.moments.as_ref()
    }

    /// Tallies of number columns, if kept and if there are any.
    pub fn tallies(&self) -> Option<&NumberTallies> {
        self.tallies.as_ref()
    }

    /// Level counts of category columns, if kept and if there are any.
    pub fn levels(&self) -> Option<&LevelCounts> {
        self.levels.as_ref()
    }

    /// Word counts, one per text column.
    pub fn words(&self) -> &[WordCounts] {
        &self.words
    }

    /// Scatter of number columns, if kept and if there are any.
    pub fn scatter(&self) -> Option<&Scatter> {
        self.scatter.as_ref()
    }

    /// Takes the rows of another summary away, which must be part of this one.
    pub fn subtract(&mut self, other: &Self) -> Result<()> {
        self.same_layout(other)?;
        if let Some(what) = self.lacks(other) {
            return Err(ErrorKind::Mismatch { left_name: "the whole".into(), right_name: "the part".into(), what }.into());
        }
        if let (Some(mine), Some(theirs)) = (&self.scatter, &other.scatter)
            && !mine.holds(theirs)
        {
            let what = "the part has rows with other columns missing than the whole, or too many such patterns to be kept apart".to_owned();
            return Err(ErrorKind::Mismatch { left_name: "the whole".into(), right_name: "the part".into(), what }.into());
        }
        self.classes.subtract(&other.classes);
        self.pairs(other, NumberMoments::subtract, NumberTallies::subtract, LevelCounts::subtract, WordCounts::subtract, Scatter::subtract);
        self.classes.empty().into_iter().for_each(|k| self.clear(k));
        Ok(())
    }

    /// Forgets class `k`, of which no row is left: what remains of its sums is rounding.
    fn clear(&mut self, k: usize) {
        self.moments.iter_mut().for_each(|moments| moments.clear(k));
        self.tallies.iter_mut().for_each(|tallies| tallies.clear(k));
        self.levels.iter_mut().for_each(|levels| levels.counts.clear(k));
        self.words.iter_mut().for_each(|words| words.clear(k));
    }

    fn pairs(
        &mut self,
        other: &Self,
        moments: impl Fn(&mut NumberMoments, &NumberMoments),
        tallies: impl Fn(&mut NumberTallies, &NumberTallies),
        levels: impl Fn(&mut LevelCounts, &LevelCounts),
        words: impl Fn(&mut WordCounts, &WordCounts),
        scatter: impl Fn(&mut Scatter, &Scatter),
    ) {
        if let (Some(mine), Some(theirs)) = (&mut self.moments, &other.moments) {
            moments(mine, theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.tallies, &other.tallies) {
            tallies(mine, theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.levels, &other.levels) {
            levels(mine, theirs);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            words(mine, theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.scatter, &other.scatter) {
            scatter(mine, theirs);
        }
    }

    fn same_layout(&self, other: &Self) -> Result<()> {
        if self.parts == other.parts
            && (Arc::ptr_eq(&self.layout, &other.layout) || self.layout == other.layout)
            && (0..self.extremes.len()).all(|j| self.scale(j) == other.scale(j))
        {
            return Ok(());
        }
        let what = "they were gathered over different columns, levels or classes, or in different units".to_owned();
        Err(ErrorKind::Mismatch { left_name: "the first summary".into(), right_name: "the second".into(), what }.into())
    }
}

impl Statistics for TableStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        rows.features.check(&self.layout)?;
        let labels = &*rows.counted_labels()?;
        let Rows { features, weights, first_row, .. } = rows;
        let layout = Arc::clone(&self.layout);
        let number_name = |j: usize| layout.features()[layout.numbers()[j]].name.clone();
        self.classes.observe(labels, weights)?;
        let scaled = self.scales.as_ref().map(|scales| scaled(features.numbers, scales));
        let numbers = match &scaled {
            Some(cells) => MatrixView::row_major(cells, features.rows(), self.extremes.len())?,
            None => features.numbers,
        };
        let mut extremes = scaled.is_none().then_some(self.extremes.as_mut_slice());
        if let Some(moments) = &mut self.moments {
            moments.observe(numbers, labels, weights, first_row, &number_name, extremes.as_deref_mut())?;
        }
        if let Some(tallies) = &mut self.tallies {
            tallies.observe(features.numbers, labels, weights, first_row, &number_name)?;
        }
        if let Some(levels) = &mut self.levels {
            levels.observe(features.codes, labels, weights);
        }
        for (block, words) in self.words.iter_mut().enumerate() {
            words.observe(features.words[block], labels, weights, first_row, &layout.features()[layout.words()[block]].name)?;
        }
        if let Some(scatter) = &mut self.scatter {
            scatter.observe(numbers, labels, weights, first_row, &number_name, extremes)?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.same_layout(other)?;
        self.extremes.iter_mut().zip(&other.extremes).for_each(|(mine, theirs)| *mine = mine.max(*theirs));
        self.classes.merge(&other.classes);
        self.pairs(other, NumberMoments::merge, NumberTallies::merge, LevelCounts::merge, WordCounts::merge, Scatter::merge);
        self.note_merged();
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.classes.total()
    }

    fn purpose(&self) -> String {
        match self.scales {
            None => "counts, means and products of the columns by class".into(),
            Some(_) => "the same sums in units in which they are finite".into(),
        }
    }

    fn bytes(&self) -> usize {
        self.moments.as_ref().map_or(0, NumberMoments::bytes)
            + self.tallies.as_ref().map_or(0, NumberTallies::bytes)
            + self.levels.as_ref().map_or(0, |levels| levels.counts.bytes())
            + self.words.iter().map(WordCounts::bytes).sum::<usize>()
            + self.scatter.as_ref().map_or(0, Scatter::bytes)
    }
}
