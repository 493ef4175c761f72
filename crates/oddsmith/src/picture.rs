//! Pictures as plain data: what is drawn, never how. A role says what a mark stands for; whoever draws chooses colours and sizes.
//!
//! A picture is made over tables: [`Picture::table`] lists every mark's data, so that what is seen can be read and copied. Category `i` of an
//! axis stands at the place `i`, and a name that begins with spaces is set in below the one before it. Values may be infinite or missing:
//! whoever draws shows an arrow, or nothing.

mod table;

use serde::Serialize;

/// One picture of one or more panels.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Picture {
    /// A short name, such as `forest`.
    pub name: String,
    /// The title.
    pub title: String,
    /// What is seen, in a sentence, for people who cannot see it.
    pub summary: String,
    /// The panels, from the first on.
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
    /// The values at its two ends; `None` where the marks decide. What lies beyond is drawn as an arrow at the end.
    pub range: Option<(f64, f64)>,
    /// Names along an axis of categories, from its origin on.
    pub categories: Vec<String>,
    /// Texts beside the categories, such as the numbers of a forest plot.
    pub columns: Vec<Column>,
    /// What the two directions mean, such as less and more likely.
    pub ends: Option<(String, String)>,
    /// A second reading of the same places: label, and places with their texts.
    pub also: Option<(String, Vec<(f64, String)>)>,
    /// Whether ticks and grid are left out, because marks say it all.
    pub bare: bool,
    /// Whether values below zero are as large as those above it, and only drawn the other way.
    pub mirrored: bool,
}

/// Texts beside the categories of an axis, one per category.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Column {
    /// The heading.
    pub title: String,
    /// One text per category.
    pub cells: Vec<String>,
    /// Whether a narrow picture may leave it out.
    pub optional: bool,
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
    /// One of many things of the same rank, counted from 0: the classes of a model, the models of a comparison.
    Series(u8),
}

impl Role {
    /// The role of class `k` of so many: with two the second is the event.
    pub fn of_class(k: usize, classes: usize) -> Self {
        match (classes, k) {
            (2, 0) => Role::Other,
            (2, _) => Role::Event,
            _ => Role::Series(u8::try_from(k % usize::from(u8::MAX)).unwrap_or(0)),
        }
    }
}

/// Most classes that have a line of their own in a picture: there are no more colours that can be told apart.
pub const MOST_CLASSES: usize = 8;

/// The classes that are drawn, those with the most weight, in their order.
pub fn drawn_classes(weights: &[f64]) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..weights.len()).collect();
    ranked.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    ranked.truncate(MOST_CLASSES);
    ranked.sort_unstable();
    ranked
}

/// The role of a class among those that are drawn, so that no two of them share a colour; a class that is not drawn stands back.
pub fn drawn_role(k: usize, drawn: &[usize], classes: usize) -> Role {
    match drawn.iter().position(|class| *class == k) {
        _ if classes <= MOST_CLASSES => Role::of_class(k, classes),
        Some(place) => Role::of_class(place, classes),
        None => Role::Reference,
    }
}

/// A text at the end of an edge of a tree.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TreeNode {
    /// The node above it, which stands before it in the list; `None` for a root.
    pub parent: Option<usize>,
    /// What leads from there to here.
    pub edge: String,
    /// What is said of it, line by line.
    pub lines: Vec<String>,
    /// Proportions of the classes in it; empty where there are none.
    pub proportions: Vec<f64>,
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
        /// Its name in a legend; empty for none.
        name: String,
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
    /// Estimates with limits, each at its place on the axis of categories.
    Intervals {
        /// What they stand for.
        role: Role,
        /// (place, estimate, low, high).
        estimates: Vec<(f64, f64, f64, f64)>,
    },
    /// Bars from a base line, each at its place on the axis of categories.
    Bars {
        /// What they stand for.
        role: Role,
        /// (place, from, to).
        bars: Vec<(f64, f64, f64)>,
    },
    /// Rectangles, such as those of a histogram.
    Blocks {
        /// What they stand for.
        role: Role,
        /// Their name in a legend; empty for none.
        name: String,
        /// (left, right, from, to).
        blocks: Vec<(f64, f64, f64, f64)>,
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
    /// A grid of values from 0 to 1 over the panel, row after row from below.
    Surface {
        /// Places of the columns of the grid.
        x: Vec<f64>,
        /// Places of its rows.
        y: Vec<f64>,
        /// The values.
        values: Vec<f64>,
    },
    /// The places at which a grid of values lies above a level.
    Region {
        /// What it stands for.
        role: Role,
        /// Its name in a legend; empty for none.
        name: String,
        /// Places of the columns of the grid.
        x: Vec<f64>,
        /// Places of its rows.
        y: Vec<f64>,
        /// The values, row after row from below.
        values: Vec<f64>,
        /// The level.
        level: f64,
    },
    /// The line along which a grid of values has a level.
    Contour {
        /// What it stands for.
        role: Role,
        /// Its name in a legend; empty for none.
        name: String,
        /// The text on the line; empty for none.
        text: String,
        /// Places of the columns of the grid.
        x: Vec<f64>,
        /// Places of its rows.
        y: Vec<f64>,
        /// The values, row after row from below.
        values: Vec<f64>,
        /// The level.
        level: f64,
    },
    /// A ruler at a place of the axis of categories, with texts at its ticks.
    Ruler {
        /// The place.
        at: f64,
        /// Ticks and their texts.
        ticks: Vec<(f64, String)>,
    },
    /// A text at a place.
    Label {
        /// Where.
        at: (f64, f64),
        /// The text.
        text: String,
    },
    /// A tree from its root down; the axes do not count.
    Tree {
        /// Names of the classes of the proportions.
        classes: Vec<String>,
        /// Its nodes, parents before children.
        nodes: Vec<TreeNode>,
    },
    /// A mark that something moves.
    Live {
        /// What moves it, such as `threshold`.
        by: String,
        /// The mark as it stands before.
        mark: Box<Mark>,
    },
}

impl Mark {
    /// The mark without what moves it.
    pub fn still(&self) -> &Mark {
        match self {
            Mark::Live { mark, .. } => mark.still(),
            mark => mark,
        }
    }

    /// The same mark, moved by something.
    #[must_use]
    pub fn moved_by(self, by: &str) -> Mark {
        Mark::Live { by: by.into(), mark: Box::new(self) }
    }

    /// The kind of mark, in a word.
    pub fn kind(&self) -> &'static str {
        match self.still() {
            Mark::Line { .. } => "line",
            Mark::Band { .. } => "band",
            Mark::Points { .. } => "points",
            Mark::Intervals { .. } => "intervals",
            Mark::Bars { .. } => "bars",
            Mark::Blocks { .. } => "blocks",
            Mark::Rule { .. } => "rule",
            Mark::Surface { .. } => "surface",
            Mark::Region { .. } => "region",
            Mark::Contour { .. } => "contour",
            Mark::Ruler { .. } => "ruler",
            Mark::Label { .. } => "label",
            Mark::Tree { .. } => "tree",
            Mark::Live { .. } => "live",
        }
    }

    /// What it stands for.
    pub fn role(&self) -> Role {
        match self.still() {
            Mark::Line { role, .. }
            | Mark::Band { role, .. }
            | Mark::Points { role, .. }
            | Mark::Intervals { role, .. }
            | Mark::Bars { role, .. }
            | Mark::Blocks { role, .. }
            | Mark::Rule { role, .. }
            | Mark::Region { role, .. }
            | Mark::Contour { role, .. } => *role,
            _ => Role::Plain,
        }
    }

    /// Its name in a legend; empty for none.
    pub fn name(&self) -> &str {
        match self.still() {
            Mark::Line { name, .. }
            | Mark::Band { name, .. }
            | Mark::Points { name, .. }
            | Mark::Blocks { name, .. }
            | Mark::Region { name, .. }
            | Mark::Contour { name, .. } => name,
            _ => "",
        }
    }
}
