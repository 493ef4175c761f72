//! What the registry knows of averages of models.

use super::learner::{Average, TAKES};
use super::model;
use crate::model::{Entry, Param, ParamKind, Units};

/// The models that are averaged where none are named: a generative one and a discriminative one.
pub(super) const DEFAULT_MODELS: &str = "nb,logistic(l2=1)";

const MODELS: Param = Param::new(
    "models",
    ParamKind::Text("models with their options, separated by commas, such as nb,logistic(l2=1)"),
    "MODEL,…",
    DEFAULT_MODELS,
    "The models that are averaged, with their options, such as nb,logistic(l2=1)",
);
const WEIGH_BY: Param = Param::new(
    "weigh-by",
    ParamKind::Choice(&["auto", "evidence", "stacking", "equal"]),
    "HOW",
    "auto",
    "Weights of the models: their posterior probabilities by their evidence; the mixture that says most about one row in four that the models \
     have not seen; the same for all. auto takes the evidence where all models have one of the same data, else stacking",
);

/// One model made of several.
pub(crate) const ENTRIES: &[Entry] = &[Entry {
    name: super::NAME,
    aliases: &["model-average", "stacking"],
    python: "ModelAverage",
    family: "average",
    summary: "several models averaged: by their evidence, or by how well their mixture predicts rows that they have not seen",
    one_pass: false,
    takes: TAKES,
    tolerance: 1e-5,
    units: Units::Fixed,
    takes_formula: false,
    params: &[&MODELS, &WEIGH_BY],
    build: |params| Ok(Box::new(Average::from_params(params)?)),
    read: model::read,
}];
