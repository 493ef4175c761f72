//! The options of gradient boosting.

use crate::error::Result;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::tree::params::{MAX_DEPTH, MIN_LEAF, MOST_DEPTH, SEED};

const FROM_ZERO: ParamKind = ParamKind::Number { least: 0.0, most: f64::INFINITY };
const POSITIVE: ParamKind = ParamKind::Between { least: 0.0, most: f64::INFINITY };

const MAX_ITER: Param = Param::new(
    "max-iter",
    ParamKind::Whole { least: 1, most: 100_000 },
    "ROUNDS",
    "100",
    "Rounds; every round has a tree, or one per class where there are more than two",
);
const LEARNING_RATE: Param = Param::new("learning-rate", POSITIVE, "RATE", "0.1", "Share of a tree's step that is taken");
const MAX_LEAVES: Param =
    Param::new("max-leaf-nodes", ParamKind::Whole { least: 2, most: 1 << 20 }, "LEAVES", "31", "Leaves of a tree at most");
const L2: Param = Param::new("l2-regularization", FROM_ZERO, "λ", "1", "Strength λ of the penalty ½ λ Σ v² on the values of leaves");
const EARLY_STOPPING: Param =
    Param::flag("early-stopping", "Stop when the log loss of held-out rows no longer falls, and keep the rounds up to its least");
const FRACTION: Param = Param::new(
    "validation-fraction",
    ParamKind::Between { least: 0.0, most: 1.0 },
    "SHARE",
    "0.1",
    "Share of the rows that early stopping holds out",
);
const PATIENCE: Param = Param::new(
    "n-iter-no-change",
    ParamKind::Whole { least: 1, most: 100_000 },
    "ROUNDS",
    "10",
    "Rounds without a lower held-out loss after which early stopping stops",
);

/// All options of `boosting`.
pub(super) const BOOSTING: &[&Param] =
    &[&MAX_ITER, &LEARNING_RATE, &MAX_LEAVES, &MAX_DEPTH, &MIN_LEAF, &L2, &EARLY_STOPPING, &FRACTION, &PATIENCE, &SEED];

/// Gradient boosting: its options.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientBoosting {
    /// Rounds; default 100.
    pub max_iter: usize,
    /// Share of a tree's step that is taken; default 0.1.
    pub learning_rate: f64,
    /// Leaves of a tree at most; default 31.
    pub max_leaf_nodes: usize,
    /// Splits between the root and a leaf at most; default none.
    pub max_depth: Option<u32>,
    /// Rows that a leaf needs; by default 20, or a twentieth of the rows where that is fewer.
    pub min_samples_leaf: Option<f64>,
    /// Strength λ of the penalty ½ λ Σ v² on the values of leaves; default 1.
    pub l2: f64,
    /// Whether rounds stop when the log loss of held-out rows no longer falls; default no.
    pub early_stopping: bool,
    /// Share of the rows that are held out; default 0.1.
    pub validation_fraction: f64,
    /// Rounds without a lower held-out loss after which rounds stop; default 10.
    pub n_iter_no_change: usize,
    /// From which held-out rows are drawn; default 0.
    pub seed: u64,
}

impl Default for GradientBoosting {
    fn default() -> Self {
        GradientBoosting {
            max_iter: 100,
            learning_rate: 0.1,
            max_leaf_nodes: 31,
            max_depth: None,
            min_samples_leaf: None,
            l2: 1.0,
            early_stopping: false,
            validation_fraction: 0.1,
            n_iter_no_change: 10,
            seed: 0,
        }
    }
}

impl GradientBoosting {
    /// The learner with the options that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        let default = GradientBoosting::default();
        let whole = |name: &str, default: usize| params.whole(name).map_or(default, |value| value as usize);
        Ok(GradientBoosting {
            max_iter: whole("max-iter", default.max_iter),
            learning_rate: params.number("learning-rate").unwrap_or(default.learning_rate),
            max_leaf_nodes: whole("max-leaf-nodes", default.max_leaf_nodes),
            max_depth: params.whole("max-depth").map(|depth| depth.min(MOST_DEPTH) as u32),
            min_samples_leaf: params.number("min-samples-leaf"),
            l2: params.number("l2-regularization").unwrap_or(default.l2),
            early_stopping: params.flag("early-stopping"),
            validation_fraction: params.number("validation-fraction").unwrap_or(default.validation_fraction),
            n_iter_no_change: whole("n-iter-no-change", default.n_iter_no_change),
            seed: params.whole("random-state").unwrap_or(default.seed),
        })
    }
}
