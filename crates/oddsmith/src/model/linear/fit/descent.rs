//! The two oldest ways downhill, for those who teach or study them: gradient descent, and one example after the other.
//!
//! Gradient descent: θ ← θ − η ∇, ∇ the gradient of the mean loss, until ‖Δθ‖ ≤ ε. Stochastic: for every row in turn θ ← θ − η_t ∇_i, with
//! η_t = η/(1 + t/τ) over the rows t seen so far; an epoch is a pass, lanes walk on their own and are averaged by the weight
//! they saw, so that threads change nothing. Both work in the solver's centred and scaled columns.

use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::Shape;
use crate::model::loss::{Link, Work};

/// How the optimum is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub enum Solver {
    /// Newton steps with corrections: few passes, and the tolerance is kept.
    #[default]
    Newton,
    /// Full-batch gradient descent.
    Gradient {
        /// Rate η of the mean loss.
        rate: f64,
        /// Length ε of a step at which to stop.
        stop: f64,
    },
    /// One example after the other.
    #[serde(alias = "Stochastic")]
    Sgd {
        /// First rate η.
        rate: f64,
        /// Rows τ after which the rate has halved.
        half_after: f64,
        /// Length ε of an epoch's change at which to stop.
        stop: f64,
    },
}

/// A walk along the rows.
#[derive(Debug, Clone)]
pub(crate) struct SgdEpoch {
    pub(crate) theta: Vec<f64>,
    pub(crate) weight: f64,
    seen: f64,
    shape: Shape,
    rate: f64,
    half_after: f64,
    coordinates: Arc<Coordinates>,
}

impl Encode for SgdEpoch {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.numbers("theta", &mut self.theta)?;
        codec.number("weight", &mut self.weight)
    }
}

impl SgdEpoch {
    /// A walk from `theta` after `seen` rows of earlier epochs.
    pub(crate) fn new(theta: Vec<f64>, seen: f64, (rate, half_after): (f64, f64), shape: Shape, coordinates: &Arc<Coordinates>) -> Self {
        SgdEpoch { theta, weight: 0.0, seen, shape, rate, half_after, coordinates: Arc::clone(coordinates) }
    }

    /// Where the walk starts: the point, and the rows of earlier epochs.
    pub(crate) fn start(&self) -> (&[f64], f64) {
        (&self.theta, self.seen)
    }

    /// Walks along a block.
    pub(crate) fn add(&mut self, block: &Block<'_>) -> Result<()> {
        let Shape { outputs, width, .. } = self.shape;
        let (shift, centre) = (usize::from(self.coordinates.intercept), self.coordinates.summed_centre());
        let (mut slopes, mut work) = (vec![0.0; outputs], Work::default());
        for i in 0..block.weights.len() {
            let weight = block.weights[i];
            if weight == 0.0 {
                continue;
            }
            let z: Vec<f64> = (0..centre.len()).map(|j| block.x.get(i, j) - centre[j]).collect();
            let z = self.coordinates.project(&z);
            for (m, slope) in slopes.iter_mut().enumerate() {
                let theta = &self.theta[m * width..(m + 1) * width];
                let constant = if shift == 1 { theta[0] } else { 0.0 } + block.offset.get(i * outputs + m).copied().unwrap_or(0.0);
                *slope = constant + crate::num::optimise::dot(&theta[shift..], &z);
            }
            let proportions = &block.proportions[i * outputs..(i + 1) * outputs];
            Link::of(outputs).apply(&mut slopes, proportions, &[weight], &mut work, false);
            let rate = self.rate / (1.0 + self.seen / self.half_after);
            for (m, slope) in slopes.iter().enumerate() {
                let theta = &mut self.theta[m * width..(m + 1) * width];
                if shift == 1 {
                    theta[0] -= rate * slope;
                }
                theta[shift..].iter_mut().zip(&z).for_each(|(theta, z)| *theta -= rate * slope * z);
            }
            self.seen += 1.0;
            self.weight += weight;
        }
        Ok(())
    }

    /// The average of two walks by the weight that they saw.
    pub(crate) fn merge(&mut self, other: &Self) {
        let total = self.weight + other.weight;
        if other.weight > 0.0 {
            let share = other.weight / total;
            self.theta.iter_mut().zip(&other.theta).for_each(|(mine, theirs)| *mine += share * (theirs - *mine));
        }
        self.weight = total;
    }
}
