//! The quadratic model of a loss about a point with the penalties as they are: gᵀd + ½ dᵀ(XᵀDX + M) d + Σ a_k |θ_k + d_k|.
//!
//! Sweeps over the coordinates (Yuan, Ho and Lin, 2012) settle which weights are zero. Then Newton's step of the others, within their orthant,
//! does what sweeps take thousands for where words go together: weights that would cross zero stay there, the step is halved until the model
//! falls, or cut where the first weight comes to zero (Chen, Curtis and Robinson, 2017).

use super::columns::SparseColumns;
use super::face::{Divisor, FaceStep, FaceSystem};
use crate::num::optimise::dot;

/// Steps within an orthant after one another: each that crosses zero leaves a smaller face.
const MOST_FACES: usize = 8;
/// Share of the right side that is left of a system.
const SHARE: f64 = 0.1;
/// Share of the slope's promise that a step within an orthant must keep.
const SUFFICIENT: f64 = 0.1;
/// Halvings of such a step before it is cut at the first zero, and in all.
const HALVINGS: usize = 5;
const MOST_HALVINGS: usize = 12;
/// Share of its penalty below which the slope of a weight at zero need not be looked at in every sweep.
const FAR: f64 = 0.9;

/// A model over the columns that may move; all lists but the last two are by such column.
#[derive(Debug)]
pub(super) struct QuadraticModel<'a> {
    pub(super) x: &'a SparseColumns,
    /// D by row.
    pub(super) curvatures: &'a [f64],
    pub(super) columns: Vec<usize>,
    pub(super) base: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    /// M: ridge and damping.
    pub(super) added: Vec<f64>,
    pub(super) absolute: Vec<f64>,
    /// The unit in which slopes are judged.
    pub(super) unit: Vec<f64>,
    /// Slopes as they were last seen.
    pub(super) slopes: Vec<f64>,
    /// X d and D X d, by row.
    pub(super) change: Vec<f64>,
    pub(super) weighted: Vec<f64>,
}

/// How far a slope is from what a penalty bears.
pub(super) fn violation(slope: f64, weight: f64, absolute: f64) -> f64 {
    if weight == 0.0 { (slope.abs() - absolute).max(0.0) } else { (slope + absolute.copysign(weight)).abs() }
}

impl QuadraticModel<'_> {
    fn slope(&self, at: usize) -> f64 {
        let ridge = self.added[at] * (self.weights[at] - self.base[at]);
        self.gradient[at] + ridge + self.x.gather(self.columns[at], &self.weighted)
    }

    /// Minimises by every coordinate in turn, or by those alone that are not at rest; gives the largest violation that was met.
    pub(super) fn sweep(&mut self, all: bool) -> f64 {
        let mut worst = 0.0f64;
        for at in 0..self.columns.len() {
            let (own, bound) = (self.weights[at], self.absolute[at]);
            if !all && own == 0.0 && self.slopes[at].abs() < FAR * bound {
                continue;
            }
            let (slope, d) = (self.slope(at), self.diagonal[at]);
            self.slopes[at] = slope;
            worst = worst.max(violation(slope, own, bound) / self.unit[at]);
            let target = own - slope / d;
            let step = (target.abs() - bound / d).max(0.0).copysign(target) - own;
            if step != 0.0 {
                self.weights[at] = own + step;
                let (rows, values) = self.x.entries(self.columns[at]);
                for (&row, x) in rows.iter().zip(values) {
                    let moved = step * x;
                    self.change[row as usize] += moved;
                    self.weighted[row as usize] += moved * self.curvatures[row as usize];
                }
            }
        }
        worst
    }

    /// Newton's steps of the weights that are not zero, until one of them crosses no zero.
    pub(super) fn within_orthants(&mut self, divisor: &mut Divisor) {
        for _ in 0..MOST_FACES {
            let face: Vec<usize> = (0..self.columns.len()).filter(|&at| self.weights[at] != 0.0 || self.absolute[at] == 0.0).collect();
            let right = face.iter().map(|&at| -self.slope(at) - self.absolute[at] * sign(self.weights[at])).collect();
            let columns = face.iter().map(|&at| self.columns[at]).collect();
            let added = face.iter().map(|&at| self.added[at]).collect();
            let system = FaceSystem { x: self.x, curvatures: self.curvatures, columns, added, right };
            let step = system.solve(SHARE, divisor);
            if !self.follow(&face, &system, &step) || divisor.is_spent() {
                break;
            }
        }
    }

    /// Goes along a step within the orthant as far as the model falls; whether a weight came to zero on the way.
    fn follow(&mut self, face: &[usize], system: &FaceSystem<'_>, step: &FaceStep) -> bool {
        let mut length = 1.0;
        for tries in 1..=MOST_HALVINGS {
            let (mut moves, mut crossed) = (Vec::with_capacity(face.len()), false);
            for (&at, d) in face.iter().zip(&step.direction) {
                let own = self.weights[at];
                let beyond = self.absolute[at] > 0.0 && own * (own + length * d) < 0.0;
                crossed |= beyond;
                moves.push(if beyond { -own } else { length * d });
            }
            let change: Vec<f64> = if crossed {
                let mut change = vec![0.0; step.change.len()];
                system.columns.iter().zip(&moves).filter(|(_, m)| **m != 0.0).for_each(|(&k, m)| self.x.scatter(k, *m, &mut change));
                change
            } else {
                step.change.iter().map(|c| length * c).collect()
            };
            let slope = -dot(&system.right, &moves);
            let bend = change.iter().zip(self.curvatures).map(|(c, d)| d * c * c).sum::<f64>()
                + moves.iter().zip(&system.added).map(|(m, added)| added * m * m).sum::<f64>();
            if slope + 0.5 * bend < SUFFICIENT * slope {
                self.take(face, &moves, &change);
                return crossed;
            }
            length *= 0.5;
            if tries == HALVINGS {
                // A little beyond, so that it is seen to cross.
                let zero =
                    |(&at, d): (&usize, &f64)| (self.absolute[at] > 0.0 && self.weights[at] * d < 0.0).then(|| -self.weights[at] / d);
                length = face.iter().zip(&step.direction).filter_map(zero).fold(length, f64::min) * (1.0 + 1e-12);
            }
        }
        false
    }

    fn take(&mut self, face: &[usize], moves: &[f64], change: &[f64]) {
        for (&at, moved) in face.iter().zip(moves) {
            let own = &mut self.weights[at];
            *own = if *moved == -*own { 0.0 } else { *own + moved };
        }
        for (row, c) in change.iter().enumerate() {
            self.change[row] += c;
            self.weighted[row] += c * self.curvatures[row];
        }
    }
}

/// −1, 0 or 1.
fn sign(weight: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight.signum() }
}
