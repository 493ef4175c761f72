//! Gradient boosting: a sum of trees, each fitted to what the sum before it lacks.

mod boost_pass;
mod cut_gains;
mod gradient_search;
mod gradient_sums;
mod gradient_tree;
mod growing_tree;
mod learner;
mod margins;
mod model;
mod params;
mod shard;

pub use boost_pass::BoostPass;
pub(super) use boost_pass::BoostPoint;
pub use model::BoostingModel;
pub use params::GradientBoosting;

use super::{BOOSTING, TAKES};
use crate::model::{Entry, Units};

/// What the registry knows of boosting.
pub(super) const ENTRY: Entry = Entry {
    name: BOOSTING,
    aliases: &["gradient-boosting", "gbm"],
    python: "HistGradientBoostingClassifier",
    family: "tree",
    summary: "gradient boosting: a sum of trees for the log odds, the same bits for any number of threads",
    one_pass: false,
    takes: TAKES,
    tolerance: 1e-7,
    units: Units::Free,
    takes_formula: false,
    params: params::BOOSTING,
    build: |params| Ok(Box::new(GradientBoosting::from_params(params)?)),
    read: model::read,
};
