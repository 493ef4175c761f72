//! Categories as number columns: one 0/1 column for every level but the first, as R's `model.matrix` makes them.
//!
//! A category of L levels becomes L − 1 columns, a boolean one; numbers stay as they are, and columns stand in the order of the
//! features. Whichever level is the reference, the columns span the same space, so models that know no coordinates do not depend on
//! it. A missing level, an unknown one and one that no row of the fit had leave all columns of their category missing.
//! Cost: one write per cell.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Feature, Features, Layout, MISSING, Plane, Space, UNSEEN};
use crate::error::{Advice, ErrorKind, Result};

/// The most levels of a category: the columns of all levels meet each other in a covariance matrix.
const MOST_LEVELS: usize = 1000;

/// The way from a table with categories to one of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Dummies {
    layout: Arc<Layout>,
    numbers: Arc<Layout>,
    columns: Vec<DummyColumn>,
    /// Levels, as code column and code, that no row of the fit had.
    unseen: BTreeSet<(usize, u32)>,
}

/// Where the cells of a number column come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DummyColumn {
    /// A column of the number plane.
    Number { plane: usize, feature: usize },
    /// Whether a column of the code plane has this level.
    Level { plane: usize, feature: usize, level: u32 },
}

impl Dummies {
    /// The columns of a layout without text; `None` when all of them are numbers already.
    pub fn new(layout: &Arc<Layout>) -> Result<Option<Self>> {
        if layout.codes().is_empty() {
            return Ok(None);
        }
        let (mut columns, mut names, mut features) = (Vec::new(), BTreeSet::new(), Vec::new());
        for (feature, declared) in layout.features().iter().enumerate() {
            match (layout.plane(feature), &declared.space) {
                (Plane::Codes(plane), Space::Levels { levels, .. }) => {
                    if levels.len() > MOST_LEVELS {
                        return Err(too_many_levels(&declared.name, levels.len()));
                    }
                    for (level, name) in levels.names().iter().enumerate().skip(1) {
                        features.push(Feature::number(unique(format!("{}{name}", declared.name), &mut names)));
                        columns.push(DummyColumn::Level { plane, feature, level: level as u32 });
                    }
                }
                (Plane::Numbers(plane), _) => {
                    features.push(Feature::number(unique(declared.name.clone(), &mut names)));
                    columns.push(DummyColumn::Number { plane, feature });
                }
                _ => {}
            }
        }
        let numbers = Layout::new(layout.target(), features, layout.classes().clone(), layout.weighting())?;
        let numbers = Arc::new(numbers.with_keys(layout.keys().to_vec()));
        Ok(Some(Dummies { layout: Arc::clone(layout), numbers, columns, unseen: BTreeSet::new() }))
    }

    /// The same columns, where no row of the fit had some levels, given as code column and code.
    #[must_use]
    pub fn without(mut self, unseen: BTreeSet<(usize, u32)>) -> Self {
        self.unseen = unseen;
        self
    }

    /// Levels, as code column and code, that no row of the fit had.
    pub fn unseen(&self) -> &BTreeSet<(usize, u32)> {
        &self.unseen
    }

    /// What rows look like with their categories.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// What they look like as numbers.
    pub fn numbers(&self) -> &Arc<Layout> {
        &self.numbers
    }

    /// The feature that number column `at` is made of.
    pub fn feature(&self, at: usize) -> usize {
        match self.columns[at] {
            DummyColumn::Number { feature, .. } | DummyColumn::Level { feature, .. } => feature,
        }
    }

    /// The column of the number plane that number column `at` copies; `None` for one of a level.
    pub fn number(&self, at: usize) -> Option<usize> {
        match self.columns[at] {
            DummyColumn::Number { plane, .. } => Some(plane),
            DummyColumn::Level { .. } => None,
        }
    }

    /// The code column and the code that number column `at` marks; `None` for one of numbers.
    pub fn level(&self, at: usize) -> Option<(usize, u32)> {
        match self.columns[at] {
            DummyColumn::Number { .. } => None,
            DummyColumn::Level { plane, level, .. } => Some((plane, level)),
        }
    }

    /// The number columns that mark levels of code column `plane`.
    pub fn of_code(&self, plane: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(move |&at| self.level(at).is_some_and(|(own, _)| own == plane))
    }

    /// The name of a level of code column `plane`.
    pub fn level_name(&self, plane: usize, level: u32) -> String {
        self.layout.level_name(self.layout.codes()[plane], level as usize).unwrap_or_default()
    }

    /// The categories with the level that has no column, as `race (black)`; those with a single level have no columns at all.
    pub fn references(&self) -> Vec<String> {
        let shown = |(plane, &feature): (usize, &usize)| {
            let marked = self.of_code(plane).next().is_some();
            marked.then(|| format!("{} ({})", self.layout.features()[feature].name, self.level_name(plane, 0)))
        };
        self.layout.codes().iter().enumerate().filter_map(shown).collect()
    }

    /// Writes rows as numbers, row after row.
    pub fn expand(&self, rows: &Features<'_>, cells: &mut Vec<f64>) {
        cells.clear();
        cells.reserve(rows.rows() * self.columns.len());
        for i in 0..rows.rows() {
            cells.extend(self.columns.iter().map(|column| match *column {
                DummyColumn::Number { plane, .. } => rows.numbers.get(i, plane),
                DummyColumn::Level { plane, level, .. } => match rows.codes.get(i, plane) {
                    MISSING | UNSEEN => f64::NAN,
                    code if self.unseen.contains(&(plane, code)) => f64::NAN,
                    code => f64::from(u8::from(code == level)),
                },
            }));
        }
    }
}

/// A name that no other column has: the level of one category may read like another column.
fn unique(name: String, names: &mut BTreeSet<String>) -> String {
    let mut own = name.clone();
    let mut copy = 0;
    while !names.insert(own.clone()) {
        copy += 1;
        own = format!("{name}.{copy}");
    }
    own
}

fn too_many_levels(name: &str, levels: usize) -> crate::error::Error {
    let what = format!("category `{name}` has {levels} levels, and each of them would be a column of the covariance matrix");
    let advice = Advice::any_of([
        Advice::LeaveOut(vec![name.to_owned()]),
        format!("join rare levels until it has {MOST_LEVELS} at most").into(),
        Advice::UseModel { name: "nb", why: "which counts levels" },
    ]);
    ErrorKind::NoEstimate { what, advice }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, CodesView, Levels, Weighting};
    use crate::num::MatrixView;

    fn layout() -> Arc<Layout> {
        let levels = |names: &[&str]| Levels::in_order(names.iter().map(|name| name.to_string()).collect());
        let features = vec![
            Feature::category("race", levels(&["black", "other", "white"])),
            Feature::number("raceother"),
            Feature::boolean("smoke"),
            Feature::category("site", levels(&["one"])),
        ];
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        Arc::new(Layout::new("low", features, classes, Weighting::None).unwrap())
    }

    #[test]
    fn levels_become_columns_of_zeros_and_ones() {
        let dummies = Dummies::new(&layout()).unwrap().unwrap();
        assert_eq!(dummies.numbers().names(), ["raceother", "racewhite", "raceother.1", "smoketrue"]);
        assert_eq!(dummies.references(), ["race (black)", "smoke (false)"]);
        let codes = [0, 1, 0, 2, 0, 0, MISSING, UNSEEN, 0];
        let rows = Features {
            numbers: MatrixView::row_major(&[7.0, 8.0, 9.0], 3, 1).unwrap(),
            codes: CodesView::row_major(&codes, 3, 3).unwrap(),
            words: &[],
        };
        let mut cells = Vec::new();
        dummies.expand(&rows, &mut cells);
        assert_eq!(cells[..8], [0.0, 0.0, 7.0, 1.0, 0.0, 1.0, 8.0, 0.0]);
        assert_eq!(cells[8..].iter().map(|cell| cell.is_nan()).collect::<Vec<_>>(), [true, true, false, true]);
        dummies.without([(0, 2)].into()).expand(&rows, &mut cells);
        assert!(cells[4].is_nan() && cells[5].is_nan() && cells[6] == 8.0);
    }

    #[test]
    fn numbers_need_no_dummies() {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let plain = Layout::new("low", vec![Feature::number("age")], classes, Weighting::None).unwrap();
        assert!(Dummies::new(&Arc::new(plain)).unwrap().is_none());
    }
}
