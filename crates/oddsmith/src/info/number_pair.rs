//! What two numbers tell about each other.
//!
//! ```text
//! neighbours (Kraskov, Stögbauer, Grassberger)  I = ψ(k) + ψ(N) − ⟨ψ(n_x + 1) + ψ(n_y + 1)⟩
//! bins        both cut at quantiles, I of the table with bias, interval and test (`Joint`)
//! normal      −½ ln (1 − r²), what a straight line tells, right where both are normal together
//! ```
//!
//! d_i is the distance of row i to its k-th neighbour, the larger of the differences of both standardised numbers; n_x and n_y count the other
//! rows whose x, or y, alone lies nearer than d_i. No noise is added; values that tie make the estimate from neighbours worthless, and
//! [`NumberPair::ties`] tells how many do. In nats. Rows are sorted by x, and a row looks left and right no further than its k-th
//! neighbour: O(n √(k n)) for numbers that fill a plane, memory O(n).

use super::{Joint, MutualInformation};
use crate::error::{DataFault, Result};
use crate::num::special::digamma;

/// Most bins of a number.
const MOST_BINS: f64 = 16.0;

/// What is found.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberPair {
    /// From neighbours, in nats; `None` where rows have weights, or are too few. May be a little below 0 by chance.
    pub neighbours: Option<f64>,
    /// The share of rows of which a value occurs more than once, in the column where they are more.
    pub ties: f64,
    /// From quantile bins.
    pub binned: MutualInformation,
    /// Bins of the first and of the second number.
    pub bins: (usize, usize),
    /// Correlation.
    pub correlation: f64,
    /// −½ ln (1 − r²), in nats.
    pub normal: f64,
    /// Weight of the rows.
    pub weight: f64,
}

/// What two numbers tell about each other over rows that have both; `evidence` is how many rows the weights are worth.
pub fn number_pair(x: &[f64], y: &[f64], weights: Option<&[f64]>, evidence: f64, k: usize, level: f64) -> Result<NumberPair> {
    let n = x.len();
    if n < 2 || y.len() != n || weights.is_some_and(|w| w.len() != n) || x.iter().chain(y).any(|value| !value.is_finite()) {
        let what = format!("{n} values of one number and {} of the other make no pairs", y.len());
        return Err(DataFault::new(what).accepted("two finite numbers of each at least, as many of one as of the other").into());
    }
    let ones;
    let w = match weights {
        Some(weights) => weights,
        None => {
            ones = vec![1.0; n];
            &ones
        }
    };
    let (cuts_x, cuts_y) = (quantile_cuts(x, w), quantile_cuts(y, w));
    let columns = cuts_y.len() + 1;
    let mut cells = vec![0.0; (cuts_x.len() + 1) * columns];
    for i in 0..n {
        cells[cuts_x.partition_point(|cut| *cut <= x[i]) * columns + cuts_y.partition_point(|cut| *cut <= y[i])] += w[i];
    }
    let joint = Joint::new(columns, cells)?;
    let weight = joint.total();
    let (ux, uy) = (standardised(x, w), standardised(y, w));
    let correlation = (0..n).map(|i| w[i] / weight * ux[i] * uy[i]).sum::<f64>().clamp(-1.0, 1.0);
    let ties = tied(x).max(tied(y));
    Ok(NumberPair {
        neighbours: if weights.is_none() { from_neighbours(&ux, &uy, k) } else { None },
        ties,
        binned: joint.inference(evidence, level),
        bins: (cuts_x.len() + 1, columns),
        correlation,
        normal: -0.5 * libm::log1p(-correlation * correlation),
        weight,
    })
}

/// Cuts between bins of about as many rows each: about the cube root of the rows of them, 16 at most.
fn quantile_cuts(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<(f64, f64)> = values.iter().copied().zip(weights.iter().copied()).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = weights.iter().sum();
    let wanted = libm::round(libm::cbrt(total)).clamp(2.0, MOST_BINS);
    let (mut below, mut last, mut cuts) = (0.0, 0.0, Vec::new());
    for pair in sorted.windows(2) {
        below += pair[0].1;
        if pair[0].0 < pair[1].0 && below - last >= total / wanted {
            let middle = 0.5 * pair[0].0 + 0.5 * pair[1].0;
            cuts.push(if middle > pair[0].0 { middle } else { pair[1].0 });
            last = below;
        }
    }
    cuts
}

/// Values less their mean in units of their spread; zeros where there is none.
fn standardised(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let mean = values.iter().zip(weights).map(|(x, w)| w / total * x).sum::<f64>();
    let variance = values.iter().zip(weights).map(|(x, w)| w / total * (x - mean) * (x - mean)).sum::<f64>();
    let unit = if variance > 0.0 { variance.sqrt().recip() } else { 0.0 };
    values.iter().map(|x| (x - mean) * unit).collect()
}

fn tied(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let same = |i: usize| (i > 0 && sorted[i - 1] == sorted[i]) || (i + 1 < n && sorted[i + 1] == sorted[i]);
    (0..n).filter(|&i| same(i)).count() as f64 / n as f64
}

/// The estimator of Kraskov, Stögbauer and Grassberger, their first; `None` where there are not more rows than neighbours.
fn from_neighbours(x: &[f64], y: &[f64], k: usize) -> Option<f64> {
    let n = x.len();
    if k == 0 || n <= k {
        return None;
    }
    let mut rows: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut sorted_y = y.to_vec();
    sorted_y.sort_by(f64::total_cmp);
    let sorted_x: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let mut nearest = Vec::with_capacity(k + 1);
    let mut sum = 0.0;
    for at in 0..n {
        let distance = kth_distance(&rows, at, k, &mut nearest);
        // The row itself is always nearer than its neighbour, so the count is n_x + 1; where the distance is 0 nothing is nearer.
        sum += digamma(nearer(&sorted_x, rows[at].0, distance)) + digamma(nearer(&sorted_y, rows[at].1, distance));
    }
    Some(digamma(k as f64) + digamma(n as f64) - sum / n as f64)
}

/// The distance of a row to its k-th nearest other: rows at ever larger differences of x, until these alone are larger.
fn kth_distance(rows: &[(f64, f64)], at: usize, k: usize, nearest: &mut Vec<f64>) -> f64 {
    nearest.clear();
    let (x, y) = rows[at];
    let (mut left, mut right) = (at, at + 1);
    loop {
        let behind = if left > 0 { x - rows[left - 1].0 } else { f64::INFINITY };
        let ahead = if right < rows.len() { rows[right].0 - x } else { f64::INFINITY };
        let step = behind.min(ahead);
        if step == f64::INFINITY || (nearest.len() == k && step >= nearest[k - 1]) {
            return nearest.last().copied().unwrap_or(0.0);
        }
        let other = if behind <= ahead {
            left -= 1;
            rows[left]
        } else {
            right += 1;
            rows[right - 1]
        };
        let distance = step.max((other.1 - y).abs());
        let place = nearest.partition_point(|known| *known <= distance);
        if place < k {
            nearest.insert(place, distance);
            nearest.truncate(k);
        }
    }
}

/// How many of sorted values, the one itself included, are nearer to it than a distance; 1 at least.
fn nearer(sorted: &[f64], value: f64, distance: f64) -> f64 {
    let low = sorted.partition_point(|other| value - other >= distance);
    let high = sorted.partition_point(|other| other - value < distance);
    (high.saturating_sub(low)).max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn by_definition(x: &[f64], y: &[f64], k: usize) -> f64 {
        let n = x.len();
        let ones = vec![1.0; n];
        let (x, y) = (standardised(x, &ones), standardised(y, &ones));
        let mut sum = 0.0;
        for i in 0..n {
            let others = || (0..n).filter(move |j| *j != i);
            let mut distances: Vec<f64> = others().map(|j| (x[i] - x[j]).abs().max((y[i] - y[j]).abs())).collect();
            distances.sort_by(f64::total_cmp);
            let d = distances[k - 1];
            let count = |v: &[f64]| others().filter(|&j| (v[i] - v[j]).abs() < d).count() as f64 + 1.0;
            sum += digamma(count(&x)) + digamma(count(&y));
        }
        digamma(k as f64) + digamma(n as f64) - sum / n as f64
    }

    proptest! {
        #[test]
        fn looking_left_and_right_finds_what_the_definition_says(pairs in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 6..60), k in 1usize..5) {
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let found = number_pair(&x, &y, None, x.len() as f64, k, 0.95).unwrap();
            let expected = by_definition(&x, &y, k);
            prop_assert!((found.neighbours.unwrap() - expected).abs() < 1e-12);
            let turned = number_pair(&y, &x, None, x.len() as f64, k, 0.95).unwrap();
            prop_assert!((turned.neighbours.unwrap() - expected).abs() < 1e-12);
            prop_assert!((turned.binned.plug_in - found.binned.plug_in).abs() < 1e-13);
        }
    }

    #[test]
    fn normal_numbers_tell_what_their_correlation_says() {
        // Normal deviates by Box and Müller, mixed to a correlation of one half: .1438410362 nats.
        let n = 4000;
        let mut state = 11u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        };
        let mut normal = || {
            let (radius, angle) = ((-2.0 * uniform().ln()).sqrt(), std::f64::consts::TAU * uniform());
            (radius * angle.cos(), radius * angle.sin())
        };
        let (x, y): (Vec<f64>, Vec<f64>) = (0..n).map(|_| normal()).map(|(a, b)| (a, 0.5 * a + 0.75f64.sqrt() * b)).unzip();
        let found = number_pair(&x, &y, None, n as f64, 3, 0.95).unwrap();
        assert!((found.normal - 0.143_841_036_2).abs() < 0.03, "{found:?}");
        assert!((found.neighbours.unwrap() - 0.143_841_036_2).abs() < 0.04, "{found:?}");
        // Bins lose a little, and their interval is about what they keep.
        assert!(found.binned.estimate > 0.08 && found.binned.estimate < 0.18 && found.ties < 1e-3, "{found:?}");
        let line = number_pair(&x, &x, None, n as f64, 3, 0.95).unwrap();
        // The correlation rounds to 1 or to its neighbour, of which the logarithm is left.
        assert!(line.normal > 15.0, "{line:?}");
        assert!((line.binned.plug_in - (line.bins.0 as f64).ln()).abs() < 0.01, "{line:?}");
        assert!(number_pair(&[1.0], &[2.0], None, 1.0, 3, 0.95).unwrap_err().to_string().contains("make no pairs"));
    }

    #[test]
    fn weights_are_numbers_of_rows() {
        let (x, y, w) = ([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0], [1.0, 2.0, 1.0, 3.0]);
        let weighted = number_pair(&x, &y, Some(&w), 7.0, 3, 0.95).unwrap();
        let repeat = |v: &[f64]| v.iter().zip(w).flat_map(|(v, w)| std::iter::repeat_n(*v, w as usize)).collect::<Vec<f64>>();
        let repeated = number_pair(&repeat(&x), &repeat(&y), None, 7.0, 3, 0.95).unwrap();
        assert!((weighted.correlation - repeated.correlation).abs() < 1e-14 && weighted.neighbours.is_none());
        assert!((weighted.binned.plug_in - repeated.binned.plug_in).abs() < 1e-14, "{weighted:?} {repeated:?}");
    }
}
