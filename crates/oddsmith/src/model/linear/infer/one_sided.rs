//! The only end of the profile interval of a parameter whose estimate is infinite.
//!
//! The profile f(b) = min f(θ) over aᵀθ = b falls towards its infimum as b goes to the estimate, and rises the other way: there is one b
//! with f(b) = f*. For one value after the other the best fit is looked for; the root r(b) = √(2 (f(b) − inf f)) is nearly straight far
//! outside and falls off like an exponential inside, so a secant is halved where one end of the bracket stays twice.

use nalgebra::{Cholesky, DVector, Dyn};

use crate::model::linear::infer::nested::fix;
use crate::model::linear::infer::search::{Answer, LEVEL_TOLERANCE, Search, SearchOutcome};

/// Standard errors from the start at which a search is given up.
const FURTHEST: f64 = 1e12;
/// Width of a bracket, as a share of its place, that is rounding.
const NARROWEST: f64 = 1e-15;

/// The search between two passes.
#[derive(Debug, Clone)]
pub(crate) struct OneSided {
    of: DVector<f64>,
    /// The sign of the way from the estimate.
    outwards: f64,
    floor: f64,
    level: f64,
    unit: f64,
    /// The value under way.
    at: f64,
    /// Values and roots nearest to the end, on the side of the estimate and on the other.
    inside: Option<(f64, f64)>,
    outside: Option<(f64, f64)>,
    /// How often in a row the value fell on the side of the estimate, or beyond the end as a negative number.
    run: i32,
    /// The next step while an end of the bracket is missing.
    stride: f64,
    /// The best fit at the last value.
    start: (DVector<f64>, f64, Cholesky<f64, Dyn>),
    inner: Box<Search>,
}

impl OneSided {
    /// Starts from any point with regular second derivatives there.
    pub(crate) fn new(
        of: DVector<f64>,
        outwards: f64,
        (floor, level): (f64, f64),
        (theta, value): (&DVector<f64>, f64),
        metric: &Cholesky<f64, Dyn>,
    ) -> Self {
        let (at, unit) = (of.dot(theta), of.dot(&metric.solve(&of)).sqrt());
        let inner = fix(&of, at, theta, value, metric);
        let start = (theta.clone(), value, metric.clone());
        OneSided { of, outwards, floor, level, unit, at, inside: None, outside: None, run: 0, stride: unit, start, inner }
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
            SearchOutcome::Failed => return Some(SearchOutcome::Failed),
        };
        if (value - self.level).abs() <= LEVEL_TOLERANCE * (1.0 + self.level.abs()) {
            return Some(SearchOutcome::Found { theta, value, score: None });
        }
        let known = Some((self.at, (2.0 * (value - self.floor).max(0.0)).sqrt()));
        match value < self.level {
            true => (self.inside, self.run) = (known, self.run.max(0) + 1),
            false => (self.outside, self.run) = (known, self.run.min(0) - 1),
        }
        self.start = (theta, value, answer.metric.as_ref().unwrap_or(&self.start.2).clone());
        let Some(next) = self.next() else { return Some(SearchOutcome::Failed) };
        self.at = next;
        let (theta, value, metric) = &self.start;
        self.inner = fix(&self.of, self.at, theta, *value, metric);
        None
    }

    /// The next value; `None` where there is none left.
    fn next(&mut self) -> Option<f64> {
        let wanted = (2.0 * (self.level - self.floor)).sqrt();
        match (self.inside, self.outside) {
            (Some((inside, low)), Some((outside, high))) => {
                let width = outside - inside;
                if width.abs() <= NARROWEST * (inside.abs() + outside.abs() + self.unit) {
                    return None;
                }
                let share = if self.run.abs() > 1 { 0.5 } else { ((wanted - low) / (high - low)).clamp(0.001, 0.999) };
                Some(inside + share * width)
            }
            (known, other) => {
                let way = if known.is_some() { self.outwards } else { -self.outwards };
                let (from, _) = known.or(other)?;
                let next = from + way * self.stride;
                self.stride *= 2.0;
                (self.stride <= FURTHEST * self.unit).then_some(next)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    /// One 0/1 column, 8 events of 20 at 0 and 7 of 7 at 1.
    fn answer(theta: &DVector<f64>) -> Answer {
        let (mut value, mut gradient, mut hessian) = (0.0, DVector::zeros(2), DMatrix::zeros(2, 2));
        for (x, y, n) in [(0.0, 1.0, 8.0), (0.0, 0.0, 12.0), (1.0, 1.0, 7.0)] {
            let z = DVector::from_vec(vec![1.0, x]);
            let eta: f64 = z.dot(theta);
            let p = 1.0 / (1.0 + (-eta).exp());
            value += n * (eta.max(0.0) + (-eta.abs()).exp().ln_1p() - y * eta);
            gradient += &z * (n * (p - y));
            hessian += &z * z.transpose() * (n * p * (1.0 - p));
        }
        Answer { value, gradient, metric: Cholesky::new(hessian), max_abs_eta: 0.0 }
    }

    #[test]
    fn the_end_of_a_half_line_is_found_from_either_side() {
        // inf f is that of the 20 rows; the end solves 2 (f(b) − inf f) = χ²₁(0.95), with 40 digits by mpmath.
        let floor = -(8.0 * 0.4f64.ln() + 12.0 * 0.6f64.ln());
        let level = floor + 0.5 * 3.841_458_820_694_124;
        for start in [[0.0, 0.0], [-0.4, 5.0]] {
            let theta = DVector::from_column_slice(&start);
            let first = answer(&theta);
            let metric = first.metric.clone().unwrap();
            let mut search = OneSided::new(DVector::from_vec(vec![0.0, 1.0]), -1.0, (floor, level), (&theta, first.value), &metric);
            let outcome = (0..400).find_map(|_| search.tell(&answer(&search.question().clone())));
            let Some(SearchOutcome::Found { theta, .. }) = outcome else { panic!("{start:?}: {outcome:?}") };
            assert!((theta[1] - LIMIT).abs() < 1e-10, "{start:?}: {}", theta[1]);
        }
    }

    const LIMIT: f64 = 1.396_023_091_808_583_7;
}
