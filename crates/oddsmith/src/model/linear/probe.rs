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

impl Probe {
    /// Σ |z| of row `i`, the intercept's 1 included.
    pub(crate) fn row_size(&self, block: &Block<'_>, i: usize) -> f64 {
        let centre = self.frame.summed_centre();
        let differences: Vec<f64> = centre.iter().enumerate().map(|(j, centre)| block.x.get(i, j) - centre).collect();
        let base = f64::from(u8::from(self.frame.intercept));
        base + self.frame.project(&differences).iter().map(|z| z.abs()).sum::<f64>()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::linear::jeffreys::{JeffreysSums, Leverage};
    use crate::num::MatrixView;

    const ROWS: usize = 40;
    const STEP: f64 = 1e-2;

    /// Three columns, shares of the classes, weights and an offset, all made from a few integers.
    struct Data {
        cells: Vec<f64>,
        shares: Vec<f64>,
        weights: Vec<f64>,
        offset: Vec<f64>,
    }

    impl Data {
        fn new(frame: &Frame, outputs: usize) -> Self {
            let wave = |i: usize, j: usize| ((i * i * (3 + 2 * j) + 7 * i + 5 * j) % 31) as f64 / 16.0 - 1.0;
            let raw: Vec<f64> = (0..ROWS).flat_map(|i| (0..3).map(move |j| wave(i, j) + j as f64)).collect();
            let mut cells = raw.clone();
            if !frame.in_place() {
                frame.transform(&raw, &mut cells);
            }
            let share = |i: usize, m: usize| match i % 3 {
                0 => f64::from(u8::from(i % (outputs + 1) == m + 1)),
                _ => (1 + (i + m) % 4) as f64 / (6 * outputs) as f64,
            };
            Data {
                cells,
                shares: (0..ROWS).flat_map(|i| (0..outputs).map(move |m| share(i, m))).collect(),
                weights: (0..ROWS).map(|i| [1.0, 0.0, 2.5, 7.0][i % 4]).collect(),
                offset: (0..ROWS).map(|i| wave(i, 9)).collect(),
            }
        }

        fn block(&self, frame: &Frame) -> Block<'_> {
            let x = MatrixView::row_major(&self.cells, ROWS, frame.summed()).unwrap();
            Block { x, shares: &self.shares, weights: &self.weights, offset: &self.offset, words: &[], first: 0 }
        }
    }

    fn frames() -> Vec<Frame> {
        let centred = Frame { centre: vec![0.1, 1.2, 1.9], scale: vec![2.0, 0.5, 1.0], ..Frame::plain(3, true) };
        let turn = DMatrix::from_row_slice(2, 2, &[1.0, -0.5, 0.0, 4.0]);
        let turned = Frame { kept: vec![0, 2], turn: Some(turn), ..centred.clone() };
        vec![Frame::plain(3, false), Frame { kept: vec![1, 2], ..centred.clone() }, centred, turned]
    }

    /// The derivative of `f` at 0 by central differences of the sixth order.
    fn slope(f: impl Fn(f64) -> f64) -> f64 {
        let pair = |k: f64| f(k * STEP) - f(-k * STEP);
        (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * STEP)
    }

    fn look(theta: Vec<f64>, curvature: Curvature, frame: &Arc<Frame>, shape: Shape, data: &Data) -> (Probe, Sums) {
        let probe = Probe::new(theta, curvature, frame, shape, &[]);
        let mut sums = Sums::new(&probe);
        sums.add(&probe, &data.block(frame)).unwrap();
        (probe, sums)
    }

    /// Every frame with one, two and four outputs, at a point that is nothing special.
    fn for_cases(check: impl Fn(&Arc<Frame>, Shape, &Data, &[f64])) {
        for frame in frames().into_iter().map(Arc::new) {
            for outputs in [1, 2, 4] {
                let shape = Shape { outputs, width: frame.width(), words: 0 };
                let theta: Vec<f64> = (0..shape.len()).map(|at| 0.3 - 0.17 * (at % 5) as f64).collect();
                check(&frame, shape, &Data::new(&frame, outputs), &theta);
            }
        }
    }

    fn moved(theta: &[f64], at: usize, step: f64) -> Vec<f64> {
        let mut theta = theta.to_vec();
        theta[at] += step;
        theta
    }

    fn same(got: f64, want: f64, size: f64) {
        assert!((got - want).abs() <= 1e-9 * size, "{got} is not {want}");
    }

    #[test]
    fn gradients_are_slopes_of_the_value() {
        for_cases(|frame, shape, data, theta| {
            let (probe, sums) = look(theta.to_vec(), Curvature::None, frame, shape, data);
            for (at, got) in sums.gradient(&probe).iter().enumerate() {
                let want = slope(|t| look(moved(theta, at, t), Curvature::None, frame, shape, data).1.value.value());
                same(*got, want, sums.value.value());
            }
        });
    }

    #[test]
    fn second_derivatives_are_slopes_of_the_gradient() {
        for_cases(|frame, shape, data, theta| {
            let (probe, sums) = look(theta.to_vec(), Curvature::Full, frame, shape, data);
            let hessian = sums.hessian(&probe);
            let (probe, sums) = look(theta.to_vec(), Curvature::Diagonal, frame, shape, data);
            let diagonal = sums.diagonal(&probe);
            for at in 0..shape.len() {
                let gradient = |t: f64| {
                    let (probe, sums) = look(moved(theta, at, t), Curvature::None, frame, shape, data);
                    sums.gradient(&probe)
                };
                for other in 0..shape.len() {
                    same(hessian[(other, at)], slope(|t| gradient(t)[other]), hessian[(at, at)]);
                }
                same(diagonal[at], hessian[(at, at)], hessian[(at, at)]);
            }
        });
    }

    #[test]
    fn the_slope_of_the_jeffreys_penalty_is_that_of_its_value() {
        for_cases(|frame, shape, data, theta| {
            let factor = |theta: Vec<f64>| {
                let (probe, sums) = look(theta, Curvature::Full, frame, shape, data);
                nalgebra::Cholesky::new(sums.hessian(&probe)).unwrap()
            };
            let probe = Probe::new(theta.to_vec(), Curvature::None, frame, shape, &[]);
            let leverage = Leverage::new(&factor(theta.to_vec()), frame, shape);
            let mut sums = JeffreysSums::new(&probe, frame);
            sums.add(&probe, &leverage, frame, &data.block(frame)).unwrap();
            for (at, got) in sums.gradient(frame).iter().enumerate() {
                let half_log = |t: f64| factor(moved(theta, at, t)).l().diagonal().iter().map(|d| d.ln()).sum::<f64>();
                same(*got, slope(half_log), 1.0);
            }
        });
    }
}
