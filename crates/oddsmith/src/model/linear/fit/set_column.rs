//! A category that looks like the number of a matched set: about as many levels as there are events.
//!
//! One parameter for each of many small sets makes odds ratios too extreme (up to their squares for pairs), and sets in which all rows are alike separate the
//! classes. Within sets the likelihood that conditions on them compares rows without such parameters.

use crate::data::{Feature, Space, Weighting};
use crate::error::visible;
use crate::model::linear::fit::block_reader::Problem;
use crate::model::linear::fit::passes::PassState;
use crate::model::linear::fit::stage::Separation;
use crate::model::linear::fit::survey::Survey;

/// Levels per event from which on a category may be one of matched sets, the fewest of such sets, and the fewest rows that a set has on average.
const MATCHED: f64 = 0.5;
const FEWEST_SETS: f64 = 10.0;
const FEWEST_ROWS: f64 = 2.0;

/// Rows of the rarest class.
pub(crate) fn events(state: &PassState, survey: &Survey) -> f64 {
    // Sampling weights have no unit of evidence: shares of the rows stand for them.
    let per_weight = if state.layout.weighting() == Weighting::Sampling { survey.rows as f64 / survey.weight() } else { 1.0 };
    per_weight * survey.class_weights.iter().fold(f64::INFINITY, |least, weight| least.min(*weight))
}

/// The first category of the formula that may number matched sets, and how many levels it has.
pub(crate) fn set_column(state: &PassState, problem: &Problem, survey: &Survey) -> Option<(String, usize)> {
    let (used, events) = (problem.design.formula().columns(), events(state, survey));
    let levels = |feature: &Feature| if let Space::Levels { levels, .. } = &feature.space { levels.len() } else { 0 };
    let of_sets = |levels: usize| {
        let sets = levels as f64;
        sets >= FEWEST_SETS && sets >= MATCHED * events && survey.rows as f64 >= FEWEST_ROWS * sets
    };
    let mut features = state.layout.features().iter().filter(|feature| used.contains(&feature.name));
    features.find(|feature| of_sets(levels(feature))).map(|feature| (visible(&feature.name), levels(feature)))
}

/// The same where it is among what separates the classes, by its name.
pub(crate) fn separating_sets(state: &PassState, problem: &Problem, survey: &Survey, separation: &Separation) -> Option<String> {
    let variables = separation.variables(&problem.design);
    let (name, _) = set_column(state, problem, survey)?;
    variables.iter().any(|(variable, _)| visible(variable) == name).then_some(name)
}
