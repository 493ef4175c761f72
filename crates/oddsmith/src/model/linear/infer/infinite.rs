//! The supremum of a likelihood that rises forever along one direction.
//!
//! A direction that was proved to separate leaves some rows undecided. Where nothing else leaves all of these where they are, it is the only
//! one (`face.rs`): the fit goes on with those rows and without one parameter, and questions that leave the direction free (limits of finite
//! coefficients, tests of terms that do not move along it) are asked there. All others have an optimum among all rows, and are asked last:
//! the finite limits of infinite coefficients, and the tests of terms that are infinite.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use crate::error::{Advice, Error, Result};
use crate::model::Step;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint};
use crate::model::linear::fit::fit_steps::question;
use crate::model::linear::fit::jeffreys::regular;
use crate::model::linear::fit::learner::{next_pass, no_estimate, problem};
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::solver::SolverState;
use crate::model::linear::fit::stage::{Analysis, Estimate, Facts, Fitting, Raw, Stage};
use crate::model::linear::infer::analysis::{aims, follow};
use crate::model::linear::infer::face::Face;
use crate::model::linear::infer::search::{Aim, Search, SearchOutcome};
use crate::model::linear::infer::separation::SeparationCheck;
use crate::model::linear::infer::separation_steps::{at, describe};
use crate::model::linear::infer::undecided::{MOST_PARAMETERS, still_part};
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::{Intervals, Logistic};

type Steps = Result<Step<LinearStats, LogisticModel>>;

impl Logistic {
    /// Takes the direction of this pass, which separates, and asks whether it is the only one.
    pub(super) fn ascend(&self, state: &PassState, facts: &Arc<Facts>, complete: bool) -> Steps {
        let refused = |why: &str| Err(refusal(state, facts, complete, why)?);
        if state.face.is_some() {
            return refused("more than one direction separates the classes");
        }
        if complete {
            return refused("the classes are separated completely, and no row is left to estimate anything from");
        }
        if facts.shape.outputs > 1 {
            return refused("there are more than two classes");
        }
        if !state.coordinates.in_place() || facts.shape.len() > MOST_PARAMETERS || state.source.rows.is_none() {
            return refused("columns are almost combinations of each other, there are hundreds of them, or rows lie at several places");
        }
        let theta = &state.eval_points[0].theta;
        let separation = describe(state, theta, complete, facts);
        let Some(face) = Face::new(theta, &state.coordinates, facts, separation).map(Arc::new) else {
            return refused("the direction moves the intercept alone");
        };
        let zero = vec![0.0; facts.shape.len()];
        let state = PassState { face: Some(Arc::clone(&face)), ..at(state, Arc::clone(&state.coordinates)) };
        // At zero every row that counts is undecided.
        Ok(Step::Again(self.ask(&state, Stage::Ascent(face), vec![(zero, Curvature::Undecided)])))
    }

    /// Takes the squares of the undecided rows: all but one direction must move some of them. That one is then known to all digits, and
    /// proved once more.
    pub(in crate::model::linear) fn after_span(&self, state: &PassState, face: &Arc<Face>, answer: Raw) -> Steps {
        let squares = answer.hessian.ok_or_else(|| Error::internal("rows were not looked at"))?;
        let still = still_part(&squares, &DMatrix::identity(squares.nrows(), squares.nrows()));
        let refused = |why: &str| Err(refusal(state, &face.facts, false, why)?);
        if still.ncols() != 1 {
            return refused("more than one direction separates the classes");
        }
        let along: f64 = still.iter().zip(face.theta()).map(|(a, b)| a * b).sum();
        let direction: Vec<f64> = still.iter().map(|component| component * along.signum()).collect();
        let Some(face) = Face::new(&direction, &face.coordinates, &face.facts, face.separation.clone()).map(Arc::new) else {
            return refused("the direction moves the intercept alone");
        };
        let whole = PassState { face: None, ..at(state, Arc::clone(&face.coordinates)) };
        let eval_point = EvalPoint::new(face.theta().to_vec(), Curvature::None, &face.coordinates, face.facts.shape, &[]);
        let (coordinates, no_missing) = ((*face.coordinates).clone(), face.facts.no_missing);
        let sums = PassSums::SeparationCheck(SeparationCheck::default());
        Ok(Step::Again(next_pass(&whole, coordinates, no_missing, vec![eval_point], Vec::new(), Stage::Ascent(face), sums)))
    }

    /// Fits the undecided rows.
    pub(in crate::model::linear) fn after_ascent(&self, state: &PassState, face: &Arc<Face>, check: &SeparationCheck) -> Steps {
        let refused = |why: &str| Err(refusal(state, &face.facts, check.complete(), why)?);
        if !check.proves() || check.complete() {
            return refused("rounding hides which columns the direction moves");
        }
        let coordinates: Coordinates = face.reduced();
        if coordinates.width() == 0 {
            return refused("no coefficient is left to estimate");
        }
        let old = &face.facts;
        let facts = Arc::new(Facts {
            aliases: old.aliases.clone(),
            constant: old.constant.clone(),
            left_out: old.left_out.clone(),
            ..old.of_columns(&coordinates)
        });
        let theta = facts.survey.null_start(&coordinates, facts.shape);
        let (solver, next) = SolverState::start(theta, self.plan(&facts, false), facts.penalty.clone());
        let state = PassState { face: Some(Arc::clone(face)), ..at(state, Arc::new(coordinates)) };
        Ok(Step::Again(self.ask(&state, Stage::Fit(Box::new(Fitting::new(facts, solver, false))), vec![question(next)?])))
    }
}

/// Why there is no answer with infinite coefficients, and what else can be done.
fn refusal(state: &PassState, facts: &Facts, complete: bool, why: &str) -> Result<Error> {
    let names = match (&state.face, state.eval_points.first()) {
        (Some(face), _) => face.separation.names(&problem(state)?.design),
        (None, Some(point)) if point.theta.len() == facts.shape.len() => {
            describe(state, &point.theta, complete, facts).names(&problem(state)?.design)
        }
        _ => Vec::new(),
    };
    let advice = Advice::any_of([
        Advice::Set { option: "on-separation", value: "firth", to: "use Firth's penalised likelihood" },
        Advice::Set { option: "on-separation", value: "drop", to: "leave the column out" },
        Advice::PenaliseWith { l2: 1.0 },
    ]);
    Ok(no_estimate(&format!("separation along {} has no report of infinite coefficients: {why}", names.join(", ")), advice))
}

/// Asks the undecided rows what they can answer about their optimum.
pub(super) fn begin(learner: &Logistic, state: &PassState, face: &Arc<Face>, mut analysis: Analysis) -> Steps {
    let estimate = Arc::clone(&analysis.estimate);
    let Some(factor) = estimate.information.as_ref().and_then(regular).filter(|_| estimate.converged) else {
        return Err(refusal(state, &face.facts, false, "the undecided rows do not tell the other coefficients apart")?);
    };
    if learner.precision == Intervals::None {
        return leave(learner, state, face, analysis);
    }
    let whole = PassState { face: Some(Arc::clone(face)), ..at(state, Arc::clone(&face.coordinates)) };
    for (purpose, aim) in aims(learner, &whole, &face.facts, &estimate)? {
        match face.within(&aim) {
            Some(aim) => analysis.waiting.push((purpose, Search::new(aim, &estimate.theta, estimate.objective, &factor))),
            None => analysis.later.push((purpose, aim)),
        }
    }
    analysis.waiting.reverse();
    follow(learner, state, analysis)
}

/// Goes back to all rows and columns, with what the undecided rows have answered.
pub(super) fn leave(learner: &Logistic, state: &PassState, face: &Arc<Face>, mut analysis: Analysis) -> Steps {
    for (_, outcome) in &mut analysis.answers {
        if let SearchOutcome::Found { theta, .. } = outcome {
            *theta = face.lift(theta);
        }
    }
    let estimate = (*analysis.estimate).clone();
    analysis.estimate = Arc::new(Estimate { theta: face.lift(&estimate.theta), ..estimate });
    analysis.facts = Arc::clone(&face.facts);
    let whole = PassState { face: None, ..at(state, Arc::clone(&face.coordinates)) };
    if analysis.later.is_empty() {
        return LogisticModel::build(learner, &whole, &analysis).map(Step::Done);
    }
    let start = analysis.facts.survey.null_start(&whole.coordinates, analysis.facts.shape);
    Ok(Step::Again(learner.ask(&whole, Stage::Outset(Box::new(analysis)), vec![(start, Curvature::Full)])))
}

/// Asks all rows what is left to ask, from a point where the second derivatives of all are regular.
pub(in crate::model::linear) fn after_outset(learner: &Logistic, state: &PassState, analysis: &Analysis, answer: Raw) -> Steps {
    let mut analysis = analysis.clone();
    let Some(point) = state.eval_points.first() else { return Err(Error::internal("an answer without a question")) };
    let theta = DVector::from_column_slice(&point.theta);
    let Some(factor) = answer.hessian.as_ref().and_then(regular) else {
        return Err(refusal(state, &analysis.facts, false, "the rows do not tell the coefficients apart")?);
    };
    let floor = analysis.estimate.objective;
    let start = |(purpose, aim)| match aim {
        Aim::Limit { .. } => (purpose, Search::one_sided(aim, floor, &theta, answer.value, &factor)),
        Aim::Constrained { .. } => (purpose, Search::new(aim, &theta, answer.value, &factor)),
    };
    analysis.waiting = std::mem::take(&mut analysis.later).into_iter().map(start).rev().collect();
    follow(learner, state, analysis)
}
