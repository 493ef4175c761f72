//! The minimum of gᵀd + ½ dᵀHd + Σ l_i |θ_i + d_i|: a Newton step under an absolute penalty.
//!
//! Sweeps over the coordinates, each of which moves to its own minimum, settle which of them are zero; they would take thousands to bring the others to
//! rest where columns go together. So the system of those that are not zero is solved, and followed within their orthant as far as the model falls:
//! what would change its sign stays at zero. A sweep costs a column of H per coordinate that moves, a system the cube of its size.

use nalgebra::{DMatrix, DVector};

use super::orthant::shrink;
use crate::num::cholesky;

/// Rounds of sweeps and systems.
const MOST_ROUNDS: usize = 500;
/// Sweeps over the coordinates that are not zero, between looks at all of them.
const SWEEPS: usize = 3;
/// Systems after one another: each that meets a zero leaves a smaller one.
const MOST_FACES: usize = 40;
/// Halvings of a step within an orthant before it is cut where the first coordinate comes to zero, and in all.
const HALVINGS: usize = 4;
const MOST_HALVINGS: usize = 8;
/// What is added to the diagonal of a system, as a share of it: along some directions there may be nothing but the penalty, and these lead to a zero.
const DAMPING: f64 = 1e-9;
/// Share of what the slope promises that such a step must keep.
const SUFFICIENT: f64 = 0.1;
/// Largest change, in standard errors, of the last sweep.
const SWEEP_TOLERANCE: f64 = 1e-13;
/// The same as a share of the first sweep's: far from the optimum a rough step is as good.
const ROUGH: f64 = 1e-7;

/// The step of the quadratic model with the penalty.
pub(crate) fn newton_step(hessian: &DMatrix<f64>, gradient: &[f64], theta: &[f64], strengths: &[f64]) -> Vec<f64> {
    let mut search = Search { hessian, strengths, goal: theta.to_vec(), slope: gradient.to_vec() };
    let all: Vec<usize> = (0..theta.len()).filter(|&i| hessian[(i, i)] > 0.0).collect();
    let mut tolerance = 0.0;
    for round in 0..MOST_ROUNDS {
        let largest = search.sweep(&all);
        if round == 0 {
            tolerance = (ROUGH * largest).max(SWEEP_TOLERANCE);
        }
        if largest <= tolerance {
            break;
        }
        // Most coordinates stay at zero: the others come to rest first.
        let face = search.face(&all);
        if (0..SWEEPS).all(|_| search.sweep(&face) > tolerance) {
            search.within_orthants(&all);
        }
    }
    let mut goal = search.goal;
    if let Some(exact) = solved(hessian, gradient, theta, strengths, &goal) {
        goal = exact;
    }
    goal.iter().zip(theta).map(|(goal, theta)| goal - theta).collect()
}

/// Where the search for the minimum of a model stands.
struct Search<'a> {
    hessian: &'a DMatrix<f64>,
    strengths: &'a [f64],
    goal: Vec<f64>,
    /// Slope of the quadratic part at the goal.
    slope: Vec<f64>,
}

impl Search<'_> {
    /// The coordinates that are not held at zero.
    fn face(&self, all: &[usize]) -> Vec<usize> {
        all.iter().copied().filter(|&i| self.goal[i] != 0.0 || self.strengths[i] == 0.0).collect()
    }

    /// Moves one coordinate after the other to its own optimum and gives the largest change in standard errors.
    fn sweep(&mut self, coordinates: &[usize]) -> f64 {
        let mut largest = 0.0f64;
        for &i in coordinates {
            let curvature = self.hessian[(i, i)];
            let new = shrink(self.goal[i] - self.slope[i] / curvature, self.strengths[i] / curvature);
            let change = new - self.goal[i];
            if change != 0.0 {
                self.goal[i] = new;
                self.add_column(i, change);
                largest = largest.max(change.abs() * curvature.sqrt());
            }
        }
        largest
    }

    fn add_column(&mut self, i: usize, change: f64) {
        self.slope.iter_mut().zip(self.hessian.column(i).iter()).for_each(|(slope, h)| *slope += change * h);
    }

    /// Solves for the coordinates that are not zero, until none of them meets a zero.
    fn within_orthants(&mut self, all: &[usize]) {
        for _ in 0..MOST_FACES {
            let face = self.face(all);
            let slopes: Vec<f64> = face.iter().map(|&i| self.slope[i] + self.strengths[i] * sign(self.goal[i])).collect();
            let damped = |a: usize, b: usize| if a == b { 1.0 + DAMPING } else { 1.0 };
            let matrix = DMatrix::from_fn(face.len(), face.len(), |a, b| damped(a, b) * self.hessian[(face[a], face[b])]);
            let Some(factor) = cholesky(matrix) else { return };
            let direction = -factor.solve(&DVector::from_column_slice(&slopes));
            if !self.follow(&face, &slopes, &direction) {
                return;
            }
        }
    }

    /// Goes along a direction within the orthant as far as the model falls; whether a coordinate came to zero on the way.
    fn follow(&mut self, face: &[usize], slopes: &[f64], direction: &DVector<f64>) -> bool {
        let mut length = 1.0;
        for tries in 1..=MOST_HALVINGS {
            let mut crossed = false;
            let moves: Vec<f64> = face
                .iter()
                .zip(direction.iter())
                .map(|(&i, d)| {
                    let (own, step) = (self.goal[i], length * d);
                    let beyond = self.strengths[i] > 0.0 && own * (own + step) < 0.0;
                    crossed |= beyond;
                    if beyond { -own } else { step }
                })
                .collect();
            let mut change = vec![0.0; self.slope.len()];
            for (&i, moved) in face.iter().zip(&moves) {
                change.iter_mut().zip(self.hessian.column(i).iter()).for_each(|(change, h)| *change += moved * h);
            }
            let promised: f64 = slopes.iter().zip(&moves).map(|(slope, moved)| slope * moved).sum();
            let bend: f64 = face.iter().zip(&moves).map(|(&i, moved)| change[i] * moved).sum();
            if promised + 0.5 * bend < SUFFICIENT * promised {
                for (&i, moved) in face.iter().zip(&moves) {
                    self.goal[i] = if *moved == -self.goal[i] { 0.0 } else { self.goal[i] + moved };
                }
                self.slope.iter_mut().zip(&change).for_each(|(slope, change)| *slope += change);
                return crossed;
            }
            length *= 0.5;
            if tries == HALVINGS {
                // A little beyond, so that it is seen to cross.
                let zero = |(&i, d): (&usize, &f64)| (self.strengths[i] > 0.0 && self.goal[i] * d < 0.0).then(|| -self.goal[i] / d);
                length = face.iter().zip(direction.iter()).filter_map(zero).fold(length, f64::min) * (1.0 + 1e-12);
            }
        }
        false
    }
}

/// −1, 0 or 1.
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

/// The goal with its non-zero coordinates solved for exactly, when none of them changes its sign.
fn solved(hessian: &DMatrix<f64>, gradient: &[f64], theta: &[f64], strengths: &[f64], goal: &[f64]) -> Option<Vec<f64>> {
    let active: Vec<usize> = (0..goal.len()).filter(|i| goal[*i] != 0.0 || strengths[*i] == 0.0).collect();
    let small = DMatrix::from_fn(active.len(), active.len(), |a, b| hessian[(active[a], active[b])]);
    // H_aa x = −g_a − l sign + H_a· θ, with the other coordinates of the goal zero.
    let right = DVector::from_fn(active.len(), |a, _| {
        let i = active[a];
        let pulled = hessian.row(i).iter().zip(theta).map(|(h, t)| h * t).sum::<f64>();
        pulled - gradient[i] - strengths[i] * sign(goal[i])
    });
    let solution = cholesky(small)?.solve(&right);
    let mut exact = vec![0.0; goal.len()];
    for (a, &i) in active.iter().enumerate() {
        if strengths[i] > 0.0 && solution[a].signum() != goal[i].signum() {
            return None;
        }
        exact[i] = solution[a];
    }
    Some(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_coordinate_shrinks_by_its_strength() {
        let hessian = DMatrix::from_element(1, 1, 2.0);
        // ½·2 (x − 3)² + 4 |x| has its minimum at 1; at x = 0 the slope of the smooth part is −6.
        assert!((newton_step(&hessian, &[-6.0], &[0.0], &[4.0])[0] - 1.0).abs() < 1e-15);
        assert_eq!(newton_step(&hessian, &[-6.0], &[0.0], &[6.5]), [0.0]);
    }

    #[test]
    fn columns_that_go_together_come_to_rest() {
        // Neighbours are as alike as 0.999: sweeps alone hardly move them.
        let size = 150;
        let hessian = DMatrix::from_fn(size, size, |i, j| 0.999f64.powi(i.abs_diff(j) as i32) + if i == j { 1e-6 } else { 0.0 });
        let at = |i: usize, k: f64| (i as f64 * k).sin();
        let gradient: Vec<f64> = (0..size).map(|i| at(i, 1.7)).collect();
        let theta: Vec<f64> = (0..size).map(|i| if i % 3 == 0 { 0.0 } else { at(i, 0.3) }).collect();
        let strengths: Vec<f64> = (0..size).map(|i| if i == 7 { 0.0 } else { 0.6 }).collect();
        let step = newton_step(&hessian, &gradient, &theta, &strengths);
        let slopes = DVector::from_column_slice(&gradient) + &hessian * DVector::from_column_slice(&step);
        let (mut zeros, mut others) = (0, 0);
        for i in 0..size {
            let goal = theta[i] + step[i];
            match goal == 0.0 {
                true => assert!(slopes[i].abs() <= strengths[i] + 1e-8, "{i}: {}", slopes[i]),
                false => assert!((slopes[i] + strengths[i] * sign(goal)).abs() < 1e-8, "{i}: {}", slopes[i]),
            }
            *(if goal == 0.0 { &mut zeros } else { &mut others }) += 1;
        }
        assert!(zeros > 20 && others > 20, "{zeros} zeros, {others} others");
    }

    #[test]
    fn steps_satisfy_the_conditions_of_the_optimum() {
        let hessian = DMatrix::from_row_slice(3, 3, &[4.0, 1.0, 0.5, 1.0, 3.0, -0.7, 0.5, -0.7, 2.0]);
        let (gradient, theta, strengths) = ([1.0, -2.0, 0.3], [0.2, 0.0, -0.4], [0.0, 0.8, 1.5]);
        let step = newton_step(&hessian, &gradient, &theta, &strengths);
        let slopes = DVector::from_column_slice(&gradient) + &hessian * DVector::from_column_slice(&step);
        for i in 0..3 {
            let goal = theta[i] + step[i];
            match goal == 0.0 {
                true => assert!(slopes[i].abs() <= strengths[i] + 1e-12),
                false => assert!((slopes[i] + strengths[i] * goal.signum()).abs() < 1e-12),
            }
        }
    }
}
