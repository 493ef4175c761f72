//! From the first point to the last: the fit of a sample, of all rows, the proof of separation, and the end.

use std::sync::Arc;

use nalgebra::DVector;

use crate::error::{Advice, Error, Result};
use crate::model::Step;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::descent::Solver;
use crate::model::linear::fit::descent_steps::ARRIVED;
use crate::model::linear::fit::eval_point::{Curvature, Shape};
use crate::model::linear::fit::learner::{MOST_FULL, no_estimate, problem};
use crate::model::linear::fit::passes::{LinearStats, PassState};
use crate::model::linear::fit::penalty::Penalty;
use crate::model::linear::fit::rank;
use crate::model::linear::fit::sample::Sample;
use crate::model::linear::fit::solver::{Next, Plan, SolverState};
use crate::model::linear::fit::stage::{Estimate, Facts, Fitting, Raw, Stage};
use crate::model::linear::fit::survey::Survey;
use crate::model::linear::infer::analysis;
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::{Logistic, MOST_STEPS, OnSeparation};
use crate::num::cholesky;

/// Cost of a pass with second derivatives, in passes without, where it is the rows that cost.
const DEAR_COST: f64 = 2.0;
/// |η| from which on separation is looked for.
const WATCHED_REACH: f64 = 12.0;
/// Distance in standard errors from which on a search that runs away has shown it: whatever the tolerance, a fit without a penalty goes
/// that far.
const CLOSE: f64 = 1e-6;
/// Operations of a pass up to which a further one costs nothing that anybody would notice.
const CHEAP_FIT: f64 = 1e7;
/// Distance in standard errors at which nobody would notice that a fit went no further.
const GOOD_ENOUGH: f64 = 1e-8;
/// The same under Firth's penalty.
const FIRTH_ENOUGH: f64 = 1e-10;
/// Columns whose products with all others cost as much time as those of a category of any width.
const COST_OF_MARKS: usize = 8;
/// Distance, in standard errors of a sample, at which its fit is near enough.
const START_TOLERANCE: f64 = 0.1;
/// Steps after which the fit of a sample is left as it is.
const START_STEPS: usize = 12;
/// |η| at which the fit of a sample has lost its way: the sample alone may be separated.
const LOST_REACH: f64 = 40.0;
/// Rows of a sample per parameter, and their bounds.
const ROWS_PER_PARAMETER: f64 = 600.0;
const SMALLEST_SAMPLE: f64 = 16_384.0;
const LARGEST_SAMPLE: f64 = 131_072.0;
/// Standard deviation of the prior of an intercept, unless another is asked for.
const INTERCEPT_SD: f64 = 10.0;

impl Logistic {
    #[allow(clippy::too_many_arguments)]
    pub(in crate::model::linear) fn begin_fit(
        &self,
        state: &PassState,
        coordinates: Coordinates,
        survey: Survey,
        aliases: Vec<rank::Doubt>,
        constant: Vec<usize>,
        no_missing: bool,
        start_known: bool,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let problem = problem(state)?;
        let words: usize = state.layout.word_widths().iter().sum();
        let shape = Shape { outputs: problem.outputs(), width: coordinates.width(), words };
        let problem = match self.balanced(&problem, &survey) {
            Some(balanced) => Arc::new(balanced),
            None => problem,
        };
        if self.ridge() == 0.0 && self.l1 == 0.0 && !self.firth && self.on_separation != OnSeparation::Firth {
            self.check_size(&survey, shape, aliases.len())?;
        }
        let penalty = self.penalty(&coordinates, shape);
        let given = self.given_start(&state.layout, &problem, &coordinates, shape)?;
        let usual = || match start_known && problem.class_weights.is_empty() && !problem.design.has_offset() {
            true => survey.start(&coordinates, shape),
            false => survey.null_start(&coordinates, shape),
        };
        let sampling = given.is_none();
        let theta = given.unwrap_or_else(usual);
        let partitions = state.source.partitions;
        let seen = state.sample.size(partitions);
        let products = coordinates.marks().map_or(shape.width, |marks| marks.cells() + COST_OF_MARKS * marks.terms());
        let facts = Arc::new(Facts { survey, shape, aliases, constant, left_out: Vec::new(), penalty, products, no_missing, partitions });
        let plan = self.plan(&facts, self.firth);
        let sample = if sampling { sample_of(&facts.survey, shape, plan.cost, seen, partitions) } else { Sample::All };
        let state = PassState {
            layout: Arc::clone(&state.layout),
            problem: Some(problem),
            coordinates: Arc::new(coordinates),
            no_missing,
            eval_points: Vec::new(),
            leverages: Vec::new(),
            passes: state.passes,
            sample: Sample::All,
            source: state.source,
            face: None,
            stage: Stage::Survey,
        };
        let descends = self.solver != Solver::Newton;
        if descends && facts.penalty.is_some() {
            return self.begin_descent(&state, facts, theta);
        }
        if !descends && seen == partitions && self.can_hold(&state, &facts) {
            return Ok(Step::Again(self.hold(&state, facts, theta)));
        }
        let descent_from = descends.then(|| theta.clone());
        let plan = match sample {
            Sample::All => plan,
            _ => {
                // Second derivatives of the sample are of use only where those of all rows are not asked for at once.
                let end_with_curvature = !plan.begins_with_curvature();
                Plan { tolerance: START_TOLERANCE, most_steps: START_STEPS, end_with_curvature, ..plan }
            }
        };
        let (solver, next) = SolverState::start(theta, plan, facts.penalty.clone());
        let uncounted = seen < partitions;
        let fitting = Fitting { sample, uncounted, descent_from, ..Fitting::new(facts, solver, self.firth) };
        Ok(Step::Again(self.ask(&state, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }

    /// The penalties of all coefficients, in the units that the search works in.
    fn penalty(&self, coordinates: &Coordinates, shape: Shape) -> Penalty {
        let strength = |j: usize| self.ridge() * coordinates.scale[j] * coordinates.scale[j];
        let mut dense: Vec<f64> = coordinates.kept.iter().map(|&j| strength(j)).collect();
        if coordinates.intercept {
            // A proper prior of the intercept too, or there would be no evidence; 10 on the scale of log odds says next to nothing.
            let own = self.prior_sd.map(|_| self.intercept_sd.unwrap_or(INTERCEPT_SD).powi(-2));
            dense.insert(0, own.unwrap_or(0.0));
        }
        let mut penalty = Penalty::new(dense, self.ridge(), shape);
        if self.l1 > 0.0 {
            let mut one: Vec<f64> = coordinates.kept.iter().map(|&j| self.l1 * coordinates.scale[j]).collect();
            if coordinates.intercept {
                one.insert(0, 0.0);
            }
            penalty.absolute = one.repeat(shape.outputs);
            penalty.absolute.resize(shape.len(), self.l1);
        }
        penalty
    }

    pub(in crate::model::linear) fn plan(&self, facts: &Facts, firth: bool) -> Plan {
        let shape = facts.shape;
        let full = shape.words == 0 && shape.outputs * shape.width <= self.dear_rows.unwrap_or(MOST_FULL);
        let smallest = facts.survey.class_weights.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let cheap = facts.survey.rows as f64 * (shape.len() as f64).powi(2) < CHEAP_FIT;
        let pairs = (shape.outputs * (shape.outputs + 1) / 2) as f64;
        let close = farthest(facts);
        let plan = Plan {
            curvature: if full { Curvature::Full } else { Curvature::Diagonal },
            // As measured: products of columns cost 1 per pair of outputs where a gradient costs 31 + 9 per output.
            cost: match self.dear_rows {
                Some(_) => DEAR_COST,
                None => 1.0 + pairs * facts.products as f64 / (31.0 + 9.0 * shape.outputs as f64),
            },
            // Where passes cost nothing the last digits are free.
            tolerance: match (full, cheap) {
                (true, true) => self.tolerance().min(1e-12),
                (true, false) => self.tolerance().min(close),
                // Thousands of words with a penalty: the objective is then right to ten digits.
                (false, _) => self.tolerance.unwrap_or(1e-3),
            },
            enough: self.tolerance.unwrap_or(GOOD_ENOUGH).min(close),
            inexact: false,
            patience: 1,
            most_steps: if self.solver == Solver::Newton { self.most_steps() } else { MOST_STEPS },
            root_weight: smallest.max(1.0).sqrt(),
            end_with_curvature: full && self.wants_information(),
            start_rate: 0.0,
            gradient: None,
            newton_end: !cheap && !firth && self.l1 == 0.0,
        };
        match firth {
            // The information is not the curvature of the penalised likelihood, so steps may halve the distance only now and then.
            true => Plan { cost: 0.0, end_with_curvature: true, enough: plan.enough.min(FIRTH_ENOUGH), inexact: true, patience: 8, ..plan },
            false => plan,
        }
    }

    /// From the fit of a sample to that of all rows.
    pub(in crate::model::linear) fn leave_sample(
        &self,
        state: &PassState,
        fitting: Fitting,
        max_abs_eta: f64,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let facts = Arc::clone(&fitting.facts);
        let shape = facts.shape;
        let seen = fitting.sample.size(facts.partitions) as f64;
        let ratio = facts.partitions as f64 / seen;
        let rows = facts.survey.rows as f64;
        let plan = self.plan(&facts, false);
        let plan = Plan {
            root_weight: plan.root_weight * ratio.sqrt(),
            start_rate: 2.0 * (shape.len() as f64 / rows).sqrt(),
            // The sample's few rows must not make a large fit look cheap.
            tolerance: self.tolerance().min(farthest(&facts)),
            ..plan
        };
        let point = fitting.solver.point().filter(|_| max_abs_eta < LOST_REACH);
        let (solver, next) = match (point, fitting.curvature.clone()) {
            (Some(point), Some(curvature)) => SolverState::start_near(point.theta.clone(), plan, facts.penalty.clone(), curvature * ratio),
            _ => SolverState::start(facts.survey.start(&state.coordinates, shape), plan, facts.penalty.clone()),
        };
        let fitting = Fitting { solver, sample: Sample::All, curvature: None, check_at: 4, ..fitting };
        Ok(Step::Again(self.ask(state, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }

    /// The stage with the counts of all rows in place of those of a sample.
    pub(in crate::model::linear) fn counted(&self, state: &PassState, stage: &Stage, counts: &Survey) -> Result<Stage> {
        let Stage::Fit(fitting) = stage else { return Ok(stage.clone()) };
        self.check_rows(state, counts)?;
        let old = &fitting.facts;
        let facts = Facts {
            survey: old.survey.with_counts(counts),
            shape: old.shape,
            aliases: old.aliases.clone(),
            constant: old.constant.clone(),
            left_out: old.left_out.clone(),
            penalty: old.penalty.clone(),
            products: old.products,
            no_missing: !counts.gaps,
            partitions: old.partitions,
        };
        Ok(Stage::Fit(Box::new(Fitting { facts: Arc::new(facts), uncounted: false, ..(**fitting).clone() })))
    }

    pub(in crate::model::linear) fn after_point(
        &self,
        state: &PassState,
        fitting: &Fitting,
        answer: Raw,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let mut fitting = fitting.clone();
        let max_abs_eta = answer.max_abs_eta;
        if let Some(hessian) = &answer.hessian {
            fitting.curvature = Some(hessian.clone());
        }
        let (value, gradient, second) = answer.into_parts();
        let next = fitting.solver.tell(value, gradient, second);
        if fitting.sample != Sample::All {
            return match (&next, max_abs_eta < LOST_REACH) {
                (Next::Ask { .. }, true) => self.follow(state, fitting, next),
                _ => self.leave_sample(state, fitting, max_abs_eta),
            };
        }
        if fitting.descends {
            return self.follow(state, fitting, next);
        }
        let penalised = fitting.firth || fitting.facts.penalty.is_some();
        let stuck = matches!(next, Next::Stuck(_));
        let steps = fitting.solver.steps;
        if stuck && steps == 0 && !fitting.restarted {
            return self.restart(state, fitting);
        }
        let due = max_abs_eta > WATCHED_REACH && (steps >= fitting.check_at || next == Next::Converged);
        if !penalised && (stuck || due) && fitting.facts.shape.words == 0 {
            fitting.check_at = steps + if max_abs_eta > 2.0 * WATCHED_REACH { 1 } else { 4 };
            return self.look_for_separation(state, fitting, &next, max_abs_eta);
        }
        self.follow(state, fitting, next)
    }

    /// Begins again at the null model: the discriminant can start so far out that nothing curves any more; the null model never does.
    pub(in crate::model::linear) fn restart(&self, state: &PassState, fitting: Fitting) -> Result<Step<LinearStats, LogisticModel>> {
        let facts = &fitting.facts;
        let null = facts.survey.null_start(&state.coordinates, facts.shape);
        let (solver, next) = SolverState::start(null, self.plan(facts, fitting.firth), facts.penalty.clone());
        self.follow(state, Fitting { solver, restarted: true, ..fitting }, next)
    }

    /// Does what the solver wants next.
    pub(in crate::model::linear) fn follow(
        &self,
        state: &PassState,
        fitting: Fitting,
        next: Next,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        match next {
            Next::Ask { theta, curvature } => Ok(Step::Again(self.ask(state, Stage::Fit(Box::new(fitting)), vec![(theta, curvature)]))),
            // Without those columns there is an optimum.
            _ if fitting.narrowing.is_some() => self.keep_columns(state, fitting),
            // There is an optimum, or nothing shows that there is none: now the descent towards it.
            _ if fitting.descent_from.is_some() => {
                let theta = fitting.descent_from.clone().unwrap_or_default();
                self.begin_descent(state, fitting.facts, theta)
            }
            Next::Converged => self.after_convergence(state, fitting, true),
            Next::Stuck(_) if self.unfinished.is_some() && fitting.solver.steps >= self.most_steps() => {
                self.after_convergence(state, fitting, false)
            }
            Next::Stuck(why) => Err(self.no_convergence(&fitting, why)),
        }
    }

    /// What is said of a search that came to no end, and what to do about it.
    fn no_convergence(&self, fitting: &Fitting, why: &str) -> Error {
        let solver = &fitting.solver;
        let (scales, penalty) = (|| Advice::from("put columns on similar scales"), Advice::PenaliseWith { l2: 1.0 });
        let advice = match self.solver {
            Solver::Newton if solver.steps >= self.most_steps() => {
                let more = Advice::Set { option: "max-steps", value: "1000", to: "allow more steps" };
                Advice::any_of([more, scales(), penalty])
            }
            Solver::Newton => Advice::any_of([scales(), "leave a column out".into(), penalty]),
            _ => Advice::any_of([
                Advice::Set { option: "rate", value: "0.1", to: "use a smaller rate" },
                Advice::Set { option: "solver", value: "newton", to: "" },
            ]),
        };
        let steps = if solver.steps == 1 { "1 step".to_owned() } else { format!("{} steps", solver.steps) };
        no_estimate(&format!("the fit did not converge after {steps}: {why}"), advice)
    }

    /// The end of a search, at the optimum or, where the steps ran out, elsewhere.
    pub(in crate::model::linear) fn after_convergence(
        &self,
        state: &PassState,
        fitting: Fitting,
        arrived: bool,
    ) -> Result<Step<LinearStats, LogisticModel>> {
        let facts = Arc::clone(&fitting.facts);
        let point = fitting.solver.point().ok_or_else(|| Error::internal("convergence without a point"))?;
        let mut theta = DVector::from_column_slice(&point.theta);
        let information = fitting.solver.hessian.clone();
        let descended = fitting.descends;
        let distance = fitting.solver.distance;
        let converged = match (descended, arrived) {
            (true, _) => distance <= ARRIVED,
            (false, false) => self.unfinished.is_some_and(|most| distance <= most),
            (false, true) => true,
        };
        let newton = self.l1 == 0.0 && !fitting.firth && !descended && arrived;
        if theta.iter().any(|t| !t.is_finite()) {
            return Err(self.no_convergence(&fitting, "the coefficients left the range of numbers"));
        }
        if let Some(factor) = information.clone().filter(|_| newton).and_then(cholesky) {
            // The last Newton step is shorter than the tolerance and costs nothing.
            theta -= factor.solve(&DVector::from_column_slice(&point.gradient));
        }
        let mut unused = vec![0.0; point.theta.len()];
        let absolute = facts.penalty.absolute_size(&point.theta);
        let penalty = facts.penalty.add(&point.theta, &mut unused) + absolute;
        let firth = match (&information, fitting.firth) {
            (Some(information), true) => {
                let factor = cholesky(information.clone());
                factor.map_or(0.0, |f| f.l_dirty().diagonal().iter().map(|d| d.ln()).sum::<f64>())
            }
            _ => 0.0,
        };
        let estimate = Estimate {
            theta,
            information,
            objective: point.value,
            loss: point.value - penalty + firth,
            steps: fitting.solver.steps,
            distance,
            converged,
            firth: fitting.firth,
            rescued: fitting.rescued.clone(),
        };
        analysis::begin(self, state, facts, estimate)
    }
}

/// The farthest from the optimum, in standard errors, that a fit may end: without a penalty it has to show that there is an optimum.
fn farthest(facts: &Facts) -> f64 {
    if facts.penalty.is_some() { 1.0 } else { CLOSE }
}

/// The partitions on which a start is looked for: enough rows for the parameters, all of them when that saves nothing.
fn sample_of(survey: &Survey, shape: Shape, cost: f64, seen: usize, partitions: usize) -> Sample {
    if seen == partitions {
        return Sample::All;
    }
    let rows_each = (survey.rows as f64 / seen as f64).max(1.0);
    // Second derivatives of the sample should not cost more than two gradients of all rows.
    let affordable = 2.0 * rows_each * partitions as f64 / cost;
    let wanted = (ROWS_PER_PARAMETER * shape.len() as f64).min(affordable).clamp(SMALLEST_SAMPLE, LARGEST_SAMPLE);
    let needed = (wanted / rows_each).ceil().max(2.0) as usize;
    if needed * 3 > partitions { Sample::All } else { Sample::Partitions(needed) }
}

pub(in crate::model::linear) fn question(next: Next) -> Result<(Vec<f64>, Curvature)> {
    match next {
        Next::Ask { theta, curvature } => Ok((theta, curvature)),
        _ => Err(Error::internal("a solver without a first question")),
    }
}
