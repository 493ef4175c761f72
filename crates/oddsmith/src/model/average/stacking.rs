//! Weights of a mixture that says most about rows: max Σ_i v_i ln Σ_m w_m p_m(y_i|x_i) over weights that add up to 1.
//!
//! Summed at weights w, with r_m = p_m/Σ w p of a row of weight v: the value, the gradient Σ v r_m and the second derivatives −Σ v r_m r_n. The
//! next weights maximise the parabola of these sums (pair by pair, no pass); a step that loses is halved. The sum is concave, so this finds
//! its one top in a handful of passes. No weight falls below 10⁻⁶: what one model finds impossible, the mixture does not.

use crate::codec::{Codec, Encode};
use crate::data::{Rows, SKIP};
use crate::error::Result;
use crate::num::log_sum_exp;
use crate::record::{Record, fault};
use crate::stats::add;

use super::members::Members;

/// The least weight.
const LEAST: f64 = 1e-6;
/// A gain per row below this ends the search.
const ENOUGH: f64 = 1e-12;
/// Most passes.
const MOST_STEPS: u64 = 100;
/// Most rounds over all pairs in the search on a parabola.
const MOST_SWEEPS: usize = 500;

/// The sums of a pass at some weights.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StackSums {
    pub(super) weights: Vec<f64>,
    /// Weight of the rows that were judged.
    pub(super) rows: f64,
    value: f64,
    gradient: Vec<f64>,
    curvature: Vec<f64>,
    /// Losses of the single models, −Σ v ln p_m.
    losses: Vec<f64>,
}

/// The best weights so far, and what is known there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StackSearch {
    best: Option<StackSums>,
    steps: u64,
}

impl StackSums {
    /// Nothing seen at these weights.
    pub(super) fn new(weights: Vec<f64>) -> Self {
        let models = weights.len();
        let zeros = vec![0.0; models];
        StackSums { weights, rows: 0.0, value: 0.0, gradient: zeros.clone(), curvature: vec![0.0; models * models], losses: zeros }
    }

    /// Adds rows with these labels.
    pub(super) fn observe(&mut self, members: &Members, rows: &Rows<'_>, labels: &[u32]) -> Result<()> {
        if labels.iter().all(|label| *label == SKIP) {
            return Ok(());
        }
        let scores = members.log_probabilities(&rows.features)?;
        let models = self.weights.len();
        let mut log_p = vec![0.0; models];
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            log_p.iter_mut().zip(&scores).for_each(|(log_p, scores)| *log_p = scores.row(i)[label as usize]);
            let mixed = log_sum_exp(log_p.iter().zip(&self.weights).map(|(log_p, w)| log_p + libm::log(*w)).collect::<Vec<_>>());
            // Models that say nothing, or all find the class impossible, say nothing about their weights.
            if !mixed.is_finite() {
                continue;
            }
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            let shares: Vec<f64> = log_p.iter().map(|log_p| libm::exp(log_p - mixed)).collect();
            self.rows += weight;
            self.value += weight * mixed;
            for m in 0..models {
                self.losses[m] -= weight * log_p[m];
                self.gradient[m] += weight * shares[m];
                (0..models).for_each(|n| self.curvature[m * models + n] -= weight * shares[m] * shares[n]);
            }
        }
        Ok(())
    }

    /// Adds other sums at the same weights.
    pub(super) fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.value += other.value;
        add(&mut self.gradient, &other.gradient);
        add(&mut self.curvature, &other.curvature);
        add(&mut self.losses, &other.losses);
    }

    /// Nats per row of every model alone, and of the mixture.
    pub(super) fn nats_per_row(&self) -> (Vec<f64>, f64) {
        (self.losses.iter().map(|loss| loss / self.rows).collect(), -self.value / self.rows)
    }

    /// The weights that maximise the parabola of the sums, and what they gain by it.
    fn newton(&self) -> (Vec<f64>, f64) {
        let models = self.weights.len();
        let h = |m: usize, n: usize| self.curvature[m * models + n];
        let mut move_by = vec![0.0; models];
        for _ in 0..MOST_SWEEPS {
            let mut largest = 0.0f64;
            for a in 0..models {
                for b in a + 1..models {
                    let slope = |m: usize| self.gradient[m] + (0..models).map(|n| h(m, n) * move_by[n]).sum::<f64>();
                    let (rise, bend) = (slope(a) - slope(b), h(a, a) + h(b, b) - 2.0 * h(a, b));
                    // From b to a as far as both weights allow.
                    let (down, up) = (LEAST - self.weights[a] - move_by[a], self.weights[b] + move_by[b] - LEAST);
                    let wanted = if bend < 0.0 { -rise / bend } else { rise.signum() * f64::INFINITY };
                    let step = if rise == 0.0 { 0.0 } else { wanted.clamp(down.min(0.0), up.max(0.0)) };
                    move_by[a] += step;
                    move_by[b] -= step;
                    largest = largest.max(step.abs());
                }
            }
            if largest < 1e-14 {
                break;
            }
        }
        let linear: f64 = move_by.iter().zip(&self.gradient).map(|(d, g)| d * g).sum();
        let bent: f64 = (0..models * models).map(|at| move_by[at / models] * move_by[at % models] * self.curvature[at]).sum();
        let next = self.weights.iter().zip(&move_by).map(|(w, d)| (w + d).max(LEAST)).collect();
        (next, linear + 0.5 * bent)
    }
}

impl StackSearch {
    /// Nothing known.
    pub(super) fn new() -> Self {
        StackSearch { best: None, steps: 0 }
    }

    /// Takes the sums of a pass in; the weights of the next, or the sums at the best ones.
    pub(super) fn next(&self, sums: &StackSums) -> std::result::Result<(Vec<f64>, StackSearch), StackSums> {
        let lost = self.best.as_ref().filter(|best| sums.value < best.value);
        let steps = self.steps + 1;
        if let Some(best) = lost {
            let halfway: Vec<f64> = best.weights.iter().zip(&sums.weights).map(|(a, b)| 0.5 * (a + b)).collect();
            let moved = halfway.iter().zip(&best.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            return if moved < 1e-9 || steps >= MOST_STEPS {
                Err(best.clone())
            } else {
                Ok((halfway, StackSearch { best: self.best.clone(), steps }))
            };
        }
        let (next, gain) = sums.newton();
        match gain <= ENOUGH * sums.rows || steps >= MOST_STEPS {
            // The last step is taken without looking: near the top it is right to twice the digits that were asked for.
            true => Err(StackSums { weights: next, ..sums.clone() }),
            false => Ok((next, StackSearch { best: Some(sums.clone()), steps })),
        }
    }
}

impl StackSums {
    /// Writes the weights down.
    pub(super) fn write_point(&self, point: &mut Record) {
        point.put("weights", &self.weights);
    }

    /// The empty sums of a point.
    pub(super) fn at_point(models: usize, point: &Record) -> Result<Self> {
        let weights = point.finite("weights", models)?.to_vec();
        match weights.iter().all(|weight| *weight > 0.0) {
            true => Ok(StackSums::new(weights)),
            false => Err(fault("`weights` are not above zero")),
        }
    }
}

impl Encode for StackSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("rows", &mut self.rows)?;
        codec.number("value", &mut self.value)?;
        codec.finite("gradient", &mut self.gradient)?;
        codec.finite("curvature", &mut self.curvature)?;
        codec.numbers("losses", &mut self.losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums of rows of which the probabilities of their classes by every model are known.
    fn sums(weights: &[f64], rows: &[[f64; 2]]) -> StackSums {
        let mut sums = StackSums::new(weights.to_vec());
        for row in rows {
            let mixed: f64 = row.iter().zip(weights).map(|(p, w)| p * w).sum();
            sums.rows += 1.0;
            sums.value += mixed.ln();
            for m in 0..2 {
                sums.gradient[m] += row[m] / mixed;
                (0..2).for_each(|n| sums.curvature[2 * m + n] -= row[m] * row[n] / (mixed * mixed));
            }
        }
        sums
    }

    #[test]
    fn the_search_finds_the_top() {
        // Two rows that one model knows and one that the other knows: w/(…) balances at the root of the derivative, found by a fine grid.
        let rows = [[0.9, 0.2], [0.8, 0.3], [0.1, 0.7]];
        let value = |w: f64| rows.iter().map(|row| (w * row[0] + (1.0 - w) * row[1]).ln()).sum::<f64>();
        let grid = (1..1_000_000).map(|i| f64::from(i) * 1e-6).max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap();
        let (mut weights, mut search, mut passes) = (vec![0.5, 0.5], StackSearch::new(), 0);
        let found = loop {
            passes += 1;
            match search.next(&sums(&weights, &rows)) {
                Ok((next, known)) => (weights, search) = (next, known),
                Err(best) => break best,
            }
        };
        assert!((found.weights[0] - grid).abs() < 2e-6 && passes < 12, "{:?} {grid} {passes}", found.weights);
        // A model that is better on every row takes all but the least.
        let (mut weights, mut search) = (vec![0.5, 0.5], StackSearch::new());
        let found = loop {
            match search.next(&sums(&weights, &[[0.9, 0.2], [0.6, 0.5]])) {
                Ok((next, known)) => (weights, search) = (next, known),
                Err(best) => break best,
            }
        };
        assert!((found.weights[1] - LEAST).abs() < 1e-9, "{:?}", found.weights);
    }
}
