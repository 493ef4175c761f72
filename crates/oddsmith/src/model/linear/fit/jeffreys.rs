//! The slope of Firth's penalty ½ ln |I(θ)|, as a sum over rows.
//!
//! With I = L Lᵀ and u_k(i) = L⁻¹ applied to the row's z in the block of output k, q_kl = u_k · u_l, the slope for output m is
//! Σ_i a_im z_i with a_im = ½ w_i Σ_kl q_kl ∂V_kl/∂η_m, V_kl = p_k [k = l] − p_k p_l. With two classes this is h_i (½ − p_i), h the
//! leverage. Time: M²·p² per row, as for I itself; memory: a block.

use nalgebra::{Cholesky, DMatrix, Dyn};

use crate::codec::{Codec, Encode};
use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::{EvalPoint, Shape};
use crate::num::kernel::{CrossSums, LinearScores, Panel, softmax};

/// What is left of a column beside the others, as a share of its information, below which it is rounding. Far out hardly a row has
/// information, the true share is smaller still, and a determinant made of rounding would look like a good one.
const ROUNDED: f64 = 1e-12;

/// The factor of an information matrix; `None` where it is singular as far as its digits tell.
pub(crate) fn regular(information: &DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    let factor = Cholesky::new(information.clone())?;
    let left = factor.l_dirty().diagonal();
    let singular = left.iter().zip(information.diagonal().iter()).any(|(left, own)| left * left <= ROUNDED * own);
    (!singular).then_some(factor)
}

/// The frozen information matrix of a point.
#[derive(Debug)]
pub(crate) struct Leverage {
    /// u of every output, as linear functions of the summed columns: output-major.
    solve: LinearScores,
    /// The same functions as plain numbers.
    constants: Vec<f64>,
    weights: Vec<f64>,
    size: usize,
    outputs: usize,
}

impl Leverage {
    /// From the factor of the information.
    pub(crate) fn new(information: &Cholesky<f64, Dyn>, coordinates: &Coordinates, shape: Shape) -> Self {
        let size = shape.outputs * shape.width;
        let inverse = information.l().solve_lower_triangular(&DMatrix::identity(size, size)).unwrap_or_else(|| DMatrix::zeros(size, size));
        let shift = usize::from(coordinates.intercept);
        let (mut constants, mut weights) = (Vec::new(), Vec::new());
        for m in 0..shape.outputs {
            for r in 0..size {
                let row: Vec<f64> = (0..shape.width).map(|c| inverse[(r, m * shape.width + c)]).collect();
                constants.push(if coordinates.intercept { row[0] } else { 0.0 });
                weights.extend(coordinates.summed_weights(&row[shift..]));
            }
        }
        Leverage::of_functions(constants, weights, coordinates, shape)
    }

    /// No leverage at all, where the information is singular.
    pub(crate) fn none(coordinates: &Coordinates, shape: Shape) -> Self {
        let (constants, weights) = Leverage::lengths(coordinates, shape);
        Leverage::of_functions(vec![0.0; constants], vec![0.0; weights], coordinates, shape)
    }

    /// From the linear functions, as many as [`Leverage::lengths`] says.
    pub(crate) fn of_functions(constants: Vec<f64>, weights: Vec<f64>, coordinates: &Coordinates, shape: Shape) -> Self {
        let solve = LinearScores::new(&constants, &weights, &coordinates.summed_centre());
        Leverage { solve, constants, weights, size: shape.outputs * shape.width, outputs: shape.outputs }
    }

    /// The linear functions: constants and weights.
    pub(crate) fn functions(&self) -> (&[f64], &[f64]) {
        (&self.constants, &self.weights)
    }

    /// How many constants and weights there are.
    pub(crate) fn lengths(coordinates: &Coordinates, shape: Shape) -> (usize, usize) {
        let functions = shape.outputs * shape.outputs * shape.width;
        (functions, functions * coordinates.summed())
    }

    /// q_kl of every row of a block: M × M numbers per row.
    pub(crate) fn forms(&self, block: &Block<'_>, panel: &mut Panel, out: &mut Vec<f64>) {
        let (rows, outputs, size) = (block.weights.len(), self.outputs, self.size);
        let mut u = vec![0.0; rows * outputs * size];
        self.solve.score(block.x, panel, &mut u);
        out.clear();
        if size == 0 {
            out.resize(rows * outputs * outputs, 0.0);
        }
        for row in u.chunks_exact((outputs * size).max(1)) {
            for k in 0..outputs {
                for l in 0..outputs {
                    out.push(crate::num::optimise::dot(&row[k * size..(k + 1) * size], &row[l * size..(l + 1) * size]));
                }
            }
        }
    }
}

/// Sums of the slope.
#[derive(Debug, Clone)]
pub(crate) struct JeffreysSums {
    totals: Vec<f64>,
    cross: Vec<f64>,
}

impl Encode for JeffreysSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.numbers("totals", &mut self.totals)?;
        codec.numbers("cross", &mut self.cross)
    }
}

impl JeffreysSums {
    /// Nothing seen.
    pub(crate) fn new(eval_point: &EvalPoint, coordinates: &Coordinates) -> Self {
        JeffreysSums { totals: vec![0.0; eval_point.shape.outputs], cross: vec![0.0; eval_point.shape.outputs * coordinates.summed()] }
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, eval_point: &EvalPoint, leverage: &Leverage, coordinates: &Coordinates, block: &Block<'_>) -> Result<()> {
        let outputs = eval_point.shape.outputs;
        let (mut panel, mut scores, mut forms) = (Panel::new(), Vec::new(), Vec::new());
        eval_point.scores(block, &mut panel, &mut scores)?;
        leverage.forms(block, &mut panel, &mut forms);
        let mut probabilities: Vec<f64> =
            scores.chunks_exact(outputs).flat_map(|row| std::iter::once(0.0).chain(row.iter().copied())).collect();
        softmax(&mut probabilities, outputs + 1, None);
        let mut factors = vec![0.0; scores.len()];
        for (i, &weight) in block.weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            let p = &probabilities[i * (outputs + 1) + 1..(i + 1) * (outputs + 1)];
            let q = &forms[i * outputs * outputs..(i + 1) * outputs * outputs];
            for m in 0..outputs {
                factors[i * outputs + m] = 0.5 * weight * slope(p, q, m);
            }
        }
        CrossSums::new(&coordinates.summed_centre()).add(block.x, &factors, &mut self.cross, &mut self.totals);
        Ok(())
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        crate::stats::add(&mut self.totals, &other.totals);
        crate::stats::add(&mut self.cross, &other.cross);
    }

    /// The slope of ½ ln |I| in the solver's coordinates.
    pub(crate) fn gradient(&self, coordinates: &Coordinates) -> Vec<f64> {
        let summed = coordinates.summed();
        let mut gradient = Vec::new();
        for (m, total) in self.totals.iter().enumerate() {
            gradient.extend(coordinates.intercept.then_some(*total));
            gradient.extend(coordinates.project(&self.cross[m * summed..(m + 1) * summed]));
        }
        gradient
    }
}

/// Σ_kl q_kl ∂V_kl/∂η_m.
fn slope(p: &[f64], q: &[f64], m: usize) -> f64 {
    let outputs = p.len();
    // ∂p_k/∂η_m
    let change = |k: usize| p[k] * (f64::from(u8::from(k == m)) - p[m]);
    let mut total = 0.0;
    for k in 0..outputs {
        total += q[k * outputs + k] * change(k);
        for l in 0..outputs {
            total -= q[k * outputs + l] * (change(k) * p[l] + p[k] * change(l));
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_output_gives_the_known_slope() {
        let (p, h) = (0.3, 1.7);
        let want = h * p * (1.0 - p) * (1.0 - 2.0 * p);
        assert!((slope(&[p], &[h], 0) - want).abs() < 1e-15);
    }

    #[test]
    fn several_outputs_agree_with_finite_differences() {
        let eta = [0.4, -0.9, 0.1];
        let q = [2.0, 0.3, -0.2, 0.3, 1.5, 0.4, -0.2, 0.4, 0.9];
        let shares = |eta: [f64; 3]| {
            let total = 1.0 + eta.iter().map(|e| e.exp()).sum::<f64>();
            eta.map(|e| e.exp() / total)
        };
        let form = |eta: [f64; 3]| {
            let p = shares(eta);
            (0..9).map(|at| q[at] * (f64::from(u8::from(at / 3 == at % 3)) * p[at / 3] - p[at / 3] * p[at % 3])).sum::<f64>()
        };
        for m in 0..3 {
            let (mut up, mut down) = (eta, eta);
            up[m] += 1e-5;
            down[m] -= 1e-5;
            assert!((slope(&shares(eta), &q, m) - (form(up) - form(down)) / 2e-5).abs() < 1e-9);
        }
    }
}
