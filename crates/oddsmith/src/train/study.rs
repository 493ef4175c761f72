//! What is fitted to rows that are elsewhere, and from which of their columns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::{Kind, Weighting};
use crate::model::linear::Logistic;

/// A regression of the rows of several places, none of which shows its rows to another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// The knobs of the fit. It looks at all rows of every pass: a sample would have to be agreed upon.
    pub learner: Logistic,
    /// Whether every class has a regression of its own against all others.
    pub one_vs_rest: bool,
    /// The target column, where the formula names none.
    pub target: Option<String>,
    /// The columns that are read; default: those of the formula, or all.
    pub features: Option<Vec<String>>,
    /// Columns that are not read.
    pub exclude: Vec<String>,
    /// The column of row weights and what they mean.
    pub weight: Option<(String, Weighting)>,
    /// The class that all others are compared with; default: the first.
    pub first_class: Option<String>,
    /// Kinds of columns that are not read as their values suggest.
    pub kinds: BTreeMap<String, Kind>,
}
