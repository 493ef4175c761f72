//! One line per column: what it holds and how much of it.

use oddsmith::card::{Cell, FixedTable, Table};
use oddsmith::data::{Feature, Plane};
use oddsmith::stats::TableStats;

/// A column as its statistics show it.
pub(crate) struct Column<'a> {
    stats: &'a TableStats,
    feature: &'a Feature,
    plane: Plane,
}

impl<'a> Column<'a> {
    /// Feature `j` of the layout.
    pub(crate) fn new(stats: &'a TableStats, j: usize) -> Self {
        Column { stats, feature: &stats.layout().features()[j], plane: stats.layout().plane(j) }
    }

    /// The column's name.
    pub(crate) fn name(&self) -> &'a str {
        &self.feature.name
    }

    fn classes(&self) -> std::ops::Range<usize> {
        0..self.stats.layout().classes().len()
    }

    /// Weight of the rows in which the column has a value.
    fn present(&self) -> Option<f64> {
        Some(match self.plane {
            Plane::Numbers(j) => {
                let moments = self.stats.moments()?;
                self.classes().map(|k| moments.weight.get(k, j)).sum()
            }
            Plane::Codes(j) => {
                let levels = self.stats.levels()?;
                self.classes().flat_map(|k| levels.column(k, j)).sum()
            }
            Plane::Words(j) => self.stats.words().get(j)?.documents.iter().sum(),
        })
    }

    /// Weight of the rows without a value, and of all rows.
    pub(crate) fn missing(&self) -> (f64, f64) {
        let total = self.stats.classes().total();
        let present = self.present().unwrap_or(total);
        // Sums of weights taken in two orders may differ in their last digits; that is no missing row.
        let gap = total - present;
        (if gap > total * 1e-12 { gap } else { 0.0 }, total)
    }

    /// In what way the column never changes.
    pub(crate) fn constant(&self) -> Option<String> {
        if self.present() == Some(0.0) {
            return Some("there is no value in any row".into());
        }
        match self.plane {
            Plane::Numbers(j) => {
                let all = self.stats.moments()?.pooled(j);
                (all.squares == 0.0).then(|| format!("the value is {} in every row", oddsmith_report::for_people(all.mean)))
            }
            Plane::Codes(j) => {
                let levels = self.stats.levels()?;
                let seen = |at: &usize| self.classes().any(|k| levels.column(k, j)[*at] > 0.0);
                let used: Vec<usize> = (0..levels.offsets[j + 1] - levels.offsets[j]).filter(seen).collect();
                let name = |at: usize| self.stats.layout().level_name(self.stats.layout().codes()[j], at).unwrap_or_default();
                (used.len() == 1).then(|| format!("the value is `{}` in every row", name(used[0])))
            }
            Plane::Words(j) => {
                let presence = self.stats.words().get(j)?.presence.as_ref()?;
                presence.cells().iter().all(|count| *count == 0.0).then(|| "there is no word in any row".into())
            }
        }
    }

    fn row(&self) -> [Cell; 6] {
        let (gap, _) = self.missing();
        let (mut levels, mut mean, mut sd) = (Cell::Empty, Cell::Empty, Cell::Empty);
        match self.plane {
            Plane::Numbers(j) => {
                if let Some(moments) = self.stats.moments() {
                    let all = moments.pooled(j);
                    if all.weight > 0.0 {
                        mean = all.mean.into();
                        sd = if all.weight > 1.0 { (all.squares / (all.weight - 1.0)).sqrt().into() } else { Cell::Empty };
                    }
                }
            }
            Plane::Codes(j) => levels = self.stats.layout().level_counts()[j].into(),
            Plane::Words(j) => levels = self.stats.layout().word_widths()[j].into(),
        }
        [self.name().into(), self.feature.kind().name().into(), gap.into(), levels, mean, sd]
    }
}

/// Columns with their kinds, gaps and ranges.
pub(crate) fn columns_table(stats: &TableStats) -> Table {
    let mut table = FixedTable::new("columns", ["column", "kind", "missing", "levels", "mean", "sd"]);
    for j in 0..stats.layout().features().len() {
        table.push(Column::new(stats, j).row());
    }
    table.into()
}
