//! A descent from its first step to its last: gradient descent, or epochs of one example after the other.
//!
//! Without a penalty Newton's steps come first and show whether there is an optimum to descend to; on separated data a descent would
//! otherwise go on for as long as it may, and end somewhere. Where a descent stops is looked at with second derivatives, which tell how far
//! that is from the optimum.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::model::Step;
use crate::model::linear::fit::descent::{GradientSteps, SgdEpoch, Solver};
use crate::model::linear::fit::fit_steps::question;
use crate::model::linear::fit::learner::{next_pass, no_estimate, problem};
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::solver::{Next, Plan, SolverState};
use crate::model::linear::fit::stage::{Facts, Fitting, Stage};
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::Logistic;

/// Distance from the optimum, in standard errors, up to which a descent has arrived: a hundredth of what chance moves estimates by.
pub(in crate::model::linear) const ARRIVED: f64 = 0.01;

impl Logistic {
    /// The first step of the descent that was asked for.
    pub(in crate::model::linear) fn begin_descent(
        &self,
        state: &PassState,
        facts: Arc<Facts>,
        theta: Vec<f64>,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        match self.solver {
            Solver::Sgd { .. } if self.most_steps() > 0 => Ok(Step::Again(self.walk(state, facts, theta, 0, 0.0))),
            Solver::Gradient { rate, stop } => {
                let every_class = self.named_start(&state.layout, &problem(state)?.design)?.is_some_and(|start| start.every_class);
                let factor = rate / facts.survey.weight();
                let steps = GradientSteps::new(factor, stop, facts.shape, self.descent_units, &state.coordinates, every_class)?;
                let gradient = Some(Arc::new(steps));
                let plan = Plan { gradient, most_steps: self.most_steps(), ..self.plan(&facts, false) };
                let start = SolverState::start(theta, plan, facts.penalty.clone());
                self.ask_descent(state, facts, start)
            }
            _ => self.settle(state, facts, theta, 0),
        }
    }

    /// An epoch of stochastic descent.
    fn walk(&self, state: &PassState, facts: Arc<Facts>, theta: Vec<f64>, epochs: usize, seen: f64) -> LinearStats {
        let (rate, half_after) = match self.solver {
            Solver::Sgd { rate, half_after, .. } => (rate, half_after),
            _ => (0.0, 1.0),
        };
        let walk = SgdEpoch::new(theta.clone(), seen, (rate, half_after), facts.shape, &state.coordinates);
        let stage = Stage::SgdEpoch { facts, theta, epochs, seen };
        next_pass(
            state,
            (*state.coordinates).clone(),
            stage.no_missing(),
            Vec::new(),
            Vec::new(),
            stage,
            PassSums::SgdEpoch(Box::new(walk)),
        )
    }

    /// After an epoch comes the next one, or the end.
    pub(in crate::model::linear) fn after_epoch(&self, state: &PassState, walk: &SgdEpoch) -> Result<Step<LinearStats, LogisticModel>> {
        let Stage::SgdEpoch { facts, theta, epochs, seen } = &state.stage else {
            return Err(Error::internal("a walk that nobody asked for"));
        };
        let stop = if let Solver::Sgd { stop, .. } = self.solver { stop } else { 0.0 };
        let moved = theta.iter().zip(&walk.theta).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        if !moved.is_finite() {
            return Err(no_estimate("the walk left the range of numbers", "use a smaller rate"));
        }
        let (facts, epochs) = (Arc::clone(facts), epochs + 1);
        if moved > stop && epochs < self.most_steps() {
            let seen = seen + facts.survey.rows as f64;
            return Ok(Step::Again(self.walk(state, facts, walk.theta.clone(), epochs, seen)));
        }
        self.settle(state, facts, walk.theta.clone(), epochs)
    }

    /// Looks at the point where a descent has stopped.
    fn settle(&self, state: &PassState, facts: Arc<Facts>, theta: Vec<f64>, steps: usize) -> Result<Step<LinearStats, LogisticModel>> {
        let (mut solver, next) = SolverState::settle(theta, self.plan(&facts, false), facts.penalty.clone());
        solver.steps = steps;
        self.ask_descent(state, facts, (solver, next))
    }

    fn ask_descent(
        &self,
        state: &PassState,
        facts: Arc<Facts>,
        (solver, next): (SolverState, Next),
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let fitting = Fitting { descends: true, ..Fitting::new(facts, solver, false) };
        Ok(Step::Again(self.ask(state, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }
}
