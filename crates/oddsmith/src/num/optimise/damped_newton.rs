//! Newton's method in a few dimensions, with steps that are halved until they descend. It owns no rows: it asks for the objective at a
//! point and is told.

use nalgebra::{SMatrix, SVector};

/// Most steps; some ten are usual.
const MOST_STEPS: usize = 100;
/// Most halvings of one step.
const MOST_HALVINGS: usize = 60;
/// Share of the expected descent that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// Share of the objective that rounding may add.
const ROUNDING: f64 = 1e-14;

/// A convex objective and its derivatives at a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<const D: usize> {
    pub(crate) loss: f64,
    pub(crate) gradient: SVector<f64, D>,
    pub(crate) hessian: SMatrix<f64, D, D>,
}

impl<const D: usize> Value<D> {
    /// Newton's step and the decrement, its expected gain twice; `None` when the Hessian is not positive or a number overflowed.
    pub(crate) fn step(&self) -> Option<(SVector<f64, D>, f64)> {
        let step = -self.hessian.cholesky()?.solve(&self.gradient);
        let decrement = -step.dot(&self.gradient);
        decrement.is_finite().then_some((step, decrement))
    }
}

/// What the search wants next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Next<const D: usize> {
    /// The objective at this point.
    Ask(SVector<f64, D>),
    /// Nothing: here is the minimum, and the Hessian there.
    Found(SVector<f64, D>, SMatrix<f64, D, D>),
    /// No further progress.
    Stuck,
}

/// A search between two answers.
#[derive(Debug, Clone)]
pub(crate) struct DampedNewton<const D: usize> {
    /// Decrement at which the estimate stands.
    precision: f64,
    trial: SVector<f64, D>,
    /// The best point so far, its objective, the step from there and its decrement.
    best: Option<(SVector<f64, D>, f64, SVector<f64, D>, f64)>,
    share: f64,
    halvings: usize,
    steps: usize,
}

impl<const D: usize> DampedNewton<D> {
    /// A search from a point until the decrement falls to `precision`.
    pub(crate) fn new(start: [f64; D], precision: f64) -> Self {
        DampedNewton { precision, trial: SVector::from(start), best: None, share: 1.0, halvings: 0, steps: 0 }
    }

    /// The point to look at first.
    pub(crate) fn start(&self) -> SVector<f64, D> {
        self.trial
    }

    /// Takes the objective at the point that was asked for.
    pub(crate) fn tell(&mut self, there: &Value<D>) -> Next<D> {
        if let Some((place, loss, step, decrement)) = self.best {
            // Near the minimum the descent drowns in the rounding of the loss, where a whole step is right.
            let descends = there.loss <= loss - SUFFICIENT * self.share * decrement + ROUNDING * loss;
            if !descends {
                self.halvings += 1;
                self.share *= 0.5;
                self.trial = place + self.share * step;
                return if self.halvings < MOST_HALVINGS { Next::Ask(self.trial) } else { Next::Stuck };
            }
        }
        if self.steps == MOST_STEPS {
            return Next::Stuck;
        }
        let Some((step, decrement)) = there.step() else { return Next::Stuck };
        if decrement <= self.precision {
            return Next::Found(self.trial, there.hessian);
        }
        self.best = Some((self.trial, there.loss, step, decrement));
        (self.share, self.halvings, self.steps) = (1.0, 0, self.steps + 1);
        self.trial += step;
        Next::Ask(self.trial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// cosh(x − 1) + (y + 2)², far from its minimum.
    fn value(at: &SVector<f64, 2>) -> Value<2> {
        let (x, y) = (at[0] - 1.0, at[1] + 2.0);
        Value {
            loss: x.cosh() + y * y,
            gradient: SVector::from([x.sinh(), 2.0 * y]),
            hessian: SMatrix::from_diagonal(&SVector::from([x.cosh(), 2.0])),
        }
    }

    #[test]
    fn a_search_ends_at_the_minimum() {
        let mut search = DampedNewton::new([40.0, 7.0], 1e-26);
        let mut at = search.start();
        loop {
            match search.tell(&value(&at)) {
                Next::Ask(next) => at = next,
                Next::Found(place, hessian) => {
                    assert!((place[0] - 1.0).abs() < 1e-12 && (place[1] + 2.0).abs() < 1e-12, "{place}");
                    assert!((hessian[(0, 0)] - 1.0).abs() < 1e-12);
                    return;
                }
                Next::Stuck => panic!("stuck at {at}"),
            }
        }
    }

    #[test]
    fn what_has_no_curvature_or_never_descends_is_given_up() {
        let flat = Value { loss: 1.0, gradient: SVector::from([1.0]), hessian: SMatrix::zeros() };
        assert_eq!(DampedNewton::new([0.0], 1e-20).tell(&flat), Next::Stuck);
        let mut search = DampedNewton::new([0.0], 1e-20);
        let mut asked = 0;
        // Wherever it looks, the objective has risen.
        while let Next::Ask(_) = search.tell(&Value { loss: 1.0 + asked as f64, hessian: SMatrix::from([[1.0]]), ..flat }) {
            asked += 1;
        }
        assert_eq!(asked, MOST_HALVINGS);
    }
}
