//! Seeing the same sums over another layout: a subset of the features, or the union of two layouts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{LevelCounts, TableStats};
use crate::data::{Layout, Plane, Space, Vocabulary};
use crate::error::{Error, Result};

impl TableStats {
    /// The same rows seen through some of the features, in the given order.
    pub fn select(&self, features: &[usize]) -> Result<TableStats> {
        self.recast(Arc::new(self.layout.select(features)?))
    }

    /// The same sums over a layout that holds all classes of this one, and for each feature that both have all
    /// levels and words of this one. Features that only this one has are left out; features that only the other has
    /// are missing in every row.
    pub fn recast(&self, layout: Arc<Layout>) -> Result<TableStats> {
        let counts_words = self.parts.words.totals || self.parts.words.presence;
        let maps = Maps::between(&self.layout, &layout, counts_words)?;
        let classes = layout.classes().len();
        let (numbers, words) = (layout.numbers().len(), layout.word_widths());
        let mut moved = TableStats::new(Arc::clone(&layout), self.parts);
        let mut scales = vec![1.0; numbers];
        for (j, to) in maps.numbers.iter().enumerate().filter_map(|(j, to)| to.map(|to| (j, to))) {
            scales[to] = self.scale(j);
            moved.extremes[to] = self.extremes[j];
        }
        moved.scales = self.scales.as_ref().map(|_| Arc::new(scales));
        moved.classes = self.classes.recast(&maps.classes, classes);
        let shape = (classes, numbers);
        if numbers > 0 {
            if let Some(moments) = &self.moments {
                moved.moments = Some(moments.recast(&maps.classes, &maps.numbers, shape));
            }
            if let Some(tallies) = &self.tallies {
                moved.tallies = Some(tallies.recast(&maps.classes, &maps.numbers, shape));
            }
            match (&self.scatter, &mut moved.scatter) {
                (Some(scatter), moved) => *moved = Some(scatter.recast(&maps.classes, &maps.numbers, shape)),
                // A table without numbers has none of the numbers of a wider one.
                (None, Some(wider)) => wider.merge_unobserved(&moved.classes),
                (None, None) => {}
            }
        }
        if let (Some(mine), Some(levels)) = (&self.levels, &mut moved.levels) {
            let total = levels.counts.columns();
            let cells = maps.level_cells(mine, levels);
            levels.counts = mine.counts.recast(&maps.classes, &cells, (classes, total));
        }
        for (mine, map) in self.words.iter().zip(&maps.words) {
            if let Some((to, columns)) = map {
                moved.words[*to] = mine.recast(&maps.classes, columns, (classes, words[*to]));
            }
        }
        Ok(moved)
    }
}

/// Where each class, number column, level and word of one layout stands in another.
struct Maps {
    classes: Vec<usize>,
    numbers: Vec<Option<usize>>,
    codes: Vec<Option<(usize, Vec<usize>)>>,
    words: Vec<Option<(usize, Vec<Option<usize>>)>>,
}

impl Maps {
    /// The maps; those of words stay empty when no words are counted, because a hashed width needs no memory of its own.
    fn between(from: &Layout, to: &Layout, counts_words: bool) -> Result<Maps> {
        let classes = from.classes().labels().iter().map(|label| to.classes().index(label)).collect::<Result<_>>()?;
        let targets: BTreeMap<&str, usize> = to.features().iter().enumerate().map(|(j, f)| (f.name.as_str(), j)).collect();
        let mut maps = Maps { classes, numbers: Vec::new(), codes: Vec::new(), words: Vec::new() };
        for (j, feature) in from.features().iter().enumerate() {
            let target = targets.get(feature.name.as_str()).map(|&t| (to.plane(t), &to.features()[t].space));
            match (from.plane(j), target) {
                (Plane::Numbers(_), Some((Plane::Numbers(t), _))) => maps.numbers.push(Some(t)),
                (Plane::Numbers(_), None) => maps.numbers.push(None),
                (Plane::Codes(_), Some((Plane::Codes(t), space))) => maps.codes.push(Some((t, level_map(&feature.space, space)?))),
                (Plane::Codes(_), None) => maps.codes.push(None),
                (Plane::Words(_), Some((Plane::Words(t), space))) => {
                    let columns = if counts_words { word_map(&feature.space, space)? } else { Vec::new() };
                    maps.words.push(Some((t, columns)));
                }
                (Plane::Words(_), None) => maps.words.push(None),
                _ => return Err(Error::internal(format!("column `{}` changed its kind in a recast", feature.name))),
            }
        }
        Ok(maps)
    }

    /// Where each cell of `from`, all columns side by side, goes in `to`.
    fn level_cells(&self, from: &LevelCounts, to: &LevelCounts) -> Vec<Option<usize>> {
        let mut cells = Vec::with_capacity(from.counts.columns());
        for (j, map) in self.codes.iter().enumerate() {
            for level in 0..from.offsets[j + 1] - from.offsets[j] {
                cells.push(map.as_ref().map(|(t, levels)| to.offsets[*t] + levels[level]));
            }
        }
        cells
    }
}

fn level_map(from: &Space, to: &Space) -> Result<Vec<usize>> {
    let (Space::Levels { levels: from, .. }, Space::Levels { levels: to, .. }) = (from, to) else {
        return Err(Error::internal("levels are mapped to something else"));
    };
    let index: BTreeMap<&String, usize> = to.names().iter().enumerate().map(|(code, name)| (name, code)).collect();
    let lost = |name: &String| Error::internal(format!("level `{name}` is lost in a recast"));
    from.names().iter().map(|name| index.get(name).copied().ok_or_else(|| lost(name))).collect()
}

fn word_map(from: &Space, to: &Space) -> Result<Vec<Option<usize>>> {
    let (Space::Words { vocabulary: from, .. }, Space::Words { vocabulary: to, .. }) = (from, to) else {
        return Err(Error::internal("words are mapped to something else"));
    };
    match (from, to) {
        (Vocabulary::Hashed(a), Vocabulary::Hashed(b)) if a == b => Ok((0..*a).map(Some).collect()),
        (Vocabulary::Listed(from), Vocabulary::Listed(to)) => {
            let index: BTreeMap<&String, usize> = to.iter().enumerate().map(|(column, word)| (word, column)).collect();
            Ok(from.iter().map(|word| index.get(word).copied()).collect())
        }
        _ => Err(Error::internal("a hashed vocabulary is mapped to another")),
    }
}
