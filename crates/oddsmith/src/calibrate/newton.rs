//! A logistic regression with a handful of coefficients, by Newton's method.
//!
//! Minimises Σ [o log(1 + e^h) + e log(1 + e^−h)] with h = offset + Σ c_d x_d, e and o the weights of events and of others. The
//! loss is convex; a step is halved until it descends. Time O(n D²) per step, a handful of steps.

use nalgebra::{SMatrix, SVector};

use crate::num::logspace::NeumaierSum;

/// Rows with equal numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<const D: usize> {
    pub(super) x: [f64; D],
    pub(super) offset: f64,
    pub(super) events: f64,
    pub(super) others: f64,
}

/// Most steps; some ten are usual.
const MOST_STEPS: usize = 100;
/// Most halvings of one step.
const MOST_HALVINGS: usize = 60;
/// Newton decrement, relative to the weight of all rows, at which the estimate stands.
const PRECISION: f64 = 1e-28;
/// Share of the loss that rounding may add.
const ROUNDING: f64 = 1e-14;

struct Value<const D: usize> {
    loss: f64,
    gradient: SVector<f64, D>,
    hessian: SMatrix<f64, D, D>,
}

fn value<const D: usize>(rows: impl Iterator<Item = Row<D>>, place: &SVector<f64, D>) -> Value<D> {
    let mut loss = NeumaierSum::default();
    let mut gradient = [NeumaierSum::default(); D];
    let mut hessian = SMatrix::<f64, D, D>::zeros();
    for row in rows.filter(|row| row.events + row.others > 0.0) {
        let x = SVector::from(row.x);
        let h = row.offset + place.dot(&x);
        // One exponential serves both probabilities and both losses.
        let small = libm::exp(-h.abs());
        let (near, far) = (1.0 / (1.0 + small), small / (1.0 + small));
        let (p, q) = if h >= 0.0 { (near, far) } else { (far, near) };
        let tail = libm::log1p(small);
        loss.add(row.others * (tail + h.max(0.0)) + row.events * (tail + (-h).max(0.0)));
        let pull = row.others * p - row.events * q;
        gradient.iter_mut().zip(row.x).for_each(|(sum, x)| sum.add(pull * x));
        hessian.ger((row.events + row.others) * p * q, &x, &x, 1.0);
    }
    Value { loss: loss.value(), gradient: SVector::from(gradient.map(|sum| sum.value())), hessian }
}

/// The coefficients of the least loss and the Hessian there; `None` when steps do not converge.
pub(super) fn minimise<const D: usize, R>(rows: R, start: [f64; D]) -> Option<([f64; D], SMatrix<f64, D, D>)>
where
    R: Iterator<Item = Row<D>> + Clone,
{
    let total: f64 = rows.clone().map(|row| row.events + row.others).sum();
    let mut place = SVector::from(start);
    let mut here = value(rows.clone(), &place);
    for _ in 0..MOST_STEPS {
        let step = -here.hessian.cholesky()?.solve(&here.gradient);
        let decrement = -step.dot(&here.gradient);
        if !decrement.is_finite() {
            return None;
        }
        if decrement <= PRECISION * total {
            return Some((place.into(), here.hessian));
        }
        let mut share = 1.0;
        let mut moved = None;
        for _ in 0..MOST_HALVINGS {
            let next = place + share * step;
            let there = value(rows.clone(), &next);
            // Near the minimum the descent drowns in the rounding of the loss, where a whole step is right.
            if there.loss <= here.loss - 1e-4 * share * decrement + ROUNDING * here.loss {
                moved = Some((next, there));
                break;
            }
            share *= 0.5;
        }
        (place, here) = moved?;
    }
    None
}
