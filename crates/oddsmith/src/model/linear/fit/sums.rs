//! The objective at one point: its value, its gradient and, where asked for, its second derivatives, as sums over rows.
//!
//! value     Σ w loss(η)
//! gradient  Σ slope_m z            for every output m
//! blocks    Σ curvature_ml z zᵀ    for every pair m ≤ l of outputs, z with a leading 1 for the intercept
//! Time per row: 4·M·p operations, and p² per pair with second derivatives, of which the columns of a wide category count
//! as one; memory: the sums alone.

use nalgebra::DMatrix;

use crate::codec::{Codec, Encode};
use crate::data::design::Place;
use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint, Shape};
use crate::model::linear::fit::sparse;
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
            Curvature::Full => outputs * (outputs + 1) / 2,
        };
        let full = eval_point.curvature == Curvature::Full;
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
        match (eval_point.curvature, gram) {
            (Curvature::Full, Some(gram)) => {
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
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::design::MarkedColumns;
    use crate::model::linear::fit::coordinates::Coordinates;
    use crate::model::linear::fit::jeffreys::{JeffreysSums, Leverage};
    use crate::num::MatrixView;
    use crate::num::kernel::Marks;

    const ROWS: usize = 40;
    const STEP: f64 = 1e-2;

    /// Three columns, proportions of the classes, weights and an offset, all made from a few integers.
    struct Data {
        cells: Vec<f64>,
        proportions: Vec<f64>,
        weights: Vec<f64>,
        offset: Vec<f64>,
    }

    impl Data {
        fn new(coordinates: &Coordinates, outputs: usize) -> Self {
            let wave = |i: usize, j: usize| ((i * i * (3 + 2 * j) + 7 * i + 5 * j) % 31) as f64 / 16.0 - 1.0;
            let raw: Vec<f64> = (0..ROWS).flat_map(|i| (0..3).map(move |j| wave(i, j) + j as f64)).collect();
            let mut cells = raw.clone();
            if !coordinates.in_place() {
                coordinates.transform(&raw, &mut cells);
            }
            let share = |i: usize, m: usize| match i % 3 {
                0 => f64::from(u8::from(i % (outputs + 1) == m + 1)),
                _ => (1 + (i + m) % 4) as f64 / (6 * outputs) as f64,
            };
            Data {
                cells,
                proportions: (0..ROWS).flat_map(|i| (0..outputs).map(move |m| share(i, m))).collect(),
                weights: (0..ROWS).map(|i| [1.0, 0.0, 2.5, 7.0][i % 4]).collect(),
                offset: (0..ROWS * outputs).map(|i| wave(i, 9)).collect(),
            }
        }

        fn block(&self, coordinates: &Coordinates) -> Block<'_> {
            let x = MatrixView::row_major(&self.cells, ROWS, coordinates.summed()).unwrap();
            Block {
                x,
                marks: Marks::none(),
                proportions: &self.proportions,
                weights: &self.weights,
                offset: &self.offset,
                words: &[],
                first: 0,
            }
        }
    }

    fn frames() -> Vec<Coordinates> {
        let centred = Coordinates { centre: vec![0.1, 1.2, 1.9], scale: vec![2.0, 0.5, 1.0], ..Coordinates::plain(3, true) };
        let turn = DMatrix::from_row_slice(2, 2, &[1.0, -0.5, 0.0, 4.0]);
        let turned = Coordinates { kept: vec![0, 2], turn: Some(turn), ..centred.clone() };
        vec![Coordinates::plain(3, false), Coordinates { kept: vec![1, 2], ..centred.clone() }, centred, turned]
    }

    /// The derivative of `f` at 0 by central differences of the sixth order.
    fn slope(f: impl Fn(f64) -> f64) -> f64 {
        let pair = |k: f64| f(k * STEP) - f(-k * STEP);
        (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * STEP)
    }

    fn look(theta: Vec<f64>, curvature: Curvature, coordinates: &Arc<Coordinates>, shape: Shape, data: &Data) -> (EvalPoint, Sums) {
        let eval_point = EvalPoint::new(theta, curvature, coordinates, shape, &[]);
        let mut sums = Sums::new(&eval_point);
        sums.add(&eval_point, &data.block(coordinates)).unwrap();
        (eval_point, sums)
    }

    /// Every coordinates with one, two and four outputs, at a point that is nothing special.
    fn for_cases(check: impl Fn(&Arc<Coordinates>, Shape, &Data, &[f64])) {
        for coordinates in frames().into_iter().map(Arc::new) {
            for outputs in [1, 2, 4] {
                let shape = Shape { outputs, width: coordinates.width(), words: 0 };
                let theta: Vec<f64> = (0..shape.len()).map(|at| 0.3 - 0.17 * (at % 5) as f64).collect();
                check(&coordinates, shape, &Data::new(&coordinates, outputs), &theta);
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
        for_cases(|coordinates, shape, data, theta| {
            let (eval_point, sums) = look(theta.to_vec(), Curvature::None, coordinates, shape, data);
            for (at, got) in sums.gradient(&eval_point).iter().enumerate() {
                let want = slope(|t| look(moved(theta, at, t), Curvature::None, coordinates, shape, data).1.value.value());
                same(*got, want, sums.value.value());
            }
        });
    }

    #[test]
    fn second_derivatives_are_slopes_of_the_gradient() {
        for_cases(|coordinates, shape, data, theta| {
            let (eval_point, sums) = look(theta.to_vec(), Curvature::Full, coordinates, shape, data);
            let hessian = sums.hessian(&eval_point);
            let (eval_point, sums) = look(theta.to_vec(), Curvature::Diagonal, coordinates, shape, data);
            let diagonal = sums.diagonal(&eval_point);
            for at in 0..shape.len() {
                let gradient = |t: f64| {
                    let (eval_point, sums) = look(moved(theta, at, t), Curvature::None, coordinates, shape, data);
                    sums.gradient(&eval_point)
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
        for_cases(|coordinates, shape, data, theta| {
            let factor = |theta: Vec<f64>| {
                let (eval_point, sums) = look(theta, Curvature::Full, coordinates, shape, data);
                nalgebra::Cholesky::new(sums.hessian(&eval_point)).unwrap()
            };
            let eval_point = EvalPoint::new(theta.to_vec(), Curvature::None, coordinates, shape, &[]);
            let leverage = Leverage::new(&factor(theta.to_vec()), coordinates, shape);
            let mut sums = JeffreysSums::new(&eval_point, coordinates);
            sums.add(&eval_point, &leverage, coordinates, &data.block(coordinates)).unwrap();
            for (at, got) in sums.gradient(coordinates).iter().enumerate() {
                let half_log = |t: f64| factor(moved(theta, at, t)).l().diagonal().iter().map(|d| d.ln()).sum::<f64>();
                same(*got, slope(half_log), 1.0);
            }
        });
    }

    /// Columns 1 and 3..5 are cells of the design, the others two groups of marks; row `i` marks by small remainders.
    fn marked_rows() -> (Arc<MarkedColumns>, Vec<u32>, Vec<f64>) {
        let places = [Place::Mark(0), Place::Cell(0), Place::Mark(1), Place::Cell(1), Place::Cell(2), Place::Mark(2), Place::Mark(3)];
        let (mut marks, mut cells) = (Vec::new(), Vec::new());
        for i in 0..ROWS {
            let row = [[0, 1, 4][i % 3], [2, 3, 4][i / 2 % 3]];
            let numbers = [i as f64 % 7.0, (i * i % 11) as f64 / 4.0, f64::from(u8::from(i % 5 == 0))];
            marks.extend(row);
            cells.extend(places.iter().map(|place| match place {
                Place::Cell(j) => numbers[*j],
                Place::Mark(mark) => f64::from(u8::from(row.contains(&(*mark as u32)))),
            }));
        }
        (Arc::new(MarkedColumns::of_places(&places, 2)), marks, cells)
    }

    #[test]
    fn marks_give_the_sums_of_their_cells() {
        let (marked, marks, cells) = marked_rows();
        let centre = vec![0.0, 3.0, 0.0, 1.2, 0.2, 0.0, 0.0];
        let plain = Coordinates {
            centre,
            scale: vec![1.0, 0.5, 2.0, 1.0, 1.0, 4.0, 1.0],
            kept: vec![0, 1, 2, 4, 5, 6],
            ..Coordinates::plain(7, true)
        };
        let with_marks = Coordinates { marked: Some(marked), ..plain.clone() };
        let numbers: Vec<f64> = cells.chunks(7).flat_map(|row| [row[1], row[3], row[4]]).collect();
        for outputs in [1, 3] {
            let shape = Shape { outputs, width: plain.width(), words: 0 };
            let theta: Vec<f64> = (0..shape.len()).map(|at| 0.2 - 0.11 * (at % 7) as f64).collect();
            let data = Data { cells: cells.clone(), ..Data::new(&Coordinates::plain(3, true), outputs) };
            for curvature in [Curvature::Full, Curvature::Diagonal] {
                let look = |coordinates: &Coordinates, block: Block<'_>| {
                    let eval_point = EvalPoint::new(theta.clone(), curvature, &Arc::new(coordinates.clone()), shape, &[]);
                    let (mut sums, mut rest) = (Sums::new(&eval_point), Sums::new(&eval_point));
                    sums.add(&eval_point, &block).unwrap();
                    rest.add(&eval_point, &block).unwrap();
                    sums.merge(&rest);
                    let second = match curvature {
                        Curvature::Full => sums.hessian(&eval_point).as_slice().to_vec(),
                        _ => sums.diagonal(&eval_point),
                    };
                    (sums.value.value(), [sums.gradient(&eval_point), second].concat())
                };
                let beside = MatrixView::row_major(&numbers, ROWS, 3).unwrap();
                let block = Block { x: beside, marks: Marks::new(2, 4, &marks), ..data.block(&plain) };
                let ((value, got), (wanted_value, want)) = (look(&with_marks, block), look(&plain, data.block(&plain)));
                same(value, wanted_value, value);
                got.iter().zip(&want).for_each(|(got, want)| same(*got, *want, 100.0));
            }
        }
    }
}
