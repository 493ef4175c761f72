//! What a design knows of the data beyond the layout: the part of a survey that is kept with a model.

use std::collections::{BTreeMap, BTreeSet};

/// Facts by feature and by variable. Empty for plain formulas.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Facts {
    /// Mean of each number feature that was surveyed, by index of the layout.
    pub(super) means: BTreeMap<usize, f64>,
    /// Features that had missing values.
    pub(super) gaps: BTreeSet<usize>,
    /// Parameters of each basis that was surveyed, by number of the variable in the formula.
    pub(super) bases: BTreeMap<usize, Vec<f64>>,
}
