//! What the registry knows of kernels.

use super::learner::{KernelLearner, LEAST_SQUARES, LOGISTIC, TAKES};
use super::model;
use crate::model::params::shared::{MISSING, STANDARDIZE};
use crate::model::params::{Param, ParamKind};
use crate::model::{Entry, Units};

const KERNEL: Param = Param::new(
    "kernel",
    ParamKind::Choice(&["rbf", "polynomial", "linear"]),
    "KERNEL",
    "rbf",
    "How alike two rows are: exp(−γ |x − y|²), (1 + γ x·y)^degree, or x·y",
);
const GAMMA: Param = Param::new(
    "gamma",
    ParamKind::Between { least: 0.0, most: f64::INFINITY },
    "γ",
    "one over the median of squared distances of rows",
    "Factor γ of the kernel",
);
const DEGREE: Param = Param::new("degree", ParamKind::Whole { least: 1, most: 10 }, "N", "3", "Degree of the polynomial kernel");
const RIDGE: Param = Param::new(
    "ridge",
    ParamKind::Between { least: 0.0, most: f64::INFINITY },
    "λ",
    "1",
    "Strength λ of the penalty ½ λ aᵀKa on the size of the fitted function",
);
const LANDMARKS: Param = Param::new(
    "landmarks",
    ParamKind::Whole { least: 1, most: 5000 },
    "N",
    "100",
    "Most rows whose likeness to a row is looked at; fewer are taken where they say all that the others could",
);

const PARAMS: &[&Param] = &[&KERNEL, &GAMMA, &DEGREE, &RIDGE, &LANDMARKS, &STANDARDIZE, &MISSING];

/// Kernel logistic regression and kernel least squares.
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: LOGISTIC,
        aliases: &[],
        python: "KernelLogistic",
        family: "kernels",
        summary: "logistic regression on how alike rows are to landmarks: a boundary that bends",
        one_pass: false,
        takes: TAKES,
        tolerance: 1e-5,
        units: Units::Fixed,
        takes_formula: false,
        params: PARAMS,
        build: |params| Ok(Box::new(KernelLearner::logistic(params)?)),
        read: model::read_logistic,
    },
    Entry {
        name: LEAST_SQUARES,
        aliases: &[],
        python: "KernelLeastSquares",
        family: "kernels",
        summary: "least squares on how alike rows are to landmarks; scores are margins",
        one_pass: false,
        takes: TAKES,
        tolerance: 1e-5,
        units: Units::Fixed,
        takes_formula: false,
        params: PARAMS,
        build: |params| Ok(Box::new(KernelLearner::least_squares(params)?)),
        read: model::read_least_squares,
    },
];
