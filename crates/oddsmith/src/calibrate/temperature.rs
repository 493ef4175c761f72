//! Temperature: scores times one factor β = 1/T, by maximum likelihood.
//!
//! The loss Σ w [log Σ_k e^{β s_k} − β s_y] is convex in β; its gradient is Σ w (E[s] − s_y) and its curvature Σ w Var[s], both under the
//! softmax of β s. Newton's step, halved until it descends, from β = 1. Time O(n K) per step.

use super::held_out::HeldOut;
use super::logit_line::NoLine;
use crate::num::logspace::NeumaierSum;

const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 60;
/// Relative size of a step at which the estimate stands.
const PRECISION: f64 = 1e-12;

/// The factor; an error when the classes are told apart without fault, or when the scores say nothing.
pub(super) fn fit(rows: &HeldOut<'_>) -> Result<f64, NoLine> {
    if rows.rows().any(|(scores, _, _)| scores.iter().any(|score| !score.is_finite())) {
        return Err(NoLine::NotFinite);
    }
    let mut factor = 1.0;
    let (mut loss, mut gradient, mut curvature) = value(rows, factor);
    for _ in 0..MOST_STEPS {
        if curvature <= 0.0 {
            return Err(NoLine::Constant);
        }
        let step = -gradient / curvature;
        if step.abs() <= PRECISION * factor {
            return Ok(factor);
        }
        let mut share = 1.0;
        let mut moved = None;
        for _ in 0..MOST_HALVINGS {
            let next = factor + share * step;
            if next > 0.0 {
                let there = value(rows, next);
                if there.0 <= loss * (1.0 + 1e-14) {
                    moved = Some((next, there));
                    break;
                }
            }
            share *= 0.5;
        }
        let (next, there) = moved.ok_or(NoLine::Falling)?;
        if next > 1e6 {
            return Err(NoLine::Separated);
        }
        if next < 1e-9 {
            return Err(NoLine::Falling);
        }
        factor = next;
        (loss, gradient, curvature) = there;
    }
    Err(NoLine::NoConvergence)
}

fn value(rows: &HeldOut<'_>, factor: f64) -> (f64, f64, f64) {
    let mut sums = [NeumaierSum::default(); 3];
    for (scores, label, weight) in rows.rows() {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut mean, mut square) = (0.0, 0.0, 0.0);
        // Relative to the largest score, so that nothing overflows and the spread loses no digits.
        for score in scores {
            let s = score - largest;
            let e = libm::exp(factor * s);
            total += e;
            mean += e * s;
            square += e * s * s;
        }
        let (mean, square) = (mean / total, square / total);
        let own = scores[label] - largest;
        sums[0].add(weight * (libm::log(total) - factor * own));
        sums[1].add(weight * (mean - own));
        sums[2].add(weight * (square - mean * mean).max(0.0));
    }
    (sums[0].value(), sums[1].value(), sums[2].value())
}
