//! Seeing the same sums over another layout: a subset of the features, or the union of two layouts.

use std::sync::Arc;

use super::{LevelCounts, TableStats};
use crate::data::{Layout, LayoutMap};
use crate::error::Result;

impl TableStats {
    /// The same rows seen through some of the features, in the given order.
    pub fn select(&self, features: &[usize]) -> Result<TableStats> {
        self.project(Arc::new(self.layout.select(features)?))
    }

    /// The same sums over a layout that holds all classes of this one, and for each feature that both have all
    /// levels and words of this one. Features that only this one has are left out; features that only the other has
    /// are missing in every row.
    pub fn project(&self, layout: Arc<Layout>) -> Result<TableStats> {
        let counts_words = self.parts.words.totals || self.parts.words.presence;
        let maps = LayoutMap::between(&self.layout, &layout, counts_words)?;
        let classes = layout.classes().len();
        let (numbers, words) = (layout.numbers().len(), layout.word_widths());
        let mut moved = TableStats::new(Arc::clone(&layout), self.parts);
        let mut scales = vec![1.0; numbers];
        for (j, to) in maps.numbers.iter().enumerate().filter_map(|(j, to)| to.map(|to| (j, to))) {
            scales[to] = self.scale(j);
            moved.extremes[to] = self.extremes[j];
        }
        moved.scales = self.scales.as_ref().map(|_| Arc::new(scales));
        moved.classes = self.classes.project(&maps.classes, classes);
        let shape = (classes, numbers);
        if numbers > 0 {
            if let Some(moments) = &self.moments {
                moved.moments = Some(moments.project(&maps.classes, &maps.numbers, shape));
            }
            if let Some(tallies) = &self.tallies {
                moved.tallies = Some(tallies.project(&maps.classes, &maps.numbers, shape));
            }
            match (&self.scatter, &mut moved.scatter) {
                (Some(scatter), moved) => *moved = Some(scatter.project(&maps.classes, &maps.numbers, shape)),
                // A table without numbers has none of the numbers of a wider one.
                (None, Some(wider)) => wider.merge_unobserved(&moved.classes),
                (None, None) => {}
            }
        }
        if let (Some(mine), Some(levels)) = (&self.levels, &mut moved.levels) {
            let total = levels.counts.columns();
            let cells = level_cells(&maps, mine, levels);
            levels.counts = mine.counts.project(&maps.classes, &cells, (classes, total));
        }
        for (mine, map) in self.words.iter().zip(&maps.words) {
            if let Some((to, columns)) = map {
                moved.words[*to] = mine.project(&maps.classes, columns, (classes, words[*to]));
            }
        }
        Ok(moved)
    }
}

/// Where each cell of `from`, all columns side by side, goes in `to`.
fn level_cells(map: &LayoutMap, from: &LevelCounts, to: &LevelCounts) -> Vec<Option<usize>> {
    let mut cells = Vec::with_capacity(from.counts.columns());
    for (j, map) in map.codes.iter().enumerate() {
        for level in 0..from.offsets[j + 1] - from.offsets[j] {
            cells.push(map.as_ref().map(|(t, levels)| to.offsets[*t] + levels[level]));
        }
    }
    cells
}
