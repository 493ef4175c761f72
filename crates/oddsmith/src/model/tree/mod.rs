//! Trees: splits of one column after the other, alone or many together.
//!
//! Columns are coded as bytes (`bins.rs`), weights as whole numbers (`fixed_point.rs`); everything that decides a tree is a sum of whole
//! numbers, so no number of threads, partition or order of rows changes a bit of it.

mod bin_grid;
mod bins;
mod boosting;
mod canonical;
mod code_set;
mod code_table;
mod codebook;
mod coded_rows;
mod coded_tree;
mod column_draw;
mod describe;
mod fixed_point;
mod forest;
mod grower;
mod growth;
mod impurity;
mod learner;
mod level_order;
mod level_pass;
mod model;
mod nodes;
mod notices;
mod params;
mod prune;
mod row_words;
mod search;
mod smoothing;
mod stored;
mod survey;
mod tally;
mod walk;

pub use boosting::{BoostPass, BoostingModel, GradientBoosting};
pub use coded_rows::CodedRows;
pub use forest::{ForestModel, Importance, MaxFeatures, RandomForest};
pub use impurity::Criterion;
pub use learner::TreeStats;
pub use level_pass::LevelPass;
pub use model::TreeModel;
pub use params::DecisionTree;
pub use survey::Survey;

use crate::model::{Entry, Numbers, Takes, Text, Units};

const NAME: &str = "tree";
const FOREST: &str = "forest";
const BOOSTING: &str = "boosting";
/// Everything but text.
const TAKES: Takes = Takes { numbers: Numbers::Any, categories: true, booleans: true, text: Text::No };

/// What the registry knows of trees.
pub(crate) const ENTRIES: &[Entry] = &[TREE, forest::ENTRY, boosting::ENTRY];

const TREE: Entry = Entry {
    name: NAME,
    aliases: &["decision-tree"],
    python: "DecisionTreeClassifier",
    family: "tree",
    summary: "decision tree over numbers, categories and gaps, with smoothed leaves",
    one_pass: false,
    takes: TAKES,
    tolerance: 1e-9,
    units: Units::Free,
    takes_formula: false,
    params: params::TREE,
    build: |params| Ok(Box::new(DecisionTree::from_params(params)?)),
    read: model::read,
};
