//! The objective at one point: its value, its gradient and, where asked for, its second derivatives, as sums over rows.
//!
//! value     Σ w loss(η)
//! gradient  Σ slope_m z            for every output m
//! blocks    Σ curvature_ml z zᵀ    for every pair m ≤ l of outputs, z with a leading 1 for the intercept
//! Time per row: 4·M·p operations, and p² per pair with second derivatives; memory: the sums alone.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::frame::Frame;
use super::lens::Block;
use super::link::{Link, Work};
use super::sparse;
use crate::error::Result;
use crate::num::kernel::{CrossSums, Gram, LinearScores, Panel};
use crate::num::logspace::NeumaierSum;

/// How much of the second derivatives is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Curvature {
    /// Nothing.
    None,
    /// The diagonal.
    Diagonal,
    /// All of it; dense columns only.
    Full,
}

/// The shape of a parameter vector: outputs × (intercept, dense columns), then words × outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) outputs: usize,
    /// Parameters of one output without words.
    pub(crate) width: usize,
    /// Words of all sparse blocks.
    pub(crate) words: usize,
}

impl Shape {
    /// Length of a parameter vector.
    pub(crate) fn len(&self) -> usize {
        self.outputs * (self.width + self.words)
    }
}

/// A point and the kernels that look at it.
#[derive(Debug)]
pub(crate) struct Probe {
    pub(crate) theta: Vec<f64>,
    pub(crate) curvature: Curvature,
    pub(crate) shape: Shape,
    scores: LinearScores,
    word_widths: Vec<usize>,
    frame: Arc<Frame>,
}

impl Probe {
    /// Looks at `theta`.
    pub(crate) fn new(theta: Vec<f64>, curvature: Curvature, frame: &Arc<Frame>, shape: Shape, word_widths: &[usize]) -> Self {
        let shift = usize::from(frame.intercept);
        let (mut intercepts, mut weights) = (Vec::new(), Vec::new());
        for output in theta[..shape.outputs * shape.width].chunks_exact(shape.width.max(1)) {
            intercepts.push(if frame.intercept { output[0] } else { 0.0 });
            weights.extend(frame.summed_weights(&output[shift..]));
        }
        intercepts.resize(shape.outputs, 0.0);
        let scores = LinearScores::new(&intercepts, &weights, &frame.summed_centre());
        Probe { theta, curvature, shape, scores, word_widths: word_widths.to_vec(), frame: Arc::clone(frame) }
    }

    /// Writes the scores η of a block.
    pub(crate) fn scores(&self, block: &Block<'_>, panel: &mut Panel, out: &mut Vec<f64>) -> Result<()> {
        let outputs = self.shape.outputs;
        out.clear();
        out.resize(block.weights.len() * outputs, 0.0);
        self.scores.score(block.x, panel, out);
        let mut table = &self.theta[outputs * self.shape.width..];
        for (csr, width) in block.words.iter().zip(&self.word_widths) {
            let (mine, rest) = table.split_at(width * outputs);
            sparse::add_scores(csr, mine, outputs, out)?;
            table = rest;
        }
        for (scores, offset) in out.chunks_exact_mut(outputs).zip(block.offset) {
            scores.iter_mut().for_each(|score| *score += offset);
        }
        Ok(())
    }
}

/// Sums at a probe's point.
#[derive(Debug, Clone)]
pub(crate) struct Sums {
    pub(crate) value: NeumaierSum,
    /// Largest |η|.
    pub(crate) reach: f64,
    totals: Vec<f64>,
    cross: Vec<f64>,
    words: Vec<f64>,
    /// Per pair: total, one number per summed column, and the upper triangle of their square.
    pair_totals: Vec<f64>,
    pair_cross: Vec<f64>,
    pair_squares: Vec<f64>,
    word_squares: Vec<f64>,
    kernels: Kernels,
}

/// Kernels with their buffers.
#[derive(Debug)]
struct Kernels {
    cross: CrossSums,
    gram: Option<Gram>,
    panel: Panel,
    scores: Vec<f64>,
    work: Work,
}

impl Clone for Kernels {
    fn clone(&self) -> Self {
        let (cross, gram) = (self.cross.clone(), self.gram.clone());
        Kernels { cross, gram, panel: Panel::new(), scores: Vec::new(), work: Work::default() }
    }
}

impl Sums {
    /// Nothing seen.
    pub(crate) fn new(probe: &Probe) -> Self {
        let Shape { outputs, words, .. } = probe.shape;
        let (summed, centre) = (probe.frame.summed(), probe.frame.summed_centre());
        let pairs = match probe.curvature {
            Curvature::None => 0,
            Curvature::Diagonal => outputs,
            Curvature::Full => outputs * (outputs + 1) / 2,
        };
        let square = if probe.curvature == Curvature::Full { summed * summed } else { summed };
        Sums {
            value: NeumaierSum::default(),
            reach: 0.0,
            totals: vec![0.0; outputs],
            cross: vec![0.0; outputs * summed],
            words: vec![0.0; outputs * words],
            pair_totals: vec![0.0; pairs],
            pair_cross: vec![0.0; pairs * summed],
            pair_squares: vec![0.0; pairs * square],
            word_squares: vec![0.0; if probe.curvature == Curvature::Diagonal { outputs * words } else { 0 }],
            kernels: Kernels {
                cross: CrossSums::new(&centre),
                gram: (probe.curvature == Curvature::Full).then(|| Gram::pooled(1, summed)),
                panel: Panel::new(),
                scores: Vec::new(),
                work: Work::default(),
            },
        }
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, probe: &Probe, block: &Block<'_>) -> Result<()> {
        let Kernels { cross, gram, panel, scores, work } = &mut self.kernels;
        let outputs = probe.shape.outputs;
        probe.scores(block, panel, scores)?;
        let link = Link::of(outputs);
        let loss = link.apply(scores, block.shares, block.weights, work, probe.curvature != Curvature::None);
        self.value.add(loss.loss);
        self.reach = self.reach.max(loss.reach);
        cross.add(block.x, scores, &mut self.cross, &mut self.totals);
        add_words(block, &probe.word_widths, scores, outputs, &mut self.words, sparse::add_products)?;
        match (probe.curvature, gram) {
            (Curvature::Full, Some(gram)) => {
                let (rows, summed) = (block.weights.len(), probe.frame.summed());
                let centre = probe.frame.summed_centre();
                for (at, curvatures) in work.curvatures.chunks_exact(rows.max(1)).enumerate() {
                    let square = &mut self.pair_squares[at * summed * summed..(at + 1) * summed * summed];
                    gram.add(block.x, None, Some(curvatures), &centre, square);
                    let total = std::slice::from_mut(&mut self.pair_totals[at]);
                    cross.add(block.x, curvatures, &mut self.pair_cross[at * summed..(at + 1) * summed], total);
                }
            }
            (Curvature::Diagonal, _) => self.add_diagonal(probe, block)?,
            _ => {}
        }
        Ok(())
    }

    /// Diagonal second derivatives: Σ curvature_mm z_j².
    fn add_diagonal(&mut self, probe: &Probe, block: &Block<'_>) -> Result<()> {
        let (outputs, rows, centre) = (probe.shape.outputs, block.weights.len(), probe.frame.summed_centre());
        let summed = centre.len();
        let mut factors = vec![0.0; rows * outputs];
        for (pair, (m, l)) in Link::pairs(outputs).enumerate().filter(|(_, (m, l))| m == l) {
            let _ = l;
            let curvatures = &self.kernels.work.curvatures[pair * rows..(pair + 1) * rows];
            self.pair_totals[m] += curvatures.iter().sum::<f64>();
            for (i, c) in curvatures.iter().enumerate() {
                factors[i * outputs + m] = *c;
                for (j, centre) in centre.iter().enumerate() {
                    let d = block.x.get(i, j) - centre;
                    self.pair_squares[m * summed + j] += c * d * d;
                }
            }
        }
        add_words(block, &probe.word_widths, &factors, outputs, &mut self.word_squares, sparse::add_squares)
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.value.merge(&other.value);
        self.reach = self.reach.max(other.reach);
        for (mine, theirs) in [
            (&mut self.totals, &other.totals),
            (&mut self.cross, &other.cross),
            (&mut self.words, &other.words),
            (&mut self.pair_totals, &other.pair_totals),
            (&mut self.pair_cross, &other.pair_cross),
            (&mut self.pair_squares, &other.pair_squares),
            (&mut self.word_squares, &other.word_squares),
        ] {
            crate::stats::add(mine, theirs);
        }
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.cross.len() + self.words.len() + self.pair_cross.len() + self.pair_squares.len() + self.word_squares.len())
    }

    /// The gradient in the solver's coordinates.
    pub(crate) fn gradient(&self, probe: &Probe) -> Vec<f64> {
        let summed = probe.frame.summed();
        let mut gradient = Vec::with_capacity(probe.shape.len());
        for (m, total) in self.totals.iter().enumerate() {
            gradient.extend(probe.frame.intercept.then_some(*total));
            gradient.extend(probe.frame.project(&self.cross[m * summed..(m + 1) * summed]));
        }
        gradient.extend_from_slice(&self.words);
        gradient
    }

    /// All second derivatives in the solver's coordinates.
    pub(crate) fn hessian(&self, probe: &Probe) -> DMatrix<f64> {
        let Shape { outputs, width, .. } = probe.shape;
        let (summed, shift) = (probe.frame.summed(), usize::from(probe.frame.intercept));
        let mut hessian = DMatrix::zeros(outputs * width, outputs * width);
        for (at, (m, l)) in Link::pairs(outputs).enumerate() {
            let square = probe.frame.project_square(&self.pair_squares[at * summed * summed..(at + 1) * summed * summed]);
            let cross = probe.frame.project(&self.pair_cross[at * summed..(at + 1) * summed]);
            let mut set = |a: usize, b: usize, value: f64| {
                hessian[(m * width + a, l * width + b)] = value;
                hessian[(l * width + b, m * width + a)] = value;
            };
            for a in 0..square.nrows() {
                for b in 0..square.ncols() {
                    set(shift + a, shift + b, square[(a, b)]);
                }
            }
            if probe.frame.intercept {
                set(0, 0, self.pair_totals[at]);
                for (a, value) in cross.iter().enumerate() {
                    set(1 + a, 0, *value);
                    set(0, 1 + a, *value);
                }
            }
        }
        hessian
    }

    /// The diagonal of the second derivatives in the solver's coordinates.
    pub(crate) fn diagonal(&self, probe: &Probe) -> Vec<f64> {
        let summed = probe.frame.summed();
        let mut diagonal = Vec::with_capacity(probe.shape.len());
        for (m, total) in self.pair_totals.iter().enumerate() {
            diagonal.extend(probe.frame.intercept.then_some(*total));
            // Scales enter twice.
            let once = probe.frame.project(&self.pair_squares[m * summed..(m + 1) * summed]);
            let ones = probe.frame.project(&vec![1.0; summed]);
            diagonal.extend(once.iter().zip(ones).map(|(square, scale)| square * scale));
        }
        diagonal.extend_from_slice(&self.word_squares);
        diagonal
    }
}

/// Applies a sparse kernel to every sparse block and its part of a word-major table.
fn add_words(
    block: &Block<'_>,
    widths: &[usize],
    factors: &[f64],
    outputs: usize,
    table: &mut [f64],
    kernel: impl Fn(&crate::data::Csr<'_>, &[f64], usize, &mut [f64]) -> Result<()>,
) -> Result<()> {
    let mut table = table;
    for (csr, width) in block.words.iter().zip(widths) {
        let (mine, rest) = table.split_at_mut(width * outputs);
        kernel(csr, factors, outputs, mine)?;
        table = rest;
    }
    Ok(())
}
