//! Counts of the values of every column by class and stratum: n[z·K + k, value]. Time O(rows · columns · log bins).

use std::sync::Arc;

use super::Information;
use super::groups::Groups;
use super::number_bins::NumberBins;
use super::number_rows::NumberRows;
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows};
use crate::error::{Error, Result};
use crate::info::Joint;
use crate::stats::{ClassWeights, LevelCounts, WordCounts, WordParts};

/// Counts of values by group, a group being a class within a stratum.
#[derive(Debug, Clone)]
pub struct Counts {
    groups: Groups,
    levels: Option<LevelCounts>,
    words: Vec<WordCounts>,
    bins: NumberBins,
    rows: Option<NumberRows>,
}

impl Counts {
    /// Nothing seen.
    pub(super) fn new(layout: &Arc<Layout>, options: &Information, cuts: Vec<Vec<f64>>) -> Result<Self> {
        let counted = Groups::new(layout, options)?;
        let groups = counted.len();
        let presence = WordParts { totals: false, presence: true };
        Ok(Counts {
            groups: counted,
            levels: (!layout.codes().is_empty()).then(|| LevelCounts::new(groups, &layout.level_counts())),
            words: layout.word_widths().into_iter().map(|width| WordCounts::new(groups, width, presence)).collect(),
            bins: NumberBins::new(groups, cuts),
            rows: options.numbers.keeps_rows().then(|| NumberRows::new(groups, layout.numbers().len())),
        })
    }

    /// Adds a batch.
    pub(super) fn observe(&mut self, rows: &Rows<'_>) -> Result<()> {
        let labels = self.groups.observe(rows)?;
        let Rows { features, weights, first_row, .. } = *rows;
        let layout = self.groups.layout();
        if let Some(levels) = &mut self.levels {
            levels.observe(features.codes, &labels, weights);
        }
        for (block, words) in self.words.iter_mut().enumerate() {
            words.observe(features.words[block], &labels, weights, first_row, &layout.features()[layout.words()[block]].name)?;
        }
        match &mut self.rows {
            Some(kept) => kept.observe(features.numbers, &labels),
            None => self.bins.observe(features.numbers, &labels, weights),
        }
        Ok(())
    }

    /// Adds other counts of the same pass.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        if self.bins.cuts() != other.bins.cuts() {
            return Err(Error::internal("counts over different bins were merged"));
        }
        self.groups.merge(&other.groups);
        if let (Some(mine), Some(theirs)) = (&mut self.levels, &other.levels) {
            mine.merge(theirs);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| mine.merge(theirs));
        self.bins.merge(&other.bins);
        if let (Some(mine), Some(theirs)) = (&mut self.rows, &other.rows) {
            mine.merge(theirs);
        }
        Ok(())
    }

    /// The layout.
    pub(super) fn layout(&self) -> &Layout {
        self.groups.layout()
    }

    /// Rows and weights by group.
    pub(super) fn classes(&self) -> &ClassWeights {
        self.groups.classes()
    }

    /// Cuts of the number columns.
    pub(super) fn cuts(&self) -> &[Vec<f64>] {
        self.bins.cuts()
    }

    /// The values themselves, where they were kept.
    pub(super) fn rows(&self) -> Option<&NumberRows> {
        self.rows.as_ref()
    }

    /// How many strata there are.
    pub(super) fn strata(&self) -> usize {
        self.groups.strata()
    }

    /// Counts of fine bins of a number column by group, bin after bin.
    pub(super) fn number(&self, column: usize) -> &[f64] {
        self.bins.column(column)
    }

    /// Counts of the levels of a category column by group, level after level.
    pub(super) fn category(&self, column: usize) -> Vec<f64> {
        let Some(levels) = &self.levels else { return Vec::new() };
        let groups = self.groups.len();
        let of_group: Vec<&[f64]> = (0..groups).map(|group| levels.column(group, column)).collect();
        let width = levels.offsets[column + 1] - levels.offsets[column];
        (0..width * groups).map(|at| of_group[at % groups][at / groups]).collect()
    }

    /// Counts of rows without and with a word, by group.
    pub(super) fn word(&self, block: usize, word: usize) -> Vec<f64> {
        let words = &self.words[block];
        let with: Vec<f64> =
            words.presence.iter().flat_map(|table| (0..words.documents.len()).map(|group| table.get(group, word))).collect();
        words.documents.iter().zip(&with).map(|(all, with)| (all - with).max(0.0)).chain(with.iter().copied()).collect()
    }

    /// How many words a text column has.
    pub(super) fn words(&self, block: usize) -> usize {
        self.words[block].presence.as_ref().map_or(0, |table| table.columns())
    }

    /// The groups by which everything is counted.
    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Values by class, one table for every stratum, of counts by group.
    pub(super) fn tables(&self, counts: &[f64]) -> Result<Vec<Joint>> {
        self.groups.tables(counts)
    }

    /// What the counts tell of single rows.
    pub(super) fn discloses(&self) -> Option<String> {
        self.rows.as_ref().map(|_| "every value of number columns with its class".into())
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        let levels = self.levels.as_ref().map_or(0, |levels| levels.counts.bytes());
        levels
            + self.words.iter().map(WordCounts::bytes).sum::<usize>()
            + self.bins.bytes()
            + self.rows.as_ref().map_or(0, NumberRows::bytes)
    }
}

impl Encode for Counts {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        self.groups.encode(codec)?;
        if let Some(levels) = &mut self.levels {
            codec.weights("levels", levels.counts.cells_mut())?;
        }
        for (block, words) in self.words.iter_mut().enumerate() {
            codec.within(&format!("words-{block}"), |codec| {
                codec.weights("documents", &mut words.documents)?;
                words.presence.iter_mut().try_for_each(|table| codec.weights("presence", table.cells_mut()))
            })?;
        }
        codec.part("bins", &mut self.bins)?;
        match &mut self.rows {
            Some(rows) => codec.part("rows", rows),
            None => Ok(()),
        }
    }
}
