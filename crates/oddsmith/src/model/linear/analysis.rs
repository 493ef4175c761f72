//! Questions about a fit that need further passes: profile limits, likelihood-ratio tests, robust standard errors.

use std::sync::Arc;

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::jeffreys::Leverage;
use super::knobs::{Logistic, Precision};
use super::learner::{next_pass, view};
use super::model::LogisticModel;
use super::passes::{Knowledge, LinearStats, PassSums};
use super::probe::{Curvature, Probe, Shape};
use super::sandwich::{Meat, Robust};
use super::search::{Aim, Answer, Outcome, Search};
use super::stage::{Analysis, Estimate, Facts, Purpose, Raw, Stage};
use crate::error::{Error, Result};
use crate::model::Step;
use crate::num::special::chi_squared;

/// Bytes of second derivatives that searches may hold at once.
const SEARCH_BYTES: usize = 64 << 20;
/// Operations of a pass up to which searches look at second derivatives of their own.
const CHEAP_PASS: f64 = 4e9;

type Outcomes = Result<Step<LinearStats, LogisticModel>>;

/// Decides what is asked about an estimate and asks it.
pub(crate) fn begin(learner: &Logistic, knowledge: &Knowledge, facts: Arc<Facts>, estimate: Estimate) -> Outcomes {
    let penalised = facts.penalty.is_some();
    let mut analysis = Analysis {
        facts,
        estimate: Arc::new(estimate),
        waiting: Vec::new(),
        active: Vec::new(),
        answers: Vec::new(),
        sandwich: None,
        clusters: None,
    };
    if penalised || learner.precision == Precision::None || analysis.estimate.information.is_none() {
        return LogisticModel::build(learner, knowledge, &analysis).map(Step::Done);
    }
    let factor = information(&analysis.estimate)?;
    analysis.waiting = searches(learner, knowledge, &analysis, &factor)?;
    if learner.robust.is_some() || learner.cluster.is_some() {
        return ask_meat(learner, knowledge, analysis, &factor);
    }
    follow(learner, knowledge, analysis)
}

fn information(estimate: &Estimate) -> Result<Cholesky<f64, Dyn>> {
    estimate
        .information
        .clone()
        .and_then(Cholesky::new)
        .ok_or_else(|| super::learner::no_estimate("the information matrix is singular at the optimum", "drop a column or use a penalty"))
}

/// One row of user's units per parameter: a such that aᵀθ is the parameter.
pub(crate) fn functionals(knowledge: &Knowledge, shape: Shape) -> Vec<DVector<f64>> {
    let jacobian = knowledge.frame.jacobian();
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

fn searches(learner: &Logistic, knowledge: &Knowledge, analysis: &Analysis, factor: &Cholesky<f64, Dyn>) -> Result<Vec<(Purpose, Search)>> {
    let view = view(knowledge)?;
    let (shape, estimate) = (analysis.facts.shape, &analysis.estimate);
    let functionals = functionals(knowledge, shape);
    let shift = usize::from(knowledge.frame.intercept);
    // Parameters (of all outputs) of design columns.
    let of_columns = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let kept = knowledge.frame.kept.iter().enumerate().filter(|(_, j)| wanted(**j)).map(|(at, _)| shift + at);
        let kept: Vec<usize> = kept.collect();
        (0..shape.outputs).flat_map(|m| kept.iter().map(move |at| m * shape.width + at)).collect()
    };
    let without = |parameters: &[usize]| {
        let rows = DMatrix::from_fn(parameters.len(), functionals[0].len(), |r, c| functionals[parameters[r]][c]);
        Aim::Constrained { rows, values: DVector::zeros(parameters.len()) }
    };
    let start = |aim: Aim| Search::new(aim, &estimate.theta, estimate.objective, factor);
    let mut searches = Vec::new();
    let all = of_columns(&|_| true);
    if !all.is_empty() && (view.design.has_offset() || shift == 0 || estimate.firth) {
        searches.push((Purpose::Null, start(without(&all))));
    }
    if learner.tests {
        for (t, term) in view.design.terms().iter().enumerate() {
            let own = of_columns(&|j| term.columns.contains(&j));
            if !own.is_empty() && !view.design.is_marginal(t) {
                searches.push((Purpose::Without(t), start(without(&own))));
            }
            let later = of_columns(&|j| j >= term.columns.start);
            if t > 0 && !later.is_empty() {
                searches.push((Purpose::Before(t), start(without(&later))));
            }
        }
        if estimate.firth {
            for parameter in 0..functionals.len() {
                searches.push((Purpose::Parameter(parameter), start(without(&[parameter]))));
            }
        }
    }
    if learner.precision == Precision::Profile {
        let rise = 0.5 * chi_squared::quantile(learner.level, 1.0);
        for (parameter, of) in functionals.iter().enumerate() {
            for (upper, sign) in [(false, -1.0), (true, 1.0)] {
                let aim = Aim::Limit { of: of.clone(), sign, level: estimate.objective + rise };
                searches.push((Purpose::Limit { parameter, upper }, start(aim)));
            }
        }
    }
    searches.reverse();
    Ok(searches)
}

/// Asks the next questions, or ends.
fn follow(learner: &Logistic, knowledge: &Knowledge, mut analysis: Analysis) -> Outcomes {
    let shape = analysis.facts.shape;
    let size = (shape.outputs * shape.width).max(1);
    let batch = (SEARCH_BYTES / (8 * size * size)).clamp(1, 400);
    while analysis.active.len() < batch
        && let Some(search) = analysis.waiting.pop()
    {
        analysis.active.push(search);
    }
    if analysis.active.is_empty() {
        return LogisticModel::build(learner, knowledge, &analysis).map(Step::Done);
    }
    let operations = analysis.facts.survey.rows as f64 * (size * size) as f64 * analysis.active.len() as f64;
    let curvature = if operations <= CHEAP_PASS || analysis.estimate.firth { Curvature::Full } else { Curvature::None };
    let questions = analysis.active.iter().map(|(_, search)| (search.question().as_slice().to_vec(), curvature)).collect();
    Ok(Step::Again(learner.ask(knowledge, Stage::Analyse(Box::new(analysis)), questions)))
}

/// Hands the answers of a pass to the searches.
pub(crate) fn after_points(learner: &Logistic, knowledge: &Knowledge, analysis: &Analysis, answers: &[Raw]) -> Outcomes {
    let mut analysis = analysis.clone();
    let active = std::mem::take(&mut analysis.active);
    for ((purpose, mut search), raw) in active.into_iter().zip(answers) {
        search.tell(&Answer {
            value: raw.value,
            gradient: DVector::from_column_slice(&raw.gradient),
            metric: raw.hessian.clone().and_then(Cholesky::new),
            reach: raw.reach,
        });
        match search.outcome.clone() {
            Some(outcome) => analysis.answers.push((purpose, outcome)),
            None => analysis.active.push((purpose, search)),
        }
    }
    follow(learner, knowledge, analysis)
}

fn ask_meat(learner: &Logistic, knowledge: &Knowledge, analysis: Analysis, factor: &Cholesky<f64, Dyn>) -> Outcomes {
    let shape = analysis.facts.shape;
    let kind = learner.robust.unwrap_or(Robust::Hc1);
    let leveraged = matches!(kind, Robust::Hc2 | Robust::Hc3);
    if leveraged && learner.cluster.is_some() {
        return Err(Error::knob("robust", "HC2 or HC3", "leverages are of rows and not of clusters; use HC0 or HC1"));
    }
    let cluster = match &learner.cluster {
        Some(name) => Some(knowledge.layout.plane(knowledge.layout.index(name)?)),
        None => None,
    };
    let theta = analysis.estimate.theta.as_slice().to_vec();
    let probe = Probe::new(theta, Curvature::None, &knowledge.frame, shape, &[]);
    let leverages = if leveraged { vec![Leverage::new(factor, &knowledge.frame, shape)] } else { Vec::new() };
    let whole = analysis.facts.whole;
    let sums = PassSums::Meat(Box::new(Meat::new(kind, cluster, shape, knowledge.layout.weighting())));
    let frame = (*knowledge.frame).clone();
    Ok(Step::Again(next_pass(knowledge, frame, whole, vec![probe], leverages, Stage::Meat(Box::new(analysis)), sums)))
}

/// Takes the squared scores.
pub(crate) fn after_meat(learner: &Logistic, knowledge: &Knowledge, analysis: &Analysis, meat: &Meat) -> Outcomes {
    let mut analysis = analysis.clone();
    let inverse = information(&analysis.estimate)?.inverse();
    analysis.sandwich = Some(&inverse * meat.middle() * &inverse);
    analysis.clusters = learner.cluster.as_ref().map(|_| meat.clusters.len());
    follow(learner, knowledge, analysis)
}

/// The value that a search found.
pub(crate) fn found<'a>(answers: &'a [(Purpose, Outcome)], purpose: &Purpose) -> Option<&'a Outcome> {
    answers.iter().find(|(wanted, _)| wanted == purpose).map(|(_, outcome)| outcome)
}
