//! What the registry knows of networks.

use super::learner::{NAME, Network, TAKES};
use super::model;
use crate::model::params::shared::MISSING;
use crate::model::params::{Param, ParamKind};
use crate::model::{Entry, Units};

const HIDDEN: Param = Param::new(
    "hidden",
    ParamKind::Text("sizes of one or two hidden layers such as 8 or 16,8, or none"),
    "SIZES",
    "8",
    "Units of the hidden layers: one or two sizes such as 16,8, or none",
);
const ACTIVATION: Param = Param::new(
    "activation",
    ParamKind::Choice(&["tanh", "relu", "logistic", "identity"]),
    "FUNCTION",
    "tanh",
    "What a hidden unit makes of its sum",
);
const DECAY: Param = Param::new(
    "decay",
    ParamKind::Number { least: 0.0, most: f64::INFINITY },
    "λ",
    "1",
    "Strength λ of the penalty ½ λ Σ w² on all weights but the constants, for columns in units of their standard deviation",
);
const SEED: Param = Param::new("start-seed", ParamKind::Whole { least: 0, most: u64::MAX }, "N", "1", "Start of the random first weights");
const SEARCH: Param = Param::new(
    "search",
    ParamKind::Choice(&["lbfgs", "adam"]),
    "SEARCH",
    "lbfgs",
    "How weights are looked for: by all rows at once until the loss is flat, or by steps of 200 rows that take rows in their order, mixed within windows of 16000",
);
const STEPS: Param = Param::new(
    "steps",
    ParamKind::Whole { least: 1, most: 1_000_000 },
    "N",
    "1000; adam 200",
    "Most steps of the search, a pass or a little more each; epochs of adam",
);

/// The network.
pub(crate) const ENTRIES: &[Entry] = &[Entry {
    name: NAME,
    aliases: &["mlp"],
    python: "MLPClassifier",
    family: "network",
    summary: "a network of one or two hidden layers, fitted by all rows at once",
    one_pass: false,
    takes: TAKES,
    tolerance: 1e-4,
    units: Units::Free,
    takes_formula: false,
    params: &[&HIDDEN, &ACTIVATION, &DECAY, &SEED, &SEARCH, &STEPS, &MISSING],
    build: |params| Ok(Box::new(Network::from_params(params)?)),
    read: model::read,
}];
