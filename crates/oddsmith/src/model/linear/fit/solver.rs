//! A descent that owns no data: it asks for the objective at a point and is told.
//!
//! Steps are −B⁻¹ g, where B starts from second derivatives taken at some point and is corrected by the last pairs of
//! steps and changes of gradient (L-BFGS). Second derivatives cost several plain passes, so they are asked for only
//! while the way is long: with dec = √(gᵀ B⁻¹ g), the distance from the optimum in standard errors, a fixed metric is
//! expected to shrink the distance by the factor dec/√n at first and by the observed factor later. A step that does not
//! lower the objective is shortened. The search ends when dec falls below the tolerance.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use crate::model::linear::fit::descent::GradientSteps;
use crate::model::linear::fit::eval_point::Curvature;
use crate::model::linear::fit::penalty::Penalty;
use crate::num::optimise::{Metric, SecantPairs, damped, dot, pseudo_gradient, within_orthant};

/// Pairs of steps and gradient changes that are remembered.
const MEMORY: usize = 20;
/// The same for long vectors, for which looking back costs as much as a pass.
const SHORT_MEMORY: usize = 16;
/// Parameters from which on a vector is long.
const WIDE: usize = 20_000;
/// Share of the expected descent that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// Halvings after which a direction is given up.
const MOST_HALVINGS: usize = 40;
/// Shrinking of the distance that is expected of a metric from far away.
const HALF: f64 = 0.5;
/// Cost of second derivatives, in passes without, up to which the first pass asks for them.
const CHEAP: f64 = 2.5;
/// Distance, as a share of the one at which second derivatives change by their own size, from which on they are those of the
/// optimum to nine digits.
const NEAR_ENOUGH: f64 = 1e-9;
/// Looks that a fixed metric takes beyond the first ones, as a share of what its rate suggests: the corrections by the last steps make it
/// better.
const CORRECTED: f64 = 0.75;
/// Looks before which there is little to correct by.
const FIRST_LOOKS: f64 = 3.0;
/// What a Newton step leaves of a distance, as a share of the distance in units of √n; seen were 0.4 to 0.9.
const FIRST: f64 = 0.6;

const NOT_CONVEX: &str = "the second derivatives are not positive definite";

/// How a solver goes about it.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The second derivatives worth asking for.
    pub(crate) curvature: Curvature,
    /// Cost of a pass with them, in passes without.
    pub(crate) cost: f64,
    /// Distance from the optimum, in standard errors, at which to stop.
    pub(crate) tolerance: f64,
    /// Distance at which to stop once steps no longer halve it: rounding may not let it fall to the tolerance.
    pub(crate) enough: f64,
    /// Whether second derivatives are not those of the whole objective, so that the last steps correct even new ones.
    pub(crate) inexact: bool,
    /// How many steps may follow each other of which none has halved the distance.
    pub(crate) patience: usize,
    /// Most accepted steps.
    pub(crate) most_steps: usize,
    /// √ of the amount of evidence: how many standard errors away the second derivatives have changed by their own size.
    pub(crate) root_weight: f64,
    /// Whether second derivatives at the optimum itself are wanted.
    pub(crate) end_with_curvature: bool,
    /// Factor by which a step is expected to shrink the distance with the metric of the start, beyond what distance costs.
    pub(crate) start_rate: f64,
    /// Plain gradient descent in place of Newton's steps.
    pub(crate) gradient: Option<Arc<GradientSteps>>,
    /// Whether a last Newton step may stand for the pass that would confirm it: large samples only, where it is safe.
    pub(crate) newton_end: bool,
}

/// Second derivatives that came with an answer.
pub(crate) enum Second {
    None,
    Diagonal(Vec<f64>),
    Full(DMatrix<f64>),
}

/// What the solver wants next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next {
    /// The objective at this point.
    Ask { theta: Vec<f64>, curvature: Curvature },
    /// The optimum was reached.
    Converged,
    /// No further progress: the reason in words.
    Stuck(&'static str),
}

/// A point with its value and gradient, the penalty included.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) theta: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) gradient: Vec<f64>,
}

/// The state between two passes.
#[derive(Debug, Clone)]
pub(crate) struct SolverState {
    plan: Plan,
    penalty: Penalty,
    /// The best point so far.
    pub(crate) best: Option<Point>,
    /// Second derivatives at `best`, when they are known there.
    pub(crate) hessian: Option<DMatrix<f64>>,
    metric: Option<Metric>,
    /// Whether the last second derivatives were not positive definite.
    singular: bool,
    /// The second derivatives of the metric, where a step needs more than to divide by them.
    matrix: Option<DMatrix<f64>>,
    pairs: SecantPairs,
    trial: Vec<f64>,
    direction: Vec<f64>,
    slope: f64,
    step: f64,
    halvings: usize,
    /// Steps since the metric was taken, and the distance there.
    since_metric: usize,
    metric_distance: f64,
    progress: Progress,
    /// Whether the search is over and its end is being judged.
    settled: bool,
    /// Accepted steps.
    pub(crate) steps: usize,
    /// Distance from the optimum in standard errors at `best`.
    pub(crate) distance: f64,
}

/// Whether steps still halve the distance.
#[derive(Debug, Clone)]
struct Progress {
    /// Distance that the next steps have to halve.
    from: f64,
    /// Steps that did not.
    fruitless: usize,
}

impl Progress {
    /// Takes a step that ended at a distance; whether as many as `patience` in a row did not halve it.
    fn is_over(&mut self, distance: f64, patience: usize) -> bool {
        self.fruitless = if distance <= HALF * self.from { 0 } else { self.fruitless + 1 };
        let over = self.fruitless >= patience;
        if self.fruitless == 0 || over {
            *self = Progress { from: distance, fruitless: 0 };
        }
        over
    }
}

impl Plan {
    /// Whether second derivatives are asked for at once, even where they are roughly known.
    pub(crate) fn begins_with_curvature(&self) -> bool {
        self.cost <= CHEAP
    }
}

impl SolverState {
    /// Starts at a point; its first question comes with it.
    pub(crate) fn start(theta: Vec<f64>, plan: Plan, penalty: Penalty) -> (Self, Next) {
        let next = Next::Ask { theta: theta.clone(), curvature: plan.curvature };
        let solver = SolverState {
            plan,
            penalty,
            best: None,
            hessian: None,
            metric: None,
            singular: false,
            matrix: None,
            pairs: SecantPairs::default(),
            trial: theta,
            direction: Vec::new(),
            slope: 0.0,
            step: 1.0,
            halvings: 0,
            since_metric: 0,
            metric_distance: f64::INFINITY,
            progress: Progress { from: f64::INFINITY, fruitless: 0 },
            settled: false,
            steps: 0,
            distance: f64::INFINITY,
        };
        (solver, next)
    }

    /// Starts at a point where the second derivatives (without penalty) are roughly known.
    pub(crate) fn start_near(theta: Vec<f64>, plan: Plan, penalty: Penalty, mut hessian: DMatrix<f64>) -> (Self, Next) {
        let (mut solver, _) = SolverState::start(theta.clone(), plan, penalty);
        solver.penalty.add_hessian(&mut hessian);
        solver.matrix = Some(hessian.clone()).filter(|_| !solver.penalty.absolute.is_empty());
        solver.metric = match (Metric::full(hessian.clone()), &solver.matrix) {
            (None, Some(_)) => {
                let (damped, metric) = damped(hessian);
                solver.matrix = Some(damped);
                metric
            }
            (metric, _) => metric,
        };
        let known = solver.metric.is_some() && !solver.plan.begins_with_curvature();
        let curvature = if known { Curvature::None } else { solver.plan.curvature };
        (solver, Next::Ask { theta, curvature })
    }

    /// Judges a point as the end of a fit, wherever it is.
    pub(crate) fn settle(theta: Vec<f64>, plan: Plan, penalty: Penalty) -> (Self, Next) {
        let (mut solver, next) = SolverState::start(theta, plan, penalty);
        solver.settled = true;
        (solver, next)
    }

    /// Takes the answer to the last question.
    pub(crate) fn tell(&mut self, value: f64, mut gradient: Vec<f64>, second: Second) -> Next {
        let value = value + self.penalty.add(&self.trial, &mut gradient) + self.penalty.absolute_size(&self.trial);
        if let Some(best) = &self.best
            && !self.is_descent(best, value, &gradient)
        {
            return self.shorten(value);
        }
        if !value.is_finite() {
            return Next::Stuck("the objective is not finite at the start");
        }
        self.accept(value, gradient);
        self.take_metric(second);
        self.move_on()
    }

    fn is_descent(&self, best: &Point, value: f64, gradient: &[f64]) -> bool {
        if !value.is_finite() {
            return false;
        }
        if value <= best.value + SUFFICIENT * self.step * self.slope {
            return true;
        }
        // Near the optimum values differ by less than they round; there the slope along the direction decides.
        let rounding = 1e-13 * (1.0 + best.value.abs());
        let flatter = !self.penalty.absolute.is_empty() || dot(gradient, &self.direction).abs() <= self.slope.abs();
        value - best.value <= rounding && flatter
    }

    fn shorten(&mut self, value: f64) -> Next {
        self.halvings += 1;
        let Some(best) = self.best.as_ref().filter(|_| self.halvings <= MOST_HALVINGS) else {
            let why = if self.plan.gradient.is_some() {
                "the rate is too large: the objective rose"
            } else {
                "no shorter step lowers the objective"
            };
            return Next::Stuck(why);
        };
        let rise = value - best.value - self.slope * self.step;
        let factor = if rise.is_finite() && rise > 0.0 { -0.5 * self.slope * self.step / rise } else { 0.25 };
        self.step *= factor.clamp(0.1, 0.5);
        self.trial = self.moved(best, self.step, &self.direction);
        // Under an absolute penalty nothing but new second derivatives corrects old ones.
        let curvature = if self.matrix.is_some() { self.plan.curvature } else { Curvature::None };
        Next::Ask { theta: self.trial.clone(), curvature }
    }

    fn accept(&mut self, value: f64, gradient: Vec<f64>) {
        let theta = std::mem::take(&mut self.trial);
        if let Some(best) = &self.best {
            self.steps += usize::from(!self.settled);
            let difference = |new: &[f64], old: &[f64]| -> Vec<f64> { new.iter().zip(old).map(|(new, old)| new - old).collect() };
            let (step, change) = match self.penalty.symmetric() {
                Some(_) if self.matrix.is_none() => {
                    let (here, slopes, _) = self.penalty.plain(&theta, &gradient);
                    let (there, earlier, _) = self.penalty.plain(&best.theta, &best.gradient);
                    (difference(&here, &there), difference(&slopes, &earlier))
                }
                _ => (difference(&theta, &best.theta), difference(&gradient, &best.gradient)),
            };
            self.pairs.remember(step, change, if theta.len() > WIDE { SHORT_MEMORY } else { MEMORY });
        }
        self.best = Some(Point { theta, value, gradient });
    }

    fn take_metric(&mut self, second: Second) {
        self.hessian = None;
        match second {
            Second::None => {}
            Second::Diagonal(mut diagonal) => {
                self.penalty.add_diagonal(&mut diagonal);
                self.metric = Some(Metric::diagonal(self.penalty.plain_diagonal(diagonal)));
                self.pairs.clear();
            }
            Second::Full(mut hessian) => {
                self.penalty.add_hessian(&mut hessian);
                let mut metric = Metric::full(hessian.clone());
                if !self.penalty.absolute.is_empty() {
                    if metric.is_none() {
                        (hessian, metric) = damped(hessian);
                    }
                    self.matrix = Some(hessian.clone());
                }
                self.singular = metric.is_none();
                if metric.is_some() {
                    self.metric = metric;
                    if !self.plan.inexact {
                        self.pairs.clear();
                    }
                    self.hessian = Some(hessian);
                }
            }
        }
    }

    fn move_on(&mut self) -> Next {
        let (Some(best), Some(metric)) = (&self.best, &self.metric) else {
            return Next::Stuck(NOT_CONVEX);
        };
        let (direction, slope, square) = self.downhill(best, metric);
        // What is not a number is no distance of zero.
        self.distance = if square.is_nan() { f64::INFINITY } else { square.max(0.0).sqrt() };
        if self.settled {
            return Next::Converged;
        }
        if let Some(steps) = self.plan.gradient.clone() {
            return self.descend(&steps);
        }
        if self.ends_with_newton() {
            self.distance = self.after_newton(self.distance);
            return Next::Converged;
        }
        let exhausted = self.progress.is_over(self.distance, self.plan.patience) && self.distance <= self.plan.enough;
        if self.distance <= self.plan.tolerance || exhausted {
            if self.singular {
                return Next::Stuck(NOT_CONVEX);
            }
            let done = !self.plan.end_with_curvature || self.hessian.is_some();
            return match done {
                true => Next::Converged,
                false => {
                    // One more look at the same point, with second derivatives.
                    self.trial = best.theta.clone();
                    (self.direction, self.slope, self.step) = (direction, 0.0, 0.0);
                    Next::Ask { theta: self.trial.clone(), curvature: self.plan.curvature }
                }
            };
        }
        let downhill = slope < 0.0;
        if self.steps >= self.plan.most_steps || !downhill {
            return Next::Stuck(if downhill { "the largest number of steps was reached" } else { "the gradient is not a number" });
        }
        if self.hessian.is_some() || self.since_metric == 0 {
            self.metric_distance = self.distance;
            self.since_metric = 0;
        }
        let curvature = match self.plan.curvature {
            Curvature::Full if self.is_worth_it() || (self.matrix.is_some() && self.since_metric > 0) => Curvature::Full,
            _ => Curvature::None,
        };
        self.since_metric += 1;
        self.trial = self.moved(best, 1.0, &direction);
        (self.direction, self.slope, self.step, self.halvings) = (direction, slope, 1.0, 0);
        Next::Ask { theta: self.trial.clone(), curvature }
    }

    /// A step of plain gradient descent.
    fn descend(&mut self, steps: &GradientSteps) -> Next {
        let Some(best) = &self.best else { return Next::Stuck("there is no point to start from") };
        let direction = steps.step(&best.gradient);
        let length = dot(&direction, &direction).sqrt();
        self.settled = length <= steps.stop || self.steps >= self.plan.most_steps;
        self.trial = if self.settled { best.theta.clone() } else { along(&best.theta, 1.0, &direction) };
        let slope = if self.settled { 0.0 } else { dot(&best.gradient, &direction) };
        let curvature = if self.settled { self.plan.curvature } else { Curvature::None };
        (self.direction, self.slope, self.step, self.halvings) = (direction, slope, 1.0, MOST_HALVINGS);
        Next::Ask { theta: self.trial.clone(), curvature }
    }

    /// Goes on from a point that was thought to be the optimum.
    pub(crate) fn go_on(&mut self) -> Next {
        self.plan.newton_end = false;
        self.plan.tolerance = (1e-3 * self.distance).min(self.plan.tolerance);
        self.move_on()
    }

    /// The direction to go, how fast the objective falls along it, and its squared length in standard errors.
    fn downhill(&self, best: &Point, metric: &Metric) -> (Vec<f64>, f64, f64) {
        let strengths = &self.penalty.absolute;
        if strengths.is_empty() {
            let direction: Vec<f64> = self.pairs.divide(metric, &best.gradient).iter().map(|d| -d).collect();
            let slope = dot(&best.gradient, &direction);
            return (direction, slope, -slope);
        }
        if let Some(matrix) = &self.matrix {
            let direction = self.penalty.absolute_step(matrix, &best.gradient, &best.theta);
            let goal = along(&best.theta, 1.0, &direction);
            let slope = dot(&best.gradient, &direction) + self.penalty.absolute_size(&goal) - self.penalty.absolute_size(&best.theta);
            // The fall is a difference of large numbers near the optimum; the length of the step is not.
            let vector = DVector::from_column_slice(&direction);
            let square = (matrix * &vector).dot(&vector);
            return (direction, slope.min(-f64::MIN_POSITIVE), square);
        }
        let (theta, gradient, strengths) = self.penalty.plain(&best.theta, &best.gradient);
        let pseudo = pseudo_gradient(&gradient, &theta, &strengths);
        let mut direction: Vec<f64> = self.pairs.divide(metric, &pseudo).iter().map(|d| -d).collect();
        direction.iter_mut().zip(&pseudo).filter(|(d, p)| **d * **p >= 0.0).for_each(|(d, _)| *d = 0.0);
        let slope = dot(&pseudo, &direction);
        (direction, slope, -slope)
    }

    /// The point that is `step` along a direction.
    fn moved(&self, best: &Point, step: f64, direction: &[f64]) -> Vec<f64> {
        if self.penalty.absolute.is_empty() || self.matrix.is_some() {
            return along(&best.theta, step, direction);
        }
        let (theta, gradient, strengths) = self.penalty.plain(&best.theta, &best.gradient);
        let pseudo = pseudo_gradient(&gradient, &theta, &strengths);
        let moved = within_orthant(&theta, step, direction, &pseudo, &strengths);
        self.penalty.symmetric().map_or(moved.clone(), |outputs| outputs.lower(&moved))
    }

    /// Whether second derivatives at the next point save more passes than they cost.
    fn is_worth_it(&self) -> bool {
        let Plan { tolerance, root_weight, cost, end_with_curvature, start_rate, newton_end, .. } = self.plan;
        let far = self.distance / root_weight;
        // How much nearer the next point is, and those after it without new second derivatives.
        let (rate, later) = match (self.since_metric, self.hessian.is_some()) {
            (0, true) => (FIRST * far.min(HALF), far.min(HALF)),
            (0, false) => (far.max(start_rate).min(HALF), far.max(start_rate).min(HALF)),
            (steps, _) => {
                let seen = (self.distance / self.metric_distance).powf(1.0 / steps as f64).clamp(1e-6, 1.0);
                (seen, seen)
            }
        };
        let next = self.distance * rate;
        let newton = |distance: f64| distance * FIRST * (distance / root_weight).min(HALF);
        if end_with_curvature && newton_end {
            // The last look takes second derivatives along, wherever it is; how many come before it?
            let near = NEAR_ENOUGH * root_weight;
            let without = evaluations(next, later, near) + (cost - 1.0);
            let with = cost + evaluations(newton(next), (next / root_weight).min(HALF), near) + (cost - 1.0);
            return next <= near || without > with;
        }
        let passes = |distance: f64, rate: f64| (tolerance / distance).ln().min(0.0) / rate.clamp(1e-12, 0.99).ln();
        let without = CORRECTED * passes(self.distance, later);
        let newton = self.distance * far.min(HALF);
        let with = cost + passes(newton, (newton / root_weight).min(HALF));
        without > with
    }

    /// Distance that a Newton step from `distance` leaves.
    fn after_newton(&self, distance: f64) -> f64 {
        10.0 * distance * distance / self.plan.root_weight
    }

    /// Whether the second derivatives here are those of the optimum to nine digits, and a last step with them, which costs no
    /// pass, ends within the tolerance.
    fn ends_with_newton(&self) -> bool {
        self.plan.newton_end
            && self.hessian.is_some()
            && self.distance <= NEAR_ENOUGH * self.plan.root_weight
            && self.after_newton(self.distance) <= self.plan.tolerance
    }

    /// The next step, for those who want to know where the solver is going.
    pub(crate) fn heading(&self) -> &[f64] {
        &self.direction
    }

    /// The point and what is known there.
    pub(crate) fn point(&self) -> Option<&Point> {
        self.best.as_ref()
    }
}

/// Looks at points, the first of them at a distance, each `rate` times as far as the one before, until one is near.
fn evaluations(first: f64, rate: f64, near: f64) -> f64 {
    let all = 1.0 + ((near / first).ln() / rate.clamp(1e-12, 0.99).ln()).ceil().max(0.0);
    all.min(FIRST_LOOKS) + CORRECTED * (all - FIRST_LOOKS).max(0.0)
}

/// θ + t d.
fn along(theta: &[f64], step: f64, direction: &[f64]) -> Vec<f64> {
    theta.iter().zip(direction).map(|(theta, d)| theta + step * d).collect()
}
