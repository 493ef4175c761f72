//! The options of a decision tree.

use super::impurity::Criterion;
use crate::error::Result;
use crate::model::params::{Param, ParamKind, Params};

const ROWS: ParamKind = ParamKind::Number { least: 0.0, most: f64::INFINITY };
/// Depth that no tree reaches.
pub(super) const MOST_DEPTH: u64 = 1 << 20;

pub(super) const CRITERION: Param = Param::new(
    "criterion",
    ParamKind::Choice(&["information", "gini", "entropy", "log_loss"]),
    "CRITERION",
    "information",
    "What a split should lessen: the entropy of the classes (information, also called entropy or log_loss), or Gini's index",
);
pub(super) const MAX_DEPTH: Param = Param::new(
    "max-depth",
    ParamKind::Whole { least: 1, most: MOST_DEPTH },
    "DEPTH",
    "12 for one tree, as deep as rows allow for many",
    "Splits between the root and a leaf at most",
);
pub(super) const MIN_SPLIT: Param = Param::new("min-samples-split", ROWS, "ROWS", "2", "Rows that a node needs to be split");
pub(super) const MIN_LEAF: Param = Param::new(
    "min-samples-leaf",
    ROWS,
    "ROWS",
    "1; for boosting 20, or a twentieth of the rows where that is fewer",
    "Rows that a leaf needs",
);
pub(super) const MIN_GAIN: Param = Param::new(
    "min-impurity-decrease",
    ROWS,
    "GAIN",
    "0",
    "What a split must lessen the impurity of all rows by: bits per row of the table, or Gini's index",
);
pub(super) const SMOOTHING: Param = Param::new(
    "leaf-smoothing",
    ROWS,
    "ROWS",
    "20 for one tree, 1 for a forest",
    "Rows' worth by which a node is drawn towards its parent: p = (n_k + m p_parent) / (n + m), from the root down; 0 takes the rows of a leaf alone",
);
pub(super) const PRICE: Param = Param::new(
    "ccp-alpha",
    ROWS,
    "PRICE",
    "0",
    "Prunes branches that lessen the impurity of all rows by no more than this per leaf: bits per row of the table, or Gini's index",
);
pub(super) const PRUNE: Param = Param::new(
    "prune",
    ParamKind::Choice(&["none", "cv"]),
    "HOW",
    "none",
    "Whether the size of the tree is the one with the least log loss in tenfold cross-validation",
);
pub(super) const SEED: Param =
    Param::new("random-state", ParamKind::Whole { least: 0, most: u64::MAX }, "SEED", "0", "Number from which everything random is drawn");

/// All options of `tree`.
pub(super) const TREE: &[&Param] = &[&CRITERION, &MAX_DEPTH, &MIN_SPLIT, &MIN_LEAF, &MIN_GAIN, &SMOOTHING, &PRICE, &PRUNE, &SEED];

/// A decision tree: its options.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionTree {
    /// What a split should lessen.
    pub criterion: Criterion,
    /// Splits between the root and a leaf at most; default 12.
    pub max_depth: u32,
    /// Rows that a node needs to be split; default 2.
    pub min_samples_split: f64,
    /// Rows that a leaf needs; default 1.
    pub min_samples_leaf: f64,
    /// Least gain of a split, in bits per row of the table or Gini's index; default 0.
    pub min_impurity_decrease: f64,
    /// Rows' worth by which a node is drawn towards its parent; default 20.
    pub smoothing: f64,
    /// Price of a leaf, in the unit of the least gain; default 0.
    pub ccp_alpha: f64,
    /// Whether the price is chosen by cross-validation; default no.
    pub cross_validated: bool,
    /// From which the folds are drawn; default 0.
    pub seed: u64,
}

impl Default for DecisionTree {
    fn default() -> Self {
        DecisionTree {
            criterion: Criterion::Information,
            max_depth: 12,
            min_samples_split: 2.0,
            min_samples_leaf: 1.0,
            min_impurity_decrease: 0.0,
            smoothing: 20.0,
            ccp_alpha: 0.0,
            cross_validated: false,
            seed: 0,
        }
    }
}

impl DecisionTree {
    /// The learner with the options that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        let default = DecisionTree::default();
        Ok(DecisionTree {
            criterion: params.parsed("criterion")?.unwrap_or_default(),
            max_depth: params.whole("max-depth").map_or(default.max_depth, |depth| depth.min(MOST_DEPTH) as u32),
            min_samples_split: params.number("min-samples-split").unwrap_or(default.min_samples_split),
            min_samples_leaf: params.number("min-samples-leaf").unwrap_or(default.min_samples_leaf),
            min_impurity_decrease: params.number("min-impurity-decrease").unwrap_or(default.min_impurity_decrease),
            smoothing: params.number("leaf-smoothing").unwrap_or(default.smoothing),
            ccp_alpha: params.number("ccp-alpha").unwrap_or(default.ccp_alpha),
            cross_validated: params.text("prune") == Some("cv"),
            seed: params.whole("random-state").unwrap_or(default.seed),
        })
    }
}
