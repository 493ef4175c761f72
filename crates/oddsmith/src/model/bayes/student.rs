//! Gaussian columns with mean and variance integrated out: Student-t densities.
//!
//! With a normal-inverse-gamma prior the posterior predictive of column j in class k is t with ν degrees of freedom,
//! location m and scale s. Where one variance serves all columns they are dependent given the class, and the row has
//! a joint t density over its observed columns with Q = Σ z²:
//! log p = lnΓ((ν+d)/2) − lnΓ(ν/2) − (d/2) ln(νπ) − Σ ln s − ((ν+d)/2) ln(1 + Q/ν).
//! Where Q leaves the range of numbers its logarithm is carried on.

use crate::data::{Features, Layout};
use crate::model::{Contributions, Scores};
use crate::num::logspace::{ln_1p_exp, log_add_exp};
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
        // ln (ν + Q), once the squares have left the range of numbers.
        let mut beyond: Option<f64> = None;
        for (at, &j) in self.columns.iter().enumerate() {
            let x = rows.numbers.get(i, j);
            if x.is_nan() {
                continue;
            }
            let cell = k * width + at;
            let z = (x - self.locations[cell]) / self.scales[cell];
            if beyond.is_some() || !(z * z + square).is_finite() {
                let total = beyond.unwrap_or_else(|| (self.freedom[cell] + square).ln());
                // Halves, whose difference is always a number.
                let distance = (0.5 * x - 0.5 * self.locations[cell]).abs().ln() + std::f64::consts::LN_2;
                let log_square = 2.0 * (distance - self.scales[cell].ln());
                let freedom = self.freedom[cell] + seen;
                let density = constant(freedom) - 0.5 * (freedom + 1.0) * ln_1p_exp(log_square - total);
                each(j, density - self.scales[cell].ln() - 0.5 * (total - freedom.ln()));
                if self.joint {
                    seen += 1.0;
                    beyond = Some(log_add_exp(total, log_square));
                }
                continue;
            }
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
    constant(freedom) - 0.5 * (freedom + 1.0) * (square / freedom).ln_1p()
}

/// Its addend that does not depend on z.
fn constant(freedom: f64) -> f64 {
    ln_gamma_ratio(0.5 * freedom, 0.5) - 0.5 * (freedom * std::f64::consts::PI).ln()
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

    /// A row 1e200 away, by the same density with every number 1e200 times as large: ln(1 + Q/ν) is 2 ln 1e200 + ln(Q'/ν) there.
    #[test]
    fn rows_beyond_the_range_of_squares_have_their_density() {
        let joint = |joint: bool| StudentPart {
            columns: vec![0, 1],
            locations: vec![0.0, 0.0],
            scales: vec![1.0, 2.0],
            freedom: vec![5.0, 5.0],
            joint,
        };
        for (part, (v, far)) in
            [(joint(true), (5.0, [3e200, -4e200])), (joint(false), (5.0, [3e200, 1.0])), (joint(true), (5.0, [2.0, 1e308]))]
        {
            let rows = Features::of_numbers(crate::num::MatrixView::row_major(&far, 1, 2).unwrap());
            let mut score = Scores::new();
            score.reset(1, &[0.0]);
            part.add_scores(&rows, &mut score);
            let log_square = |z: f64| 2.0 * z.abs().ln();
            let constants = -0.5 * 2.0 * (v * std::f64::consts::PI).ln() - 2f64.ln();
            let want = match part.joint {
                // Q is nothing but what is far away.
                true => {
                    let q = log_add_exp(log_square(far[0]), log_square(far[1] / 2.0));
                    libm::lgamma((v + 2.0) / 2.0) - libm::lgamma(v / 2.0) + constants - (v + 2.0) / 2.0 * (q - v.ln())
                }
                false => {
                    let each = 2.0 * (libm::lgamma((v + 1.0) / 2.0) - libm::lgamma(v / 2.0));
                    each + constants - (v + 1.0) / 2.0 * (log_square(far[0]) - v.ln() + (0.25f64 / v).ln_1p())
                }
            };
            assert!((score.row(0)[0] - want).abs() < 1e-10 * want.abs(), "{far:?}: {} is not {want}", score.row(0)[0]);
        }
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
