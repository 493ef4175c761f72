//! What the reader of a regression must know beside its numbers.

use crate::data::Weighting;
use crate::data::formula::Variable;
use crate::model::linear::fit::block_reader::Problem;
use crate::model::linear::fit::descent::Solver;
use crate::model::linear::fit::learner::MOST_FULL;
use crate::model::linear::fit::passes::PassState;
use crate::model::linear::fit::set_column::{events, separating_sets, set_column};
use crate::model::linear::fit::stage::{Analysis, Estimate};
use crate::model::linear::infer::search::SearchOutcome;
use crate::model::linear::options::{ClassWeighting, Intervals, Logistic};
use crate::notice::{self, Notice};

/// Events per slope up to which estimates are said to rest on few of them (Peduzzi and others 1996).
const ENOUGH_EVENTS: f64 = 10.0;

/// Columns without a coefficient and why.
pub(super) fn aliased(state: &PassState, analysis: &Analysis, problem: &Problem) -> Vec<(String, String)> {
    let name = |j: usize| problem.design.columns()[j].name.clone();
    let constant = analysis.facts.constant.iter().map(|&j| (name(j), "constant".to_owned()));
    let left_out = analysis.facts.left_out.iter().flat_map(|separation| &separation.columns);
    let separating = left_out.map(|(j, _)| (name(*j), "separates the classes".to_owned()));
    // Combinations were found in the solver's units.
    let scale = &state.coordinates.scale;
    let combinations = analysis.facts.aliases.iter().map(|alias| {
        let part = |(k, factor): &(usize, f64)| format!("{} · {}", rounded(factor * scale[*k] / scale[alias.column]), name(*k));
        let parts: Vec<String> = alias.of.iter().map(part).collect();
        (name(alias.column), if parts.is_empty() { "constant".into() } else { parts.join(" + ") })
    });
    constant.chain(separating).chain(combinations).collect()
}

/// A factor as a person would write it: rounding of the twelfth digit is not shown.
fn rounded(factor: f64) -> String {
    let digits = format!("{factor:.10e}").parse::<f64>().unwrap_or(factor);
    format!("{digits}")
}

/// Where a search that did not converge has stopped, and what gets it further.
fn stopped_early(learner: &Logistic, estimate: &Estimate) -> String {
    let (steps, distance) = (estimate.steps, estimate.distance);
    let advice = match (learner.solver, steps >= learner.most_steps()) {
        (Solver::Newton, _) => return format!("{steps} steps did not reach the optimum, which is {distance:.1e} standard errors away"),
        (Solver::Gradient { .. } | Solver::Sgd { .. }, true) => "more steps, another rate or Newton's method get there",
        (Solver::Gradient { .. } | Solver::Sgd { .. }, false) => "a smaller stop, another rate or Newton's method get there",
    };
    format!("the descent stopped after {steps} steps, {distance:.2} standard errors from the optimum; {advice}")
}

/// What is said when the rarest class has few rows for every slope of a fit that nothing holds back.
fn few_events(state: &PassState, analysis: &Analysis, problem: &Problem) -> Option<String> {
    let (facts, slopes) = (&analysis.facts, state.coordinates.kept.len());
    let survey = &facts.survey;
    let events = events(state, survey);
    if analysis.estimate.firth || facts.penalty.is_some() || slopes == 0 || events >= ENOUGH_EVENTS * slopes as f64 {
        return None;
    }
    let what = if facts.shape.outputs == 1 { "degrees of freedom" } else { "degrees of freedom per class" };
    let plural = if slopes == 1 { "degree of freedom" } else { what };
    let each = events / slopes as f64;
    let text = format!(
        "{slopes} {plural} for {events:.0} events: {each:.1} each, where {ENOUGH_EVENTS} are the usual floor; estimates may be too extreme and \
         intervals too narrow"
    );
    Some(match set_column(state, problem, survey) {
        Some((name, levels)) => format!(
            "{text}; `{name}` has {levels} levels: if these are matched sets, one parameter for each makes odds ratios too extreme, and strata({name}) \
             in the formula compares rows within them by conditional likelihood"
        ),
        None => text,
    })
}

/// What was done about directions along which classes are separated.
fn separated(state: &PassState, analysis: &Analysis, problem: &Problem) -> Vec<Notice> {
    let (mut notices, facts) = (Vec::new(), &analysis.facts);
    if let Some(separation) = &analysis.estimate.rescued {
        let kind = if separation.complete { "complete" } else { "quasi-complete" };
        let sets = separating_sets(state, problem, &facts.survey, separation).map_or(String::new(), |name| {
            format!("; if `{name}` numbers matched sets, strata({name}) in the formula compares rows within them and estimates none of its levels")
        });
        let text = format!(
            "{kind} separation along {}: the likelihood has no finite maximum, Firth's penalised likelihood was fitted in its place{sets}",
            separation.names(&problem.design).join(", ")
        );
        notices.push(Notice::new(notice::SEPARATION, text));
    }
    for separation in &facts.left_out {
        let kind = if separation.complete { "complete" } else { "quasi-complete" };
        let text = format!(
            "{kind} separation: the likelihood has no finite maximum with {}, which was left out; odds ratios are those of a model without it",
            separation.names(&problem.design).join(", ")
        );
        notices.push(Notice::new(notice::SEPARATION, text));
    }
    if let Some(face) = &analysis.face {
        let text = format!(
            "quasi-complete separation along {}: the likelihood rises forever, towards a supremum with infinite coefficients (odds ratios of ∞ or \
             0, each with one limit, from the profile); the others are those of the rows that are left undecided",
            face.separation.names(&problem.design).join(", ")
        );
        notices.push(Notice::new(notice::SEPARATION, text));
    }
    notices
}

pub(super) fn notices(learner: &Logistic, state: &PassState, analysis: &Analysis, problem: &Problem) -> Vec<Notice> {
    let mut notices = Vec::new();
    let (facts, survey) = (&analysis.facts, &analysis.facts.survey);
    // A row is counted at its first gap alone, so only the sum says something: a column's own gaps are counted where the table is read.
    let excluded: u64 = survey.dropped.iter().sum();
    if excluded > 0 {
        let total = survey.rows + excluded;
        let share = 100.0 * excluded as f64 / total as f64;
        let text = format!("{excluded} of {total} rows ({share:.1} %) excluded for missing values");
        notices.push(Notice::new(notice::MISSING_VALUES, text));
    }
    let columns = problem.design.columns();
    if problem.coarse_knots {
        notices.push(Notice::new(notice::COARSE_KNOTS, "knots are quantiles of values joined with their neighbours"));
    }
    for &j in &facts.constant {
        notices.push(Notice::new(notice::CONSTANT_COLUMN, "the same in every row; it carries no coefficient").column(&columns[j].name));
    }
    for alias in &facts.aliases {
        let (_, combination) =
            aliased(state, analysis, problem).into_iter().find(|(name, _)| *name == columns[alias.column].name).unwrap_or_default();
        let text = format!("equals {combination} (plus a constant) in every row, so it carries no coefficient");
        notices.push(Notice::new(notice::ALIASED, text).column(&columns[alias.column].name));
    }
    notices.extend(separated(state, analysis, problem));
    let lost = analysis.answers.iter().filter(|(_, outcome)| *outcome == SearchOutcome::Failed).count();
    if lost > 0 {
        let text = format!("{lost} profile limits or tests were not found; Wald limits stand in their place, tests are left out");
        notices.push(Notice::new(notice::PROFILE_NOT_FOUND, text));
    }
    if !analysis.estimate.converged {
        notices.push(Notice::new(notice::STOPPED_EARLY, stopped_early(learner, &analysis.estimate)));
    }
    let by_classes: Vec<String> =
        problem.design.formula().variables().iter().filter(|v| matches!(v, Variable::MdlBins(_))).map(Variable::to_string).collect();
    if !by_classes.is_empty() && learner.precision > Intervals::None {
        let text =
            format!("the classes chose the cuts of {}, which tests and limits do not know: they are too sure", by_classes.join(", "));
        notices.push(Notice::new(notice::CUTS_BY_CLASSES, text));
    }
    let wide = facts.shape.outputs * facts.shape.width > MOST_FULL && !facts.penalty.is_some();
    if wide && learner.precision > Intervals::None {
        let text = format!(
            "{} parameters: standard errors, intervals and tests take the products of all columns, which are summed up for {MOST_FULL} at most, and \
             are not given",
            facts.shape.outputs * facts.shape.width
        );
        notices.push(Notice::new(notice::TOO_WIDE, text));
    }
    if let Some(text) = few_events(state, analysis, problem) {
        notices.push(Notice::new(notice::FEW_EVENTS, text));
    }
    if facts.penalty.is_some() && learner.precision > Intervals::None && learner.prior_sd.is_none() {
        let text = "standard errors, p-values and intervals mean nothing for coefficients that a penalty has shrunk, and are not given";
        notices.push(Notice::new(notice::PENALISED, text));
    }
    if state.layout.weighting() == Weighting::Sampling && learner.precision > Intervals::None && !facts.penalty.is_some() {
        let text = "sampling weights: standard errors come from the scores of the rows, and what a likelihood would say (profiles, ratio tests, \
                    AIC) is left out, because it grows with the unit of the weights";
        notices.push(Notice::new(notice::SAMPLING_WEIGHTS, text));
    }
    if learner.class_weights != ClassWeighting::None {
        let text = match learner.keep_class_weights {
            true => "probabilities are those of the re-weighted classes, not of the data",
            false => "intercepts were corrected for the class weights: probabilities are those of the data as they came",
        };
        let errors = match learner.precision > Intervals::None && !facts.penalty.is_some() {
            true => "; standard errors come from the scores of the rows, and there are no likelihood ratios",
            false => "",
        };
        notices.push(Notice::new(notice::CLASS_WEIGHTS, format!("{text}{errors}")));
    }
    notices
}
