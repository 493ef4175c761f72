//! Steps for objectives with a penalty Σ l_i |θ_i|.
//!
//! With all second derivatives H the step minimises gᵀd + ½ dᵀHd + Σ l_i |θ_i + d_i| by coordinate descent, then solves the system of
//! the coordinates that are not zero exactly (proximal Newton). Without them the direction of L-BFGS is kept within the
//! orthant of the pseudo-gradient (Andrew and Gao).
//!
//! With K > 2 classes the penalty is on K symmetric outputs w, Σ_k |w_kj|. Of all w with the same log odds b_k = w_k − w_0 against
//! the first class the smallest has the median of (0, b_1j, …) taken away, so the penalty is a function of b, and steps are
//! made in w.

use nalgebra::{Cholesky, DMatrix, DVector};

/// Sweeps of a coordinate descent.
const MOST_SWEEPS: usize = 2000;
/// Largest change, in standard errors, of the last sweep.
const SWEEP_TOLERANCE: f64 = 1e-13;

/// Σ l_i |θ_i|.
pub(crate) fn size(strengths: &[f64], theta: &[f64]) -> f64 {
    strengths.iter().zip(theta).map(|(l, t)| l * t.abs()).sum()
}

/// The outputs w of all classes with the smallest Σ |w_kj|, class after class, from log odds against the first class.
fn symmetric(theta: &[f64], outputs: usize, penalised: &[bool]) -> Vec<f64> {
    let width = penalised.len();
    let mut all = vec![0.0; (outputs + 1) * width];
    all[width..].copy_from_slice(&theta[..outputs * width]);
    for j in (0..width).filter(|j| penalised[*j]) {
        let mut values: Vec<f64> = (0..=outputs).map(|k| all[k * width + j]).collect();
        values.sort_by(f64::total_cmp);
        let median = values[outputs / 2];
        (0..=outputs).for_each(|k| all[k * width + j] -= median);
    }
    all
}

/// Σ l_j Σ_k |w_kj| of the symmetric outputs; `strengths` holds those of one output.
pub(crate) fn symmetric_size(strengths: &[f64], theta: &[f64], outputs: usize) -> f64 {
    let penalised: Vec<bool> = strengths.iter().map(|l| *l > 0.0).collect();
    symmetric(theta, outputs, &penalised).chunks_exact(strengths.len()).map(|output| size(strengths, output)).sum()
}

/// The step of the quadratic model with the penalty on symmetric outputs, as a step of the log odds against the first class.
pub(crate) fn symmetric_step(hessian: &DMatrix<f64>, gradient: &[f64], theta: &[f64], strengths: &[f64], outputs: usize) -> Vec<f64> {
    let (width, classes) = (strengths.len(), outputs + 1);
    let penalised: Vec<bool> = strengths.iter().map(|l| *l > 0.0).collect();
    let from = symmetric(theta, outputs, &penalised);
    // w ↦ b is linear: b_m = w_m − w_0. The first class takes minus the sum of the others' rows.
    let lift = DMatrix::from_fn(outputs * width, classes * width, |r, c| match (c / width, c % width == r % width) {
        (_, false) => 0.0,
        (0, true) => -1.0,
        (k, true) => f64::from(u8::from(k == r / width + 1)),
    });
    let lifted = lift.transpose() * hessian * &lift;
    let slopes = lift.transpose() * DVector::from_column_slice(gradient);
    // Unpenalised coordinates of the first class stay at zero: without a penalty nothing tells outputs from their differences.
    let strengths: Vec<f64> =
        (0..classes * width).map(|c| if c < width && strengths[c] == 0.0 { f64::INFINITY } else { strengths[c % width] }).collect();
    let step = newton_step(&lifted, slopes.as_slice(), &from, &strengths);
    (lift * DVector::from_vec(step)).as_slice().to_vec()
}

/// The step of the quadratic model with the penalty.
pub(crate) fn newton_step(hessian: &DMatrix<f64>, gradient: &[f64], theta: &[f64], strengths: &[f64]) -> Vec<f64> {
    let count = theta.len();
    let mut goal = theta.to_vec();
    // Slope of the quadratic part at the goal.
    let mut slope = gradient.to_vec();
    for _ in 0..MOST_SWEEPS {
        let mut largest = 0.0f64;
        for i in 0..count {
            let curvature = hessian[(i, i)];
            let free = goal[i] - slope[i] / curvature;
            let new = shrink(free, strengths[i] / curvature);
            let change = new - goal[i];
            if change != 0.0 {
                goal[i] = new;
                let column = hessian.column(i);
                slope.iter_mut().zip(column.iter()).for_each(|(slope, h)| *slope += change * h);
                largest = largest.max(change.abs() * curvature.sqrt());
            }
        }
        if largest <= SWEEP_TOLERANCE {
            break;
        }
    }
    if let Some(exact) = solved(hessian, gradient, theta, strengths, &goal) {
        goal = exact;
    }
    goal.iter().zip(theta).map(|(goal, theta)| goal - theta).collect()
}

/// The goal with its non-zero coordinates solved for exactly, when none of them changes its sign.
fn solved(hessian: &DMatrix<f64>, gradient: &[f64], theta: &[f64], strengths: &[f64], goal: &[f64]) -> Option<Vec<f64>> {
    let active: Vec<usize> = (0..goal.len()).filter(|i| goal[*i] != 0.0 || strengths[*i] == 0.0).collect();
    let small = DMatrix::from_fn(active.len(), active.len(), |a, b| hessian[(active[a], active[b])]);
    // H_aa x = −g_a − l sign + H_a· θ, with the other coordinates of the goal zero.
    let right = DVector::from_fn(active.len(), |a, _| {
        let i = active[a];
        let pulled = hessian.row(i).iter().zip(theta).map(|(h, t)| h * t).sum::<f64>();
        let sign = if goal[i] == 0.0 { 0.0 } else { goal[i].signum() };
        pulled - gradient[i] - strengths[i] * sign
    });
    let solution = Cholesky::new(small)?.solve(&right);
    let mut exact = vec![0.0; goal.len()];
    for (a, &i) in active.iter().enumerate() {
        if strengths[i] > 0.0 && solution[a].signum() != goal[i].signum() {
            return None;
        }
        exact[i] = solution[a];
    }
    Some(exact)
}

fn shrink(value: f64, by: f64) -> f64 {
    match value.abs() > by {
        true => value - by.copysign(value),
        false => 0.0,
    }
}

/// The slope of the objective with the penalty: the subgradient nearest to zero.
pub(crate) fn pseudo_gradient(gradient: &[f64], theta: &[f64], strengths: &[f64]) -> Vec<f64> {
    let slope = |((g, t), l): ((&f64, &f64), &f64)| match *t == 0.0 {
        true => shrink(*g, *l),
        false => g + l.copysign(*t),
    };
    gradient.iter().zip(theta).zip(strengths).map(slope).collect()
}

/// The point θ + t d with every coordinate that would change its sign set to zero.
pub(crate) fn within_orthant(theta: &[f64], step: f64, direction: &[f64], pseudo: &[f64], strengths: &[f64]) -> Vec<f64> {
    let moved = |i: usize| {
        let new = theta[i] + step * direction[i];
        let orthant = if theta[i] == 0.0 { -pseudo[i] } else { theta[i] };
        if strengths[i] > 0.0 && new * orthant < 0.0 { 0.0 } else { new }
    };
    (0..theta.len()).map(moved).collect()
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
