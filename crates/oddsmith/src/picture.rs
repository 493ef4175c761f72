//! Pictures as plain data: what is drawn, never how. A role says what a mark stands for; whoever draws chooses colours and sizes.
//!
//! A picture is made over tables: [`Picture::table`] lists every mark's data, so that what is seen can be read and copied.

use serde::Serialize;

use crate::card::{Cell, FixedTable, Table};

/// One picture of one or more panels side by side.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Picture {
    /// A short name, such as `forest`.
    pub name: String,
    /// The title.
    pub title: String,
    /// What is seen, in a sentence, for people who cannot see it.
    pub summary: String,
    /// The panels, from left to right.
    pub panels: Vec<Panel>,
}

/// Axes and what is drawn between them.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Panel {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Marks, the lowest first.
    pub marks: Vec<Mark>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Axis {
    /// What it measures.
    pub label: String,
    /// How values become places.
    pub scale: AxisScale,
    /// The values at its two ends; `None` where the marks decide.
    pub range: Option<(f64, f64)>,
    /// Names along an axis of categories, from its origin on.
    pub categories: Vec<String>,
}

/// How values become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum AxisScale {
    /// Equal steps for equal differences.
    #[default]
    Linear,
    /// From 0 to 1.
    Proportion,
    /// Equal steps for equal ratios.
    Log,
    /// Equal steps for equal differences of log odds.
    Logit,
    /// One place per name.
    Categories,
}

/// What a mark stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum Role {
    /// The event, or the first thing that is shown.
    #[default]
    Event,
    /// The other class, or the second thing.
    Other,
    /// A third thing.
    Third,
    /// What the rest is held against.
    Reference,
    /// Nothing in particular.
    Plain,
}

/// One layer of a panel. Values may be infinite: whoever draws shows an arrow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Mark {
    /// A line through points.
    Line {
        /// What it stands for.
        role: Role,
        /// Its name in a legend; empty for none.
        name: String,
        /// The points in order.
        points: Vec<(f64, f64)>,
    },
    /// The room between two lines.
    Band {
        /// What it stands for.
        role: Role,
        /// (x, low, high) in order.
        points: Vec<(f64, f64, f64)>,
    },
    /// Single points.
    Points {
        /// What they stand for.
        role: Role,
        /// Their name in a legend; empty for none.
        name: String,
        /// The points.
        points: Vec<(f64, f64)>,
    },
    /// Estimates with limits, each at its place on the other axis.
    Intervals {
        /// What they stand for.
        role: Role,
        /// (place, estimate, low, high).
        estimates: Vec<(f64, f64, f64, f64)>,
    },
    /// Bars from a base line.
    Bars {
        /// What they stand for.
        role: Role,
        /// (place, from, to).
        bars: Vec<(f64, f64, f64)>,
    },
    /// A straight line across the panel.
    Rule {
        /// What it stands for.
        role: Role,
        /// Whether it stands upright at an x; otherwise it lies at a y.
        upright: bool,
        /// Where.
        at: f64,
    },
    /// A grid of values over the panel, row after row from below.
    Surface {
        /// Places of the columns of the grid.
        x: Vec<f64>,
        /// Places of its rows.
        y: Vec<f64>,
        /// The values.
        values: Vec<f64>,
    },
    /// A text at a place.
    Label {
        /// Where.
        at: (f64, f64),
        /// The text.
        text: String,
    },
}

impl Mark {
    fn kind(&self) -> &'static str {
        match self {
            Mark::Line { .. } => "line",
            Mark::Band { .. } => "band",
            Mark::Points { .. } => "points",
            Mark::Intervals { .. } => "intervals",
            Mark::Bars { .. } => "bars",
            Mark::Rule { .. } => "rule",
            Mark::Surface { .. } => "surface",
            Mark::Label { .. } => "label",
        }
    }

    /// Its values, a row per element, at most four to a row.
    fn values(&self) -> Vec<Vec<f64>> {
        match self {
            Mark::Line { points, .. } | Mark::Points { points, .. } => points.iter().map(|(x, y)| vec![*x, *y]).collect(),
            Mark::Band { points: rows, .. } | Mark::Bars { bars: rows, .. } => rows.iter().map(|(x, a, b)| vec![*x, *a, *b]).collect(),
            Mark::Intervals { estimates, .. } => estimates.iter().map(|(at, value, low, high)| vec![*at, *value, *low, *high]).collect(),
            Mark::Rule { at, .. } => vec![vec![*at]],
            Mark::Surface { x, y, values } => {
                let places = y.iter().flat_map(|y| x.iter().map(move |x| (*x, *y)));
                places.zip(values).map(|((x, y), value)| vec![x, y, *value]).collect()
            }
            Mark::Label { at, .. } => vec![vec![at.0, at.1]],
        }
    }
}

impl Picture {
    /// Everything that is drawn, as a table: panel, kind of mark, its number, and up to four values.
    pub fn table(&self) -> Table {
        let mut table = FixedTable::new(&self.name, ["panel", "mark", "layer", "a", "b", "c", "d"]);
        for (panel, drawn) in self.panels.iter().enumerate() {
            for (layer, mark) in drawn.marks.iter().enumerate() {
                for values in mark.values() {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|at| values.get(at).copied().map_or(Cell::Empty, Cell::from));
                    table.push([Cell::from(panel + 1), mark.kind().into(), (layer + 1).into(), a, b, c, d]);
                }
            }
        }
        table.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_every_element_of_every_mark() {
        let marks = vec![
            Mark::Line { role: Role::Event, name: "ROC".into(), points: vec![(0.0, 0.0), (1.0, 1.0)] },
            Mark::Intervals { role: Role::Plain, estimates: vec![(1.0, 2.0, 0.5, f64::INFINITY)] },
            Mark::Surface { x: vec![0.0, 1.0], y: vec![5.0], values: vec![0.1, 0.9] },
        ];
        let picture = Picture { name: "all".into(), panels: vec![Panel { marks, ..Panel::default() }], ..Picture::default() };
        let table = picture.table();
        let numbers = |row: &[Cell]| row.iter().skip(3).filter(|cell| **cell != Cell::Empty).count();
        assert_eq!(table.rows().iter().map(|row| numbers(row)).collect::<Vec<_>>(), [2, 2, 4, 3, 3]);
        assert_eq!(table.rows()[2][6], Cell::Number(f64::INFINITY));
        assert_eq!(table.rows()[4][3..6], [Cell::Number(1.0), Cell::Number(5.0), Cell::Number(0.9)]);
    }
}
