//! From the proof of separation to what is said and done about it.
//!
//! A direction that separates may lean on more columns than it needs. The weaker half of them is left out, and the fit of the others asked
//! whether it still runs away along a direction that separates, as completely as before; where it does not, fewer are left out, down to one.
//! What is left at the end separates, and nothing less does. Every step is proved by a pass over the rows. Where a pass is an exchange
//! between places, or where it would take long, the direction stays as it was found.

use std::sync::Arc;

use crate::data::Design;
use crate::data::design::Place;
use crate::error::{Advice, Error, ErrorKind, Result};
use crate::model::Step;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint, Shape};
use crate::model::linear::fit::fit_steps::question;
use crate::model::linear::fit::learner::{MOST_FULL, next_pass, problem};
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums};
use crate::model::linear::fit::sample::Sample;
use crate::model::linear::fit::set_column::separating_sets;
use crate::model::linear::fit::solver::{Next, Plan, SolverState};
use crate::model::linear::fit::stage::{Facts, Fitting, Narrowing, Separation, Stage};
use crate::model::linear::infer::separation::SeparationCheck;
use crate::model::linear::infer::undecided::MOST_PARAMETERS;
use crate::model::linear::model::LogisticModel;
use crate::model::linear::options::{Logistic, MOST_STEPS, OnSeparation};

/// Change of log odds in the last step, as a share of the largest, beyond which a fit has not arrived, however small the step is in
/// standard errors.
const LONG_STEP: f64 = 1e-3;
/// Rows times parameters squared times columns up to which fewer columns are looked for, and passes after which that ends.
const MOST_NARROWING: f64 = 2e9;
const MOST_PASSES: usize = 2000;
/// Levels of categories that are asked one by one.
const MOST_LEVELS: usize = 4;

type Steps = Result<Step<LinearStats, LogisticModel>>;

impl Logistic {
    pub(in crate::model::linear) fn after_separation_check(
        &self,
        state: &PassState,
        fitting: &Fitting,
        (next, max_abs_eta): (&Next, f64),
        separation_check: &SeparationCheck,
    ) -> Steps {
        if separation_check.proves() {
            return self.after_proof(state, fitting, next, separation_check.complete());
        }
        let mut fitting = fitting.clone();
        // Where standard errors are huge a step can be short beside them and long all the same.
        let next = match next {
            Next::Converged if fitting.levels_tried == 0 && separation_check.range > LONG_STEP * (1.0 + max_abs_eta) => {
                fitting.solver.go_on()
            }
            next => next.clone(),
        };
        match next {
            // A search that goes on finds a better direction by itself.
            Next::Ask { .. } => self.follow(state, fitting, next),
            _ => self.look_at_levels(state, fitting, &next, max_abs_eta),
        }
    }

    /// Asks whether a level of a category separates by itself, the strongest first. Where there are thousands, no search comes near the
    /// direction along which all of these run away, and nothing else would tell that the coefficients mean nothing.
    fn look_at_levels(&self, state: &PassState, mut fitting: Fitting, next: &Next, max_abs_eta: f64) -> Steps {
        let wide = fitting.facts.shape.len() > MOST_PARAMETERS && fitting.levels_tried < MOST_LEVELS;
        let point = fitting.solver.point().filter(|_| wide);
        let level = point.and_then(|point| strongest_level(&state.coordinates, fitting.facts.shape, &point.theta, fitting.levels_tried));
        let Some((parameter, sign)) = level else { return self.reduce(state, fitting, next) };
        fitting.levels_tried += 1;
        let mut direction = vec![0.0; fitting.facts.shape.len()];
        direction[parameter] = sign;
        self.ask_whether(state, direction, fitting, next, max_abs_eta)
    }

    /// Goes on from the direction of this pass, which separates, to the fewest columns that do.
    pub(in crate::model::linear) fn after_proof(&self, state: &PassState, fitting: &Fitting, next: &Next, complete: bool) -> Steps {
        if self.on_separation == OnSeparation::Infinite {
            return self.ascend(state, &fitting.facts, complete);
        }
        let separation = describe(state, &state.eval_points[0].theta, complete, &fitting.facts);
        let narrowing = match &fitting.narrowing {
            // The fit of fewer columns may yet find the way that separates all rows.
            Some(narrowing) if narrowing.separation.complete && !separation.complete => {
                return self.follow(state, fitting.clone(), next.clone());
            }
            Some(narrowing) => {
                let mut narrowing = (**narrowing).clone();
                narrowing.untried.retain(|j| separation.columns.iter().any(|(column, _)| column == j));
                Narrowing { separation, ..narrowing }
            }
            None => {
                let untried = untried(state, fitting, &separation);
                let (coordinates, at_a_time) = (Arc::clone(&state.coordinates), untried.len().div_ceil(2));
                Narrowing {
                    fitting: fitting.clone(),
                    coordinates,
                    separation,
                    untried,
                    at_a_time,
                    left_out: Vec::new(),
                    begun: state.passes,
                }
            }
        };
        self.narrow(state, narrowing)
    }

    /// Asks whether the classes are separated along the next step of a search that runs away.
    pub(in crate::model::linear) fn look_for_separation(
        &self,
        state: &PassState,
        fitting: Fitting,
        next: &Next,
        max_abs_eta: f64,
    ) -> Steps {
        let way = || fitting.solver.point().map(|point| point.theta.clone());
        let step = Some(fitting.solver.heading().to_vec()).filter(|heading| !heading.is_empty());
        let Some(direction) = step.or_else(way) else { return self.end_search(state, fitting, next) };
        self.ask_whether(state, direction, fitting, next, max_abs_eta)
    }

    /// Asks whether a direction separates.
    fn ask_whether(&self, state: &PassState, direction: Vec<f64>, fitting: Fitting, next: &Next, max_abs_eta: f64) -> Steps {
        let eval_point = EvalPoint::new(direction, Curvature::None, &state.coordinates, fitting.facts.shape, &[]);
        let no_missing = fitting.facts.no_missing;
        let stage = Stage::SeparationCheck { fitting: Box::new(fitting), next: next.clone(), max_abs_eta };
        let sums = PassSums::SeparationCheck(SeparationCheck::default());
        Ok(Step::Again(next_pass(state, (*state.coordinates).clone(), no_missing, vec![eval_point], Vec::new(), stage, sums)))
    }

    /// Ends a search of which nothing shows that it ran away; one that has lost its way begins again.
    pub(in crate::model::linear) fn end_search(&self, state: &PassState, fitting: Fitting, next: &Next) -> Steps {
        let lost = matches!(next, Next::Stuck(_)) && fitting.solver.steps < self.most_steps() && fitting.narrowing.is_none();
        match lost && !fitting.restarted {
            true => self.restart(state, fitting),
            false => self.follow(state, fitting, next.clone()),
        }
    }

    /// Takes up the columns without which the rows are not separated; of several some may still be left out.
    pub(in crate::model::linear) fn keep_columns(&self, state: &PassState, fitting: Fitting) -> Steps {
        let Some(mut narrowing) = fitting.narrowing else { return Err(Error::internal("no column was left out")) };
        if narrowing.left_out.len() > 1 {
            narrowing.at_a_time = narrowing.left_out.len() / 2;
            let again = std::mem::take(&mut narrowing.left_out);
            narrowing.untried.extend(again);
        }
        self.narrow(state, *narrowing)
    }

    /// Asks whether the columns separate without the next ones, or ends.
    fn narrow(&self, state: &PassState, mut narrowing: Narrowing) -> Steps {
        let (all, untried) = (narrowing.separation.columns.len(), narrowing.untried.len());
        let count = narrowing.at_a_time.min(untried).min(all - 1);
        if count == 0 || state.passes - narrowing.begun > MOST_PASSES {
            return self.after_narrowing(&at(state, Arc::clone(&narrowing.coordinates)), narrowing);
        }
        narrowing.left_out = narrowing.untried.split_off(untried - count);
        let columns = narrowing.separation.columns.iter().map(|(column, _)| *column);
        let kept = columns.filter(|column| !narrowing.left_out.contains(column)).collect();
        let coordinates = Coordinates { kept, ..(*narrowing.coordinates).clone() };
        let facts = Arc::new(narrowing.fitting.facts.of_columns(&coordinates));
        let plan = Plan { most_steps: MOST_STEPS / 2, ..self.plan(&facts, false) };
        let theta = facts.survey.null_start(&coordinates, facts.shape);
        let (solver, next) = SolverState::start(theta, plan, facts.penalty.clone());
        let fitting = Fitting { narrowing: Some(Box::new(narrowing)), ..Fitting::new(facts, solver, false) };
        Ok(Step::Again(self.ask(&at(state, Arc::new(coordinates)), Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }

    /// Refuses, or fits Firth's penalised likelihood.
    fn after_narrowing(&self, state: &PassState, narrowing: Narrowing) -> Steps {
        let Narrowing { fitting, separation, .. } = narrowing;
        match self.on_separation {
            // The penalty wants the products of all columns.
            OnSeparation::Firth if fitting.facts.shape.len() > MOST_FULL => Err(separation_error(state, &fitting.facts, &separation)?),
            OnSeparation::Firth => {
                let facts = Arc::clone(&fitting.facts);
                let theta = facts.survey.null_start(&state.coordinates, facts.shape);
                let (solver, next) = SolverState::start(theta, self.plan(&facts, true), facts.penalty.clone());
                let fitting = Fitting { rescued: Some(separation), ..Fitting::new(facts, solver, true) };
                Ok(Step::Again(self.ask(state, Stage::Fit(Box::new(fitting)), vec![question(next)?])))
            }
            OnSeparation::Drop => self.leave_out(state, &fitting, separation),
            OnSeparation::Error | OnSeparation::Infinite => Err(separation_error(state, &fitting.facts, &separation)?),
        }
    }

    /// Fits without the variables of a separation: their columns, and those of products with them.
    fn leave_out(&self, state: &PassState, fitting: &Fitting, separation: Separation) -> Steps {
        let problem = problem(state)?;
        let (columns, variables) = (problem.design.columns(), separation.variables(&problem.design));
        let separates = |j: usize| columns[j].labels.iter().any(|(name, _)| variables.iter().any(|(variable, _)| variable == name));
        let (gone, kept): (Vec<usize>, Vec<usize>) = state.coordinates.kept.iter().partition(|j| separates(**j));
        // Columns that are mixed with each other cannot be left out one by one.
        if gone.is_empty() || state.coordinates.turn.is_some() {
            return Err(separation_error(state, &fitting.facts, &separation)?);
        }
        let coordinates = Coordinates { kept, ..(*state.coordinates).clone() };
        let old = &fitting.facts;
        let left_out = Separation { columns: gone.into_iter().map(|j| (j, Vec::new())).collect(), ..separation };
        let facts = Arc::new(Facts {
            aliases: old.aliases.clone(),
            constant: old.constant.clone(),
            left_out: old.left_out.iter().cloned().chain([left_out]).collect(),
            ..old.of_columns(&coordinates)
        });
        let theta = facts.survey.null_start(&coordinates, facts.shape);
        let (solver, next) = SolverState::start(theta, self.plan(&facts, false), facts.penalty.clone());
        let fitting = Fitting::new(facts, solver, false);
        Ok(Step::Again(self.ask(&at(state, Arc::new(coordinates)), Stage::Fit(Box::new(fitting)), vec![question(next)?])))
    }
}

/// The parameter of the level with the `nth` largest coefficient among the categories whose levels are marked, and its sign.
fn strongest_level(coordinates: &Coordinates, shape: Shape, theta: &[f64], nth: usize) -> Option<(usize, f64)> {
    let (places, shift) = (coordinates.places(), usize::from(coordinates.intercept));
    let in_place = coordinates.in_place();
    let marked = |at: &usize| in_place && matches!(places[coordinates.kept[*at]], Place::Mark(_));
    let levels: Vec<usize> = (0..coordinates.kept.len()).filter(marked).collect();
    let parameters = (0..shape.outputs).flat_map(|m| levels.iter().map(move |at| m * shape.width + shift + at));
    let mut sizes: Vec<(usize, f64)> = parameters.map(|parameter| (parameter, theta[parameter])).collect();
    sizes.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    sizes.get(nth).filter(|(_, size)| *size != 0.0).map(|(parameter, size)| (*parameter, size.signum()))
}

/// The state of passes through other coordinates.
pub(super) fn at(state: &PassState, coordinates: Arc<Coordinates>) -> PassState {
    PassState {
        layout: Arc::clone(&state.layout),
        problem: state.problem.clone(),
        coordinates,
        no_missing: state.no_missing,
        eval_points: Vec::new(),
        leverages: Vec::new(),
        passes: state.passes,
        sample: Sample::All,
        source: state.source,
        face: state.face.clone(),
        stage: Stage::Survey,
    }
}

/// The columns of a direction in the order in which they are left out, the first last: the weakest in their own units. None where that
/// would take long, or where columns are mixed with each other.
fn untried(state: &PassState, fitting: &Fitting, separation: &Separation) -> Vec<usize> {
    let (facts, coordinates) = (&fitting.facts, &state.coordinates);
    let parameters = facts.shape.len() as f64;
    let work = facts.survey.rows as f64 * parameters * parameters * separation.columns.len() as f64;
    if state.source.rows.is_none() || coordinates.turn.is_some() || work > MOST_NARROWING {
        return Vec::new();
    }
    let strength =
        |(column, weights): &(usize, Vec<f64>)| weights.iter().map(|w| (w / coordinates.scale[*column]).abs()).fold(0.0, f64::max);
    let mut columns: Vec<(usize, f64)> = separation.columns.iter().map(|column| (column.0, strength(column))).collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1));
    columns.into_iter().map(|(column, _)| column).collect()
}

/// The columns of a separating direction.
pub(super) fn describe(state: &PassState, direction: &[f64], complete: bool, facts: &Facts) -> Separation {
    let (shape, coordinates) = (facts.shape, &state.coordinates);
    let shift = usize::from(coordinates.intercept);
    let outputs: Vec<Vec<f64>> = direction.chunks_exact(shape.width).map(|theta| coordinates.coefficients(&theta[shift..])).collect();
    let size = |j: usize, weight: f64| (weight / coordinates.scale[j]).abs();
    let largest = outputs.iter().flat_map(|w| w.iter().enumerate().map(|(j, w)| size(j, *w))).fold(0.0, f64::max);
    let columns = coordinates.kept.iter().filter(|j| outputs.iter().any(|w| size(**j, w[**j]) > 1e-5 * largest));
    Separation { complete, columns: columns.map(|&j| (j, outputs.iter().map(|w| w[j]).collect())).collect() }
}

fn separation_error(state: &PassState, facts: &Facts, separation: &Separation) -> Result<Error> {
    let problem = problem(state)?;
    let extent = if separation.complete { "complete" } else { "quasi-complete" };
    let firth = Advice::Set { option: "on-separation", value: "firth", to: "use Firth's penalised likelihood" };
    let drop = Advice::Set { option: "on-separation", value: "drop", to: "leave the column out" };
    let (columns, variables) = (separation.names(&problem.design), separation.variables(&problem.design));
    let within = |name: String| {
        Advice::from(format!("compare rows within the sets if `{name}` numbers matched ones (strata({name}) in the formula)"))
    };
    let conditioned = separating_sets(state, &problem, &facts.survey, separation).map(within);
    let advice = Advice::any_of(conditioned.into_iter().chain([firth, Advice::PenaliseWith { l2: 1.0 }, drop]));
    Ok(ErrorKind::Separation { extent, columns, variables, advice }.into())
}

impl Separation {
    /// The columns by name.
    pub(crate) fn names(&self, design: &Design) -> Vec<String> {
        self.columns.iter().map(|(j, _)| format!("`{}`", design.columns()[*j].name)).collect()
    }
    /// The variables of the columns, each with the level that tells, where it has levels.
    pub(crate) fn variables(&self, design: &Design) -> Vec<(String, Option<String>)> {
        let mut variables = Vec::new();
        for label in self.columns.iter().flat_map(|(j, _)| &design.columns()[*j].labels) {
            if !variables.contains(label) {
                variables.push(label.clone());
            }
        }
        variables
    }
}
