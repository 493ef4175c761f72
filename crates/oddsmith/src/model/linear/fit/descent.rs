//! The two oldest ways downhill, for those who teach or study them: gradient descent, and one example after the other.
//!
//! Gradient descent: θ ← θ − η ∇, ∇ the gradient of the mean loss, until ‖Δθ‖ ≤ ε. Stochastic: for every row in turn θ ← θ − η_t ∇_i, with
//! η_t = η/(1 + t/τ) over the rows t seen so far; an epoch is a pass, lanes walk on their own and are averaged by the weight
//! they saw, so that threads change nothing. Both work in the solver's centred and scaled columns, unless gradient descent is asked to step in
//! those of the table, as one does by hand: with β = J θ a step −η ∇_β is −η (JᵀJ)⁻¹ ∇_θ in the solver's parameters.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use crate::codec::{Codec, Encode};
use crate::error::{Error, Result};
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

/// In which units gradient descent takes its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum DescentUnits {
    /// Columns of about unit spread around their means: a rate of about 1 suits any table.
    #[default]
    Spread,
    /// Columns as they are: steps that can be followed by hand.
    Columns,
}

impl DescentUnits {
    pub(crate) fn is_spread(&self) -> bool {
        *self == DescentUnits::Spread
    }
}

/// What gradient descent does with a gradient.
#[derive(Debug, Clone)]
pub(crate) struct GradientSteps {
    /// Factor of the gradient of the sum over rows.
    pub(crate) factor: f64,
    /// Length of a step at which to stop.
    pub(crate) stop: f64,
    shape: Shape,
    /// (JᵀJ)⁻¹ of one output; nothing for steps in the solver's own units.
    to_columns: Option<DMatrix<f64>>,
    /// Whether the first class has a line of its own.
    every_class: bool,
}

impl GradientSteps {
    pub(crate) fn new(
        factor: f64,
        stop: f64,
        shape: Shape,
        units: DescentUnits,
        coordinates: &Coordinates,
        every_class: bool,
    ) -> Result<Self> {
        let to_columns = match units {
            DescentUnits::Columns if shape.width > 0 => {
                let back = coordinates.jacobian().try_inverse().ok_or_else(|| Error::internal("units that cannot be undone"))?;
                Some(&back * back.transpose())
            }
            _ => None,
        };
        Ok(GradientSteps { factor, stop, shape, to_columns, every_class })
    }

    /// The step against a gradient.
    pub(crate) fn step(&self, gradient: &[f64]) -> Vec<f64> {
        let Shape { outputs, width, words } = self.shape;
        let mut slope = gradient.to_vec();
        if let Some(metric) = &self.to_columns {
            for own in slope[..outputs * width].chunks_exact_mut(width) {
                let turned = metric * DVector::from_column_slice(own);
                own.copy_from_slice(turned.as_slice());
            }
        }
        if self.every_class {
            // The first line moves against −Σ g, so log odds against it move by g + Σ g.
            let mut coupled = |at: &dyn Fn(usize) -> usize| {
                let sum: f64 = (0..outputs).map(|m| slope[at(m)]).sum();
                (0..outputs).for_each(|m| slope[at(m)] += sum);
            };
            (0..width).for_each(|slot| coupled(&|m| m * width + slot));
            (0..words).for_each(|word| coupled(&|m| outputs * width + word * outputs + m));
        }
        slope.iter().map(|slope| -self.factor * slope).collect()
    }
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
        codec.weights("weight", std::slice::from_mut(&mut self.weight))
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
