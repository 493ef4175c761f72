//! The logistic loss of a block of log odds, with its first and second derivatives.
//!
//! For log odds η, the share y of the second class and a weight w, with q = e^{−|η|}:
//!   loss        w (ln(1 + q) + max(η, 0) − y η)
//!   slope       w ((1 − y) p − y (1 − p)), p = 1/(1 + e^{−η})
//!   curvature   w p (1 − p)
//! p and 1 − p both come from q, so neither a slope nor a loss loses digits where a probability rounds to 0 or 1.
//! Cost: one exponential, one logarithm and two divisions per row.

use super::exp::exp;
use super::ln::ln;
use crate::num::kernel::instructions::arch;
use pulp::{Arch, Simd, WithSimd};

/// Lanes of the running sums: fixed, so that the order of additions is the same for every instruction set.
const LANES: usize = 8;

/// The loss of rows and the largest |η| among those of positive weight.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LogisticLoss {
    /// Σ w (ln(1 + e^η) − y η).
    pub loss: f64,
    /// Largest |η|.
    pub max_abs_eta: f64,
}

/// Replaces log odds by slopes and writes curvatures.
///
/// # Panics
/// When the slices differ in length.
pub fn logistic(log_odds: &mut [f64], proportions: &[f64], weights: &[f64], curvatures: &mut [f64]) -> LogisticLoss {
    logistic_on(arch(), log_odds, proportions, weights, curvatures)
}

fn logistic_on(arch: Arch, log_odds: &mut [f64], proportions: &[f64], weights: &[f64], curvatures: &mut [f64]) -> LogisticLoss {
    let rows = log_odds.len();
    assert!(proportions.len() == rows && weights.len() == rows && curvatures.len() == rows, "one of everything per row");
    arch.dispatch(Rows { log_odds, proportions, weights, curvatures })
}

struct Rows<'a> {
    log_odds: &'a mut [f64],
    proportions: &'a [f64],
    weights: &'a [f64],
    curvatures: &'a mut [f64],
}

impl WithSimd for Rows<'_> {
    type Output = LogisticLoss;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> LogisticLoss {
        let (mut losses, mut reaches) = ([0.0; LANES], [0.0f64; LANES]);
        let (odds, odds_rest) = self.log_odds.as_chunks_mut::<LANES>();
        let (proportions, proportions_rest) = self.proportions.as_chunks::<LANES>();
        let (weights, weights_rest) = self.weights.as_chunks::<LANES>();
        let (curvatures, curvatures_rest) = self.curvatures.as_chunks_mut::<LANES>();
        for (((odds, proportions), weights), curvatures) in odds.iter_mut().zip(proportions).zip(weights).zip(curvatures) {
            // Results go through an array of their own: written in place, the compiler could not rule out that they overlap the input,
            // and would work row by row.
            let rows: [Row; LANES] = std::array::from_fn(|t| row::<S>(odds[t], proportions[t], weights[t]));
            for t in 0..LANES {
                losses[t] += rows[t].loss;
                reaches[t] = reaches[t].max(rows[t].max_abs_eta);
                odds[t] = rows[t].slope;
                curvatures[t] = rows[t].curvature;
            }
        }
        for (t, odds) in odds_rest.iter_mut().enumerate() {
            let row = row::<S>(*odds, proportions_rest[t], weights_rest[t]);
            losses[t] += row.loss;
            reaches[t] = reaches[t].max(row.max_abs_eta);
            *odds = row.slope;
            curvatures_rest[t] = row.curvature;
        }
        LogisticLoss { loss: losses.iter().sum(), max_abs_eta: reaches.iter().fold(0.0, |a, b| a.max(*b)) }
    }
}

struct Row {
    loss: f64,
    slope: f64,
    curvature: f64,
    max_abs_eta: f64,
}

#[inline(always)]
fn row<S: Simd>(eta: f64, share: f64, weight: f64) -> Row {
    let size = eta.abs();
    let q = exp::<S>(-size);
    let one = 1.0 + q;
    let (large, small) = (1.0 / one, q / one);
    let (p, rest) = if eta > 0.0 { (large, small) } else { (small, large) };
    // What 1 + q rounded away comes back as a first-order correction.
    let log = ln::<S>(one) - ((one - 1.0) - q) / one;
    // η meets the share before they are multiplied, so that the loss of a well-placed row is not a difference of large numbers.
    let linear = if eta > 0.0 { (1.0 - share) * size } else { share * size };
    Row {
        loss: weight * (log + linear),
        slope: weight * ((1.0 - share) * p - share * rest),
        curvature: weight * (large * small),
        max_abs_eta: if weight > 0.0 { size } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, assert_close, every_arch};
    use super::*;

    #[test]
    fn agrees_with_plain_formulas_for_every_size_of_log_odds() {
        let mut random = Random::new(92);
        for rows in [1, 7, 8, 9, 333] {
            let scale = [1e-9, 0.1, 3.0, 30.0, 100.0];
            let odds: Vec<f64> = (0..rows).map(|i| random.normal() * scale[i % 5]).collect();
            let proportions: Vec<f64> = (0..rows).map(|i| if i % 3 == 2 { random.unit() } else { (i % 2) as f64 }).collect();
            let weights = random.weights(rows);
            for arch in every_arch() {
                let (mut slopes, mut curvatures) = (odds.clone(), vec![0.0; rows]);
                let got = logistic_on(arch, &mut slopes, &proportions, &weights, &mut curvatures);
                let mut want = LogisticLoss::default();
                for i in 0..rows {
                    let (eta, y, w) = (odds[i], proportions[i], weights[i]);
                    let (p, rest) = (1.0 / (1.0 + libm::exp(-eta)), 1.0 / (1.0 + libm::exp(eta)));
                    want.loss += w * (y * libm::log1p(libm::exp(-eta)) + (1.0 - y) * libm::log1p(libm::exp(eta)));
                    want.max_abs_eta = want.max_abs_eta.max(if w > 0.0 { eta.abs() } else { 0.0 });
                    assert_close(slopes[i], w * ((1.0 - y) * p - y * rest), w * ((1.0 - y) * p + y * rest), 4e-15, &(arch, i, eta, y));
                    assert_close(curvatures[i], w * p * rest, w * p * rest, 4e-15, &(arch, i, eta));
                }
                assert_close(got.loss, want.loss, want.loss, 1e-14, &(arch, rows));
                assert_eq!(got.max_abs_eta, want.max_abs_eta);
            }
        }
    }

    #[test]
    fn tiny_losses_keep_their_digits() {
        let (mut slope, mut curvature) = ([50.0], [0.0]);
        let got = logistic(&mut slope, &[1.0], &[1.0], &mut curvature);
        let tail = libm::exp(-50.0);
        assert_close(got.loss, tail, tail, 1e-15, &"loss");
        assert_close(slope[0], -tail, tail, 1e-15, &"slope");
        assert_close(curvature[0], tail, tail, 1e-15, &"curvature");
    }
}
