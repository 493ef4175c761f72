//! Newton's step of the weights that are not zero: (X_FᵀDX_F + M) d = r over a face F, by conjugate gradients.
//!
//! A word of a single row i takes up whatever that row asks for: with it the row hardly curves for the others. Eliminated, one per row, it leaves
//! D_i m / (D_i x² + m) of the row's weight, and what remains is well conditioned where the whole is nearly singular. Directions that are still
//! slow are divided by a factor. Cost: two looks at the entries of the face per direction.

use super::columns::SparseColumns;
use super::factor::Factor;
use crate::num::optimise::dot;

/// Conjugate directions of one system, and of all systems of a model: then another model is worth more.
const MOST_DIRECTIONS: usize = 200;
const MOST_OF_MODEL: usize = 400;
/// Directions after which a factor is made, without an older one and with it.
const SLOW: usize = 40;
const SLOW_DIVIDED: usize = 15;
/// Columns up to which it is worth its cost.
const MOST_FACTORED: usize = 2500;

/// A factor that serves from model to model, and the effort that is left for the model at hand.
#[derive(Debug, Default)]
pub(super) struct Divisor {
    factor: Option<Factor>,
    /// Whether it is of the model at hand.
    fresh: bool,
    /// Conjugate directions that are left.
    left: usize,
}

impl Divisor {
    /// Another model begins.
    pub(super) fn age(&mut self) {
        (self.fresh, self.left) = (false, MOST_OF_MODEL);
    }

    /// Whether nothing is left for the model at hand.
    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    fn is_slow(&self, directions: usize, columns: usize) -> bool {
        let most = if self.factor.is_some() { SLOW_DIVIDED } else { SLOW };
        !self.fresh && directions == most && columns <= MOST_FACTORED
    }
}

/// A system over the columns of a face.
#[derive(Debug)]
pub(super) struct FaceSystem<'a> {
    pub(super) x: &'a SparseColumns,
    /// D by row.
    pub(super) curvatures: &'a [f64],
    pub(super) columns: Vec<usize>,
    /// M by column.
    pub(super) added: Vec<f64>,
    /// The right side.
    pub(super) right: Vec<f64>,
}

/// Its solution, and what that changes in the scores.
#[derive(Debug)]
pub(super) struct FaceStep {
    pub(super) direction: Vec<f64>,
    pub(super) change: Vec<f64>,
}

/// A word of a single row that is eliminated: its place in the face, row and value, and what it adds to the diagonal.
struct Lone {
    at: usize,
    row: usize,
    x: f64,
    added: f64,
}

/// The system of the other columns.
struct Reduced<'a> {
    x: &'a SparseColumns,
    weights: Vec<f64>,
    columns: Vec<usize>,
    added: Vec<f64>,
    diagonal: Vec<f64>,
}

impl FaceSystem<'_> {
    /// Solves it to a share of the right side.
    pub(super) fn solve(&self, share: f64, divisor: &mut Divisor) -> FaceStep {
        let rows = self.curvatures.len();
        let (mut weights, mut pull) = (self.curvatures.to_vec(), vec![0.0; rows]);
        let (mut lone, mut rest): (Vec<Lone>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut taken = vec![false; rows];
        for (at, &k) in self.columns.iter().enumerate() {
            match self.x.lone(k) {
                Some((row, x)) if !taken[row] => {
                    taken[row] = true;
                    let (d, added) = (self.curvatures[row], self.added[at]);
                    weights[row] = d * added / (d * x * x + added);
                    pull[row] = d * x * self.right[at] / (d * x * x + added);
                    lone.push(Lone { at, row, x, added });
                }
                _ => rest.push(at),
            }
        }
        let columns: Vec<usize> = rest.iter().map(|&at| self.columns[at]).collect();
        let added: Vec<f64> = rest.iter().map(|&at| self.added[at]).collect();
        let diagonal = columns.iter().zip(&added).map(|(&k, added)| self.x.squares(k, &weights) + added).collect();
        let right = rest.iter().zip(&columns).map(|(&at, &k)| self.right[at] - self.x.gather(k, &pull)).collect();
        let reduced = Reduced { x: self.x, weights, columns, added, diagonal };
        let (solution, mut change) = reduced.conjugate(right, share, divisor);
        let mut direction = vec![0.0; self.columns.len()];
        rest.iter().zip(&solution).for_each(|(&at, d)| direction[at] = *d);
        for Lone { at, row, x, added } in lone {
            let d = self.curvatures[row];
            direction[at] = (self.right[at] - d * x * change[row]) / (d * x * x + added);
            change[row] += x * direction[at];
        }
        FaceStep { direction, change }
    }
}

impl Reduced<'_> {
    fn divide(&self, vector: &[f64], divisor: &Divisor) -> Vec<f64> {
        match &divisor.factor {
            Some(factor) => factor.divide(&self.columns, vector, &self.diagonal),
            None => vector.iter().zip(&self.diagonal).map(|(v, d)| v / d).collect(),
        }
    }

    /// The solution, and what it changes in the scores.
    fn conjugate(&self, mut right: Vec<f64>, share: f64, divisor: &mut Divisor) -> (Vec<f64>, Vec<f64>) {
        let size = |v: &[f64]| v.iter().zip(&self.diagonal).map(|(v, d)| v * v / d).sum::<f64>();
        let enough = share * share * size(&right);
        let (mut solution, mut change) = (vec![0.0; right.len()], vec![0.0; self.weights.len()]);
        let mut divided = self.divide(&right, divisor);
        let (mut way, mut image, mut seen) = (divided.clone(), vec![0.0; right.len()], vec![0.0; self.weights.len()]);
        let mut square = dot(&right, &divided);
        for count in 1..=MOST_DIRECTIONS.min(divisor.left) {
            if square.is_nan() || square <= 0.0 || size(&right) <= enough {
                break;
            }
            divisor.left -= 1;
            seen.fill(0.0);
            self.columns.iter().zip(&way).for_each(|(&k, w)| self.x.scatter(k, *w, &mut seen));
            let weighted: Vec<f64> = seen.iter().zip(&self.weights).map(|(s, d)| s * d).collect();
            for (at, image) in image.iter_mut().enumerate() {
                *image = self.x.gather(self.columns[at], &weighted) + self.added[at] * way[at];
            }
            let length = square / dot(&way, &image);
            solution.iter_mut().zip(&way).for_each(|(s, w)| *s += length * w);
            change.iter_mut().zip(&seen).for_each(|(c, s)| *c += length * s);
            right.iter_mut().zip(&image).for_each(|(r, image)| *r -= length * image);
            let slow = divisor.is_slow(count, self.columns.len());
            if slow {
                divisor.factor = Factor::new(self.x, &self.columns, &self.weights, &self.added);
                divisor.fresh = true;
            }
            divided = self.divide(&right, divisor);
            let next = dot(&right, &divided);
            // What was conjugate in another metric is not in this one.
            let turn = if slow { 0.0 } else { next / square };
            way.iter_mut().zip(&divided).for_each(|(w, d)| *w = d + turn * *w);
            square = next;
        }
        (solution, change)
    }
}
