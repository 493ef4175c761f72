//! A direction along which classes are separated, and the rows that it leaves undecided.
//!
//! Along the direction d every row that it moves ends at its own class, with a loss of zero; the others do not feel it. So the supremum of
//! the likelihood is the maximum of the likelihood of the undecided rows, in which one parameter, the pivot, can be held at zero: points
//! that differ by a multiple of d are the same to them. A parameter aᵀθ with aᵀd = 0 is finite and estimated there; any other is infinite.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint, RowSizes};
use crate::model::linear::fit::stage::{Facts, Separation};
use crate::model::linear::infer::search::Aim;
use crate::model::linear::infer::separation::TOLERANCE;
use crate::num::kernel::Panel;

/// A component of a direction, as a share of the largest, that is rounding.
const SNAPPED: f64 = 1e-8;
/// What aᵀd may be of the sizes of its addends where it is zero.
const AT_RIGHT_ANGLES: f64 = 1e-10;

/// The direction, and the fit that it separates.
#[derive(Debug)]
pub(crate) struct Face {
    direction: EvalPoint,
    /// The coordinates and the facts of the whole fit.
    pub(crate) coordinates: Arc<Coordinates>,
    pub(crate) facts: Arc<Facts>,
    pub(crate) separation: Separation,
    /// The parameter that is held at zero.
    pivot: usize,
}

impl Face {
    /// `None` for a direction that moves no column.
    pub(crate) fn new(theta: &[f64], coordinates: &Arc<Coordinates>, facts: &Arc<Facts>, separation: Separation) -> Option<Face> {
        let shift = usize::from(coordinates.intercept);
        let largest = theta.iter().fold(0.0f64, |a, t| a.max(t.abs()));
        let snapped: Vec<f64> = theta.iter().map(|t| t / largest).map(|t| if t.abs() <= SNAPPED { 0.0 } else { t }).collect();
        let pivot = (shift..snapped.len()).max_by(|a, b| snapped[*a].abs().total_cmp(&snapped[*b].abs()))?;
        if !(largest > 0.0 && largest.is_finite()) || snapped[pivot] == 0.0 {
            return None;
        }
        let direction = EvalPoint::new(snapped, Curvature::None, coordinates, facts.shape, &[]);
        Some(Face { direction, coordinates: Arc::clone(coordinates), facts: Arc::clone(facts), separation, pivot })
    }

    /// The direction in the coordinates of the whole fit.
    pub(crate) fn theta(&self) -> &[f64] {
        &self.direction.theta
    }

    /// The coordinates of the undecided rows: all parameters but the pivot.
    pub(crate) fn reduced(&self) -> Coordinates {
        let mut kept = self.coordinates.kept.clone();
        kept.remove(self.pivot - usize::from(self.coordinates.intercept));
        Coordinates { kept, ..(*self.coordinates).clone() }
    }

    /// Writes the weights of a block, zero for the rows that the direction decides.
    pub(crate) fn undecided(&self, block: &Block<'_>, out: &mut Vec<f64>) -> Result<()> {
        let bare = Block { offset: &[], ..*block };
        let mut scores = Vec::new();
        self.direction.scores(&bare, &mut Panel::new(), &mut scores)?;
        let sizes = RowSizes::new(&self.direction, block.marks.is_any());
        out.clear();
        // The largest component of the direction is 1.
        out.extend(block.weights.iter().enumerate().map(|(i, weight)| match scores[i].abs() > TOLERANCE * sizes.of(block, i) {
            true => 0.0,
            false => *weight,
        }));
        Ok(())
    }

    /// A point of the undecided rows as one of the whole fit.
    pub(crate) fn lift(&self, theta: &DVector<f64>) -> DVector<f64> {
        theta.clone().insert_row(self.pivot, 0.0)
    }

    /// What a parameter aᵀθ gains along the direction; exactly zero for one that stays where it is.
    pub(crate) fn rise_of(&self, of: &DVector<f64>) -> f64 {
        let addends = || of.iter().zip(self.theta()).map(|(a, d)| a * d);
        let (rise, size) = (addends().sum::<f64>(), addends().map(f64::abs).sum::<f64>());
        if rise.abs() <= AT_RIGHT_ANGLES * size { 0.0 } else { rise }
    }

    /// An aim that leaves the direction free, among the parameters of the undecided rows; `None` for any other.
    pub(crate) fn within(&self, aim: &Aim) -> Option<Aim> {
        match aim {
            Aim::Constrained { rows, values } => {
                let free = rows.row_iter().all(|row| self.rise_of(&row.transpose()) == 0.0);
                free.then(|| Aim::Constrained { rows: rows.clone().remove_column(self.pivot), values: values.clone() })
            }
            Aim::Limit { of, sign, level } => {
                (self.rise_of(of) == 0.0).then(|| Aim::Limit { of: of.clone().remove_row(self.pivot), sign: *sign, level: *level })
            }
        }
    }

    /// A matrix over the parameters of the undecided rows, with zeros for the pivot.
    pub(crate) fn lift_matrix(&self, matrix: DMatrix<f64>) -> DMatrix<f64> {
        matrix.insert_row(self.pivot, 0.0).insert_column(self.pivot, 0.0)
    }
}
