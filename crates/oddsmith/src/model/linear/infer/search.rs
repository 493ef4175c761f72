//! Points of the likelihood that answer questions about one model: the best fit under linear constraints, and the ends of
//! profile intervals. Like the solver, a search owns no data: it asks for the objective at a point and is told.
//!
//! With f the objective (−log likelihood), g its gradient and H its second derivatives at the current point:
//! - Constrained, A θ = r: δ = −H⁻¹g + H⁻¹Aᵀ λ, λ chosen so that A δ = r − A θ. Steps that raise f are shortened. Where H is not
//!   that of f itself (Firth's penalty, or H at a point nearby) steps shrink only linearly; they are then extrapolated from the last few
//!   (Anderson's mixing).
//! - Limit of aᵀθ with f = f*: δ = −H⁻¹g + μ H⁻¹a, μ = ± √(2 (f* − f + ½ gᵀH⁻¹g) / aᵀH⁻¹a). On a quadratic f one step is exact
//!   (Venzon and Moolgavkar's equations solved as a sequence of quadratic models). Where the likelihood is too crooked for that,
//!   the best fit is found for one value of aᵀθ after the other until its objective is f* (`nested.rs`).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::model::linear::infer::nested::Nested;
use crate::model::linear::infer::one_sided::OneSided;
use crate::num::optimise::dot;

/// Passes after which a search is given up.
const MOST_PASSES: usize = 400;
/// The same where fits have several starts.
const MOST_THOROUGH: usize = 4_000;
/// Passes after which a limit is looked for value by value.
const DIRECT_PASSES: usize = 60;
/// Steps that an extrapolation looks back.
const HISTORY: usize = 4;
/// How near, in units of log likelihood, the ends of an interval are found.
pub(in crate::model::linear) const LEVEL_TOLERANCE: f64 = 1e-11;
/// Squared distance in standard errors at which a constrained fit is found.
const GRADIENT_TOLERANCE: f64 = 1e-20;
/// The same where so many steps in a row have not halved it.
const SETTLED: f64 = 1e-13;
const MOST_FRUITLESS: usize = 6;
/// Largest step of a limit in standard errors.
const LONGEST_STEP: f64 = 4.0;
/// Standard errors from the estimate, and size of a log odds, beyond which the likelihood is no longer nearly quadratic.
const CROOKED: f64 = 400.0;
const SATURATED: f64 = 700.0;

/// What is looked for.
#[derive(Debug, Clone)]
pub(crate) enum Aim {
    /// The best fit with A θ = r; rows of A are constraints.
    Constrained { rows: DMatrix<f64>, values: DVector<f64> },
    /// The end of the interval of aᵀθ on the side of `sign`, where the objective is `level`.
    Limit { of: DVector<f64>, sign: f64, level: f64 },
}

/// The objective at a point.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) value: f64,
    pub(crate) gradient: DVector<f64>,
    /// The factor of the second derivatives there, or of those at a point nearby.
    pub(crate) metric: Option<Cholesky<f64, Dyn>>,
    pub(crate) max_abs_eta: f64,
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SearchOutcome {
    /// At this point, with this value of the objective and, where second derivatives were looked at there, gᵀH⁻¹g.
    Found { theta: DVector<f64>, value: f64, score: Option<f64> },
    /// It was given up.
    Failed,
}

/// A search between two passes.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    aim: Aim,
    origin: DVector<f64>,
    accepted: Option<(DVector<f64>, f64)>,
    trial: DVector<f64>,
    step: DVector<f64>,
    factor: f64,
    metric: Cholesky<f64, Dyn>,
    start_metric: Cholesky<f64, Dyn>,
    unit: f64,
    /// Last points and the plain steps from them, for extrapolation.
    history: Vec<(DVector<f64>, DVector<f64>)>,
    passes: usize,
    /// The shortest step of a constrained fit so far, squared and in standard errors, and steps since that were not half as long.
    nearest: (f64, usize),
    /// The objective at the optimum.
    floor: f64,
    nested: Option<Nested>,
    /// Whether an end is doubted until other starts have found nothing better there.
    thorough: bool,
    /// In place of all that where the estimate is infinite.
    one_sided: Option<OneSided>,
    pub(crate) outcome: Option<SearchOutcome>,
}

impl Search {
    /// Starts from the optimum `theta` with its second derivatives.
    pub(crate) fn new(aim: Aim, theta: &DVector<f64>, value: f64, metric: &Cholesky<f64, Dyn>) -> Self {
        let unit = match &aim {
            Aim::Limit { of, .. } => of.dot(&metric.solve(of)).sqrt(),
            Aim::Constrained { .. } => 1.0,
        };
        let mut search = Search {
            aim,
            origin: theta.clone(),
            accepted: None,
            trial: theta.clone(),
            step: DVector::zeros(theta.len()),
            factor: 1.0,
            metric: metric.clone(),
            start_metric: metric.clone(),
            unit,
            history: Vec::new(),
            passes: 0,
            nearest: (f64::INFINITY, 0),
            floor: value,
            nested: None,
            thorough: false,
            one_sided: None,
            outcome: None,
        };
        let start = Answer { value, gradient: DVector::zeros(theta.len()), metric: None, max_abs_eta: 0.0 };
        search.propose(&start);
        search
    }

    /// Starts from any point, whose second derivatives are regular: the end of the interval of a parameter that is infinite on the other side
    /// of it, where the objective falls to `floor`.
    pub(crate) fn one_sided(aim: Aim, floor: f64, theta: &DVector<f64>, value: f64, metric: &Cholesky<f64, Dyn>) -> Self {
        let one_sided = match &aim {
            Aim::Limit { of, sign, level } => Some(OneSided::new(of.clone(), *sign, (floor, *level), (theta, value), metric)),
            Aim::Constrained { .. } => None,
        };
        Search { one_sided, ..Search::new(aim, theta, value, metric) }
    }

    /// The same, for a likelihood that may have several best fits under one constraint.
    pub(crate) fn thorough(self, thorough: bool) -> Self {
        Search { thorough, ..self }
    }

    /// The point to look at next.
    pub(crate) fn question(&self) -> &DVector<f64> {
        match (&self.one_sided, &self.nested) {
            (Some(one_sided), _) => one_sided.question(),
            (None, Some(nested)) => nested.question(),
            (None, None) => &self.trial,
        }
    }

    /// Takes the objective at the point asked for.
    pub(crate) fn tell(&mut self, answer: &Answer) {
        self.passes += 1;
        if self.passes > if self.thorough { MOST_THOROUGH } else { MOST_PASSES } {
            self.outcome = Some(SearchOutcome::Failed);
            return;
        }
        if let Some(one_sided) = &mut self.one_sided {
            self.outcome = one_sided.tell(answer);
            return;
        }
        if let Some(nested) = &mut self.nested {
            self.outcome = nested.tell(answer);
            return;
        }
        if let Some(metric) = &answer.metric {
            self.metric = metric.clone();
        }
        if let (Aim::Limit { of, sign, level }, true) = (&self.aim, self.passes > DIRECT_PASSES) {
            self.nested = Some(self.nested(of, *sign, *level));
            return;
        }
        match &self.aim {
            Aim::Constrained { .. } => self.tell_constrained(answer),
            Aim::Limit { .. } => self.tell_limit(answer),
        }
    }

    fn tell_constrained(&mut self, answer: &Answer) {
        // A value that is not a number counts as risen.
        let descends = |value: &f64| answer.value <= value + 1e-12 * (1.0 + value.abs());
        let rising = self.accepted.as_ref().is_some_and(|(_, value)| !descends(value));
        if self.accepted.is_none() && !answer.value.is_finite() {
            return self.start_at_zero();
        }
        // An extrapolation that leads uphill is forgotten, and the plain step taken in its place.
        if rising && self.history.len() > 1 {
            self.history.drain(..self.history.len() - 1);
            self.step = self.history[0].1.clone();
            self.trial = self.accepted.as_ref().map_or_else(|| self.origin.clone(), |(theta, _)| theta + &self.step);
            return;
        }
        if rising && self.factor > 1e-6 {
            self.factor *= 0.3;
            self.trial = self.accepted.as_ref().map_or_else(|| self.origin.clone(), |(theta, _)| theta + &self.step * self.factor);
            return;
        }
        if !answer.value.is_finite() {
            self.outcome = Some(SearchOutcome::Failed);
            return;
        }
        self.accepted = Some((self.trial.clone(), answer.value));
        let at = self.trial.clone();
        self.propose(answer);
        // The step's length in standard errors is the distance from the constrained optimum.
        let length = dot(self.step.as_slice(), answer.gradient.as_slice()).abs();
        self.nearest = if length < 0.5 * self.nearest.0 { (length, 0) } else { (self.nearest.0, self.nearest.1 + 1) };
        // Rounding may not let steps become shorter.
        let settled = self.nearest.1 >= MOST_FRUITLESS && length <= SETTLED * (1.0 + answer.value.abs());
        if settled
            || length <= GRADIENT_TOLERANCE * (1.0 + answer.value.abs())
            || self.step.norm() <= 1e-14 * (at.norm() + self.origin.norm())
        {
            let score = answer.metric.as_ref().map(|metric| answer.gradient.dot(&metric.solve(&answer.gradient)));
            self.outcome = Some(SearchOutcome::Found { theta: at, value: answer.value, score });
        }
    }

    /// Where the way from the optimum leads to a point at which the objective is not defined, starts at zero, where it always is, unless
    /// that is not among the points that are looked for.
    fn start_at_zero(&mut self) {
        let among = matches!(&self.aim, Aim::Constrained { values, .. } if values.iter().all(|value| *value == 0.0));
        match among && self.trial.iter().any(|t| *t != 0.0) {
            true => {
                self.trial.fill(0.0);
                self.history.clear();
            }
            false => self.outcome = Some(SearchOutcome::Failed),
        }
    }

    fn tell_limit(&mut self, answer: &Answer) {
        let Aim::Limit { of, level, sign } = self.aim.clone() else { return };
        let moved = sign * (of.dot(&self.trial) - of.dot(&self.origin)) / self.unit;
        if !answer.value.is_finite() || answer.value > level + 50.0 + 10.0 * (level.abs()) {
            // Far too far: come back towards the last good point.
            self.factor *= 0.3;
            let base = self.accepted.as_ref().map_or_else(|| self.origin.clone(), |(theta, _)| theta.clone());
            self.trial = base + &self.step * self.factor;
            return;
        }
        // A finite optimum has finite limits, however far: where quadratic models do not get there, value by value will.
        if moved > CROOKED || answer.max_abs_eta > SATURATED {
            self.passes = self.passes.max(DIRECT_PASSES);
            return;
        }
        self.accepted = Some((self.trial.clone(), answer.value));
        let at = self.trial.clone();
        self.propose(answer);
        // Two residuals: the level, and how far the step still moves the limit.
        let gain = of.dot(&self.step).abs() / self.unit;
        if (answer.value - level).abs() <= LEVEL_TOLERANCE * (1.0 + level.abs()) && gain <= 1e-10 {
            let theta = at + &self.step;
            match self.thorough {
                true => self.nested = Some(self.nested(&of, sign, level).doubting(&theta, answer)),
                false => self.outcome = Some(SearchOutcome::Found { theta, value: answer.value, score: None }),
            }
        }
    }

    /// The search for the end, one value after the other.
    fn nested(&self, of: &DVector<f64>, sign: f64, level: f64) -> Nested {
        let nested = Nested::new(of.clone(), sign, (self.floor, level), self.unit, &self.origin, &self.start_metric);
        nested.thorough(self.thorough)
    }

    /// The next step from the current point.
    fn propose(&mut self, answer: &Answer) {
        self.factor = 1.0;
        let newton = -self.metric.solve(&answer.gradient);
        let step = match &self.aim {
            Aim::Constrained { rows, values } => {
                let spread = self.metric.solve(&rows.transpose());
                let gap = values - rows * &self.trial - rows * &newton;
                let plain = match Cholesky::new(rows * &spread) {
                    Some(small) => newton + spread * small.solve(&gap),
                    None => newton,
                };
                self.history.push((self.trial.clone(), plain));
                if self.history.len() > HISTORY {
                    self.history.remove(0);
                }
                extrapolated(&self.history)
            }
            Aim::Limit { of, sign, level } => {
                let spread = self.metric.solve(of);
                let size = of.dot(&spread);
                let room = 2.0 * (level - answer.value) - answer.gradient.dot(&newton);
                let mu = sign * (room.max(0.0) / size).sqrt();
                let mut step = newton + spread * mu;
                let length = of.dot(&step).abs() / self.unit;
                if length > LONGEST_STEP {
                    step *= LONGEST_STEP / length;
                }
                step
            }
        };
        self.trial = &self.trial + &step;
        self.step = step;
    }
}

/// The step that would have left nothing of the last plain steps if these were linear in their points: minimise
/// |s_k − Σ α_i (s_{i+1} − s_i)|, then take s_k − Σ α_i (Δpoint_i + Δs_i).
fn extrapolated(history: &[(DVector<f64>, DVector<f64>)]) -> DVector<f64> {
    let Some((_, last)) = history.last() else { return DVector::zeros(0) };
    let pairs = history.windows(2);
    // The first step only reaches the constraint; it belongs to no linear regime.
    let differences: Vec<(DVector<f64>, DVector<f64>)> = pairs.skip(1).map(|w| (&w[1].0 - &w[0].0, &w[1].1 - &w[0].1)).collect();
    if differences.is_empty() {
        return last.clone();
    }
    let gram = DMatrix::from_fn(differences.len(), differences.len(), |i, j| differences[i].1.dot(&differences[j].1));
    let right = DVector::from_fn(differences.len(), |i, _| differences[i].1.dot(last));
    let ridge = 1e-14 * gram.diagonal().max();
    let regular = gram + DMatrix::identity(differences.len(), differences.len()) * ridge;
    match Cholesky::new(regular) {
        Some(factor) => {
            let shares = factor.solve(&right);
            differences.iter().zip(shares.iter()).fold(last.clone(), |step, ((points, steps), share)| step - (points + steps) * *share)
        }
        None => last.clone(),
    }
}
