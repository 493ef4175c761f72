//! What a design knows of the data beyond the layout: the part of a survey that is kept with a model.

use std::collections::{BTreeMap, BTreeSet};

/// Facts by column name and by variable, so that they hold for every layout that has the columns. Empty for plain formulas.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Facts {
    /// Mean of each number column that was surveyed.
    pub(super) means: BTreeMap<String, f64>,
    /// Columns that had missing values.
    pub(super) gaps: BTreeSet<String>,
    /// Parameters of each basis that was surveyed, by number of the variable in the formula.
    pub(super) bases: BTreeMap<usize, Vec<f64>>,
}
