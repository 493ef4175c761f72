//! The loss of a network and its slopes, summed over rows: −Σ w log p(class), by back-propagation.
//!
//! With δ = w (p − y) at the outputs, every layer adds Σ δ hᵀ to the slopes of its weights and Σ δ to those of its constants, and hands
//! Wᵀδ · f′ down. Time: three products of the size of the weights per row. Memory: one number per parameter, and a block of rows.

use std::sync::Arc;

use super::shape::{Forward, Shape};
use crate::codec::{Codec, Encode};
use crate::data::SKIP;
use crate::error::Result;
use crate::model::on_design::DesignBatch;
use crate::num::MatrixView;
use crate::num::kernel::{CrossSums, Panel, softmax};
use crate::num::optimise::Lbfgs;
use crate::stats::add;

/// Who wants to know loss and slopes.
#[derive(Debug, Clone)]
pub(super) enum Asked {
    /// The search over all rows.
    Search(Arc<Lbfgs>),
    /// Nobody any more: so many epochs of steps by parts end here.
    End(u64),
    /// Someone elsewhere, or steps by parts.
    Elsewhere,
}

/// Loss and slopes at a point.
#[derive(Debug, Clone)]
pub struct GradientSums {
    pub(super) shape: Arc<Shape>,
    pub(super) theta: Arc<Vec<f64>>,
    forward: Arc<Forward>,
    pub(super) asked: Asked,
    pub(super) loss: f64,
    pub(super) gradient: Vec<f64>,
    work: Work,
}

/// Buffers of a block; a copy starts with empty ones.
#[derive(Debug, Default)]
struct Work {
    outputs: Vec<Vec<f64>>,
    slopes: Vec<f64>,
    before: Vec<f64>,
    normalisers: Vec<f64>,
    cross: Vec<CrossSums>,
    panel: Panel,
}

impl Clone for Work {
    fn clone(&self) -> Self {
        Work::default()
    }
}

impl GradientSums {
    pub(super) fn new(shape: &Arc<Shape>, theta: Vec<f64>, asked: Asked) -> Self {
        let forward = Arc::new(Forward::new(shape, &theta));
        let gradient = vec![0.0; theta.len()];
        GradientSums { shape: Arc::clone(shape), theta: Arc::new(theta), forward, asked, loss: 0.0, gradient, work: Work::default() }
    }

    /// Nothing seen, at another point.
    pub(super) fn restart(&mut self, theta: Vec<f64>) {
        self.forward = Arc::new(Forward::new(&self.shape, &theta));
        self.theta = Arc::new(theta);
        self.loss = 0.0;
        self.gradient.fill(0.0);
    }

    /// Loss and slopes with the penalty ½ λ Σ w².
    pub(super) fn penalised(&self, decay: f64) -> (f64, Vec<f64>) {
        let (mut loss, mut slopes) = (self.loss, self.gradient.clone());
        for (at, (slope, theta)) in slopes.iter_mut().zip(&**self.theta).enumerate().filter(|(at, _)| self.shape.is_weight(*at)) {
            debug_assert!(at < self.theta.len());
            loss += 0.5 * decay * theta * theta;
            *slope += decay * theta;
        }
        (loss, slopes)
    }

    pub(super) fn observe(&mut self, batch: &DesignBatch<'_>) -> Result<()> {
        let (rows, classes) = (batch.matrix()?, self.shape.sizes[self.shape.layers()]);
        let Work { outputs, slopes, before, normalisers, cross, panel } = &mut self.work;
        self.forward.run(rows, outputs, panel)?;
        slopes.clear();
        slopes.extend_from_slice(outputs.last().map_or(&[][..], |outputs| outputs));
        let scores = slopes.clone();
        normalisers.clear();
        normalisers.resize(batch.rows(), 0.0);
        softmax(slopes, classes, Some(normalisers));
        for (i, slopes) in slopes.chunks_exact_mut(classes).enumerate() {
            let (label, weight) = (batch.labels[i], batch.weight(i));
            if label == SKIP {
                slopes.fill(0.0);
                continue;
            }
            let label = label as usize;
            self.loss += weight * (normalisers[i] - scores[i * classes + label]);
            // 1 − p loses the digits that the sum of the other probabilities keeps.
            let others: f64 = slopes.iter().enumerate().filter(|(k, _)| *k != label).map(|(_, p)| p).sum();
            slopes[label] = -others;
            slopes.iter_mut().for_each(|slope| *slope *= weight);
        }
        if cross.is_empty() {
            let centre = |layer: usize| if layer == 0 { self.shape.centre.clone() } else { vec![0.0; self.shape.sizes[layer]] };
            cross.extend((0..self.shape.layers()).map(|layer| CrossSums::new(&centre(layer))));
        }
        for layer in (0..self.shape.layers()).rev() {
            let (start, end) = (self.shape.start(layer), self.shape.start(layer + 1));
            let (weights, constants) = self.gradient[start..end].split_at_mut(self.shape.sizes[layer + 1] * self.shape.sizes[layer]);
            if layer == 0 {
                cross[0].add(rows, slopes, weights, constants);
                break;
            }
            let input = MatrixView::row_major(&outputs[layer - 1], batch.rows(), self.shape.sizes[layer])?;
            cross[layer].add(input, slopes, weights, constants);
            self.forward.back(layer, slopes, &outputs[layer - 1], panel, before)?;
            std::mem::swap(slopes, before);
        }
        Ok(())
    }

    /// The same with the slopes of the first layer in the units of the columns.
    pub(super) fn in_units(&self) -> Self {
        let mut scaled = self.clone();
        scaled.bring_to_units();
        scaled
    }

    /// Brings the slopes of the first layer into the units of the columns: once, when all rows are in.
    pub(super) fn bring_to_units(&mut self) {
        let (columns, inverses) = (self.shape.sizes[0], self.shape.inverses());
        for unit in self.gradient[..columns * self.shape.sizes[1]].chunks_exact_mut(columns.max(1)) {
            unit.iter_mut().zip(&inverses).for_each(|(slope, inverse)| *slope *= inverse);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.loss += other.loss;
        add(&mut self.gradient, &other.gradient);
    }
}

impl Encode for GradientSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("loss", &mut self.loss)?;
        codec.numbers("gradient", &mut self.gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::network::Activation;

    fn sums(shape: &Arc<Shape>, theta: &[f64], cells: &[f64], labels: &[u32], weights: &[f64]) -> GradientSums {
        let mut sums = GradientSums::new(shape, theta.to_vec(), Asked::Elsewhere);
        let batch = DesignBatch { cells, width: shape.sizes[0], labels, weights: Some(weights), first_row: 0 };
        sums.observe(&batch).unwrap();
        sums.in_units()
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        for (hidden, activation) in [
            (vec![], Activation::Tanh),
            (vec![4], Activation::Tanh),
            (vec![5, 3], Activation::Tanh),
            (vec![5, 3], Activation::Relu),
            (vec![5, 3], Activation::Logistic),
            (vec![4], Activation::Identity),
        ] {
            let sizes: Vec<usize> = std::iter::once(3).chain(hidden).chain([3]).collect();
            let shape = Arc::new(Shape { sizes, activation, centre: vec![1.0, -2.0, 50.0], spread: vec![2.0, 0.5, 10.0] });
            let theta: Vec<f64> = (0..shape.parameters()).map(|i| ((i * 37 + 11) as f64 * 0.7).sin() * 0.8).collect();
            let cells: Vec<f64> =
                (0..7 * 3).map(|i| [1.0, -2.0, 50.0][i % 3] + [2.0, 0.5, 10.0][i % 3] * ((i * 13) as f64).cos()).collect();
            let (labels, weights) = ([0, 2, 1, 1, SKIP, 0, 2], [1.0, 0.5, 2.0, 1.0, 3.0, 1.5, 1.0]);
            let at = |theta: &[f64]| sums(&shape, theta, &cells, &labels, &weights).penalised(0.3).0;
            let slopes = sums(&shape, &theta, &cells, &labels, &weights).penalised(0.3).1;
            for (i, slope) in slopes.iter().enumerate() {
                let h = 1e-5;
                let moved = |by: f64| {
                    let mut moved = theta.clone();
                    moved[i] += by;
                    at(&moved)
                };
                let difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
                assert!(
                    (slope - difference).abs() < 1e-8 * (1.0 + slope.abs()),
                    "parameter {i} of {:?}: {slope} and {difference}",
                    shape.sizes
                );
            }
        }
    }
}
