//! The coordinates in which a linear model is solved.
//!
//! The design's column x_j becomes z_j = 2^e_j (x_j − c_j) with c_j its mean, so that an offset of 1e8 or a unit of 1e±12
//! costs no digits; powers of two change no digit themselves. Columns that are combinations of earlier ones are left
//! out (`kept` lists the others), and where columns are almost combinations of each other a triangular
//! matrix T turns them into z T, which are not. A parameter is then θ = (a, γ) per output, and in the user's units
//!   β = 2^e T γ,   intercept = a − Σ c_j β_j.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use crate::data::design::{MarkedColumns, Place};
use crate::model::linear::fit::eval_point::Shape;
use crate::model::linear::options::StartPoint;
use crate::stats::MOST_POWER;

/// Powers of two beyond which products of columns could leave the range of numbers.
const PLAIN_EXPONENT: i32 = 200;

/// The way from the design's columns to the solver's and back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coordinates {
    /// Whether every output has an intercept.
    pub(crate) intercept: bool,
    /// Centre of every design column; zeros without an intercept.
    pub(crate) centre: Vec<f64>,
    /// Power of two of every design column.
    pub(crate) scale: Vec<f64>,
    /// Design columns that carry a coefficient.
    pub(crate) kept: Vec<usize>,
    /// T, upper triangular over the kept columns.
    pub(crate) turn: Option<DMatrix<f64>>,
    /// Which columns of the design can be marked. Their centre is zero, so that a mark is all there is to add.
    pub(crate) marked: Option<Arc<MarkedColumns>>,
}

impl Coordinates {
    /// Columns as they are.
    pub(crate) fn plain(columns: usize, intercept: bool) -> Self {
        Coordinates {
            intercept,
            centre: vec![0.0; columns],
            scale: vec![1.0; columns],
            kept: (0..columns).collect(),
            turn: None,
            marked: None,
        }
    }

    /// Whether kernels may work on the centred columns themselves, the powers of two being applied to their sums.
    pub(crate) fn in_place(&self) -> bool {
        let limit = 2f64.powi(PLAIN_EXPONENT);
        self.turn.is_none() && self.scale.iter().all(|scale| (limit.recip()..=limit).contains(scale))
    }

    /// Parameters of one output.
    pub(crate) fn width(&self) -> usize {
        self.kept.len() + usize::from(self.intercept)
    }

    /// Columns that a pass sums over: those of the design in place, the solver's own otherwise.
    pub(crate) fn summed(&self) -> usize {
        if self.in_place() { self.centre.len() } else { self.kept.len() }
    }

    /// The centres of the summed columns.
    pub(crate) fn summed_centre(&self) -> Vec<f64> {
        if self.in_place() { self.centre.clone() } else { vec![0.0; self.kept.len()] }
    }

    /// Which columns a pass marks: it sums over the design's own columns then.
    pub(crate) fn marks(&self) -> Option<&Arc<MarkedColumns>> {
        self.marked.as_ref().filter(|_| self.in_place())
    }

    /// Where a pass with marks has its sums of every summed column.
    pub(crate) fn places(&self) -> Vec<Place> {
        let marks = self.marks();
        (0..self.summed()).map(|column| marks.map_or(Place::Cell(column), |marks| marks.place(column))).collect()
    }

    /// The centres of the columns that have cells in a pass with marks.
    pub(crate) fn cell_centre(&self) -> Vec<f64> {
        let centre = self.summed_centre();
        centre.iter().zip(self.places()).filter(|(_, place)| matches!(place, Place::Cell(_))).map(|(centre, _)| *centre).collect()
    }

    /// How many marks there are, the one for none included; zero without marks.
    pub(crate) fn mark_range(&self) -> usize {
        self.marks().map_or(0, |marks| marks.marks() + 1)
    }

    /// The solver's columns of a block of design rows, row after row. A turned column is the small difference of large
    /// ones, so its sum carries the rounding of every term along.
    pub(crate) fn transform(&self, cells: &[f64], into: &mut Vec<f64>) {
        let (columns, kept) = (self.centre.len(), self.kept.len());
        into.clear();
        let mut row = vec![(0.0, 0.0); kept];
        for x in cells.chunks_exact(columns.max(1)) {
            for (z, &j) in row.iter_mut().zip(&self.kept) {
                let (difference, rest) = exact_sum(x[j], -self.centre[j]);
                *z = (difference * self.scale[j], rest * self.scale[j]);
            }
            match &self.turn {
                None => into.extend(row.iter().map(|(z, _)| z)),
                Some(turn) => into.extend((0..kept).map(|k| {
                    let (mut sum, mut lost) = (0.0, 0.0);
                    for ((z, rest), t) in row[..=k].iter().zip(turn.column(k).iter()) {
                        let product = z * t;
                        let (next, rounding) = exact_sum(sum, product);
                        lost += rounding + z.mul_add(*t, -product) + rest * t;
                        sum = next;
                    }
                    sum + lost
                })),
            }
        }
    }

    /// Weights over the summed columns from the solver's coefficients γ of one output.
    pub(crate) fn summed_weights(&self, gamma: &[f64]) -> Vec<f64> {
        if !self.in_place() {
            return gamma.to_vec();
        }
        let mut weights = vec![0.0; self.centre.len()];
        for (&j, g) in self.kept.iter().zip(gamma) {
            weights[j] = g * self.scale[j];
        }
        weights
    }

    /// Sums over the summed columns in the solver's coordinates.
    pub(crate) fn project(&self, sums: &[f64]) -> Vec<f64> {
        if !self.in_place() {
            return sums.to_vec();
        }
        self.kept.iter().map(|&j| sums[j] * self.scale[j]).collect()
    }

    /// Sums of a pass with marks, given by their places, in the solver's coordinates.
    pub(crate) fn kept_line(&self, sum: impl Fn(Place) -> f64) -> Vec<f64> {
        let places = self.places();
        match self.in_place() {
            true => self.kept.iter().map(|&j| sum(places[j]) * self.scale[j]).collect(),
            false => places.into_iter().map(sum).collect(),
        }
    }

    /// A symmetric square over the summed columns, given by its entries, in the solver's coordinates.
    pub(crate) fn kept_square(&self, entry: impl Fn(usize, usize) -> f64) -> DMatrix<f64> {
        let (size, in_place) = (self.kept.len(), self.in_place());
        let mut square = DMatrix::zeros(size, size);
        for b in 0..size {
            for a in 0..=b {
                let value = match in_place {
                    true => entry(self.kept[a], self.kept[b]) * self.scale[self.kept[a]] * self.scale[self.kept[b]],
                    false => entry(a, b),
                };
                square[(a, b)] = value;
                square[(b, a)] = value;
            }
        }
        square
    }

    /// The parameters of a start that is given in the users' units; `None` when it is of another shape.
    pub(crate) fn placed(&self, start: &StartPoint, shape: Shape) -> Option<Vec<f64>> {
        let (columns, Shape { outputs, width, words }) = (self.centre.len(), shape);
        if start.intercepts.len() != outputs || start.coefficients.len() != outputs * (columns + words) {
            return None;
        }
        let mut theta = vec![0.0; shape.len()];
        for (m, own) in start.coefficients.chunks_exact(columns + words).enumerate() {
            let shift = usize::from(self.intercept);
            if self.intercept {
                theta[m * width] = start.intercepts[m] + self.kept.iter().map(|&j| own[j] * self.centre[j]).sum::<f64>();
            }
            let scaled = DVector::from_iterator(self.kept.len(), self.kept.iter().map(|&j| own[j] / self.scale[j]));
            let gamma = self.turn.as_ref().map_or(Some(scaled.clone()), |turn| turn.solve_upper_triangular(&scaled))?;
            theta[m * width + shift..(m + 1) * width].copy_from_slice(gamma.as_slice());
            (0..words).for_each(|word| theta[outputs * width + word * outputs + m] = own[columns + word]);
        }
        Some(theta)
    }

    /// ln |∂β/∂γ| of one output: what a log density or a log determinant changes by on the way to the user's units.
    pub(crate) fn log_determinant(&self) -> f64 {
        let scales: f64 = self.kept.iter().map(|&j| self.scale[j].ln()).sum();
        let turned: f64 = self.turn.iter().flat_map(|turn| (0..turn.ncols()).map(|k| turn[(k, k)].abs().ln())).sum();
        scales + turned
    }

    /// Coefficients of all design columns from γ; columns that are not kept get zero.
    pub(crate) fn coefficients(&self, gamma: &[f64]) -> Vec<f64> {
        let turned = match &self.turn {
            None => gamma.to_vec(),
            Some(turn) => (turn * DVector::from_column_slice(gamma)).as_slice().to_vec(),
        };
        let mut coefficients = vec![0.0; self.centre.len()];
        for (&j, t) in self.kept.iter().zip(turned) {
            coefficients[j] = t * self.scale[j];
        }
        coefficients
    }

    /// The linear map from one output's parameters (a, γ) to the intercept and the coefficients of the kept columns in the
    /// user's units.
    pub(crate) fn jacobian(&self) -> DMatrix<f64> {
        let (shift, kept) = (usize::from(self.intercept), self.kept.len());
        let mut map = DMatrix::zeros(self.width(), self.width());
        for k in 0..kept {
            let mut unit = vec![0.0; kept];
            unit[k] = 1.0;
            let coefficients = self.coefficients(&unit);
            for (r, &j) in self.kept.iter().enumerate() {
                map[(shift + r, shift + k)] = coefficients[j];
            }
            if self.intercept {
                map[(0, 1 + k)] = -self.kept.iter().map(|&j| self.centre[j] * coefficients[j]).sum::<f64>();
            }
        }
        if self.intercept {
            map[(0, 0)] = 1.0;
        }
        map
    }
}

/// a + b as the nearest number and what is missing.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let share = sum - a;
    (sum, (a - (sum - share)) + (b - share))
}

/// The power of two nearest below 1/size, so that a column of that size becomes one of about 1.
pub(crate) fn power_of_two(size: f64) -> f64 {
    if !(size > 0.0 && size.is_finite()) {
        return 1.0;
    }
    let (_, exponent) = libm::frexp(size);
    libm::ldexp(1.0, (1 - exponent).clamp(-MOST_POWER, MOST_POWER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_difference_of_large_columns_keeps_its_digits() {
        // x − (1 + 2⁻³⁰) y about centres that round: the exact remainder in binary fractions.
        let turn = DMatrix::from_row_slice(2, 2, &[1.0, -(1.0 + 2f64.powi(-30)), 0.0, 1.0]);
        let coordinates = Coordinates { centre: vec![0.1, 0.1], turn: Some(turn), ..Coordinates::plain(2, true) };
        let (y, step) = (1.0 + 2f64.powi(-40), 2f64.powi(-29));
        let mut z = Vec::new();
        coordinates.transform(&[y, y + step], &mut z);
        // step − 2⁻³⁰ (1 + 2⁻⁴⁰ − 0.1), every term of which is known to 53 bits.
        let want = step - 2f64.powi(-30) * ((1.0 - 0.1) + 2f64.powi(-40));
        assert!((z[1] - want).abs() <= 4.0 * f64::EPSILON * want, "{} is not {want}", z[1]);
    }

    #[test]
    fn powers_of_two_bring_any_size_near_one() {
        for size in [1e-300, 3e-12, 0.7, 1.0, 1.5, 8.0, 1e12, 1e300] {
            let scaled = size * power_of_two(size);
            assert!((1.0..2.0).contains(&scaled), "{size}: {scaled}");
        }
        assert_eq!(power_of_two(0.0), 1.0);
    }

    #[test]
    fn the_way_back_undoes_the_way_in() {
        let turn = DMatrix::from_row_slice(2, 2, &[1.0, -0.5, 0.0, 4.0]);
        let coordinates = Coordinates {
            centre: vec![3.0, 9.0, -1.0],
            scale: vec![2.0, 1.0, 0.25],
            kept: vec![0, 2],
            turn: Some(turn),
            ..Coordinates::plain(3, true)
        };
        let (theta, x) = ([0.3, 1.5, -2.0], [4.0, 7.0, 11.0]);
        let mut z = Vec::new();
        coordinates.transform(&x, &mut z);
        let inside = theta[0] + z[0] * theta[1] + z[1] * theta[2];
        let user = coordinates.jacobian() * DVector::from_column_slice(&theta);
        assert!((user[0] + user[1] * x[0] + user[2] * x[2] - inside).abs() < 1e-14);
        let coefficients = coordinates.coefficients(&theta[1..]);
        assert_eq!((coefficients[0], coefficients[1], coefficients[2]), (user[1], 0.0, user[2]));
        assert!((coordinates.log_determinant() - coordinates.jacobian().determinant().abs().ln()).abs() < 1e-14);
    }
}
