//! Questions about a fit that need further passes: profile limits, likelihood-ratio tests, robust standard errors.

use std::sync::Arc;

use nalgebra::{Cholesky, DVector, Dyn};

use crate::error::{DataFault, Error, Result};
use crate::model::Step;
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint, Shape};
use crate::model::linear::fit::jeffreys::{Leverage, regular};
use crate::model::linear::fit::learner::{next_pass, problem};
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::stage::{Analysis, Estimate, Facts, Purpose, Raw, Stage};
use crate::model::linear::infer::hypothesis::Hypothesis;
use crate::model::linear::infer::infinite;
use crate::model::linear::infer::row_sums::RowSums;
use crate::model::linear::infer::sandwich::{Robust, ScoreCovariance};
use crate::model::linear::infer::search::{Aim, Answer, Search, SearchOutcome};
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::{Intervals, Logistic};
use crate::num::special::chi_squared;

/// Bytes of second derivatives that searches may hold at once.
const SEARCH_BYTES: usize = 64 << 20;
/// Rows times parameters cubed up to which limits under Firth's penalty are looked for from several starts.
const MOST_THOROUGH: f64 = 1e6;
/// Operations of a pass up to which searches look at second derivatives of their own.
const CHEAP_PASS: f64 = 4e9;

type Outcomes = Result<Step<LinearStats, LogisticModel>>;

/// Decides what is asked about an estimate and asks it.
pub(crate) fn begin(learner: &Logistic, state: &PassState, facts: Arc<Facts>, estimate: Estimate) -> Outcomes {
    let penalised = facts.penalty.is_some();
    let mut analysis = Analysis {
        facts,
        estimate: Arc::new(estimate),
        waiting: Vec::new(),
        active: Vec::new(),
        answers: Vec::new(),
        face: state.face.clone(),
        later: Vec::new(),
        sandwich: None,
        clusters: None,
        row_sums: None,
    };
    if let Some(face) = state.face.clone() {
        return infinite::begin(learner, state, &face, analysis);
    }
    // What is said of an optimum is not true of another point.
    let silent = learner.precision == Intervals::None || !analysis.estimate.converged;
    if penalised || silent || analysis.estimate.information.is_none() {
        return LogisticModel::build(learner, state, &analysis).map(Step::Done);
    }
    let factor = information(&analysis.estimate)?;
    analysis.waiting = searches(learner, state, &analysis, &factor)?;
    if learner.robust.is_some() || learner.cluster_column().is_some() {
        return ask_meat(learner, state, analysis, &factor);
    }
    follow(learner, state, analysis)
}

pub(super) fn information(estimate: &Estimate) -> Result<Cholesky<f64, Dyn>> {
    estimate.information.clone().and_then(Cholesky::new).ok_or_else(|| {
        crate::model::linear::fit::learner::no_estimate(
            "the information matrix is singular at the optimum",
            "drop a column or use a penalty",
        )
    })
}

/// One row of user's units per parameter: a such that aᵀθ is the parameter.
pub(crate) fn functionals(state: &PassState, shape: Shape) -> Vec<DVector<f64>> {
    let jacobian = state.coordinates.jacobian();
    let size = shape.outputs * shape.width;
    let mut rows = Vec::with_capacity(size);
    for m in 0..shape.outputs {
        for r in 0..shape.width {
            let mut of = DVector::zeros(size);
            for c in 0..shape.width {
                of[m * shape.width + c] = jacobian[(r, c)];
            }
            rows.push(of);
        }
    }
    rows
}

fn searches(learner: &Logistic, state: &PassState, analysis: &Analysis, factor: &Cholesky<f64, Dyn>) -> Result<Vec<(Purpose, Search)>> {
    let estimate = &analysis.estimate;
    // Firth's penalty leaves several best fits under one constraint, and more so the fewer rows there are. Between places every pass is an exchange.
    let size = estimate.theta.len();
    let at_one_place = state.source.rows.is_some();
    let thorough = estimate.firth && at_one_place && analysis.facts.survey.rows as f64 * (size as f64).powi(3) <= MOST_THOROUGH;
    let start = |(purpose, aim)| (purpose, Search::new(aim, &estimate.theta, estimate.objective, factor).thorough(thorough));
    let mut searches: Vec<(Purpose, Search)> = aims(learner, state, &analysis.facts, estimate)?.into_iter().map(start).collect();
    searches.reverse();
    Ok(searches)
}

/// What is asked about an estimate.
pub(super) fn aims(learner: &Logistic, state: &PassState, facts: &Facts, estimate: &Estimate) -> Result<Vec<(Purpose, Aim)>> {
    let problem = problem(state)?;
    let shape = facts.shape;
    let functionals = functionals(state, shape);
    let shift = usize::from(state.coordinates.intercept);
    // Parameters (of all outputs) of design columns.
    let of_columns = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let kept = state.coordinates.kept.iter().enumerate().filter(|(_, j)| wanted(**j)).map(|(at, _)| shift + at);
        let kept: Vec<usize> = kept.collect();
        (0..shape.outputs).flat_map(|m| kept.iter().map(move |at| m * shape.width + at)).collect()
    };
    let without = |hypothesis: &Hypothesis| {
        let rows = hypothesis.constraints(&functionals);
        Aim::Constrained { values: DVector::zeros(rows.nrows()), rows }
    };
    let mut aims = Vec::new();
    let all = of_columns(&|_| true);
    if !all.is_empty() && (problem.design.has_offset() || shift == 0 || estimate.firth) {
        aims.push((Purpose::Null, without(&Hypothesis::zero(all))));
    }
    if learner.tests {
        for (t, term) in problem.design.terms().iter().enumerate() {
            let own = Hypothesis::without_term(&problem.design, state, facts, t);
            if own.freedom() > 0 && !problem.design.is_marginal(t) {
                aims.push((Purpose::Without(t), without(&own)));
            }
            let later = of_columns(&|j| j >= term.columns.start);
            if t > 0 && !later.is_empty() {
                aims.push((Purpose::Before(t), without(&Hypothesis::zero(later))));
            }
        }
        if estimate.firth {
            for parameter in 0..functionals.len() {
                aims.push((Purpose::Parameter(parameter), without(&Hypothesis::zero(vec![parameter]))));
            }
        }
    }
    let rise = 0.5 * chi_squared::quantile(learner.level, 1.0);
    for (parameter, of) in functionals.iter().enumerate() {
        // An infinite coefficient has one limit, and no other than that of the profile.
        let infinite = state.face.as_ref().map_or(0.0, |face| face.rise_of(of));
        for (upper, sign) in [(false, -1.0), (true, 1.0)] {
            let wanted = if infinite == 0.0 { learner.precision == Intervals::Profile } else { infinite * sign < 0.0 };
            if wanted {
                aims.push((Purpose::Limit { parameter, upper }, Aim::Limit { of: of.clone(), sign, level: estimate.objective + rise }));
            }
        }
    }
    Ok(aims)
}

/// Asks the next questions, or ends.
pub(super) fn follow(learner: &Logistic, state: &PassState, mut analysis: Analysis) -> Outcomes {
    let shape = analysis.facts.shape;
    let size = (shape.outputs * shape.width).max(1);
    let batch = (SEARCH_BYTES / (8 * size * size)).clamp(1, 400);
    while analysis.active.len() < batch
        && let Some(search) = analysis.waiting.pop()
    {
        analysis.active.push(search);
    }
    // Sums over the rows come along with the first pass that is made anyway.
    let summing = learner.tests && analysis.row_sums.is_none() && state.face.is_none();
    if analysis.active.is_empty() && !summing {
        if let Some(face) = state.face.clone() {
            return infinite::leave(learner, state, &face, analysis);
        }
        return LogisticModel::build(learner, state, &analysis).map(Step::Done);
    }
    let operations = analysis.facts.survey.rows as f64 * (size * size) as f64 * analysis.active.len() as f64;
    let curvature = if operations <= CHEAP_PASS || analysis.estimate.firth { Curvature::Full } else { Curvature::None };
    let questions = analysis.active.iter().map(|(_, search)| (search.question().as_slice().to_vec(), curvature)).collect();
    let theta = analysis.estimate.theta.as_slice().to_vec();
    let mut pass = learner.ask(state, Stage::Analyse(Box::new(analysis)), questions);
    if summing {
        let at = EvalPoint::new(theta, Curvature::None, &state.coordinates, shape, &state.layout.word_widths());
        pass.row_sums = Some(Box::new((Arc::new(at), RowSums::new(&state.layout, &problem(state)?.design))));
    }
    Ok(Step::Again(pass))
}

/// Hands the answers of a pass to the searches.
pub(crate) fn after_points(learner: &Logistic, state: &PassState, analysis: &Analysis, answers: &[Raw]) -> Outcomes {
    let mut analysis = analysis.clone();
    let active = std::mem::take(&mut analysis.active);
    for ((purpose, mut search), raw) in active.into_iter().zip(answers) {
        search.tell(&Answer {
            value: raw.value,
            gradient: DVector::from_column_slice(&raw.gradient),
            metric: raw.hessian.as_ref().and_then(regular),
            max_abs_eta: raw.max_abs_eta,
        });
        match search.outcome.clone() {
            Some(outcome) => analysis.answers.push((purpose, outcome)),
            None => analysis.active.push((purpose, search)),
        }
    }
    follow(learner, state, analysis)
}

fn ask_meat(learner: &Logistic, state: &PassState, analysis: Analysis, factor: &Cholesky<f64, Dyn>) -> Outcomes {
    let shape = analysis.facts.shape;
    let kind = learner.robust.unwrap_or(Robust::Hc1);
    let leveraged = matches!(kind, Robust::Hc2 | Robust::Hc3);
    if leveraged && learner.cluster_column().is_some() {
        return Err(Error::option("robust", "HC2 or HC3", "leverages are of rows and not of clusters; use HC0 or HC1"));
    }
    let cluster = learner.cluster_place(&state.layout)?;
    let theta = analysis.estimate.theta.as_slice().to_vec();
    let eval_point = EvalPoint::new(theta, Curvature::None, &state.coordinates, shape, &[]);
    let leverages = if leveraged { vec![Leverage::new(factor, &state.coordinates, shape)] } else { Vec::new() };
    let no_missing = analysis.facts.no_missing;
    let sums = PassSums::ScoreCovariance(Box::new(ScoreCovariance::new(kind, cluster, shape, state.layout.weighting())));
    let coordinates = (*state.coordinates).clone();
    Ok(Step::Again(next_pass(
        state,
        coordinates,
        no_missing,
        vec![eval_point],
        leverages,
        Stage::ScoreCovariance(Box::new(analysis)),
        sums,
    )))
}

/// Takes the squared scores.
pub(crate) fn after_score_covariance(
    learner: &Logistic,
    state: &PassState,
    analysis: &Analysis,
    score_covariance: &ScoreCovariance,
) -> Outcomes {
    if let (Some(cluster), 0..=1) = (learner.cluster_column(), score_covariance.clusters.len()) {
        let what = "all rows belong to one cluster, and nothing tells how much clusters differ";
        return Err(DataFault::new(what).column(cluster).accepted("two clusters or more, better dozens").into());
    }
    let mut analysis = analysis.clone();
    let inverse = information(&analysis.estimate)?.inverse();
    analysis.sandwich = Some(&inverse * score_covariance.middle() * &inverse);
    analysis.clusters = learner.cluster_column().map(|_| score_covariance.clusters.len());
    follow(learner, state, analysis)
}

/// The objective where a search ended.
pub(crate) fn found_value(answers: &[(Purpose, SearchOutcome)], purpose: &Purpose) -> Option<f64> {
    match found(answers, purpose) {
        Some(SearchOutcome::Found { value, .. }) => Some(*value),
        _ => None,
    }
}

/// How a search ended.
pub(crate) fn found<'a>(answers: &'a [(Purpose, SearchOutcome)], purpose: &Purpose) -> Option<&'a SearchOutcome> {
    answers.iter().find(|(wanted, _)| wanted == purpose).map(|(_, outcome)| outcome)
}
