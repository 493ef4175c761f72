//! Newton steps under an absolute penalty of more than two classes: the penalty is on the outputs of all classes (see
//! `symmetric.rs`), and steps are made there.

use nalgebra::DMatrix;

use crate::model::linear::fit::symmetric::{Strengths, Symmetric};
use crate::num::optimise::newton_step;

/// The step over all outputs, whose penalty is absolute and quadratic, as a step of the log odds against the first class.
pub(crate) fn symmetric_step(
    hessian: &DMatrix<f64>,
    gradient: &[f64],
    theta: &[f64],
    strengths: Strengths<'_>,
    outputs: Symmetric,
) -> Vec<f64> {
    let from = outputs.centred(theta, strengths);
    let (slots, count) = (outputs.slots(), outputs.len());
    // w ↦ b is linear, b_m = w_m − w_0, so second derivatives over w are sums of those over b.
    let mut lifted = DMatrix::zeros(count, count);
    for (r, row) in hessian.row_iter().enumerate() {
        let first = outputs.slot(slots + r);
        for (c, h) in row.iter().enumerate() {
            let other = outputs.slot(slots + c);
            lifted[(slots + r, slots + c)] += h;
            lifted[(first, slots + c)] -= h;
            lifted[(slots + r, other)] -= h;
            lifted[(first, other)] += h;
        }
    }
    let mut slopes = outputs.lift_gradient(gradient);
    let mut bounds = Vec::with_capacity(count);
    for place in 0..count {
        let slot = outputs.slot(place);
        let (l, ridge) = (strengths.absolute[slot], strengths.ridge[slot]);
        lifted[(place, place)] += ridge;
        slopes[place] += ridge * from[place];
        // Unpenalised coordinates of the first class stay at zero: nothing tells outputs from their differences.
        bounds.push(if place < slots && l == 0.0 && ridge == 0.0 { f64::INFINITY } else { l });
    }
    outputs.lower(&newton_step(&lifted, &slopes, &from, &bounds))
}
