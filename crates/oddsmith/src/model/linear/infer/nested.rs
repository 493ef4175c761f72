//! The end of a profile interval, one value of the parameter after the other.
//!
//! For a value b the best fit with aᵀθ = b is searched; the root r(b) = ±√(2 (f(b) − f₀)) is nearly straight in b, so the next
//! value comes from a straight line through what is known, kept within the known bracket.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::model::linear::infer::search::{Aim, Answer, LEVEL_TOLERANCE, Search, SearchOutcome};

/// Standard errors from the estimate at which a search is given up.
const FURTHEST: f64 = 1e12;

/// Share of the way that a step has to be.
const NEAREST: f64 = 1e-13;

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
    start: (DVector<f64>, f64, Cholesky<f64, Dyn>),
    /// Whether the fit for the current value has yet to reach it.
    fresh: bool,
    inner: Box<Search>,
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
        Nested { of, sign, floor, level, unit, estimate, inside: (0.0, 0.0), outside: None, at, start, fresh: true, inner }
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
        let (theta, value) = match self.inner.outcome.clone()? {
            SearchOutcome::Found { theta, value, .. } => (theta, value),
            other => return Some(other),
        };
        if (value - self.level).abs() <= LEVEL_TOLERANCE * (1.0 + self.level.abs()) {
            return Some(SearchOutcome::Found { theta, value, score: None });
        }
        let root = (2.0 * (value - self.floor).max(0.0)).sqrt();
        match value < self.level {
            true => {
                self.inside = (self.at, root);
                self.start = (theta, value, answer.metric.as_ref().unwrap_or(&self.start.2).clone());
            }
            false => self.outside = Some((self.at, root)),
        }
        self.at = self.next();
        self.go().err()
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
        Ok(())
    }

    fn next(&self) -> f64 {
        let wanted = (2.0 * (self.level - self.floor)).sqrt();
        let (low, low_root) = self.inside;
        match self.outside {
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

/// The search for the best fit with aᵀθ = `value`.
pub(super) fn fix(of: &DVector<f64>, value: f64, theta: &DVector<f64>, objective: f64, metric: &Cholesky<f64, Dyn>) -> Box<Search> {
    let rows = DMatrix::from_row_slice(1, of.len(), of.as_slice());
    Box::new(Search::new(Aim::Constrained { rows, values: DVector::from_element(1, value) }, theta, objective, metric))
}
