//! Forests: trees of samples of the rows, averaged.

mod bootstrap;
mod learner;
mod model;
mod params;

pub use model::ForestModel;
pub use params::{Importance, MaxFeatures, RandomForest};

use super::{FOREST, TAKES};
use crate::model::{Entry, Units};

/// What the registry knows of forests.
pub(super) const ENTRY: Entry = Entry {
    name: FOREST,
    aliases: &["random-forest"],
    python: "RandomForestClassifier",
    family: "tree",
    summary: "random forest: trees of samples of the rows, averaged, with out-of-bag losses",
    one_pass: false,
    takes: TAKES,
    tolerance: 1e-9,
    units: Units::Free,
    takes_formula: false,
    params: params::FOREST,
    build: |params| Ok(Box::new(RandomForest::from_params(params)?)),
    read: model::read,
};
