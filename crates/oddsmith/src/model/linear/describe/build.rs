//! From the end of a fit to a model in the user's units.

use std::sync::Arc;

use nalgebra::{Cholesky, DMatrix, DVector};

use crate::data::design::Place;
use crate::data::{Layout, Weighting};
use crate::error::Result;
use crate::model::linear::describe::notices::{aliased, notices};
use crate::model::linear::describe::term_tests::TermTests;
use crate::model::linear::fit::block_reader::Problem;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::learner::problem;
use crate::model::linear::fit::passes::PassState;
use crate::model::linear::fit::stage::{Analysis, Purpose};
use crate::model::linear::fit::survey::Survey;
use crate::model::linear::fit::target::Target;
use crate::model::linear::infer::account::{Account, IntervalKind, Method};
use crate::model::linear::infer::analysis::{found, found_value, functionals};
use crate::model::linear::infer::face::Face;
use crate::model::linear::infer::row_account::{CategoryCounts, RowAccount};
use crate::model::linear::infer::row_sums::RowSums;
use crate::model::linear::infer::sandwich::Robust;
use crate::model::linear::infer::search::SearchOutcome;
use crate::model::linear::model::{Covariance, LogisticModel, Parameters};
use crate::model::linear::options::{ClassWeighting, Intervals, Logistic};
use crate::notice::{self, Notice};
use crate::num::special::normal;

impl LogisticModel {
    /// The model of a finished analysis.
    pub(crate) fn build(learner: &Logistic, state: &PassState, analysis: &Analysis) -> Result<LogisticModel> {
        let problem = problem(state)?;
        let parameters = parameters(learner, state, analysis, &problem);
        let parameters = match &analysis.face {
            Some(face) => risen(parameters, face),
            None => parameters,
        };
        let lost = column_without_variance(state, analysis)?;
        let precision = if lost.is_none() { precision(learner, state, analysis, &parameters) } else { None };
        let mut account = account(learner, state, analysis, &problem, precision.as_ref(), &parameters.estimates());
        let asked = learner.precision != Intervals::None;
        account.notices.extend(lost.filter(|_| asked).map(|column| {
            let text = "in the units of the column the square of its standard error has no place among floating-point numbers, so there are no \
                        standard errors, intervals and tests; multiply or divide the column by a power of ten";
            Notice::new(notice::NO_ROOM_FOR_VARIANCE, text).column(column)
        }));
        let layout = prediction_layout(&state.layout, &problem)?;
        let design = match layout == *state.layout {
            true => Arc::clone(&problem.design),
            false => Arc::new(problem.design.relocated(&layout)?),
        };
        Ok(LogisticModel::new(Arc::new(layout), design, parameters, precision, account))
    }
}

/// The layout without columns that only the fit needed: responses, class proportions, keys.
fn prediction_layout(layout: &Layout, problem: &Problem) -> Result<Layout> {
    let names = problem.design.formula().columns();
    let used: Vec<usize> = (0..layout.features().len()).filter(|j| names.contains(&layout.features()[*j].name)).collect();
    Ok(layout.select(&used)?.with_keys(Vec::new()))
}

fn parameters(learner: &Logistic, state: &PassState, analysis: &Analysis, problem: &Problem) -> Parameters {
    let (shape, coordinates, survey) = (analysis.facts.shape, &state.coordinates, &analysis.facts.survey);
    let theta = analysis.estimate.theta.as_slice();
    let shift = usize::from(coordinates.intercept);
    let (mut base, mut coefficients) = (Vec::new(), Vec::new());
    for output in theta[..shape.outputs * shape.width].chunks_exact(shape.width.max(1)) {
        base.push(if coordinates.intercept { output[0] } else { 0.0 });
        coefficients.extend(coordinates.coefficients(&output[shift..]));
    }
    base.resize(shape.outputs, 0.0);
    let columns = coordinates.centre.len();
    let centre = reported_centre(coordinates, survey);
    for (m, base) in base.iter_mut().enumerate() {
        *base += class_shift(learner, coordinates, problem, m);
        let coefficients = &coefficients[m * columns..(m + 1) * columns];
        *base += centre.iter().zip(&coordinates.centre).zip(coefficients).map(|((to, from), beta)| (to - from) * beta).sum::<f64>();
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
        kept: coordinates.kept.clone(),
        intercept: coordinates.intercept,
        words: theta[shape.outputs * shape.width..].to_vec(),
        rise: None,
    }
}

/// The parameters where they rise forever along a direction.
fn risen(parameters: Parameters, face: &Face) -> Parameters {
    let (coordinates, theta) = (&face.coordinates, face.theta());
    let coefficients = coordinates.coefficients(&theta[usize::from(coordinates.intercept)..]);
    let moved = parameters.centre.iter().zip(&coordinates.centre).zip(&coefficients).map(|((to, from), rise)| (to - from) * rise);
    let base = if coordinates.intercept { theta[0] + moved.sum::<f64>() } else { 0.0 };
    parameters.with_rise(base, coefficients)
}

/// The centre of every column: its mean, also where the solver left a marked column as it is.
fn reported_centre(coordinates: &Coordinates, survey: &Survey) -> Vec<f64> {
    let mut centre = coordinates.centre.clone();
    if coordinates.intercept && survey.width() == centre.len() {
        let marked = |j: usize| coordinates.marked.as_ref().is_some_and(|marks| matches!(marks.place(j), Place::Mark(_)));
        centre.iter_mut().enumerate().filter(|(j, _)| marked(*j)).for_each(|(j, centre)| *centre = survey.mean(j));
    }
    centre
}

/// Weighting a class moves the intercept by the logarithm of the weights' ratio, and nothing else: it is moved back by this.
fn class_shift(learner: &Logistic, coordinates: &Coordinates, problem: &Problem, m: usize) -> f64 {
    match problem.class_weights.is_empty() || learner.keep_class_weights || !coordinates.intercept {
        true => 0.0,
        false => -(problem.class_weights[m + 1] / problem.class_weights[0]).ln(),
    }
}

/// Covariance and limits in the user's units; `None` with a penalty or when nobody asked.
fn precision(learner: &Logistic, state: &PassState, analysis: &Analysis, parameters: &Parameters) -> Option<Covariance> {
    let shrunk = analysis.facts.penalty.is_some() && learner.prior_sd.is_none();
    if shrunk || learner.precision == Intervals::None || !analysis.estimate.converged {
        return None;
    }
    let shape = analysis.facts.shape;
    let size = shape.outputs * shape.width;
    let inside = solvers_covariance(analysis)?;
    let functionals = functionals(state, shape);
    let map = DMatrix::from_fn(size, size, |r, c| functionals[r][c]);
    let mut matrix = &map * &inside * map.transpose();
    // At its own centre the intercept is the solver's; from there it moves to the reported one.
    let coordinates = &state.coordinates;
    let mut centred_map = map.clone();
    for r in (0..size).step_by(shape.width.max(1)).filter(|_| coordinates.intercept) {
        centred_map.row_mut(r).fill(0.0);
        centred_map[(r, r)] = 1.0;
        for (k, &j) in coordinates.kept.iter().enumerate().filter(|(_, j)| parameters.centre[**j] != coordinates.centre[**j]) {
            let move_by = parameters.centre[j] - coordinates.centre[j];
            let moved = centred_map.row(r) + map.row(r + 1 + k) * move_by;
            centred_map.row_mut(r).copy_from(&moved);
        }
    }
    let centred = &centred_map * inside * centred_map.transpose();
    let estimates = parameters.estimates();
    // What an infinite coefficient varies with another is not known.
    for parameter in (0..size).filter(|parameter| estimates[*parameter].is_infinite()) {
        matrix.row_mut(parameter).fill(0.0);
        matrix.column_mut(parameter).fill(0.0);
    }
    let quantile = normal::quantile_upper(0.5 * (1.0 - learner.level));
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for parameter in 0..size {
        let half = quantile * matrix[(parameter, parameter)].max(0.0).sqrt();
        let wald = match estimates[parameter] {
            estimate if estimate.is_infinite() => [f64::NEG_INFINITY, f64::INFINITY],
            estimate => [estimate - half, estimate + half],
        };
        let end = |upper: bool| match found(&analysis.answers, &Purpose::Limit { parameter, upper }) {
            Some(SearchOutcome::Found { theta, .. }) => functionals[parameter].dot(theta) + shift_of(learner, state, analysis, parameter),
            Some(SearchOutcome::Failed) | None => wald[usize::from(upper)],
        };
        lower.push(end(false));
        upper.push(end(true));
    }
    let [matrix, centred] = [matrix, centred].map(|matrix| matrix.transpose().as_slice().to_vec());
    Some(Covariance { matrix, centred, lower, upper })
}

/// The covariance in the solver's columns.
fn solvers_covariance(analysis: &Analysis) -> Option<DMatrix<f64>> {
    let inverse = || {
        let inverse = Cholesky::new(analysis.estimate.information.clone()?)?.inverse();
        Some(analysis.face.as_ref().map_or(inverse.clone(), |face| face.lift_matrix(inverse)))
    };
    analysis.sandwich.clone().or_else(inverse)
}

/// A column in whose units a variance that is known leaves the range of floating-point numbers: a standard error of zero or infinity would
/// look like an answer.
fn column_without_variance(state: &PassState, analysis: &Analysis) -> Result<Option<String>> {
    let Some(inside) = solvers_covariance(analysis) else { return Ok(None) };
    let (coordinates, shape) = (&state.coordinates, analysis.facts.shape);
    let shift = usize::from(coordinates.intercept);
    let lost = |of: &DVector<f64>| {
        let scaled = of / of.amax();
        let [own, in_units] = [&scaled, of].map(|of| (of.transpose() * &inside * of)[(0, 0)]);
        own.is_normal() && !in_units.is_normal()
    };
    // The intercept is lost with a column only, so that a column is named.
    let functionals = functionals(state, shape);
    let column = (0..functionals.len()).find(|parameter| parameter % shape.width >= shift && lost(&functionals[*parameter]));
    let Some(parameter) = column else { return Ok(None) };
    let column = coordinates.kept[parameter % shape.width - shift];
    Ok(Some(problem(state)?.design.columns()[column].name.clone()))
}

/// What the correction for class weights moved a parameter by.
fn shift_of(learner: &Logistic, state: &PassState, analysis: &Analysis, parameter: usize) -> f64 {
    let (width, coordinates) = (analysis.facts.shape.width, &state.coordinates);
    match (&state.problem, coordinates.intercept && parameter.is_multiple_of(width)) {
        (Some(problem), true) => class_shift(learner, coordinates, problem, parameter / width),
        _ => 0.0,
    }
}

fn account(
    learner: &Logistic,
    state: &PassState,
    analysis: &Analysis,
    problem: &Problem,
    covariance: Option<&Covariance>,
    estimates: &[f64],
) -> Account {
    let precise = covariance.is_some();
    let (facts, estimate) = (&analysis.facts, &analysis.estimate);
    let survey = &facts.survey;
    let layout = &state.layout;
    let constant = survey.log_coefficients;
    let likelihood = |loss: f64| constant - loss;
    let value_of = |purpose: &Purpose| found_value(&analysis.answers, purpose);
    let null_objective = value_of(&Purpose::Null);
    // ½ ln |I| of the parameters in the user's units: those of the solver are other ones.
    let log_units = facts.shape.outputs as f64 * state.coordinates.log_determinant();
    let penalised = |objective: f64| likelihood(objective) - log_units;
    let null_loss = null_loss(null_objective.filter(|_| !estimate.firth), state, analysis, problem);
    let design = &problem.design;
    let tests = covariance.filter(|_| learner.tests).map(|covariance| TermTests {
        design,
        state,
        analysis,
        covariance,
        estimates,
        null: null_objective.unwrap_or(null_loss),
    });
    let size = facts.shape.outputs * facts.shape.width;
    let parameter_tests: Vec<f64> = (0..size)
        .filter_map(|parameter| value_of(&Purpose::Parameter(parameter)).map(|value| 2.0 * (value - estimate.objective)))
        .collect();
    let observations = match layout.weighting() {
        Weighting::Frequency if survey.log_coefficients == 0.0 => survey.weight(),
        _ => survey.rows as f64,
    };
    let intervals = precise.then_some(match learner.precision {
        Intervals::Profile if learner.prior_sd.is_none() => IntervalKind::Profile,
        _ => IntervalKind::Wald,
    });
    let dropped = survey.dropped.iter().enumerate().filter(|(_, rows)| **rows > 0);
    Account {
        method: method(learner, analysis),
        formula: design.formula().to_string(),
        rows: survey.rows,
        dropped: dropped.map(|(j, rows)| (layout.features()[j].name.clone(), *rows)).collect(),
        class_weights: class_weights(learner, analysis, problem),
        observations,
        log_likelihood: likelihood(estimate.loss),
        null_log_likelihood: likelihood(null_loss),
        saturated_log_likelihood: constant + survey.saturated,
        penalised_log_likelihood: estimate.firth.then(|| penalised(estimate.objective)),
        null_penalised_log_likelihood: null_objective.filter(|_| estimate.firth).map(penalised),
        log_marginal_likelihood: log_marginal_likelihood(learner, analysis),
        prior_sd: learner.prior_sd,
        l2: learner.l2,
        l1: learner.l1,
        steps: estimate.steps as u64,
        passes: state.passes as u64 + 1,
        distance: estimate.distance,
        unfinished: !estimate.converged,
        slopes_wald: if precise { slopes_wald(state, analysis) } else { None },
        level: learner.level,
        intervals,
        robust: analysis.sandwich.as_ref().map(|_| learner.robust.unwrap_or(Robust::Hc1)),
        clusters: analysis.clusters.map(|clusters| clusters as u64),
        tests: tests.as_ref().map_or_else(Vec::new, TermTests::each),
        sequence: tests.as_ref().map_or_else(Vec::new, TermTests::in_order),
        parameter_tests,
        units: learner.units.clone(),
        aliased: aliased(state, analysis, problem),
        notices: notices(learner, state, analysis, problem),
        sample: row_account(learner, state, analysis, problem),
    }
}

/// What was maximised.
fn method(learner: &Logistic, analysis: &Analysis) -> Method {
    match (analysis.estimate.firth, analysis.facts.penalty.is_some() || learner.l1 > 0.0) {
        (true, _) => Method::Firth,
        _ if learner.prior_sd.is_some() => Method::Bayes,
        (_, true) => Method::Penalised,
        _ => Method::Likelihood,
    }
}

/// −log likelihood of the model without predictors: what a search found, or, without offset, penalty or missing intercept, a closed form.
fn null_loss(found: Option<f64>, state: &PassState, analysis: &Analysis, problem: &Problem) -> f64 {
    let (facts, survey) = (&analysis.facts, &analysis.facts.survey);
    match (found, problem.design.has_offset()) {
        (Some(value), _) => value,
        (None, true) => f64::NAN,
        (None, false) if state.coordinates.intercept => survey.null_loss(),
        // Without an intercept all classes are equally probable.
        (None, false) => survey.weight() * ((facts.shape.outputs + 1) as f64).ln(),
    }
}

/// γᵀ V⁻¹ γ of all slopes under a robust covariance. It is the same for any columns that span the same space.
fn slopes_wald(state: &PassState, analysis: &Analysis) -> Option<f64> {
    let (shape, sandwich) = (analysis.facts.shape, analysis.sandwich.as_ref()?);
    let shift = usize::from(state.coordinates.intercept);
    let slopes: Vec<usize> = (0..shape.outputs * shape.width).filter(|at| at % shape.width >= shift).collect();
    let theta = DVector::from_iterator(slopes.len(), slopes.iter().map(|at| analysis.estimate.theta[*at]));
    let covariance = DMatrix::from_fn(slopes.len(), slopes.len(), |a, b| sandwich[(slopes[a], slopes[b])]);
    Some(Cholesky::new(covariance)?.solve(&theta).dot(&theta))
}

/// Weight of every class in the rows as they came. The first look at the rows has the given factors of the classes in it, and those that
/// balance them not yet.
fn class_weights(learner: &Logistic, analysis: &Analysis, problem: &Problem) -> Vec<f64> {
    let seen = &analysis.facts.survey.class_weights;
    match (&learner.class_weights, mixed(problem) || problem.class_weights.is_empty()) {
        (ClassWeighting::Given(_), false) => seen.iter().zip(&problem.class_weights).map(|(weight, factor)| weight / factor).collect(),
        _ => seen.clone(),
    }
}

/// Whether rows of several classes at once were weighted by class: their weights cannot be taken apart again.
fn mixed(problem: &Problem) -> bool {
    !problem.class_weights.is_empty() && !matches!(problem.target, Target::Labels)
}

/// What is remembered of the rows.
fn row_account(learner: &Logistic, state: &PassState, analysis: &Analysis, problem: &Problem) -> RowAccount {
    let layout = &state.layout;
    // Intercepts that were corrected for class weights stand for the rows as they came.
    let weighted = !problem.class_weights.is_empty() && (learner.keep_class_weights || !state.coordinates.intercept);
    let factor = |k: usize| if weighted { problem.class_weights[k] } else { 1.0 };
    let came = class_weights(learner, analysis, problem);
    let weights: Vec<f64> = came.iter().enumerate().map(|(k, weight)| weight * factor(k)).collect();
    let total: f64 = weights.iter().sum();
    let row_sums = analysis.row_sums.as_ref();
    let counts = |(feature, weights): (usize, &[f64])| CategoryCounts {
        column: layout.features()[feature].name.clone(),
        levels: weights.chunks_exact(layout.classes().len()).map(<[f64]>::to_vec).collect(),
    };
    RowAccount {
        class_proportions: weights.iter().filter(|_| !mixed(problem)).map(|weight| weight / total).collect(),
        moved_by: Vec::new(),
        // Squares at a point that stands for the supremum are not those of the rows that the direction decides.
        pearson: row_sums.filter(|_| analysis.face.is_none()).map(RowSums::pearson).filter(|pearson| pearson.is_finite()),
        categories: row_sums.map_or_else(Vec::new, |row_sums| row_sums.categories().map(counts).collect()),
        weight_column: None,
        proportion_columns: learner.class_proportions.clone(),
    }
}

/// ln p(y) ≈ ln p(y | θ) + ln p(θ) + d/2 ln 2π − ½ ln |H| at the most probable θ.
fn log_marginal_likelihood(learner: &Logistic, analysis: &Analysis) -> Option<f64> {
    learner.prior_sd?;
    let factor = Cholesky::new(analysis.estimate.information.clone()?)?;
    let log_determinant = 2.0 * factor.l_dirty().diagonal().iter().map(|d| d.ln()).sum::<f64>();
    let constant = analysis.facts.survey.log_coefficients;
    Some(constant - analysis.estimate.objective + 0.5 * (analysis.facts.penalty.log_determinant() - log_determinant))
}
