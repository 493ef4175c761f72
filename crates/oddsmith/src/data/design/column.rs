//! The names of things in a design: columns and terms.

use std::ops::Range;

/// A dense column.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignColumn {
    /// The name, as R would make it: `age`, `raceblack`, `smoketrue:age`, `poly(x, 2)1`. Different for every column.
    pub name: String,
    /// The term it belongs to.
    pub term: usize,
    /// The variables it is the product of, each with the level (or contrast) it stands for.
    pub labels: Vec<(String, Option<String>)>,
}

/// A term: the columns that come and go together.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignTerm {
    /// The name, such as `race` or `smoke:race`.
    pub label: String,
    /// Its columns; none for a category with a single level.
    pub columns: Range<usize>,
    /// The features it reads, as indices of the layout.
    pub features: Vec<usize>,
    /// For a category under treatment contrasts: the feature and the level that has no column.
    pub reference: Vec<(String, String)>,
    /// Its variables, as numbers of the formula; a column `missing(x)` has none.
    pub(super) variables: Vec<usize>,
}
