//! Ridge over rows that are held: F(θ) = Σ_i w_i [ln(1 + e^{η_i}) − y_i η_i] + ½ Σ_j λ_j θ_j², η = o + Xθ, by Newton's steps.
//!
//! Each solves (XᵀDX + Λ) d = −g by conjugate gradients in the metric of the diagonal, without the words of a single row, to a share of g that falls
//! with it, and is shortened until F falls. The end: Newton's decrement √(gᵀ diag⁻¹ g), the distance from the optimum in standard errors, is
//! below the tolerance. Cost: one look at all entries per conjugate direction; no matrix is formed, so columns may outnumber rows.

use super::ridge_rows::RidgeRows;
use super::row_losses::{RowLosses, RowSlopes, along};
use super::{Progress, SearchEnd, SparseRows};
use crate::num::optimise::dot;

/// Conjugate directions of one step.
const MOST_DIRECTIONS: usize = 500;
/// Share of the gradient that is left of a step far from the optimum, and of the tolerance near it.
const LOOSE: f64 = 0.1;
const LAST: f64 = 0.3;
/// Steps that do not halve the distance after which rounding is all that is left of it, and the distance from which on that can be.
const FRUITLESS: usize = 3;
const ROUNDED: f64 = 1e-6;
/// Share of the expected descent that a step must bring, and halvings after which it is given up.
const SUFFICIENT: f64 = 0.01;
const MOST_HALVINGS: usize = 40;

/// The search.
#[derive(Debug)]
pub(super) struct RidgeSearch<'a> {
    x: RidgeRows,
    proportions: Vec<f64>,
    weights: Vec<f64>,
    offsets: Vec<f64>,
    ridge: &'a [f64],
    /// Of words.
    word_ridge: f64,
}

/// Weights of the columns of many rows and of those of a single row; all columns in the order of the laid-out rows.
#[derive(Clone)]
struct Weights {
    shared: Vec<f64>,
    lone: Vec<f64>,
}

/// Where a search is.
struct Place {
    theta: Weights,
    scores: Vec<f64>,
    slopes: RowSlopes,
    value: f64,
}

/// The linear system of a step without the words of a single row.
struct System {
    /// g by column, and of the words of a single row.
    gradient: Weights,
    right: Vec<f64>,
    diagonal: Vec<f64>,
    /// D λ / (λ + D s) by row.
    weights: Vec<f64>,
    /// q by row.
    pulls: Vec<f64>,
    distance: f64,
}

impl<'a> RidgeSearch<'a> {
    /// Over rows with the ridges of all columns, the same and not zero for those from `first_word` on.
    pub(super) fn new(rows: SparseRows<'_>, losses: RowLosses<'_>, ridge: &'a [f64], first_word: usize) -> Self {
        let x = RidgeRows::new(rows, ridge.len(), first_word);
        let laid = |of: &[f64]| x.rows.iter().map(|&i| of[i as usize]).collect();
        let (proportions, weights, offsets) = (laid(losses.proportions), laid(losses.weights), laid(losses.offsets));
        RidgeSearch { x, proportions, weights, offsets, ridge, word_ridge: ridge.get(first_word).copied().unwrap_or(0.0) }
    }

    /// Searches from a start until the distance from the optimum is within the tolerance.
    pub(super) fn minimise(&self, start: &[f64], tolerance: f64, most_steps: usize) -> SearchEnd {
        let of = |names: &[u32]| names.iter().map(|&j| start[j as usize]).collect();
        let theta = Weights { shared: of(&self.x.names), lone: of(&self.x.lone_names) };
        let mut scores = along(&self.offsets, 1.0, &self.x.times(&theta.shared));
        for (i, score) in scores.iter_mut().enumerate() {
            *score += self.x.lone(i).map(|at| self.x.lone_values[at] * theta.lone[at]).sum::<f64>();
        }
        let mut place = self.place(theta, scores);
        let mut progress = Progress::new(FRUITLESS, ROUNDED);
        let mut first = None;
        for steps in 0..most_steps {
            let system = self.system(&place);
            let first = *first.get_or_insert(system.distance);
            if system.distance <= tolerance || progress.is_over(system.distance) {
                return self.end(&place, steps, true);
            }
            // Nearer than asked for gains nothing.
            let share = (system.distance / first).min(LOOSE).max(LAST * tolerance / system.distance).min(0.5);
            let (direction, change) = self.step(&place, &system, share);
            if !self.follow(&mut place, &system.gradient, &direction, &change) {
                return self.end(&place, steps, false);
            }
        }
        self.end(&place, most_steps, false)
    }

    fn end(&self, place: &Place, steps: usize, arrived: bool) -> SearchEnd {
        let mut theta = vec![0.0; self.ridge.len()];
        let named = self.x.names.iter().zip(&place.theta.shared).chain(self.x.lone_names.iter().zip(&place.theta.lone));
        named.for_each(|(&j, t)| theta[j as usize] = *t);
        SearchEnd { theta, steps, arrived }
    }

    fn place(&self, theta: Weights, scores: Vec<f64>) -> Place {
        let losses = RowLosses { proportions: &self.proportions, weights: &self.weights, offsets: &self.offsets };
        let (loss, slopes) = losses.at(&scores);
        let shared: f64 = theta.shared.iter().zip(&self.x.names).map(|(t, &j)| self.ridge[j as usize] * t * t).sum();
        let value = loss + 0.5 * (shared + self.word_ridge * dot(&theta.lone, &theta.lone));
        Place { theta, scores, slopes, value }
    }

    fn system(&self, place: &Place) -> System {
        let RowSlopes { first, second } = &place.slopes;
        let ridge = self.word_ridge;
        let mut lone = Vec::with_capacity(place.theta.lone.len());
        let (mut weights, mut pulls, mut pulled, mut square) = (second.clone(), vec![0.0; first.len()], first.clone(), 0.0);
        for (i, squares) in self.x.lone_squares.iter().enumerate().filter(|(_, squares)| **squares > 0.0) {
            let (mut own, mut q) = (0.0, 0.0);
            for at in self.x.lone(i) {
                let slope = self.x.lone_values[at] * first[i] + ridge * place.theta.lone[at];
                lone.push(slope);
                own += slope * slope;
                q -= self.x.lone_values[at] * slope;
            }
            let bend = ridge + second[i] * squares;
            weights[i] = second[i] * ridge / bend;
            pulled[i] += second[i] * q / bend;
            pulls[i] = q;
            square += (own - second[i] * q * q / bend) / ridge;
        }
        let mut sums: Vec<[f64; 3]> = self
            .x
            .names
            .iter()
            .zip(&place.theta.shared)
            .map(|(&j, t)| {
                let ridge = self.ridge[j as usize];
                [ridge * t, ridge * t, ridge]
            })
            .collect();
        self.x.add_sums((first, &pulled, &weights), &mut sums);
        // A column that nothing bends has no slope either.
        sums.iter_mut().for_each(|sum| sum[2] = sum[2].max(f64::MIN_POSITIVE));
        square += sums.iter().map(|[_, right, d]| right * right / d).sum::<f64>();
        System {
            gradient: Weights { shared: sums.iter().map(|s| s[0]).collect(), lone },
            right: sums.iter().map(|s| -s[1]).collect(),
            diagonal: sums.iter().map(|s| s[2]).collect(),
            weights,
            pulls,
            distance: square.max(0.0).sqrt(),
        }
    }

    /// Newton's step, to a share of the right side, and what it changes in the scores.
    fn step(&self, place: &Place, system: &System, share: f64) -> (Weights, Vec<f64>) {
        let (shared, mut change) = self.conjugate(system, share);
        let mut lone = vec![0.0; place.theta.lone.len()];
        for (i, squares) in self.x.lone_squares.iter().enumerate().filter(|(_, squares)| **squares > 0.0) {
            let d = place.slopes.second[i];
            change[i] += (system.pulls[i] - d * squares * change[i]) / (self.word_ridge + d * squares);
            for at in self.x.lone(i) {
                lone[at] = -(system.gradient.lone[at] + d * self.x.lone_values[at] * change[i]) / self.word_ridge;
            }
        }
        (Weights { shared, lone }, change)
    }

    fn conjugate(&self, system: &System, share: f64) -> (Vec<f64>, Vec<f64>) {
        let System { right, diagonal, weights, .. } = system;
        let (width, rows) = (right.len(), weights.len());
        let ridge: Vec<f64> = self.x.names.iter().map(|&j| self.ridge[j as usize]).collect();
        let (mut solution, mut change, mut left) = (vec![0.0; width], vec![0.0; rows], right.clone());
        let mut way: Vec<f64> = left.iter().zip(diagonal).map(|(r, d)| r / d).collect();
        let (mut image, mut seen) = (vec![0.0; width], vec![0.0; rows]);
        let mut square = dot(&left, &way);
        let enough = share * share * square;
        for _ in 0..MOST_DIRECTIONS {
            if square.is_nan() || square <= enough {
                break;
            }
            image.iter_mut().zip(&ridge).zip(&way).for_each(|((image, ridge), w)| *image = ridge * w);
            self.x.add_products(weights, &way, &mut seen, &mut image);
            let length = square / dot(&way, &image);
            change.iter_mut().zip(&seen).for_each(|(c, s)| *c += length * s);
            let mut next = 0.0;
            for (at, left) in left.iter_mut().enumerate() {
                solution[at] += length * way[at];
                *left -= length * image[at];
                next += *left * *left / diagonal[at];
            }
            let turn = next / square;
            way.iter_mut().zip(&left).zip(diagonal).for_each(|((w, left), d)| *w = left / d + turn * *w);
            square = next;
        }
        (solution, change)
    }

    /// Goes along a direction as far as the objective falls; whether it does.
    fn follow(&self, place: &mut Place, gradient: &Weights, direction: &Weights, change: &[f64]) -> bool {
        let slope = dot(&gradient.shared, &direction.shared) + dot(&gradient.lone, &direction.lone);
        let mut step = 1.0;
        for _ in 0..MOST_HALVINGS {
            let theta = Weights {
                shared: along(&place.theta.shared, step, &direction.shared),
                lone: along(&place.theta.lone, step, &direction.lone),
            };
            let next = self.place(theta, along(&place.scores, step, change));
            // Near the optimum values differ by less than they round.
            if next.value <= place.value + SUFFICIENT * step * slope.min(0.0) + 1e-14 * place.value.abs() {
                *place = next;
                return true;
            }
            step *= 0.5;
        }
        false
    }
}
