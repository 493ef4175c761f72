//! How sharply the likelihood of a kernel logistic fit bends at its end, and what that says of the errors of its log odds.
//!
//! With z = (1, φ(x)) and probabilities p of the outputs, H_ml = Σ w (p_m [m = l] − p_m p_l) z zᵀ over all rows. The penalty ½ λ |b|² is a normal
//! prior of the weights of φ(x) with variance 1/λ and none of the constants, so (H + Λ)⁻¹ is the covariance of their posterior at its mode (Laplace).
//! With more classes Λ_ml = λ ([m = l] − 1/K), the penalty that treats all classes alike. Time O(n (outputs · m)²), one pass; memory O((outputs · m)²).

use std::sync::Arc;

use nalgebra::DMatrix;

use super::learner::FeatureMap;
use super::model::Fitted;
use crate::codec::{Codec, Encode};
use crate::data::SKIP;
use crate::error::Result;
use crate::model::on_design::DesignBatch;
use crate::num::{cholesky, log_sum_exp};
use crate::stats::add;

/// Parameters of all outputs above which errors are not computed: their covariances would be larger than most models.
pub(super) const MOST_PARAMETERS: usize = 1024;

/// H, its lower triangle row after row.
#[derive(Debug, Clone)]
pub struct CurvatureSums {
    pub(super) map: Arc<FeatureMap>,
    pub(super) fitted: Arc<Fitted>,
    sums: Vec<f64>,
}

impl CurvatureSums {
    /// Nothing seen; `None` where there are too many parameters.
    pub(super) fn new(map: &Arc<FeatureMap>, fitted: Fitted) -> Option<Self> {
        let size = fitted.outputs.len() * (1 + map.landmarks.len());
        let sums = vec![0.0; size * (size + 1) / 2];
        (size <= MOST_PARAMETERS).then(|| CurvatureSums { map: Arc::clone(map), fitted: Arc::new(fitted), sums })
    }

    pub(super) fn observe(&mut self, batch: &DesignBatch<'_>) {
        let landmarks = &self.map.landmarks;
        let (outputs, width) = (self.fitted.outputs.len(), 1 + landmarks.len());
        let (mut features, mut z) = (Vec::new(), vec![1.0; width]);
        let (mut eta, mut scaled) = (vec![0.0; outputs], vec![0.0; outputs * width]);
        let counted = || (0..batch.rows()).filter(|&i| batch.labels[i] != SKIP);
        landmarks.features_of(counted().map(|i| batch.row(i)), &mut features);
        for (at, i) in counted().enumerate() {
            let own = &features[at * (width - 1)..(at + 1) * (width - 1)];
            z[1..].copy_from_slice(own);
            for (eta, (constant, weights)) in eta.iter_mut().zip(&self.fitted.outputs) {
                *eta = constant + weights.iter().zip(own).map(|(b, phi)| b * phi).sum::<f64>();
            }
            let all = log_sum_exp(std::iter::once(0.0).chain(eta.iter().copied()));
            let p: Vec<f64> = eta.iter().map(|eta| (eta - all).exp()).collect();
            let mut start = 0;
            for (row, scale) in (0..outputs * width).map(|row| (row, batch.weight(i) * z[row % width])) {
                let m = row / width;
                // Columns of the outputs up to this row's own, and of this one up to the diagonal.
                for (l, own) in scaled.chunks_exact_mut(width).take(m + 1).enumerate() {
                    let factor = scale * (if m == l { p[m] * (1.0 - p[m]) } else { -p[m] * p[l] });
                    own.iter_mut().zip(&z).for_each(|(own, z)| *own = factor * z);
                }
                add(&mut self.sums[start..=start + row], &scaled[..=row]);
                start += row + 1;
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        add(&mut self.sums, &other.sums);
    }

    pub(super) fn bytes(&self) -> usize {
        8 * self.sums.len()
    }

    /// (H + Λ)⁻¹, row after row; `None` where it has none to working precision.
    pub(super) fn covariance(&self, ridge: f64) -> Option<Vec<f64>> {
        let (outputs, width) = (self.fitted.outputs.len(), 1 + self.map.landmarks.len());
        let size = outputs * width;
        let shared = if outputs == 1 { 0.0 } else { ((outputs + 1) as f64).recip() };
        let bend = DMatrix::from_fn(size, size, |i, j| {
            let (row, column) = (i.max(j), i.min(j));
            let held = row % width == column % width && row % width > 0;
            let penalty = if held { ridge * (f64::from(u8::from(row == column)) - shared) } else { 0.0 };
            self.sums[row * (row + 1) / 2 + column] + penalty
        });
        Some(cholesky(bend)?.inverse().as_slice().to_vec())
    }
}

impl Encode for CurvatureSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.numbers("curvature", &mut self.sums)
    }
}
