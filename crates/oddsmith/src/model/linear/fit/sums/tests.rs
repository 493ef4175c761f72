//! Sums against slopes that differences give, in every shape of a fit.

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
    let plain =
        Coordinates { centre, scale: vec![1.0, 0.5, 2.0, 1.0, 1.0, 4.0, 1.0], kept: vec![0, 1, 2, 4, 5, 6], ..Coordinates::plain(7, true) };
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
