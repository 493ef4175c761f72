//! The objective at one point: its value, its gradient and, where asked for, its second derivatives, as sums over rows.
//!
//! value     Σ w loss(η)
//! gradient  Σ slope_m z            for every output m
//! blocks    Σ curvature_ml z zᵀ    for every pair m ≤ l of outputs, z with a leading 1 for the intercept; or factors of undecided rows
//! Time per row: 4·M·p operations, and p² per pair with second derivatives, of which the columns of a wide category count
//! as one; memory: the sums alone.

use nalgebra::DMatrix;

use crate::codec::{Codec, Encode};
use crate::data::design::Place;
use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint, Shape};
use crate::model::linear::fit::sparse;
use crate::model::linear::infer::undecided::undecided_factors;
use crate::model::loss::{Link, Work};
use crate::num::kernel::{CrossSums, Gram, MarkProducts, Panel, mixed_width};
use crate::num::logspace::NeumaierSum;

/// Sums at a eval_point's point.
#[derive(Debug, Clone)]
pub(crate) struct Sums {
    pub(crate) value: NeumaierSum,
    /// Largest |η|.
    pub(crate) max_abs_eta: f64,
    totals: Vec<f64>,
    /// Per output, one number per column that has cells.
    cross: Vec<f64>,
    /// Per mark, one number per output.
    marked_cross: Vec<f64>,
    words: Vec<f64>,
    /// Per pair: total, one number per column that has cells, and the upper triangle of their square.
    pair_totals: Vec<f64>,
    pair_cross: Vec<f64>,
    pair_squares: Vec<f64>,
    /// Per pair and mark, one number per column that has cells, padded; per pair, the upper triangle of the square of marks. The
    /// diagonal alone stands for the latter where no more is wanted, `outputs` numbers per mark.
    pair_mixed: Vec<f64>,
    pair_marked: Vec<f64>,
    word_squares: Vec<f64>,
    kernels: Kernels,
}

/// Kernels with their buffers.
#[derive(Debug)]
struct Kernels {
    cross: CrossSums,
    gram: Option<Gram>,
    products: MarkProducts,
    panel: Panel,
    scores: Vec<f64>,
    work: Work,
}

impl Clone for Kernels {
    fn clone(&self) -> Self {
        let (cross, gram) = (self.cross.clone(), self.gram.clone());
        Kernels { cross, gram, products: MarkProducts::default(), panel: Panel::new(), scores: Vec::new(), work: Work::default() }
    }
}

impl Encode for Sums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let mut value = self.value.parts();
        codec.numbers("value", &mut value)?;
        self.value = NeumaierSum::from_parts(value);
        codec.number("reach", &mut self.max_abs_eta)?;
        for (name, sums) in self.named() {
            codec.numbers(name, sums)?;
        }
        Ok(())
    }
}

impl Sums {
    /// All sums but those of the loss.
    fn named(&mut self) -> [(&'static str, &mut Vec<f64>); 10] {
        [
            ("totals", &mut self.totals),
            ("cross", &mut self.cross),
            ("marked_cross", &mut self.marked_cross),
            ("words", &mut self.words),
            ("pair_totals", &mut self.pair_totals),
            ("pair_cross", &mut self.pair_cross),
            ("pair_squares", &mut self.pair_squares),
            ("pair_mixed", &mut self.pair_mixed),
            ("pair_marked", &mut self.pair_marked),
            ("word_squares", &mut self.word_squares),
        ]
    }

    /// Nothing seen.
    pub(crate) fn new(eval_point: &EvalPoint) -> Self {
        let Shape { outputs, words, .. } = eval_point.shape;
        let (centre, range) = (&eval_point.centre, eval_point.coordinates.mark_range());
        let cells = centre.len();
        let pairs = match eval_point.curvature {
            Curvature::None => 0,
            Curvature::Diagonal => outputs,
            Curvature::Full | Curvature::Undecided => outputs * (outputs + 1) / 2,
        };
        let full = eval_point.curvature.is_square();
        Sums {
            value: NeumaierSum::default(),
            max_abs_eta: 0.0,
            totals: vec![0.0; outputs],
            cross: vec![0.0; outputs * cells],
            marked_cross: vec![0.0; outputs * range],
            words: vec![0.0; outputs * words],
            pair_totals: vec![0.0; pairs],
            pair_cross: vec![0.0; pairs * cells],
            pair_squares: vec![0.0; pairs * if full { cells * cells } else { cells }],
            pair_mixed: vec![0.0; if full { pairs * range * mixed_width(cells) } else { 0 }],
            pair_marked: vec![0.0; pairs * if full { range * range } else { range }],
            word_squares: vec![0.0; if eval_point.curvature == Curvature::Diagonal { outputs * words } else { 0 }],
            kernels: Kernels {
                cross: CrossSums::new(centre),
                gram: full.then(|| Gram::pooled(1, cells)),
                products: MarkProducts::default(),
                panel: Panel::new(),
                scores: Vec::new(),
                work: Work::default(),
            },
        }
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, eval_point: &EvalPoint, block: &Block<'_>) -> Result<()> {
        let Kernels { cross, gram, products, panel, scores, work } = &mut self.kernels;
        let outputs = eval_point.shape.outputs;
        eval_point.scores(block, panel, scores)?;
        let link = Link::of(outputs);
        let loss = link.apply(scores, block.proportions, block.weights, work, eval_point.curvature != Curvature::None);
        self.value.add(loss.loss);
        self.max_abs_eta = self.max_abs_eta.max(loss.max_abs_eta);
        cross.add(block.x, scores, &mut self.cross, &mut self.totals);
        block.marks.add_factors(scores, outputs, &mut self.marked_cross);
        add_words(block, &eval_point.word_widths, scores, outputs, &mut self.words, sparse::add_products)?;
        if eval_point.curvature == Curvature::Undecided {
            undecided_factors(scores, block.proportions, block.weights, &mut work.curvatures);
        }
        match (eval_point.curvature, gram) {
            (Curvature::Full | Curvature::Undecided, Some(gram)) => {
                let (rows, centre) = (block.weights.len(), &eval_point.centre);
                let (cells, range) = (centre.len(), eval_point.coordinates.mark_range());
                let part = |at: usize, length: usize| at * length..(at + 1) * length;
                for (at, curvatures) in work.curvatures.chunks_exact(rows.max(1)).enumerate() {
                    gram.add(block.x, None, Some(curvatures), centre, &mut self.pair_squares[part(at, cells * cells)]);
                    let total = std::slice::from_mut(&mut self.pair_totals[at]);
                    cross.add(block.x, curvatures, &mut self.pair_cross[part(at, cells)], total);
                    if block.marks.is_any() {
                        let mixed = &mut self.pair_mixed[part(at, range * mixed_width(cells))];
                        let marked = &mut self.pair_marked[part(at, range * range)];
                        products.add(block.x, block.marks, curvatures, centre, mixed, marked);
                    }
                }
            }
            (Curvature::Diagonal, _) => self.add_diagonal(eval_point, block)?,
            _ => {}
        }
        Ok(())
    }

    /// Diagonal second derivatives: Σ curvature_mm z_j².
    fn add_diagonal(&mut self, eval_point: &EvalPoint, block: &Block<'_>) -> Result<()> {
        let (outputs, rows, centre) = (eval_point.shape.outputs, block.weights.len(), &eval_point.centre);
        let cells = centre.len();
        let mut factors = vec![0.0; rows * outputs];
        for (pair, (m, l)) in Link::pairs(outputs).enumerate().filter(|(_, (m, l))| m == l) {
            let _ = l;
            let curvatures = &self.kernels.work.curvatures[pair * rows..(pair + 1) * rows];
            self.pair_totals[m] += curvatures.iter().sum::<f64>();
            for (i, c) in curvatures.iter().enumerate() {
                factors[i * outputs + m] = *c;
                for (j, centre) in centre.iter().enumerate() {
                    let d = block.x.get(i, j) - centre;
                    self.pair_squares[m * cells + j] += c * d * d;
                }
            }
        }
        block.marks.add_factors(&factors, outputs, &mut self.pair_marked);
        add_words(block, &eval_point.word_widths, &factors, outputs, &mut self.word_squares, sparse::add_squares)
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.value.merge(&other.value);
        self.max_abs_eta = self.max_abs_eta.max(other.max_abs_eta);
        for (mine, theirs) in [
            (&mut self.totals, &other.totals),
            (&mut self.cross, &other.cross),
            (&mut self.marked_cross, &other.marked_cross),
            (&mut self.words, &other.words),
            (&mut self.pair_totals, &other.pair_totals),
            (&mut self.pair_cross, &other.pair_cross),
            (&mut self.pair_squares, &other.pair_squares),
            (&mut self.pair_mixed, &other.pair_mixed),
            (&mut self.pair_marked, &other.pair_marked),
            (&mut self.word_squares, &other.word_squares),
        ] {
            crate::stats::add(mine, theirs);
        }
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        let lines = self.cross.len() + self.marked_cross.len() + self.words.len() + self.pair_cross.len() + self.word_squares.len();
        8 * (lines + self.pair_squares.len() + self.pair_mixed.len() + self.pair_marked.len())
    }

    /// The gradient in the solver's coordinates.
    pub(crate) fn gradient(&self, eval_point: &EvalPoint) -> Vec<f64> {
        let (coordinates, outputs) = (&eval_point.coordinates, eval_point.shape.outputs);
        let cells = self.cross.len() / outputs;
        let mut gradient = Vec::with_capacity(eval_point.shape.len());
        for (m, total) in self.totals.iter().enumerate() {
            gradient.extend(coordinates.intercept.then_some(*total));
            gradient.extend(coordinates.kept_line(|place| match place {
                Place::Cell(j) => self.cross[m * cells + j],
                Place::Mark(mark) => self.marked_cross[mark * outputs + m],
            }));
        }
        gradient.extend_from_slice(&self.words);
        gradient
    }

    /// All second derivatives in the solver's coordinates.
    pub(crate) fn hessian(&self, eval_point: &EvalPoint) -> DMatrix<f64> {
        let (Shape { outputs, width, .. }, coordinates) = (eval_point.shape, &eval_point.coordinates);
        let (shift, places, range) = (usize::from(coordinates.intercept), coordinates.places(), coordinates.mark_range());
        let mut hessian = DMatrix::zeros(outputs * width, outputs * width);
        for (at, (m, l)) in Link::pairs(outputs).enumerate() {
            let square = coordinates.kept_square(|i, j| self.pair_product(range, at, places[i], places[j]));
            let mut set = |a: usize, b: usize, value: f64| {
                hessian[(m * width + a, l * width + b)] = value;
                hessian[(l * width + b, m * width + a)] = value;
            };
            for b in 0..square.ncols() {
                for a in 0..square.nrows() {
                    set(shift + a, shift + b, square[(a, b)]);
                }
            }
            if coordinates.intercept {
                set(0, 0, self.pair_totals[at]);
                let cells = self.pair_cross.len() / self.pair_totals.len();
                let line = coordinates.kept_line(|place| match place {
                    Place::Cell(j) => self.pair_cross[at * cells + j],
                    mark => self.pair_product(range, at, mark, mark),
                });
                for (a, value) in line.iter().enumerate() {
                    set(1 + a, 0, *value);
                    set(0, 1 + a, *value);
                }
            }
        }
        hessian
    }

    /// Σ curvature · x_i x_j of a pair of outputs.
    fn pair_product(&self, range: usize, at: usize, i: Place, j: Place) -> f64 {
        let cells = self.pair_cross.len() / self.pair_totals.len();
        match (i, j) {
            (Place::Cell(i), Place::Cell(j)) => self.pair_squares[(at * cells + i.min(j)) * cells + i.max(j)],
            (Place::Cell(j), Place::Mark(mark)) | (Place::Mark(mark), Place::Cell(j)) => {
                self.pair_mixed[(at * range + mark) * mixed_width(cells) + j]
            }
            (Place::Mark(i), Place::Mark(j)) => self.pair_marked[(at * range + i.min(j)) * range + i.max(j)],
        }
    }

    /// The diagonal of the second derivatives in the solver's coordinates.
    pub(crate) fn diagonal(&self, eval_point: &EvalPoint) -> Vec<f64> {
        let (coordinates, outputs) = (&eval_point.coordinates, eval_point.shape.outputs);
        let cells = self.pair_squares.len() / self.pair_totals.len();
        // Scales enter twice.
        let scales = coordinates.kept_line(|_| 1.0);
        let mut diagonal = Vec::with_capacity(eval_point.shape.len());
        for (m, total) in self.pair_totals.iter().enumerate() {
            diagonal.extend(coordinates.intercept.then_some(*total));
            let once = coordinates.kept_line(|place| match place {
                Place::Cell(j) => self.pair_squares[m * cells + j],
                Place::Mark(mark) => self.pair_marked[mark * outputs + m],
            });
            diagonal.extend(once.iter().zip(&scales).map(|(square, scale)| square * scale));
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
mod tests;
