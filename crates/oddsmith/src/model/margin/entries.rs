//! What the registry knows of linear margins.

use super::least_squares::{self, LeastSquares};
use super::perceptron::{self, Perceptron};
use super::{least_squares_model, perceptron_model};
use crate::model::params::shared::{L2, MISSING};
use crate::model::params::{Param, ParamKind};
use crate::model::{Entry, Units};

const CODING: Param = Param::new(
    "coding",
    ParamKind::Choice(&["plus-minus", "zero-one"]),
    "CODING",
    "plus-minus",
    "What a class and the others are coded as: +1 and −1, or 1 and 0; coefficients of the first are twice those of the second",
);
const EPOCHS: Param =
    Param::new("epochs", ParamKind::Whole { least: 1, most: 1_000_000 }, "N", "100", "Most times that all rows are gone through");
const VARIANT: Param = Param::new(
    "variant",
    ParamKind::Choice(&["averaged", "pocket", "last"]),
    "VARIANT",
    "averaged",
    "Weights that predict: the average over all rows shown, those at the end of an epoch that err least, or the last ones",
);

const NO_VERDICT: Param = Param::flag(
    "no-verdict",
    "Do not ask whether lines tell the classes apart when mistakes remain; the question costs a regression, or one per class",
);

/// Least squares and the perceptron.
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: least_squares::NAME,
        aliases: &["ridge-classifier"],
        python: "RidgeClassifier",
        family: "linear margins",
        summary: "least-squares lines through indicators of the classes; scores are margins",
        one_pass: true,
        takes: least_squares::TAKES,
        tolerance: 1e-7,
        units: Units::Free,
        takes_formula: false,
        params: &[&CODING, &L2, &MISSING],
        build: |params| Ok(Box::new(LeastSquares::from_params(params)?)),
        read: least_squares_model::read,
    },
    Entry {
        name: perceptron::NAME,
        aliases: &[],
        python: "Perceptron",
        family: "linear margins",
        summary: "perceptron: steps towards every row that is on the wrong side, in the order of rows; scores are margins",
        one_pass: false,
        takes: least_squares::TAKES,
        tolerance: 1e-7,
        units: Units::Fixed,
        takes_formula: false,
        params: &[&VARIANT, &EPOCHS, &NO_VERDICT, &MISSING],
        build: |params| Ok(Box::new(Perceptron::from_params(params)?)),
        read: perceptron_model::read,
    },
];
