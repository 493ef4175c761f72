//! The end of a profile interval, one value of the parameter after the other.
//!
//! For a value b the best fit with aᵀθ = b is searched; the root r(b) = ±√(2 (f(b) − f₀)) is nearly straight in b, so the next
//! value comes from a straight line through what is known, kept within the known bracket.
//!
//! A penalised likelihood may have several best fits for one value. Where that is looked at (`thorough`), a value counts as one beyond the end,
//! or as the end, only if fits from other starts, moved along parameters by shares of the largest log odds, find nothing better.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::model::linear::infer::search::{Aim, Answer, LEVEL_TOLERANCE, Search, SearchOutcome};

/// Standard errors from the estimate at which a search is given up.
const FURTHEST: f64 = 1e12;

/// Share of the way that a step has to be.
const NEAREST: f64 = 1e-13;

/// How far other starts lie, as shares of the largest log odds of a row, which counts as two at least.
const SHIFTS: [f64; 4] = [-1.2, -0.6, 0.6, 1.2];
const LEAST_REACH: f64 = 2.0;
/// Parameters up to which each of them is moved, and not the first alone: more of them take long, and leave less room for several optima.
const MOST_MOVING: usize = 4;

/// A point with its objective and second derivatives.
type Fit = (DVector<f64>, f64, Cholesky<f64, Dyn>);

/// The search between two passes.
#[derive(Debug, Clone)]
pub(crate) struct Nested {
    of: DVector<f64>,
    sign: f64,
    floor: f64,
    level: f64,
    unit: f64,
    estimate: f64,
    /// Distance from the estimate (in standard errors, outwards) and root of the nearest value on either side of the end.
    inside: (f64, f64),
    outside: Option<(f64, f64)>,
    at: f64,
    /// The best fit at the nearest value inside, with its objective and second derivatives: where the next one starts.
    start: Fit,
    /// Whether the fit for the current value has yet to reach it.
    fresh: bool,
    inner: Box<Search>,
    thorough: bool,
    /// Values in a row on the same side of the end: positive inside, negative outside.
    run: i32,
    /// The best fit for the current value so far, and other starts that were not yet tried; `None` until the first fit has ended.
    best: Option<Fit>,
    others: Option<Vec<DVector<f64>>>,
}

impl Nested {
    /// Starts from the optimum.
    pub(crate) fn new(
        of: DVector<f64>,
        sign: f64,
        (floor, level): (f64, f64),
        unit: f64,
        theta: &DVector<f64>,
        metric: &Cholesky<f64, Dyn>,
    ) -> Self {
        let at = (2.0 * (level - floor)).sqrt();
        let estimate = of.dot(theta);
        let inner = fix(&of, estimate + sign * unit * at, theta, floor, metric);
        let start = (theta.clone(), floor, metric.clone());
        Nested {
            of,
            sign,
            floor,
            level,
            unit,
            estimate,
            inside: (0.0, 0.0),
            outside: None,
            at,
            start,
            fresh: true,
            inner,
            thorough: false,
            run: 0,
            best: None,
            others: None,
        }
    }

    /// The same, for a likelihood that may have several best fits.
    pub(crate) fn thorough(self, thorough: bool) -> Self {
        Nested { thorough, ..self }
    }

    /// The search that asks whether a point found at the end of the interval is the best fit there.
    pub(crate) fn doubting(mut self, theta: &DVector<f64>, answer: &Answer) -> Self {
        self.at = self.sign * (self.of.dot(theta) - self.estimate) / self.unit;
        self.fresh = false;
        let metric = answer.metric.as_ref().unwrap_or(&self.start.2).clone();
        self.best = Some((theta.clone(), answer.value, metric));
        self.others = Some(starts(theta, answer.max_abs_eta));
        self.try_other();
        self
    }

    /// The point to look at next.
    pub(crate) fn question(&self) -> &DVector<f64> {
        self.inner.question()
    }

    /// Takes the objective there; gives the outcome once there is one.
    pub(crate) fn tell(&mut self, answer: &Answer) -> Option<SearchOutcome> {
        // The way to a value may lead to where the objective is not defined; one that is nearer is reached on a better way.
        if std::mem::take(&mut self.fresh) && !answer.value.is_finite() {
            self.at = 0.5 * (self.inside.0 + self.at);
            return self.go().err();
        }
        self.inner.tell(answer);
        match self.inner.outcome.clone()? {
            SearchOutcome::Found { theta, value, .. } => self.keep(theta, value, answer),
            SearchOutcome::Failed if self.thorough => {}
            SearchOutcome::Failed => return Some(SearchOutcome::Failed),
        }
        // Below the level any fit tells enough.
        let within = self.best.as_ref().is_some_and(|(_, value, _)| *value < self.level - LEVEL_TOLERANCE * (1.0 + self.level.abs()));
        if self.thorough && !within && self.try_other() {
            return None;
        }
        let Some((theta, value, metric)) = self.best.take() else { return Some(SearchOutcome::Failed) };
        if (value - self.level).abs() <= LEVEL_TOLERANCE * (1.0 + self.level.abs()) {
            return Some(SearchOutcome::Found { theta, value, score: None });
        }
        let root = (2.0 * (value - self.floor).max(0.0)).sqrt();
        match value < self.level {
            true => {
                self.inside = (self.at, root);
                self.run = self.run.max(0) + 1;
                self.start = (theta, value, metric);
            }
            false => {
                self.outside = Some((self.at, root));
                self.run = self.run.min(0) - 1;
            }
        }
        self.at = self.next();
        self.go().err()
    }

    /// Keeps the better one of two fits for the current value; the first one tells where others begin.
    fn keep(&mut self, theta: DVector<f64>, value: f64, answer: &Answer) {
        if self.others.is_none() {
            self.others = Some(starts(&theta, answer.max_abs_eta));
        }
        if self.best.as_ref().is_none_or(|(_, best, _)| value < *best) {
            self.best = Some((theta, value, answer.metric.as_ref().unwrap_or(&self.start.2).clone()));
        }
    }

    /// Begins another fit for the current value, if there is a start that was not yet tried.
    fn try_other(&mut self) -> bool {
        let others = self.others.get_or_insert_with(|| starts(&self.start.0, 0.0));
        let Some(other) = others.pop() else { return false };
        self.inner = fix(&self.of, self.estimate + self.sign * self.unit * self.at, &other, self.start.1, &self.start.2);
        true
    }

    /// Begins the fit for the current value.
    fn go(&mut self) -> Result<(), SearchOutcome> {
        let progress = self.at - self.inside.0;
        if self.at > FURTHEST || progress <= NEAREST * self.at {
            return Err(SearchOutcome::Failed);
        }
        let (theta, value, metric) = &self.start;
        self.inner = fix(&self.of, self.estimate + self.sign * self.unit * self.at, theta, *value, metric);
        self.fresh = true;
        (self.best, self.others) = (None, None);
        Ok(())
    }

    fn next(&self) -> f64 {
        let wanted = (2.0 * (self.level - self.floor)).sqrt();
        let (low, low_root) = self.inside;
        match self.outside {
            // A profile that goes from one best fit over to another has a corner, on which straight lines are slow.
            Some((high, _)) if self.thorough && self.run.abs() > 1 => 0.5 * (low + high),
            Some((high, high_root)) => {
                let guess = low + (high - low) * (wanted - low_root) / (high_root - low_root);
                // Not too near either end, so that a crooked root cannot stall the bracket.
                let margin = 0.02 * (high - low);
                if guess.is_finite() { guess.clamp(low + margin.min(1e-9), high - margin.min(1e-9)) } else { 0.5 * (low + high) }
            }
            None if low_root > 0.0 => low * (wanted / low_root).clamp(1.05, 3.0),
            None => low.max(wanted) * 2.0,
        }
    }
}

/// Points around one, the nearest last.
fn starts(around: &DVector<f64>, reach: f64) -> Vec<DVector<f64>> {
    let reach = if reach.is_finite() { reach.max(LEAST_REACH) } else { LEAST_REACH };
    let moved = |k: usize, shift: f64| {
        let mut theta = around.clone();
        theta[k] += shift * reach;
        theta
    };
    // The first parameter, the intercept, moves all rows at once, and with it which of them are undecided.
    let moving = if around.len() <= MOST_MOVING { around.len() } else { 1 };
    let all = (0..moving).flat_map(|k| SHIFTS.map(|shift| moved(k, shift)));
    std::iter::once(DVector::zeros(around.len())).chain(all).collect()
}

/// The search for the best fit with aᵀθ = `value`.
pub(super) fn fix(of: &DVector<f64>, value: f64, theta: &DVector<f64>, objective: f64, metric: &Cholesky<f64, Dyn>) -> Box<Search> {
    let rows = DMatrix::from_row_slice(1, of.len(), of.as_slice());
    Box::new(Search::new(Aim::Constrained { rows, values: DVector::from_element(1, value) }, theta, objective, metric))
}
