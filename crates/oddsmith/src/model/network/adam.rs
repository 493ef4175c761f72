//! Steps by parts of the rows (Adam): rows in their order, mixed within windows, and a step for every [`PART`] of them.
//!
//! With g the slope of the mean loss of a part and its share of the penalty, m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g², and
//! θ ← θ − η √(1 − β₂ᵗ)/(1 − β₁ᵗ) · m/(√v + ε). The rate η falls along half a cosine from the first epoch to the last, so that the last
//! weights do not jitter with the last parts. A window of [`WINDOW`] rows is filled in the order of rows and mixed by a key of the seed, the
//! epoch and its number: neither batches nor partitions nor threads show in a step. A frequency weight shows the row as often, a sampling weight
//! counts in the mean of its part. Time: three products of the size of the weights per row and epoch. Memory: a window of rows.

use std::sync::Arc;

use super::gradient::{Asked, GradientSums};
use super::learner::NAME;
use super::shape::{Shape, mix};
use crate::codec::{Codec, Encode};
use crate::data::SKIP;
use crate::error::Result;
use crate::model::on_design::{DesignBatch, learned_in_order};
use crate::num::kernel::widest;
use crate::record::fault;

/// Rows of a step.
const PART: usize = 200;
/// Rows that are mixed.
const WINDOW: usize = 80 * PART;
/// η of the first epoch.
const RATE: f64 = 0.02;
/// β₁, β₂ and ε.
const FIRST: f64 = 0.9;
const SECOND: f64 = 0.999;
const TINY: f64 = 1e-8;

/// What stays the same from epoch to epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    /// Strength of the penalty.
    pub(super) decay: f64,
    /// Weight of all rows.
    pub(super) weight: f64,
    /// Epochs in all.
    pub(super) epochs: u64,
    /// Start of the random order of rows.
    pub(super) seed: u64,
    /// Whether a weight says how often a row was seen.
    pub(super) frequency: bool,
}

/// Rows that wait for their step.
#[derive(Debug, Clone, Default, PartialEq)]
struct Window {
    cells: Vec<f64>,
    labels: Vec<u32>,
    weights: Vec<f64>,
}

impl Window {
    fn push(&mut self, cells: impl IntoIterator<Item = f64>, label: u32, weight: f64) {
        self.cells.extend(cells);
        self.labels.push(label);
        self.weights.push(weight);
    }

    fn clear(&mut self) {
        self.cells.clear();
        self.labels.clear();
        self.weights.clear();
    }
}

/// An epoch under way.
#[derive(Debug, Clone)]
pub struct AdamSums {
    shape: Arc<Shape>,
    /// The weights so far, and the slopes of a part, whose rows are centred when they are taken from their window.
    sums: GradientSums,
    plan: Plan,
    /// m and v.
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: u64,
    /// Epochs that are over.
    pub(super) epochs: u64,
    /// Windows of this epoch that are over.
    windows: u64,
    /// Rows of this epoch.
    rows: u64,
    window: Window,
}

impl AdamSums {
    /// Before the first epoch.
    pub(super) fn new(shape: &Arc<Shape>, theta: Vec<f64>, plan: Plan) -> Self {
        let zeros = vec![0.0; theta.len()];
        AdamSums {
            shape: Arc::clone(shape),
            sums: GradientSums::new(&Arc::new(shape.of_centred_rows()), theta, Asked::Elsewhere),
            plan,
            mean: zeros.clone(),
            square: zeros,
            steps: 0,
            epochs: 0,
            windows: 0,
            rows: 0,
            window: Window::default(),
        }
    }

    pub(super) fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    pub(super) fn theta(&self) -> &[f64] {
        &self.sums.theta
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The start of the next epoch: what waits has its step.
    pub(super) fn epoch_over(&self) -> Result<Self> {
        let mut over = self.clone();
        over.learn()?;
        (over.epochs, over.windows, over.rows) = (self.epochs + 1, 0, 0);
        Ok(over)
    }

    pub(super) fn observe(&mut self, batch: &DesignBatch<'_>) -> Result<()> {
        for i in (0..batch.rows()).filter(|&i| batch.labels[i] != SKIP) {
            self.rows += 1;
            let (times, weight) = if self.plan.frequency { (batch.weight(i), 1.0) } else { (1.0, batch.weight(i)) };
            let mut left = times;
            while left > 0.0 {
                self.window.push(batch.row(i).iter().copied(), batch.labels[i], weight);
                left -= 1.0;
                if self.window.labels.len() == WINDOW {
                    self.learn()?;
                }
            }
        }
        Ok(())
    }

    /// Takes the steps of all rows that wait.
    fn learn(&mut self) -> Result<()> {
        let (mut window, shape) = (std::mem::take(&mut self.window), Arc::clone(&self.shape));
        let width = shape.sizes[0];
        let mut part = Window::default();
        for rows in mixed(window.labels.len(), [self.plan.seed, self.epochs, self.windows]).chunks(PART) {
            part.clear();
            for &i in rows {
                let centred = window.cells[i * width..(i + 1) * width].iter().zip(&shape.centre).map(|(x, centre)| x - centre);
                part.push(centred, window.labels[i], window.weights[i]);
            }
            let batch = DesignBatch { cells: &part.cells, width, labels: &part.labels, weights: Some(&part.weights), first_row: 0 };
            self.sums.observe(&batch)?;
            self.step(part.weights.iter().sum());
        }
        window.clear();
        self.window = window;
        self.windows += 1;
        Ok(())
    }

    /// One step along the slopes of a part of this weight.
    fn step(&mut self, weight: f64) {
        self.sums.bring_to_units();
        self.steps += 1;
        let begun = self.epochs as f64 / self.plan.epochs.max(1) as f64;
        let rate = RATE * 0.5 * (1.0 + (std::f64::consts::PI * begun).cos());
        let count = self.steps as f64;
        let rate = rate * (1.0 - SECOND.powf(count)).sqrt() / (1.0 - FIRST.powf(count));
        let (shape, inverse) = (Arc::clone(&self.sums.shape), weight.recip());
        let mut theta = self.sums.theta.to_vec();
        for layer in 0..shape.layers() {
            let (start, end) = (shape.start(layer), shape.start(layer + 1));
            let constants = start + shape.sizes[layer + 1] * shape.sizes[layer];
            for (range, shrink) in [(start..constants, self.plan.decay / self.plan.weight), (constants..end, 0.0)] {
                let moments = self.mean[range.clone()].iter_mut().zip(&mut self.square[range.clone()]);
                let places = theta[range.clone()].iter_mut().zip(&self.sums.gradient[range]);
                widest(
                    #[inline(always)]
                    || {
                        for ((m, v), (theta, slope)) in moments.zip(places) {
                            let slope = slope * inverse + shrink * *theta;
                            *m = FIRST * *m + (1.0 - FIRST) * slope;
                            *v = SECOND * *v + (1.0 - SECOND) * slope * slope;
                            *theta -= rate * *m / (v.sqrt() + TINY);
                        }
                    },
                );
            }
        }
        self.sums.restart(theta);
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        let rows = (self.rows, other.rows);
        learned_in_order(NAME, self, other, rows)
    }

    pub(super) fn bytes(&self) -> usize {
        8 * (4 * self.mean.len() + WINDOW * (self.shape().sizes[0] + 2))
    }
}

/// Places from 0 up in an order that depends on a key alone.
fn mixed(count: usize, key: [u64; 3]) -> Vec<usize> {
    let mut state = key.iter().fold(0x1319_8A2E_0370_7344, |state, part| mix(state ^ *part));
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        state = mix(state);
        order.swap(last, (state % (last as u64 + 1)) as usize);
    }
    order
}

impl Encode for AdamSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("rows", &mut self.rows)?;
        codec.count("steps", &mut self.steps)?;
        codec.count("epochs", &mut self.epochs)?;
        codec.count("windows", &mut self.windows)?;
        let mut theta = self.sums.theta.to_vec();
        codec.finite("theta", &mut theta)?;
        codec.finite("mean", &mut self.mean)?;
        codec.weights("square", &mut self.square)?;
        let (width, classes) = (self.shape().sizes[0], self.shape().sizes[self.shape().layers()]);
        codec.labels("labels", &mut self.window.labels, classes)?;
        codec.list("cells", width, &mut self.window.cells)?;
        codec.list("weights", 1, &mut self.window.weights)?;
        if !codec.is_reading() {
            return Ok(());
        }
        self.sums.restart(theta);
        let (count, Window { cells, labels, weights }) = (self.window.labels.len(), &self.window);
        let sized = count < WINDOW && weights.len() == count && Some(cells.len()) == count.checked_mul(width) && !labels.contains(&SKIP);
        match sized && weights.iter().all(|w| *w > 0.0 && w.is_finite()) && cells.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(fault("the rows that wait for a step do not have the cells that their layout asks for")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::network::Activation;

    fn start() -> AdamSums {
        let shape = Arc::new(Shape { sizes: vec![1, 2], activation: Activation::Tanh, centre: vec![3.0], spread: vec![2.0] });
        let plan = Plan { decay: 0.5, weight: 4.0, epochs: 1, seed: 1, frequency: false };
        AdamSums::new(&shape, vec![0.1, -0.1, 0.0, 0.0], plan)
    }

    #[test]
    fn the_first_step_is_as_long_as_the_rate_and_goes_downhill() {
        // m/(√v + ε) of one step is the sign of the slope, whatever its size, but for ε.
        let (cells, labels) = ([1.0, 2.0, 4.0, 5.0], [0, 0, 1, 1]);
        let mut sums = start();
        sums.observe(&DesignBatch { cells: &cells, width: 1, labels: &labels, weights: None, first_row: 0 }).unwrap();
        let after = sums.epoch_over().unwrap();
        // The second class has the larger values: its weight rises and that of the first falls; constants have no slope by symmetry.
        let moved: Vec<f64> = after.theta().iter().zip(start().theta()).map(|(new, old)| new - old).collect();
        assert!((moved[0] / RATE + 1.0).abs() < 2e-6 && (moved[1] / RATE - 1.0).abs() < 2e-6, "{moved:?}");
        assert_eq!((after.steps, after.epochs, after.rows), (1, 1, 0));
    }

    #[test]
    fn batches_do_not_show() {
        let cells: Vec<f64> = (0..3 * PART + 17).map(|i| (i as f64 * 0.37).sin() * 4.0).collect();
        let labels: Vec<u32> = cells.iter().map(|x| u32::from(*x > 0.5)).collect();
        let cut = |sizes: &[usize]| {
            let (mut sums, mut at) = (start(), 0);
            for size in sizes.iter().cycle() {
                let end = (at + size).min(cells.len());
                let batch = DesignBatch { cells: &cells[at..end], width: 1, labels: &labels[at..end], weights: None, first_row: at as u64 };
                sums.observe(&batch).unwrap();
                at = end;
                if at == cells.len() {
                    return sums.epoch_over().unwrap().theta().to_vec();
                }
            }
            Vec::new()
        };
        assert_eq!(cut(&[cells.len()]), cut(&[1, 7, 100]));
    }

    #[test]
    fn mixing_gives_every_place_once() {
        let mut order = mixed(1000, [1, 2, 3]);
        assert_ne!(order, mixed(1000, [1, 2, 4]));
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
    }
}
