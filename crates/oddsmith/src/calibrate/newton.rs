//! A logistic regression with a handful of coefficients, by Newton's method.
//!
//! Minimises Σ [o log(1 + e^h) + e log(1 + e^−h)] with h = offset + Σ c_d x_d, e and o the weights of events and of others. The
//! loss is convex. Time O(n D²) per step, a handful of steps. Rows go through the loss a block at a time.

use nalgebra::{SMatrix, SVector};

use crate::model::loss::{Link, Work};
use crate::num::logspace::NeumaierSum;
use crate::num::optimise::{DampedNewton, Next, Value};

/// Rows with equal numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<const D: usize> {
    pub(super) x: [f64; D],
    pub(super) offset: f64,
    pub(super) events: f64,
    pub(super) others: f64,
}

/// Newton decrement, relative to the weight of all rows, at which the estimate stands.
const PRECISION: f64 = 1e-28;

/// Rows whose terms are computed and added side by side before they meet the compensated sums.
const BLOCK: usize = 256;

/// A block of rows, column after column.
struct Block<const D: usize> {
    rows: usize,
    x: [[f64; BLOCK]; D],
    log_odds: [f64; BLOCK],
    proportions: [f64; BLOCK],
    weights: [f64; BLOCK],
}

/// Loss, gradient and Hessian at a place.
pub(super) fn value<const D: usize>(rows: impl Iterator<Item = Row<D>>, place: &SVector<f64, D>) -> Value<D> {
    let empty = [0.0; BLOCK];
    let mut block = Block { rows: 0, x: [empty; D], log_odds: empty, proportions: empty, weights: empty };
    let mut sums =
        Sums { loss: NeumaierSum::default(), gradient: [NeumaierSum::default(); D], hessian: SMatrix::zeros(), work: Work::default() };
    rows.for_each(|row| {
        let weight = row.events + row.others;
        if weight > 0.0 {
            let at = block.rows;
            let mut h = row.offset;
            for d in 0..D {
                block.x[d][at] = row.x[d];
                h += place[d] * row.x[d];
            }
            (block.log_odds[at], block.proportions[at], block.weights[at]) = (h, row.events / weight, weight);
            block.rows += 1;
            if block.rows == BLOCK {
                sums.add(&mut block);
            }
        }
    });
    sums.add(&mut block);
    Value { loss: sums.loss.value(), gradient: SVector::from(sums.gradient.map(|sum| sum.value())), hessian: sums.hessian }
}

struct Sums<const D: usize> {
    loss: NeumaierSum,
    gradient: [NeumaierSum; D],
    hessian: SMatrix<f64, D, D>,
    work: Work,
}

impl<const D: usize> Sums<D> {
    /// Adds the terms of a block and empties it.
    fn add(&mut self, block: &mut Block<D>) {
        let rows = std::mem::take(&mut block.rows);
        let slopes = &mut block.log_odds[..rows];
        self.loss.add(Link::Logistic.apply(slopes, &block.proportions[..rows], &block.weights[..rows], &mut self.work, true).loss);
        let curvatures = &self.work.curvatures[..rows];
        for d in 0..D {
            let x = &block.x[d][..rows];
            self.gradient[d].add(dot(slopes, x));
            let mut weighted = [0.0; BLOCK];
            weighted.iter_mut().zip(curvatures.iter().zip(x)).for_each(|(out, (curvature, x))| *out = curvature * x);
            for other in 0..=d {
                let sum = dot(&weighted[..rows], &block.x[other][..rows]);
                self.hessian[(d, other)] += sum;
                if other < d {
                    self.hessian[(other, d)] += sum;
                }
            }
        }
    }
}

/// Σ a b over eight running sums.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for t in 0..8 {
            sums[t] += a[t] * b[t];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// The coefficients of the least loss and the Hessian there; `None` when steps do not converge.
pub(super) fn minimise<const D: usize, R>(rows: R, start: [f64; D]) -> Option<([f64; D], SMatrix<f64, D, D>)>
where
    R: Iterator<Item = Row<D>> + Clone,
{
    let total: f64 = rows.clone().map(|row| row.events + row.others).sum();
    let mut search = DampedNewton::new(start, PRECISION * total);
    let mut place = search.start();
    loop {
        match search.tell(&value(rows.clone(), &place)) {
            Next::Ask(next) => place = next,
            Next::Found(place, hessian) => return Some((place.into(), hessian)),
            Next::Stuck => return None,
        }
    }
}
