//! What the registry knows of regressions.

use super::{Logistic, OneVsRest, one_vs_rest, params, stored};
use crate::model::{Entry, Takes, Units};

/// All classes at once, and one against the rest.
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: "logistic",
        aliases: &["logit", "softmax", "logistic-regression"],
        python: "LogisticRegression",
        family: "regression",
        summary: "logistic regression, and softmax regression for more than two classes, with inference",
        one_pass: false,
        takes: Takes::DESIGN,
        tolerance: 1e-7,
        units: Units::Free,
        takes_formula: true,
        params: params::LOGISTIC,
        build: |params| Ok(Box::new(Logistic::from_params(params)?)),
        read: stored::read,
    },
    Entry {
        name: "one-vs-rest",
        aliases: &["ovr"],
        python: "OneVsRestLogistic",
        family: "regression",
        summary: "one logistic regression per class against all others",
        one_pass: false,
        takes: Takes::DESIGN,
        tolerance: 1e-7,
        units: Units::Free,
        takes_formula: true,
        params: params::ONE_VS_REST,
        build: |params| Ok(Box::new(OneVsRest::from_params(params)?)),
        read: one_vs_rest::read,
    },
];
