//! What the registry knows of discriminants.

use super::{Lda, PARAMS, Qda, stored};
use crate::model::{Entry, Takes, Units};

/// Linear and quadratic.
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: "lda",
        aliases: &["linear-discriminant"],
        python: "LinearDiscriminantAnalysis",
        family: "discriminants",
        summary: "linear discriminant analysis: normal classes that share a covariance matrix",
        one_pass: true,
        takes: Takes::DENSE,
        tolerance: 1e-6,
        units: Units::Free,
        takes_formula: false,
        params: PARAMS,
        build: |params| Ok(Box::new(Lda::from_params(params)?)),
        read: stored::read_lda,
    },
    Entry {
        name: "qda",
        aliases: &["quadratic-discriminant"],
        python: "QuadraticDiscriminantAnalysis",
        family: "discriminants",
        summary: "quadratic discriminant analysis: normal classes with covariance matrices of their own",
        one_pass: true,
        takes: Takes::DENSE,
        tolerance: 1e-6,
        units: Units::Free,
        takes_formula: false,
        params: PARAMS,
        build: |params| Ok(Box::new(Qda::from_params(params)?)),
        read: stored::read_qda,
    },
];
