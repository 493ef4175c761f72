//! From the end of a fit to a model in the user's units.

use std::sync::Arc;

use nalgebra::{Cholesky, DMatrix};

use super::account::{Account, IntervalKind, Method, RatioTest};
use super::analysis::{found, functionals};
use super::descent::Route;
use super::frame::Frame;
use super::knobs::{ClassWeighting, Logistic, Precision};
use super::learner::view;
use super::lens::View;
use super::model::{Covariance, LogisticModel, Parameters};
use super::passes::Knowledge;
use super::search::Outcome;
use super::stage::{Analysis, Purpose};
use super::survey::Survey;
use crate::data::design::Place;
use crate::data::{Layout, Weighting};
use crate::error::Result;
use crate::notice::{self, Notice};
use crate::num::special::normal;

impl LogisticModel {
    /// The model of a finished analysis.
    pub(crate) fn build(learner: &Logistic, knowledge: &Knowledge, analysis: &Analysis) -> Result<LogisticModel> {
        let view = view(knowledge)?;
        let parameters = parameters(learner, knowledge, analysis, &view);
        let precision = precision(learner, knowledge, analysis, &parameters);
        let account = account(learner, knowledge, analysis, &view, precision.as_ref(), &parameters.estimates());
        let layout = prediction_layout(&knowledge.layout, &view)?;
        let design = match layout == *knowledge.layout {
            true => Arc::clone(&view.design),
            false => Arc::new(view.design.relocated(&layout)?),
        };
        Ok(LogisticModel::new(Arc::new(layout), design, parameters, precision, account))
    }
}

/// The layout without columns that only the fit needed: responses, shares, clusters.
fn prediction_layout(layout: &Layout, view: &View) -> Result<Layout> {
    let names = view.design.formula().columns();
    let used: Vec<usize> = (0..layout.features().len()).filter(|j| names.contains(&layout.features()[*j].name)).collect();
    layout.select(&used)
}

fn parameters(learner: &Logistic, knowledge: &Knowledge, analysis: &Analysis, view: &View) -> Parameters {
    let (shape, frame, survey) = (analysis.facts.shape, &knowledge.frame, &analysis.facts.survey);
    let theta = analysis.estimate.theta.as_slice();
    let shift = usize::from(frame.intercept);
    let (mut base, mut coefficients) = (Vec::new(), Vec::new());
    for output in theta[..shape.outputs * shape.width].chunks_exact(shape.width.max(1)) {
        base.push(if frame.intercept { output[0] } else { 0.0 });
        coefficients.extend(frame.coefficients(&output[shift..]));
    }
    base.resize(shape.outputs, 0.0);
    let columns = frame.centre.len();
    let centre = reported_centre(frame, survey);
    for (m, base) in base.iter_mut().enumerate() {
        *base += class_shift(learner, frame, view, m);
        let coefficients = &coefficients[m * columns..(m + 1) * columns];
        *base += centre.iter().zip(&frame.centre).zip(coefficients).map(|((to, from), beta)| (to - from) * beta).sum::<f64>();
    }
    let mut spread = vec![0.0; columns];
    if survey.width() == columns {
        for (j, spread) in spread.iter_mut().enumerate() {
            *spread = survey.spread(j);
        }
    }
    Parameters {
        base,
        centre,
        spread,
        coefficients,
        kept: frame.kept.clone(),
        intercept: frame.intercept,
        words: theta[shape.outputs * shape.width..].to_vec(),
    }
}

/// The centre of every column: its mean, also where the solver left a marked column as it is.
fn reported_centre(frame: &Frame, survey: &Survey) -> Vec<f64> {
    let mut centre = frame.centre.clone();
    if frame.intercept && survey.width() == centre.len() {
        let marked = |j: usize| frame.marked.as_ref().is_some_and(|marks| matches!(marks.place(j), Place::Mark(_)));
        centre.iter_mut().enumerate().filter(|(j, _)| marked(*j)).for_each(|(j, centre)| *centre = survey.mean(j));
    }
    centre
}

/// Weighting a class moves the intercept by the logarithm of the weights' ratio, and nothing else: it is moved back by this.
fn class_shift(learner: &Logistic, frame: &Frame, view: &View, m: usize) -> f64 {
    match view.class_weights.is_empty() || learner.keep_class_weights || !frame.intercept {
        true => 0.0,
        false => -(view.class_weights[m + 1] / view.class_weights[0]).ln(),
    }
}

/// Covariance and limits in the user's units; `None` with a penalty or when nobody asked.
fn precision(learner: &Logistic, knowledge: &Knowledge, analysis: &Analysis, parameters: &Parameters) -> Option<Covariance> {
    let shrunk = analysis.facts.penalty.is_some() && learner.prior_sd.is_none();
    if shrunk || learner.precision == Precision::None {
        return None;
    }
    let shape = analysis.facts.shape;
    let size = shape.outputs * shape.width;
    let inside = match &analysis.sandwich {
        Some(sandwich) => sandwich.clone(),
        None => Cholesky::new(analysis.estimate.information.clone()?)?.inverse(),
    };
    let functionals = functionals(knowledge, shape);
    let map = DMatrix::from_fn(size, size, |r, c| functionals[r][c]);
    let matrix = &map * &inside * map.transpose();
    // At its own centre the intercept is the solver's; from there it moves to the reported one.
    let frame = &knowledge.frame;
    let mut centred_map = map.clone();
    for r in (0..size).step_by(shape.width.max(1)).filter(|_| frame.intercept) {
        centred_map.row_mut(r).fill(0.0);
        centred_map[(r, r)] = 1.0;
        for (k, &j) in frame.kept.iter().enumerate().filter(|(_, j)| parameters.centre[**j] != frame.centre[**j]) {
            let move_by = parameters.centre[j] - frame.centre[j];
            let moved = centred_map.row(r) + map.row(r + 1 + k) * move_by;
            centred_map.row_mut(r).copy_from(&moved);
        }
    }
    let centred = &centred_map * inside * centred_map.transpose();
    let estimates = parameters.estimates();
    let quantile = normal::quantile_upper(0.5 * (1.0 - learner.level));
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for parameter in 0..size {
        let half = quantile * matrix[(parameter, parameter)].max(0.0).sqrt();
        let wald = [estimates[parameter] - half, estimates[parameter] + half];
        let end = |upper: bool| match found(&analysis.answers, &Purpose::Limit { parameter, upper }) {
            Some(Outcome::Found { theta, .. }) => functionals[parameter].dot(theta) + shift_of(learner, knowledge, analysis, parameter),
            Some(Outcome::Failed) | None => wald[usize::from(upper)],
        };
        lower.push(end(false));
        upper.push(end(true));
    }
    Some(Covariance { matrix: matrix.transpose().as_slice().to_vec(), centred: centred.transpose().as_slice().to_vec(), lower, upper })
}

/// What the correction for class weights moved a parameter by.
fn shift_of(learner: &Logistic, knowledge: &Knowledge, analysis: &Analysis, parameter: usize) -> f64 {
    let (width, frame) = (analysis.facts.shape.width, &knowledge.frame);
    match (&knowledge.view, frame.intercept && parameter.is_multiple_of(width)) {
        (Some(view), true) => class_shift(learner, frame, view, parameter / width),
        _ => 0.0,
    }
}

fn account(
    learner: &Logistic,
    knowledge: &Knowledge,
    analysis: &Analysis,
    view: &View,
    covariance: Option<&Covariance>,
    estimates: &[f64],
) -> Account {
    let precise = covariance.is_some();
    let (facts, estimate) = (&analysis.facts, &analysis.estimate);
    let survey = &facts.survey;
    let layout = &knowledge.layout;
    let constant = survey.log_coefficients;
    let likelihood = |loss: f64| constant - loss;
    let value_of = |purpose: &Purpose| match found(&analysis.answers, purpose) {
        Some(Outcome::Found { value, .. }) => Some(*value),
        _ => None,
    };
    let null_objective = value_of(&Purpose::Null);
    // Without offset, penalty or missing intercept the null model is known in closed form.
    let closed = knowledge.frame.intercept && !view.design.has_offset();
    let null_loss = match (null_objective, estimate.firth) {
        (Some(value), false) => value,
        _ if closed => survey.null_loss(),
        // Without an intercept all classes are equally probable.
        _ if !view.design.has_offset() => survey.weight() * ((facts.shape.outputs + 1) as f64).ln(),
        _ => f64::NAN,
    };
    let design = &view.design;
    let counted = |t: usize| -> f64 {
        let range = &design.terms()[t].columns;
        (knowledge.frame.kept.iter().filter(|j| range.contains(j)).count() * facts.shape.outputs) as f64
    };
    let deviance = |objective: f64| 2.0 * (objective - estimate.objective) + 2.0 * (estimate.loss + survey.saturated);
    // The parameters of a term, in the order of the covariance.
    let of_term = |t: usize| -> Vec<usize> {
        let (range, shape) = (&design.terms()[t].columns, facts.shape);
        let shift = usize::from(knowledge.frame.intercept);
        let own = knowledge.frame.kept.iter().enumerate().filter(|(_, j)| range.contains(j)).map(|(at, _)| shift + at);
        let own: Vec<usize> = own.collect();
        (0..shape.outputs).flat_map(|m| own.iter().map(move |at| m * shape.width + at)).collect()
    };
    let mut tests = Vec::new();
    let mut sequence = Vec::new();
    let terms = design.terms();
    for (t, term) in terms.iter().enumerate() {
        if let Some(value) = value_of(&Purpose::Without(t)) {
            let statistic = 2.0 * (value - estimate.objective);
            let score = match found(&analysis.answers, &Purpose::Without(t)) {
                Some(Outcome::Found { score, .. }) => score.filter(|_| !estimate.firth),
                _ => None,
            };
            let wald = covariance.and_then(|covariance| wald(covariance, estimates, &of_term(t)));
            tests.push(RatioTest { label: term.label.clone(), freedom: counted(t), statistic, deviance: deviance(value), wald, score });
        }
        if learner.tests && precise {
            let null = null_objective.unwrap_or(null_loss);
            let before = if t == 0 { Some(null) } else { value_of(&Purpose::Before(t)) };
            let after = if t + 1 == terms.len() { Some(estimate.objective) } else { value_of(&Purpose::Before(t + 1)) };
            if let (Some(before), Some(after)) = (before, after) {
                let statistic = 2.0 * (before - after);
                sequence.push(RatioTest {
                    label: term.label.clone(),
                    freedom: counted(t),
                    statistic,
                    deviance: deviance(after),
                    wald: None,
                    score: None,
                });
            }
        }
    }
    let size = facts.shape.outputs * facts.shape.width;
    let parameter_tests: Vec<f64> = (0..size)
        .filter_map(|parameter| value_of(&Purpose::Parameter(parameter)).map(|value| 2.0 * (value - estimate.objective)))
        .collect();
    let method = match (estimate.firth, facts.penalty.is_some() || learner.l1 > 0.0) {
        (true, _) => Method::Firth,
        _ if learner.prior_sd.is_some() => Method::Bayes,
        (_, true) => Method::Penalised,
        _ => Method::Likelihood,
    };
    let observations = match layout.weighting() {
        Weighting::Frequency if survey.log_coefficients == 0.0 => survey.weight(),
        _ => survey.rows as f64,
    };
    let intervals = precise.then_some(match learner.precision {
        Precision::Profile if learner.prior_sd.is_none() => IntervalKind::Profile,
        _ => IntervalKind::Wald,
    });
    let dropped = survey.dropped.iter().enumerate().filter(|(_, rows)| **rows > 0);
    Account {
        method,
        formula: design.formula().to_string(),
        rows: survey.rows,
        dropped: dropped.map(|(j, rows)| (layout.features()[j].name.clone(), *rows)).collect(),
        class_weights: survey.class_weights.clone(),
        observations,
        log_likelihood: likelihood(estimate.loss),
        null_log_likelihood: likelihood(null_loss),
        saturated_log_likelihood: constant + survey.saturated,
        penalised_log_likelihood: estimate.firth.then_some(-estimate.objective),
        null_penalised_log_likelihood: if estimate.firth { null_objective.map(|value| -value) } else { None },
        log_evidence: log_evidence(learner, analysis),
        prior_sd: learner.prior_sd,
        l2: learner.l2,
        l1: learner.l1,
        steps: estimate.steps as u64,
        passes: knowledge.passes as u64 + 1,
        distance: estimate.distance,
        level: learner.level,
        intervals,
        robust: if analysis.sandwich.is_some() { Some(learner.robust.unwrap_or(super::sandwich::Robust::Hc1)) } else { None },
        clusters: analysis.clusters.map(|clusters| clusters as u64),
        tests,
        sequence,
        parameter_tests,
        units: learner.units.clone(),
        aliased: aliased(knowledge, analysis, view),
        notices: notices(learner, knowledge, analysis, view),
    }
}

/// βᵀ V⁻¹ β of some parameters.
pub(super) fn wald(covariance: &Covariance, estimates: &[f64], parameters: &[usize]) -> Option<f64> {
    let size = covariance.lower.len();
    let own = DMatrix::from_fn(parameters.len(), parameters.len(), |a, b| covariance.matrix[parameters[a] * size + parameters[b]]);
    let beta = nalgebra::DVector::from_fn(parameters.len(), |a, _| estimates[parameters[a]]);
    Some(beta.dot(&Cholesky::new(own)?.solve(&beta)))
}

/// ln p(y) ≈ ln p(y | θ) + ln p(θ) + d/2 ln 2π − ½ ln |H| at the most probable θ.
fn log_evidence(learner: &Logistic, analysis: &Analysis) -> Option<f64> {
    learner.prior_sd?;
    let factor = Cholesky::new(analysis.estimate.information.clone()?)?;
    let log_determinant = 2.0 * factor.l_dirty().diagonal().iter().map(|d| d.ln()).sum::<f64>();
    let constant = analysis.facts.survey.log_coefficients;
    Some(constant - analysis.estimate.objective + 0.5 * (analysis.facts.penalty.log_determinant() - log_determinant))
}

/// Columns without a coefficient and why.
fn aliased(knowledge: &Knowledge, analysis: &Analysis, view: &View) -> Vec<(String, String)> {
    let name = |j: usize| view.design.columns()[j].name.clone();
    let constant = analysis.facts.constant.iter().map(|&j| (name(j), "constant".to_owned()));
    // Combinations were found in the solver's units.
    let scale = &knowledge.frame.scale;
    let combinations = analysis.facts.aliases.iter().map(|alias| {
        let part = |(k, factor): &(usize, f64)| format!("{} · {}", rounded(factor * scale[*k] / scale[alias.column]), name(*k));
        let parts: Vec<String> = alias.of.iter().map(part).collect();
        (name(alias.column), if parts.is_empty() { "constant".into() } else { parts.join(" + ") })
    });
    constant.chain(combinations).collect()
}

/// A factor as a person would write it: rounding of the twelfth digit is not shown.
fn rounded(factor: f64) -> String {
    let digits = format!("{factor:.10e}").parse::<f64>().unwrap_or(factor);
    format!("{digits}")
}

fn notices(learner: &Logistic, knowledge: &Knowledge, analysis: &Analysis, view: &View) -> Vec<Notice> {
    let (mut notices, layout) = (Vec::new(), &knowledge.layout);
    let (facts, survey) = (&analysis.facts, &analysis.facts.survey);
    for (j, rows) in survey.dropped.iter().enumerate().filter(|(_, rows)| **rows > 0) {
        let share = 100.0 * *rows as f64 / (survey.rows + survey.dropped.iter().sum::<u64>()) as f64;
        let text = format!("{rows} rows ({share:.1} %) have no value here and were left out; --missing indicator keeps them");
        notices.push(Notice::new(notice::MISSING_VALUES, text).column(&layout.features()[j].name));
    }
    let columns = view.design.columns();
    if view.coarse_knots {
        notices.push(Notice::new(notice::COARSE_KNOTS, "knots are quantiles of values joined with their neighbours"));
    }
    for &j in &facts.constant {
        notices.push(Notice::new(notice::CONSTANT_COLUMN, "the same in every row; it carries no coefficient").column(&columns[j].name));
    }
    for alias in &facts.aliases {
        let (_, combination) =
            aliased(knowledge, analysis, view).into_iter().find(|(name, _)| *name == columns[alias.column].name).unwrap_or_default();
        let text = format!("equals {combination} (plus a constant) in every row, so it carries no coefficient");
        notices.push(Notice::new(notice::ALIASED, text).column(&columns[alias.column].name));
    }
    if let Some(separation) = &analysis.estimate.rescued {
        let kind = if separation.complete { "complete" } else { "quasi-complete" };
        let text = format!(
            "{kind} separation along {}: the likelihood has no finite maximum, Firth's penalised likelihood was fitted in its place",
            separation.names(&view.design).join(", ")
        );
        notices.push(Notice::new(notice::SEPARATION, text));
    }
    let lost = analysis.answers.iter().filter(|(_, outcome)| *outcome == Outcome::Failed).count();
    if lost > 0 {
        let text = format!("{lost} profile limits or tests were not found; Wald limits stand in their place, tests are left out");
        notices.push(Notice::new(notice::PROFILE_NOT_FOUND, text));
    }
    if learner.route != Route::Newton && analysis.estimate.distance > 0.01 {
        let text = format!(
            "the descent stopped {:.2} standard errors from the optimum; a smaller stop, another rate or --route newton gets there",
            analysis.estimate.distance
        );
        notices.push(Notice::new(notice::STOPPED_EARLY, text));
    }
    let (steps, distance) = (analysis.estimate.steps, analysis.estimate.distance);
    if learner.route == Route::Newton && steps >= learner.most_steps && learner.unfinished.is_some_and(|most| distance > most) {
        let text = format!("{steps} steps did not reach the optimum, which is {distance:.1e} standard errors away");
        notices.push(Notice::new(notice::STOPPED_EARLY, text));
    }
    if facts.penalty.is_some() && learner.precision > Precision::None && learner.prior_sd.is_none() {
        let text = "standard errors, p-values and intervals mean nothing for coefficients that a penalty has shrunk, and are not given";
        notices.push(Notice::new(notice::PENALISED, text));
    }
    if knowledge.layout.weighting() == Weighting::Sampling && learner.precision > Precision::None && !facts.penalty.is_some() {
        let text = "sampling weights: standard errors come from the scores of the rows, and what a likelihood would say (profiles, ratio tests, \
                    AIC) is left out, because it grows with the unit of the weights";
        notices.push(Notice::new(notice::SAMPLING_WEIGHTS, text));
    }
    if learner.class_weights != ClassWeighting::None {
        let text = match learner.keep_class_weights {
            true => "probabilities are those of the re-weighted classes, not of the data",
            false => "intercepts were corrected for the class weights: probabilities are those of the data as they came",
        };
        let errors = match learner.precision > Precision::None && !facts.penalty.is_some() {
            true => "; standard errors come from the scores of the rows, and there are no likelihood ratios",
            false => "",
        };
        notices.push(Notice::new(notice::CLASS_WEIGHTS, format!("{text}{errors}")));
    }
    notices
}
