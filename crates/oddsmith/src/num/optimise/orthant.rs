//! Steps without all second derivatives under an absolute penalty Σ l_i |θ_i|: within an orthant the penalty is linear, so a direction is
//! kept within the orthant of the pseudo-gradient (Andrew and Gao).

/// Σ l_i |θ_i|.
pub(crate) fn absolute_size(strengths: &[f64], theta: &[f64]) -> f64 {
    strengths.iter().zip(theta).map(|(l, t)| l * t.abs()).sum()
}

/// The value drawn towards zero by `by`, at most to zero.
pub(crate) fn shrink(value: f64, by: f64) -> f64 {
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
