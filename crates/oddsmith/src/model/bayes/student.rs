//! Gaussian columns with mean and variance integrated out: Student-t densities.
//!
//! With a normal-inverse-gamma prior the posterior predictive of column j in class k is t with ν degrees of freedom,
//! location m and scale s. Where one variance serves all columns they are dependent given the class, and the row has
//! a joint t density over its observed columns with Q = Σ z²:
//! log p = lnΓ((ν+d)/2) − lnΓ(ν/2) − (d/2) ln(νπ) − Σ ln s − ((ν+d)/2) ln(1 + Q/ν).

use crate::data::{Features, Layout};
use crate::model::{Contributions, Scores};
use crate::num::special::ln_gamma_ratio;

/// Student-t densities of number columns by class.
#[derive(Debug, Clone, PartialEq)]
pub struct StudentPart {
    /// Positions in the number plane.
    pub columns: Vec<usize>,
    /// Locations: `locations[k · columns + at]`.
    pub locations: Vec<f64>,
    /// Scales, in the same order.
    pub scales: Vec<f64>,
    /// Degrees of freedom, in the same order.
    pub freedom: Vec<f64>,
    /// Whether the columns of a row share one unknown variance.
    pub joint: bool,
}

impl StudentPart {
    /// Writes the addend of every column of row `i` in class `k`, by the chain rule over observed columns when they
    /// are dependent; a missing value's addend is zero.
    fn addends(&self, rows: &Features<'_>, i: usize, k: usize, mut each: impl FnMut(usize, f64)) {
        let width = self.columns.len();
        let (mut seen, mut square) = (0.0, 0.0);
        for (at, &j) in self.columns.iter().enumerate() {
            let x = rows.numbers.get(i, j);
            if x.is_nan() {
                continue;
            }
            let cell = k * width + at;
            let z = (x - self.locations[cell]) / self.scales[cell];
            // Given the columns seen so far the next one is t with ν + seen degrees of freedom and a scale that has
            // learned from their squares.
            let freedom = self.freedom[cell] + seen;
            let widen = (self.freedom[cell] + square) / freedom;
            each(j, student_log_density(z * z / widen, freedom) - self.scales[cell].ln() - 0.5 * widen.ln());
            if self.joint {
                seen += 1.0;
                square += z * z;
            }
        }
    }

    /// Adds the log densities of a batch to its scores.
    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) {
        let classes = scores.classes();
        for (i, scores) in scores.parts_mut().0.chunks_exact_mut(classes).enumerate() {
            scores.iter_mut().enumerate().for_each(|(k, score)| self.addends(rows, i, k, |_, addend| *score += addend));
        }
    }

    /// Adds the log densities column by column.
    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) {
        let classes = out.base().len();
        for i in 0..rows.rows() {
            for k in 0..classes {
                self.addends(rows, i, k, |j, addend| out.addends_mut(i, layout.numbers()[j])[k] += addend);
            }
        }
    }
}

/// Log density of a standard t at z² = `square`.
fn student_log_density(square: f64, freedom: f64) -> f64 {
    let half = 0.5 * (freedom + 1.0);
    ln_gamma_ratio(0.5 * freedom, 0.5) - 0.5 * (freedom * std::f64::consts::PI).ln() - half * (square / freedom).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_degree_of_freedom_is_the_cauchy_density() {
        let z: f64 = 1.7;
        let cauchy = -(std::f64::consts::PI * (1.0 + z * z)).ln();
        assert!((student_log_density(z * z, 1.0) - cauchy).abs() < 1e-14);
    }

    #[test]
    fn the_chain_rule_gives_the_joint_density() {
        let part =
            StudentPart { columns: vec![0, 1], locations: vec![0.0, 1.0], scales: vec![1.0, 2.0], freedom: vec![5.0, 5.0], joint: true };
        let data = [0.4, -3.0];
        let rows = Features::of_numbers(crate::num::MatrixView::row_major(&data, 1, 2).unwrap());
        let mut score = Scores::new();
        score.reset(1, &[0.0]);
        part.add_scores(&rows, &mut score);
        let (v, d, q): (f64, f64, f64) = (5.0, 2.0, 0.16 + 4.0);
        let joint = libm::lgamma((v + d) / 2.0)
            - libm::lgamma(v / 2.0)
            - d / 2.0 * (v * std::f64::consts::PI).ln()
            - 2f64.ln()
            - (v + d) / 2.0 * (q / v).ln_1p();
        assert!((score.row(0)[0] - joint).abs() < 1e-13);
    }
}
