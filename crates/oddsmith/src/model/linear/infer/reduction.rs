//! Whether a search that has ended ended at an optimum, where second derivatives leave that open.
//!
//! Directions that separate move no row whose class is undecided (`undecided.rs`). Where none is left but zero there is an optimum. Otherwise
//! the fit is repeated within the directions that are left, from zero: there a row moves or it does not count. Where all of them can gain at
//! once, the search soon stands at a point that proves it. Where they cannot, some are undecided at its end and leave fewer
//! directions, and so on: every round takes at least one away (facial reduction).

use nalgebra::{DMatrix, DVector};

use crate::error::{Error, Result};
use crate::model::Step;
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint, Shape};
use crate::model::linear::fit::fit_steps::question;
use crate::model::linear::fit::learner::next_pass;
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::penalty::Penalty;
use crate::model::linear::fit::solver::{Next, Plan, Second, SolverState};
use crate::model::linear::fit::stage::{Fitting, Raw, Stage};
use crate::model::linear::infer::separation::SeparationCheck;
use crate::model::linear::infer::undecided::{is_flat, still_part};
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::{Logistic, MOST_STEPS};

type Steps = Result<Step<LinearStats, LogisticModel>>;

/// A search for a direction that separates, between two passes.
#[derive(Debug, Clone)]
pub(crate) struct Reduction {
    /// The fit that has ended, and how.
    pub(crate) fitting: Fitting,
    pub(crate) next: Next,
    /// Directions that are left, as orthonormal columns.
    basis: DMatrix<f64>,
    /// The fit within them; `None` as long as all are left.
    within: Option<SolverState>,
    asked: Asked,
}

/// What the pass under way is for.
#[derive(Debug, Clone)]
enum Asked {
    /// Which rows are undecided at the end of the search.
    Undecided,
    /// The likelihood within the directions.
    Point,
    /// Whether a point of them separates; and the question of the search, unless this was the last one.
    Proof(Option<(Vec<f64>, Curvature)>),
}

impl Reduction {
    /// The end of the search, or of the last one within the directions that were left.
    fn end(&self) -> Result<Vec<f64>> {
        let solver = self.within.as_ref().unwrap_or(&self.fitting.solver);
        let point = solver.point().ok_or_else(|| Error::internal("the end of a search without a point"))?;
        Ok(self.point(&point.theta))
    }

    /// A point of the directions that are left, in the coordinates of the fit.
    fn point(&self, within: &[f64]) -> Vec<f64> {
        match self.within {
            None => within.to_vec(),
            Some(_) => (&self.basis * DVector::from_column_slice(within)).as_slice().to_vec(),
        }
    }

    /// What an answer says about the fit within the directions.
    fn tell(&mut self, answer: Raw) -> Result<Next> {
        let Some(solver) = &mut self.within else { return Err(Error::internal("an answer without a search")) };
        let basis = &self.basis;
        let gradient = basis.tr_mul(&DVector::from_vec(answer.gradient));
        let second = answer.hessian.map_or(Second::None, |hessian| Second::Full(basis.tr_mul(&(hessian * basis))));
        Ok(solver.tell(answer.value, gradient.as_slice().to_vec(), second))
    }
}

impl Logistic {
    /// Asks whether a search that has ended ran away, unless its second derivatives say that it did not.
    pub(in crate::model::linear) fn reduce(&self, state: &PassState, fitting: Fitting, next: &Next) -> Steps {
        let weight = fitting.facts.survey.weight();
        if fitting.solver.point().is_none() || !fitting.curvature.as_ref().is_some_and(|curvature| is_flat(curvature, weight)) {
            return self.end_search(state, fitting, next);
        }
        let parameters = fitting.facts.shape.len();
        let basis = DMatrix::identity(parameters, parameters);
        self.ask_undecided(state, Reduction { fitting, next: next.clone(), basis, within: None, asked: Asked::Undecided })
    }

    fn ask_undecided(&self, state: &PassState, reduction: Reduction) -> Steps {
        let end = reduction.end()?;
        let reduction = Reduction { asked: Asked::Undecided, ..reduction };
        Ok(Step::Again(self.ask(state, Stage::Reduction(Box::new(reduction)), vec![(end, Curvature::Undecided)])))
    }

    /// Asks whether a point separates.
    fn ask_proof(&self, state: &PassState, reduction: Reduction, direction: Vec<f64>, then: Option<(Vec<f64>, Curvature)>) -> Steps {
        let (shape, no_missing) = (reduction.fitting.facts.shape, reduction.fitting.facts.no_missing);
        let eval_point = EvalPoint::new(direction, Curvature::None, &state.coordinates, shape, &[]);
        let stage = Stage::Reduction(Box::new(Reduction { asked: Asked::Proof(then), ..reduction }));
        let sums = PassSums::SeparationCheck(SeparationCheck::default());
        Ok(Step::Again(next_pass(state, (*state.coordinates).clone(), no_missing, vec![eval_point], Vec::new(), stage, sums)))
    }

    /// Takes the sums of a point.
    pub(in crate::model::linear) fn after_reduction_point(&self, state: &PassState, reduction: &Reduction, answer: Raw) -> Steps {
        let mut reduction = reduction.clone();
        match reduction.asked {
            Asked::Undecided => self.leave_directions(state, reduction, answer),
            _ => match reduction.tell(answer)? {
                Next::Ask { theta, curvature } => {
                    let direction = reduction.point(&theta);
                    self.ask_proof(state, reduction, direction, Some((theta, curvature)))
                }
                _ => self.ask_undecided(state, reduction),
            },
        }
    }

    /// Goes on without the directions that move undecided rows.
    fn leave_directions(&self, state: &PassState, reduction: Reduction, answer: Raw) -> Steps {
        let squares = answer.hessian.ok_or_else(|| Error::internal("rows were not looked at"))?;
        let basis = still_part(&squares, &reduction.basis);
        let left = basis.ncols();
        if left == 0 {
            return self.end_search(state, reduction.fitting, &reduction.next);
        }
        if left == reduction.basis.ncols() {
            let end = reduction.end()?;
            return self.ask_proof(state, reduction, end, None);
        }
        let shape = Shape { outputs: 1, width: left, words: 0 };
        let plan = self.plan(&reduction.fitting.facts, false);
        let plan = Plan { cost: 0.0, most_steps: MOST_STEPS / 2, end_with_curvature: false, newton_end: false, ..plan };
        let (solver, next) = SolverState::start(vec![0.0; left], plan, Penalty::new(vec![0.0; left], 0.0, shape));
        self.ask_within(state, Reduction { basis, within: Some(solver), ..reduction }, question(next)?)
    }

    /// Asks for the likelihood at a point of the directions that are left.
    fn ask_within(&self, state: &PassState, reduction: Reduction, (theta, curvature): (Vec<f64>, Curvature)) -> Steps {
        let point = reduction.point(&theta);
        let stage = Stage::Reduction(Box::new(Reduction { asked: Asked::Point, ..reduction }));
        Ok(Step::Again(self.ask(state, stage, vec![(point, curvature)])))
    }

    /// Takes what rows gain and lose along a point.
    pub(in crate::model::linear) fn after_reduction_check(
        &self,
        state: &PassState,
        reduction: &Reduction,
        check: &SeparationCheck,
    ) -> Steps {
        if check.proves() {
            return self.after_proof(state, &reduction.fitting, &reduction.next, check.complete());
        }
        match &reduction.asked {
            Asked::Proof(Some(question)) => self.ask_within(state, reduction.clone(), question.clone()),
            _ => self.end_search(state, reduction.fitting.clone(), &reduction.next),
        }
    }
}
