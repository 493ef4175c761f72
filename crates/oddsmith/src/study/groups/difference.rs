//! How far two groups are apart in units of their spread, which does not grow with the number of rows as a test does.
//!
//! ```text
//! numbers      |m1 − m2| / √((v1 + v2)/2)
//! categories   √((p1 − p2)' S⁻ (p1 − p2)),  S the mean of the two multinomial covariances, one level left out   (Yang and Dalton 2012)
//! ```
//!
//! Of several groups the largest of all pairs is told.

use nalgebra::{DMatrix, DVector};

use crate::stats::Moment;

/// The largest standardised difference of means between two of the groups; NaN where there is none.
pub fn of_means(groups: &[Moment]) -> f64 {
    largest(groups.len(), |a, b| {
        let (a, b) = (&groups[a], &groups[b]);
        let variance = |group: &Moment| group.squares / (group.weight - 1.0);
        let apart = (a.mean - b.mean) + (a.mean_low - b.mean_low);
        apart.abs() / ((variance(a) + variance(b)) / 2.0).sqrt()
    })
}

/// The same of proportions: counts by level and group, level after level.
pub fn of_levels(table: &[f64], groups: usize) -> f64 {
    largest(groups, |a, b| {
        let proportions = |group: usize| -> Vec<f64> {
            let counts: Vec<f64> = table.iter().skip(group).step_by(groups).copied().collect();
            let total: f64 = counts.iter().sum();
            counts.into_iter().map(|count| count / total).collect()
        };
        of_proportions(&proportions(a), &proportions(b))
    })
}

/// The largest of all pairs of groups; NaN where a pair has none.
fn largest(groups: usize, apart: impl Fn(usize, usize) -> f64) -> f64 {
    let pairs = (0..groups).flat_map(|a| (a + 1..groups).map(move |b| (a, b)));
    pairs
        .map(|(a, b)| apart(a, b))
        .reduce(|most, next| if most.is_nan() || next.is_nan() { f64::NAN } else { most.max(next) })
        .unwrap_or(f64::NAN)
}

fn of_proportions(p: &[f64], q: &[f64]) -> f64 {
    let kept: Vec<usize> = (0..p.len()).filter(|level| p[*level] + q[*level] > 0.0).skip(1).collect();
    if p.iter().chain(q).any(|share| share.is_nan()) {
        return f64::NAN;
    }
    let apart = DVector::from_iterator(kept.len(), kept.iter().map(|level| p[*level] - q[*level]));
    let spread = DMatrix::from_fn(kept.len(), kept.len(), |a, b| {
        let (i, j) = (kept[a], kept[b]);
        let own = |p: &[f64]| if i == j { p[i] * (1.0 - p[i]) } else { -p[i] * p[j] };
        (own(p) + own(q)) / 2.0
    });
    if let Some(factor) = spread.clone().cholesky() {
        return factor.solve(&apart).dot(&apart).max(0.0).sqrt();
    }
    // Levels that one group alone has in full leave no spread in some direction: the part that has some is told.
    spread.pseudo_inverse(1e-10).map_or(f64::NAN, |inverse| (inverse * &apart).dot(&apart).max(0.0).sqrt())
}
