//! The end of a profile interval, one value of the parameter after the other.
//!
//! For a value b the best fit with aᵀθ = b is searched; the root r(b) = ±√(2 (f(b) − f₀)) is nearly straight in b, so the next
//! value comes from a straight line through what is known, kept within the known bracket.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::model::linear::infer::search::{Aim, Answer, LEVEL_TOLERANCE, Search, SearchOutcome};

/// Standard errors from the estimate at which a search is given up.
const FURTHEST: f64 = 1e12;

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
    metric: Cholesky<f64, Dyn>,
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
        Nested { of, sign, floor, level, unit, estimate, inside: (0.0, 0.0), outside: None, at, metric: metric.clone(), inner }
    }

    /// The point to look at next.
    pub(crate) fn question(&self) -> &DVector<f64> {
        self.inner.question()
    }

    /// Takes the objective there; gives the outcome once there is one.
    pub(crate) fn tell(&mut self, answer: &Answer) -> Option<SearchOutcome> {
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
            true => self.inside = (self.at, root),
            false => self.outside = Some((self.at, root)),
        }
        self.at = self.next();
        if self.at > FURTHEST {
            return Some(SearchOutcome::Failed);
        }
        let value_wanted = self.estimate + self.sign * self.unit * self.at;
        self.inner = fix(&self.of, value_wanted, &theta, value, answer.metric.as_ref().unwrap_or(&self.metric));
        None
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

fn fix(of: &DVector<f64>, value: f64, theta: &DVector<f64>, objective: f64, metric: &Cholesky<f64, Dyn>) -> Box<Search> {
    let rows = DMatrix::from_row_slice(1, of.len(), of.as_slice());
    Box::new(Search::new(Aim::Constrained { rows, values: DVector::from_element(1, value) }, theta, objective, metric))
}
