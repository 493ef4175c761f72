//! What the registry knows of neighbours.

use super::learner::{Knn, NAME, TAKES};
use super::model;
use crate::model::params::shared::STANDARDIZE;
use crate::model::params::{Param, ParamKind};
use crate::model::{Entry, Units};

const K: Param = Param::new(
    "k",
    ParamKind::Whole { least: 1, most: 1_000_000_000 },
    "N",
    "chosen by the log loss of rows that are left out one by one",
    "Number of neighbours",
)
.or(&["neighbours", "neighbors"]);
const MOST_K: Param =
    Param::new("most-k", ParamKind::Whole { least: 1, most: 10_000 }, "N", "50", "Largest number of neighbours that is tried");
const VOTE: Param = Param::new(
    "vote",
    ParamKind::Choice(&["uniform", "distance"]),
    "VOTE",
    "uniform",
    "What a neighbour's vote counts: all alike, or 1/distance, where rows at distance 0 take all",
);
const ALPHA: Param = Param::new(
    "alpha",
    ParamKind::Number { least: 0.0, most: f64::INFINITY },
    "α",
    "1",
    "Votes that every class has beforehand: p = (votes + α)/(k + α K)",
);
const TIES: Param = Param::new(
    "ties",
    ParamKind::Choice(&["share", "row"]),
    "RULE",
    "share",
    "Rows at the distance of the k-th neighbour: all share the votes that are left, or the first rows of the table take them",
);

/// k nearest neighbours.
pub(crate) const ENTRIES: &[Entry] = &[Entry {
    name: NAME,
    aliases: &["k-nearest-neighbours", "neighbors"],
    python: "KNeighborsClassifier",
    family: "neighbours",
    summary: "k nearest neighbours, exact, with ties shared and k chosen by leaving rows out one by one",
    one_pass: false,
    takes: TAKES,
    tolerance: 1e-9,
    units: Units::Free,
    takes_formula: false,
    params: &[&K, &MOST_K, &VOTE, &ALPHA, &TIES, &STANDARDIZE],
    build: |params| Ok(Box::new(Knn::from_params(params)?)),
    read: model::read,
}];
