//! The minimum of gᵀd + ½ dᵀHd + Σ l_i |θ_i + d_i|: a Newton step under an absolute penalty.
//!
//! One coordinate after the other moves to its own minimum, most often those that are not zero; then the system of these is solved
//! exactly. A sweep costs a column of H per coordinate that moves.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::orthant::shrink;

/// Sweeps of a coordinate descent.
const MOST_SWEEPS: usize = 2000;
/// Largest change, in standard errors, of the last sweep.
const SWEEP_TOLERANCE: f64 = 1e-13;
/// The same as a share of the first sweep's: far from the optimum a rough step is as good.
const ROUGH: f64 = 1e-7;

/// The step of the quadratic model with the penalty.
pub(crate) fn newton_step(hessian: &DMatrix<f64>, gradient: &[f64], theta: &[f64], strengths: &[f64]) -> Vec<f64> {
    let mut goal = theta.to_vec();
    // Slope of the quadratic part at the goal.
    let mut slope = gradient.to_vec();
    let all: Vec<usize> = (0..theta.len()).filter(|&i| hessian[(i, i)] > 0.0).collect();
    let mut tolerance = 0.0;
    let mut sweeps = 0;
    while sweeps < MOST_SWEEPS {
        let largest = sweep(hessian, strengths, &all, &mut goal, &mut slope);
        if sweeps == 0 {
            tolerance = (ROUGH * largest).max(SWEEP_TOLERANCE);
        }
        sweeps += 1;
        if largest <= tolerance {
            break;
        }
        // Most coordinates stay at zero: the others come to rest first.
        let active: Vec<usize> = all.iter().copied().filter(|&i| goal[i] != 0.0 || strengths[i] == 0.0).collect();
        while sweeps < MOST_SWEEPS {
            sweeps += 1;
            if sweep(hessian, strengths, &active, &mut goal, &mut slope) <= tolerance {
                break;
            }
        }
    }
    if let Some(exact) = solved(hessian, gradient, theta, strengths, &goal) {
        goal = exact;
    }
    goal.iter().zip(theta).map(|(goal, theta)| goal - theta).collect()
}

/// Moves one coordinate after the other to its own optimum and gives the largest change in standard errors.
fn sweep(hessian: &DMatrix<f64>, strengths: &[f64], coordinates: &[usize], goal: &mut [f64], slope: &mut [f64]) -> f64 {
    let mut largest = 0.0f64;
    for &i in coordinates {
        let curvature = hessian[(i, i)];
        let new = shrink(goal[i] - slope[i] / curvature, strengths[i] / curvature);
        let change = new - goal[i];
        if change != 0.0 {
            goal[i] = new;
            slope.iter_mut().zip(hessian.column(i).iter()).for_each(|(slope, h)| *slope += change * h);
            largest = largest.max(change.abs() * curvature.sqrt());
        }
    }
    largest
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
