//! The models whose files are kept, and what they say.

use std::collections::BTreeMap;
use std::sync::Arc;

use oddsmith::calibrate::{Adjusted, CalibrationMap, HeldOut, Method, shift};
use oddsmith::control::Control;
use oddsmith::data::{SKIP, Weighting};
use oddsmith::model::{Classifier, Decision, Scores};
use oddsmith::train;
use serde::{Deserialize, Serialize};

use super::recipes::{After, Recipe, recipes};
use super::{Batches, Encoded, Row, layout_weighted, many_rows};

/// What the kept files say about some rows. Kernels round by instruction set, so bits are promised on one alone.
#[derive(Serialize, Deserialize)]
pub(crate) struct Expected {
    pub(crate) instructions: String,
    /// Scores by name of the file; a gap that a model cannot do without gives none.
    pub(crate) scores: BTreeMap<String, Vec<Option<f64>>>,
}

/// The instruction set of the kernels on this machine.
pub(crate) fn instructions() -> String {
    let described = format!("{:?}", pulp::Arch::new());
    described.split(['(', ' ']).next().unwrap_or_default().to_owned()
}

/// Every kind of model, by the name of its file.
pub(crate) fn fitted() -> BTreeMap<String, Box<dyn Classifier>> {
    recipes().into_iter().map(|recipe| (recipe.name.clone(), cooked(&recipe))).collect()
}

fn cooked(recipe: &Recipe) -> Box<dyn Classifier> {
    let whole = |row: Row| Row { weight: if recipe.weighting == Weighting::Sampling { row.weight } else { row.weight.ceil() }, ..row };
    let wanted = |row: &Row| !(recipe.two_classes && row.class.as_deref() == Some("perhaps"));
    let rows: Vec<Row> = many_rows(recipe.rows).into_iter().filter(wanted).map(whole).collect();
    let encoded = Encoded::new(&rows, &Arc::new(layout_weighted(&rows, &recipe.columns, recipe.weighting)), true);
    let learner = (recipe.entry.build)(&recipe.params).unwrap();
    let fitted = train::fit(&learner, &Batches { encoded: &encoded, size: 100 }, None, &Control::new());
    let model = fitted.unwrap_or_else(|error| panic!("{}: {error}", recipe.name)).model;
    match &recipe.after {
        After::Nothing => model,
        After::Calibrated(method) => calibrated(model, *method, &rows),
        After::ClassShares(shares) => {
            let offsets = shift(&vec![1.0 / shares.len() as f64; shares.len()], shares).unwrap();
            boxed(Adjusted::calibrated(model, CalibrationMap::Affine { slope: 1.0, offsets }, ("prevalence", format!("{shares:?}"))))
        }
        After::Decided(decision) => decided(model, decision),
        After::Both(method, decision) => decided(calibrated(model, *method, &rows), decision),
    }
}

fn boxed(adjusted: oddsmith::Result<Adjusted>) -> Box<dyn Classifier> {
    Box::new(adjusted.unwrap())
}

fn calibrated(model: Box<dyn Classifier>, method: Method, rows: &[Row]) -> Box<dyn Classifier> {
    let encoded = Encoded::new(rows, &Arc::new(model.layout().clone()), true);
    let (mut scores, words) = (Scores::new(), encoded.words());
    model.score(&encoded.features(&words), &mut scores).unwrap();
    let classes = model.layout().classes().len();
    let known = |i: usize| if scores.row(i).iter().any(|score| score.is_nan()) { SKIP } else { encoded.labels[i] };
    let labels: Vec<u32> = (0..rows.len()).map(known).collect();
    let map = method.fit(&HeldOut { classes, scores: scores.values(), labels: &labels, weights: encoded.weights.as_deref() }).unwrap();
    boxed(Adjusted::calibrated(model, map, ("calibration", method.to_string())))
}

fn decided(model: Box<dyn Classifier>, decision: &Decision) -> Box<dyn Classifier> {
    boxed(Adjusted::decided(model, decision.clone(), ("decision", decision.describe())))
}

/// What a model says about some rows.
pub(crate) fn scores(model: &dyn Classifier) -> Vec<Option<f64>> {
    let unlabelled: Vec<Row> = many_rows(20).into_iter().map(|row| Row { class: None, ..row }).collect();
    let encoded = Encoded::new(&unlabelled, &Arc::new(model.layout().clone()), false);
    let (mut scores, words) = (Scores::new(), encoded.words());
    model.score(&encoded.features(&words), &mut scores).unwrap();
    scores.values().iter().map(|score| (!score.is_nan()).then_some(*score)).collect()
}
