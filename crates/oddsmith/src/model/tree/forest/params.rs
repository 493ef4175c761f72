//! The options of a forest.

use crate::error::{Error, Result};
use crate::model::params::{Param, ParamKind, Params};
use crate::model::tree::Criterion;
use crate::model::tree::params::{CRITERION, MAX_DEPTH, MIN_GAIN, MIN_LEAF, MIN_SPLIT, MOST_DEPTH, SEED, SMOOTHING};

const FEATURES: &str = "sqrt, log2, all, or a whole number of columns";

const TREES: Param = Param::new("n-estimators", ParamKind::Whole { least: 1, most: 100_000 }, "TREES", "100", "Number of trees");
const MAX_FEATURES: Param = Param::new(
    "max-features",
    ParamKind::Text(FEATURES),
    "COLUMNS",
    "sqrt",
    "Columns that are tried at a node: sqrt, log2, all, or so many",
);
const IMPORTANCE: Param = Param::new(
    "importance",
    ParamKind::Choice(&["permutation", "gain"]),
    "HOW",
    "permutation, and gain where that would take long",
    "What a column is worth: what the out-of-bag rows of a tree lose when its values are shuffled, or what its splits gained on the rows of the fit",
);
const KEEP: Param = Param::flag(
    "keep-out-of-bag",
    "Keep, for every row of the fit, the probabilities of the trees that have not seen it: as many numbers as rows and classes in the model file",
);

/// All options of `forest`.
pub(super) const FOREST: &[&Param] =
    &[&TREES, &CRITERION, &MAX_DEPTH, &MIN_SPLIT, &MIN_LEAF, &MIN_GAIN, &MAX_FEATURES, &SMOOTHING, &IMPORTANCE, &KEEP, &SEED];

/// How many columns are tried at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaxFeatures {
    /// The square root of their number.
    #[default]
    Sqrt,
    /// The binary logarithm of their number.
    Log2,
    /// All.
    All,
    /// So many.
    Number(usize),
}

impl MaxFeatures {
    /// Of so many columns.
    pub(super) fn of(self, columns: usize) -> usize {
        let wanted = match self {
            MaxFeatures::Sqrt => columns.isqrt(),
            MaxFeatures::Log2 => columns.max(1).ilog2() as usize,
            MaxFeatures::All => columns,
            MaxFeatures::Number(wanted) => wanted,
        };
        wanted.clamp(1, columns.max(1))
    }
}

impl std::str::FromStr for MaxFeatures {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "sqrt" => Ok(MaxFeatures::Sqrt),
            "log2" => Ok(MaxFeatures::Log2),
            "all" => Ok(MaxFeatures::All),
            number => match number.parse() {
                Ok(wanted) if wanted > 0 => Ok(MaxFeatures::Number(wanted)),
                _ => Err(Error::option("max-features", text, FEATURES)),
            },
        }
    }
}

/// What a column is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importance {
    /// What out-of-bag rows lose when its values are shuffled.
    Permutation,
    /// What its splits gained on the rows of the fit.
    Gain,
}

/// A random forest: its options.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomForest {
    /// Number of trees; default 100.
    pub n_estimators: usize,
    /// What a split should lessen.
    pub criterion: Criterion,
    /// Splits between the root and a leaf at most; default none.
    pub max_depth: Option<u32>,
    /// Rows that a node needs to be split; default 2.
    pub min_samples_split: f64,
    /// Rows that a leaf needs; default 1.
    pub min_samples_leaf: f64,
    /// Least gain of a split, in bits per row of the table or Gini's index; default 0.
    pub min_impurity_decrease: f64,
    /// Columns that are tried at a node; default the square root of their number.
    pub max_features: MaxFeatures,
    /// Rows' worth by which a node is drawn towards its parent; default 1.
    pub smoothing: f64,
    /// What a column is worth; by default permutation where that does not take long.
    pub importance: Option<Importance>,
    /// Whether the out-of-bag probabilities of the rows are kept; default no.
    pub keep_out_of_bag: bool,
    /// From which everything random is drawn; default 0.
    pub seed: u64,
}

impl Default for RandomForest {
    fn default() -> Self {
        RandomForest {
            n_estimators: 100,
            criterion: Criterion::Information,
            max_depth: None,
            min_samples_split: 2.0,
            min_samples_leaf: 1.0,
            min_impurity_decrease: 0.0,
            max_features: MaxFeatures::Sqrt,
            smoothing: 1.0,
            importance: None,
            keep_out_of_bag: false,
            seed: 0,
        }
    }
}

impl RandomForest {
    /// The learner with the options that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        let default = RandomForest::default();
        Ok(RandomForest {
            n_estimators: params.whole("n-estimators").map_or(default.n_estimators, |trees| trees as usize),
            criterion: params.parsed("criterion")?.unwrap_or_default(),
            max_depth: params.whole("max-depth").map(|depth| depth.min(MOST_DEPTH) as u32),
            min_samples_split: params.number("min-samples-split").unwrap_or(default.min_samples_split),
            min_samples_leaf: params.number("min-samples-leaf").unwrap_or(default.min_samples_leaf),
            min_impurity_decrease: params.number("min-impurity-decrease").unwrap_or(default.min_impurity_decrease),
            max_features: params.parsed("max-features")?.unwrap_or_default(),
            smoothing: params.number("leaf-smoothing").unwrap_or(default.smoothing),
            importance: match params.text("importance") {
                Some("gain") => Some(Importance::Gain),
                Some(_) => Some(Importance::Permutation),
                None => None,
            },
            keep_out_of_bag: params.flag("keep-out-of-bag"),
            seed: params.whole("random-state").unwrap_or(default.seed),
        })
    }
}
