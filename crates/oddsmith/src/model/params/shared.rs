//! Options that models of several families share.

use super::{Param, ParamKind};

const FROM_ZERO: ParamKind = ParamKind::Number { least: 0.0, most: f64::INFINITY };

/// The class prior.
pub const PRIOR: Param = Param::new(
    "prior",
    ParamKind::Text("data, uniform, or one probability per class such as yes=0.01,no=0.99"),
    "PRIOR",
    "data",
    "Class prior: data, uniform, or one probability per class, such as yes=0.01,no=0.99",
);

/// Pseudo-count of the classes.
pub const PRIOR_SMOOTHING: Param = Param::new("prior-smoothing", FROM_ZERO, "λ", "0", "Pseudo-count ≥ 0 of every class in the prior");

/// What squared deviations are divided by.
pub const DIVISOR: Param = Param::new(
    "divisor",
    ParamKind::Choice(&["ml", "unbiased"]),
    "DIVISOR",
    "ml",
    "What squared deviations are divided by: n, or n − 1 within a class and N − K pooled",
);

/// Parameters integrated out.
pub const PREDICTIVE: Param = Param::flag("predictive", "Integrate the parameters out instead of plugging in an estimate");

/// Clusters.
pub const CLUSTER: Param = Param::new(
    "cluster",
    ParamKind::Column,
    "COLUMN",
    "",
    "Robust standard errors for rows that belong together: the column that tells which",
);

/// Strata.
pub const STRATA: Param =
    Param::new("strata", ParamKind::Column, "COLUMN", "", "Compare rows with each other only where this column has the same value");

/// An offset.
pub const OFFSET: Param =
    Param::new("offset", ParamKind::Column, "COLUMN", "", "A number column that is added to the log odds as it is, without a coefficient");

/// A quadratic penalty.
pub const L2: Param = Param::new("l2", FROM_ZERO, "λ", "0", "Strength λ of the penalty ½ λ Σ β²");

/// What becomes of rows with gaps in a design.
pub const MISSING: Param = Param::new(
    "missing",
    ParamKind::Choice(&["drop", "indicator", "mean", "error"]),
    "POLICY",
    "drop",
    "Rows with a missing predictor: leave them out, a level or column of their own, the mean, or an error",
);

/// Units of number columns where distances are measured.
pub const STANDARDIZE: Param = Param::new(
    "standardize",
    ParamKind::Choice(&["deviation", "none"]),
    "HOW",
    "deviation",
    "Unit of number columns: their standard deviation, or as they are",
)
.or(&["standardise"]);
