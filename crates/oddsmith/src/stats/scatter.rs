//! Means and products of number columns by class and by pattern of missing values: what LDA and QDA are made of.
//!
//! Rows with missing numbers form groups of their own, one per set of observed columns, up to a limit: any subset
//! of columns then finds its complete rows without the data. Time O(rows · columns²), memory O(K · columns²) per pattern.

use std::collections::BTreeMap;

use super::ClassWeights;
use super::number_moments::infinite;
use super::parts::ScatterPart;
use super::scales::note_extreme;
use super::scatter_group::{BatchFate, ScatterGroup};
use crate::data::SKIP;
use crate::error::Result;
use crate::num::MatrixView;

/// Scatter of number columns; the key of a group lists its observed columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    classes: usize,
    columns: usize,
    part: ScatterPart,
    limit: usize,
    groups: BTreeMap<Vec<usize>, ScatterGroup>,
    incomplete: u64,
}

impl Scatter {
    /// Nothing seen; at most `limit` patterns of missing values are kept apart, the complete rows being the first.
    pub fn new(classes: usize, columns: usize, part: ScatterPart, limit: usize) -> Self {
        let complete = ((0..columns).collect(), ScatterGroup::new(classes, columns, part));
        Scatter { classes, columns, part, limit: limit.max(1), groups: BTreeMap::from([complete]), incomplete: 0 }
    }

    /// A scatter that is yet to be read.
    pub(super) fn unread(classes: usize, columns: usize, part: ScatterPart, limit: usize) -> Self {
        Scatter { classes, columns, part, limit: limit.max(1), groups: BTreeMap::new(), incomplete: 0 }
    }

    /// Number of classes and of columns.
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.classes, self.columns)
    }

    /// A scatter of `shape` = (classes, columns) from its stored groups; `None` without a group of complete rows.
    pub fn from_groups(
        shape: (usize, usize),
        part: ScatterPart,
        limit: usize,
        groups: BTreeMap<Vec<usize>, ScatterGroup>,
        incomplete: u64,
    ) -> Option<Self> {
        let complete: Vec<usize> = (0..shape.1).collect();
        groups.contains_key(&complete).then_some(Scatter {
            classes: shape.0,
            columns: shape.1,
            part,
            limit: limit.max(1),
            groups,
            incomplete,
        })
    }

    /// Groups by observed columns.
    pub fn groups(&self) -> &BTreeMap<Vec<usize>, ScatterGroup> {
        &self.groups
    }

    /// Which products are kept.
    pub fn part(&self) -> ScatterPart {
        self.part
    }

    /// Most patterns kept.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Rows with missing numbers that no group could take.
    pub fn incomplete(&self) -> u64 {
        self.incomplete
    }

    /// The rows in which all columns are observed, and how many rows are not among them.
    pub fn complete(&self) -> (ScatterGroup, u64) {
        let mut total = ScatterGroup::new(self.classes, self.columns, self.part);
        let mut left_out = self.incomplete;
        for (pattern, group) in &self.groups {
            match pattern.len() == self.columns {
                true => total.merge(group),
                false => left_out += group.total_rows(),
            }
        }
        (total, left_out)
    }

    /// Adds a batch. `name` gives the name of a column, for the message about an infinite value; columns whose squares leave
    /// the range of numbers are noted in `extremes`, which is `None` when they were scaled already. A batch with such columns
    /// is left out, because it will be summed again.
    pub fn observe(
        &mut self,
        values: MatrixView<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        first_row: u64,
        name: &dyn Fn(usize) -> String,
        extremes: Option<&mut [f64]>,
    ) -> Result<()> {
        let complete: Vec<usize> = (0..self.columns).collect();
        let scaled = extremes.is_none();
        if self.group(complete.clone()).observe(values, labels, weights, scaled) == BatchFate::Added {
            return Ok(());
        }
        let mut gaps: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        let mut complete_labels = labels.to_vec();
        for i in (0..values.rows()).filter(|&i| labels[i] != SKIP) {
            if let Some(j) = (0..values.cols()).find(|&j| values.get(i, j).is_infinite()) {
                return Err(infinite(name(j), first_row + i as u64 + 1, values.get(i, j)));
            }
            let observed: Vec<usize> = (0..values.cols()).filter(|&j| !values.get(i, j).is_nan()).collect();
            if observed.len() < values.cols() {
                complete_labels[i] = SKIP;
                gaps.entry(observed).or_default().push(i);
            }
        }
        let mut extreme = self.group(complete).observe(values, &complete_labels, weights, scaled).extreme_columns(self.columns);
        for (pattern, members) in gaps {
            extreme.extend(self.observe_pattern(pattern, &members, values, labels, weights, scaled)?);
        }
        if let Some(extremes) = extremes {
            extreme.into_iter().for_each(|j| note_extreme(extremes, values, labels, j));
        }
        Ok(())
    }

    fn group(&mut self, pattern: Vec<usize>) -> &mut ScatterGroup {
        self.groups.entry(pattern).or_insert_with_key(|pattern| ScatterGroup::new(self.classes, pattern.len(), self.part))
    }

    fn observe_pattern(
        &mut self,
        pattern: Vec<usize>,
        members: &[usize],
        values: MatrixView<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        scaled: bool,
    ) -> Result<Vec<usize>> {
        if !self.groups.contains_key(&pattern) && self.groups.len() >= self.limit {
            self.incomplete += members.len() as u64;
            return Ok(Vec::new());
        }
        let packed: Vec<f64> = members.iter().flat_map(|&i| pattern.iter().map(move |&j| values.get(i, j))).collect();
        let labels: Vec<u32> = members.iter().map(|&i| labels[i]).collect();
        let weights: Option<Vec<f64>> = weights.map(|w| members.iter().map(|&i| w[i]).collect());
        let view = MatrixView::row_major(&packed, members.len(), pattern.len())?;
        let extreme = self.group(pattern.clone()).observe(view, &labels, weights.as_deref(), scaled).extreme_columns(pattern.len());
        Ok(extreme.into_iter().map(|at| pattern[at]).collect())
    }

    /// Adds a group; beyond the limit of patterns only its rows are counted.
    fn merge_group(&mut self, pattern: &[usize], group: &ScatterGroup) {
        if let Some(mine) = self.groups.get_mut(pattern) {
            mine.merge(group);
        } else if self.groups.len() < self.limit {
            self.groups.insert(pattern.to_vec(), group.clone());
        } else {
            self.incomplete += group.total_rows();
        }
    }

    /// Adds another scatter over the same columns.
    pub fn merge(&mut self, other: &Self) {
        self.incomplete += other.incomplete;
        other.groups.iter().for_each(|(pattern, group)| self.merge_group(pattern, group));
    }

    /// Adds rows in which every number is missing.
    pub fn merge_unobserved(&mut self, rows: &ClassWeights) {
        if rows.total_rows() > 0 {
            let ClassWeights { rows, weight, squared } = rows.clone();
            self.merge_group(&[], &ScatterGroup { rows, weight, squared, ..ScatterGroup::new(self.classes, 0, self.part) });
        }
    }

    /// Whether the rows of another scatter can be taken away: each of its groups is part of the same group here, or,
    /// where there is none, part of the rows that no group could take.
    pub fn holds(&self, other: &Self) -> bool {
        let mut ungrouped = other.incomplete;
        for (pattern, group) in &other.groups {
            match self.groups.get(pattern) {
                Some(mine) if mine.rows.iter().zip(&group.rows).any(|(mine, theirs)| mine < theirs) => return false,
                Some(_) => {}
                None => ungrouped += group.total_rows(),
            }
        }
        ungrouped <= self.incomplete
    }

    /// Takes another scatter away, which this one must hold.
    pub fn subtract(&mut self, other: &Self) {
        self.incomplete = self.incomplete.saturating_sub(other.incomplete);
        for (pattern, group) in &other.groups {
            match self.groups.get_mut(pattern) {
                Some(mine) => mine.subtract(group),
                None => self.incomplete = self.incomplete.saturating_sub(group.total_rows()),
            }
        }
        // A pattern without rows would only take the place of another.
        self.groups.retain(|pattern, group| pattern.len() == self.columns || group.total_rows() > 0);
    }

    /// The same rows seen through other columns: column `j` moves to `columns[j]` of `shape.1` or away. Groups that
    /// become equal are added up; a column that nobody had is missing in every row.
    #[must_use]
    pub fn project(&self, classes: &[usize], columns: &[Option<usize>], shape: (usize, usize)) -> Self {
        let mut moved = Scatter::new(shape.0, shape.1, self.part, self.limit);
        moved.incomplete = self.incomplete;
        for (pattern, group) in self.groups.iter().filter(|(_, group)| group.total_rows() > 0) {
            let mut kept: Vec<(usize, usize)> = pattern.iter().enumerate().filter_map(|(at, &j)| columns[j].map(|to| (to, at))).collect();
            kept.sort_unstable();
            let positions: Vec<usize> = kept.iter().map(|&(_, at)| at).collect();
            let project = group.project(self.part, classes, shape.0, &positions);
            let key: Vec<usize> = kept.iter().map(|&(to, _)| to).collect();
            moved.merge_group(&key, &project);
        }
        moved
    }

    /// Multiplies every column by a factor.
    pub(super) fn rescale(&mut self, factors: &[f64]) {
        for (pattern, group) in &mut self.groups {
            let observed: Vec<f64> = pattern.iter().map(|&j| factors[j]).collect();
            group.rescale(&observed);
        }
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        self.groups.values().map(ScatterGroup::bytes).sum()
    }
}
