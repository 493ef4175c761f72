//! Weight, mean and squared deviations of every number column in every class.
//!
//! For class k and column j over the rows where the value is present:
//! W = Σ w_i, m = Σ w_i x_i / W, S = Σ w_i (x_i − m)².
//! Within a batch the sums are taken around a shift close to the class mean (the running mean, or the
//! class's first row), so an offset of 1e8 costs no digits: S_b = Σ w d² − (Σ w d)²/W_b with d = x − shift.
//! Batches are combined by δ = m_b − m: m += δ W_b/(W+W_b), S += S_b + δ² W W_b/(W+W_b).
//! A mean near 1e8 is rounded at 1e-8, which would enter S by δ² at every combination; so what rounding drops of a mean
//! is kept beside it.
//! Missing values (NaN) lower W of their column only. Time O(rows · columns), memory O(K · columns).

use super::class_table::ClassTable;
use super::scales::{is_extreme, note_extreme};
use crate::data::SKIP;
use crate::error::{DataFault, Result};
use crate::num::kernel::{MomentSums, Moments};
use crate::num::{MatrixView, two_sum};

/// Centred moments of number columns by class.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberMoments {
    pub(super) classes: usize,
    /// Weight of the rows where the value is present.
    pub weight: ClassTable,
    /// Mean of the present values.
    pub mean: ClassTable,
    /// What rounding dropped of that mean.
    pub mean_low: ClassTable,
    /// Sum of squared deviations from that mean.
    pub squares: ClassTable,
}

/// The moments of one class and column, or of a union of such cells.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moment {
    /// Weight.
    pub weight: f64,
    /// Mean.
    pub mean: f64,
    /// What rounding dropped of the mean: the two together are the mean to twice the digits.
    pub mean_low: f64,
    /// Sum of squared deviations.
    pub squares: f64,
}

impl Moment {
    /// The moments of two sets of values together.
    #[must_use]
    pub fn plus(self, other: Moment) -> Moment {
        if other.weight == 0.0 {
            return self;
        }
        if self.weight == 0.0 {
            return other;
        }
        let weight = self.weight + other.weight;
        let delta = (other.mean - self.mean) + (other.mean_low - self.mean_low);
        let share = other.weight / weight;
        let (mean, mean_low) = two_sum(self.mean, self.mean_low + delta * share);
        Moment { weight, mean, mean_low, squares: self.squares + other.squares + delta * delta * self.weight * share }
    }

    /// The moments of what remains when a subset of the values is taken away.
    #[must_use]
    pub fn minus(self, other: Moment) -> Moment {
        if other.weight == 0.0 {
            return self;
        }
        let weight = super::remainder(self.weight, other.weight);
        if weight == 0.0 {
            return Moment::default();
        }
        let delta = (self.mean - other.mean) + (self.mean_low - other.mean_low);
        let ratio = other.weight / weight;
        let (mean, mean_low) = two_sum(self.mean, self.mean_low + delta * ratio);
        let squares = self.squares - other.squares - delta * delta * self.weight * ratio;
        Moment { weight, mean, mean_low, squares: squares.max(0.0) }
    }
}

impl NumberMoments {
    /// Nothing seen.
    pub fn new(classes: usize, columns: usize) -> Self {
        let table = || ClassTable::new(classes, columns);
        NumberMoments { classes, weight: table(), mean: table(), mean_low: table(), squares: table() }
    }

    /// The moments of class `k`, column `j`.
    pub fn get(&self, k: usize, j: usize) -> Moment {
        Moment {
            weight: self.weight.get(k, j),
            mean: self.mean.get(k, j),
            mean_low: self.mean_low.get(k, j),
            squares: self.squares.get(k, j),
        }
    }

    fn set(&mut self, k: usize, j: usize, moment: Moment) {
        self.weight.row_mut(k)[j] = moment.weight;
        self.mean.row_mut(k)[j] = moment.mean;
        self.mean_low.row_mut(k)[j] = moment.mean_low;
        self.squares.row_mut(k)[j] = moment.squares;
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.weight.columns()
    }

    /// Adds a batch. `name` gives the name of a column, for the message about an infinite value; columns whose squares leave
    /// the range of numbers are noted in `extremes`, which is `None` when they were scaled already.
    pub fn observe(
        &mut self,
        values: MatrixView<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        first_row: u64,
        name: &dyn Fn(usize) -> String,
        extremes: Option<&mut [f64]>,
    ) -> Result<()> {
        let (classes, columns) = (self.classes, self.columns());
        let shift = self.shifts(values, labels);
        let (mut rows, mut weight) = (vec![0; classes], vec![0.0; classes]);
        let (mut sum, mut square) = (vec![0.0; classes * columns], vec![0.0; classes * columns]);
        let sums = MomentSums { rows: &mut rows, weight: &mut weight, sum: &mut sum, square: &mut square };
        Moments::new(classes, columns).add(values, labels, weights, &shift, sums);
        // Gaps and infinities show in the sums, so only batches that have them are read again.
        if !sum.iter().zip(&square).any(|(sum, square)| is_extreme(*sum, *square)) {
            self.combine_sums(&shift, |cell| (weight[cell / columns], sum[cell], square[cell]));
            return Ok(());
        }
        let mut cells = vec![(0.0, 0.0, 0.0); classes * columns];
        for i in (0..values.rows()).filter(|&i| labels[i] != SKIP) {
            let w = weights.map_or(1.0, |w| w[i]);
            for j in 0..columns {
                let x = values.get(i, j);
                if x.is_infinite() {
                    return Err(infinite(name(j), first_row + i as u64 + 1, x));
                }
                let cell = labels[i] as usize * columns + j;
                let d = x - shift[cell];
                if !x.is_nan() {
                    cells[cell].0 += w;
                    cells[cell].1 += w * d;
                    cells[cell].2 += w * d * d;
                }
            }
        }
        if let Some(extremes) = extremes {
            let extreme = (0..cells.len()).filter(|&cell| is_extreme(cells[cell].1, cells[cell].2));
            extreme.for_each(|cell| note_extreme(extremes, values, labels, cell % columns));
        }
        self.combine_sums(&shift, |cell| cells[cell]);
        Ok(())
    }

    /// A value close to the mean of every class and column: the running mean, or the first value in the batch.
    fn shifts(&self, values: MatrixView<'_>, labels: &[u32]) -> Vec<f64> {
        let columns = self.columns();
        let mut shift = self.mean.cells().to_vec();
        let mut open: Vec<bool> = self.weight.cells().iter().map(|w| *w == 0.0).collect();
        let mut left = open.iter().filter(|o| **o).count();
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            if left == 0 {
                break;
            }
            for j in 0..columns {
                let cell = label as usize * columns + j;
                if open[cell] && values.get(i, j).is_finite() {
                    shift[cell] = values.get(i, j);
                    open[cell] = false;
                    left -= 1;
                }
            }
        }
        shift
    }

    /// Adds weight, sum and sum of squares around the shift of every cell.
    fn combine_sums(&mut self, shift: &[f64], sums: impl Fn(usize) -> (f64, f64, f64)) {
        let columns = self.columns();
        for (cell, &shift) in shift.iter().enumerate() {
            let (weight, sum, square) = sums(cell);
            if weight > 0.0 {
                let offset = sum / weight;
                let (mean, mean_low) = two_sum(shift, offset);
                let block = Moment { weight, mean, mean_low, squares: (square - offset * sum).max(0.0) };
                let (k, j) = (cell / columns, cell % columns);
                self.set(k, j, self.get(k, j).plus(block));
            }
        }
    }

    /// Adds another summary of the same columns.
    pub fn merge(&mut self, other: &Self) {
        self.combine(other, Moment::plus);
    }

    /// Takes another summary away.
    pub fn subtract(&mut self, other: &Self) {
        self.combine(other, Moment::minus);
    }

    /// Forgets class `k`.
    pub fn clear(&mut self, k: usize) {
        [&mut self.weight, &mut self.mean, &mut self.mean_low, &mut self.squares].into_iter().for_each(|table| table.clear(k));
    }

    fn combine(&mut self, other: &Self, how: impl Fn(Moment, Moment) -> Moment) {
        let columns = self.columns();
        for cell in 0..self.weight.cells().len() {
            let (k, j) = (cell / columns, cell % columns);
            self.set(k, j, how(self.get(k, j), other.get(k, j)));
        }
    }

    /// The moments of column `j` over all classes.
    pub fn pooled(&self, j: usize) -> Moment {
        (0..self.classes).fold(Moment::default(), |sum, k| sum.plus(self.get(k, j)))
    }

    /// The same moments in another shape; see [`ClassTable::project`].
    #[must_use]
    pub fn project(&self, classes: &[usize], columns: &[Option<usize>], shape: (usize, usize)) -> Self {
        NumberMoments {
            classes: shape.0,
            weight: self.weight.project(classes, columns, shape),
            mean: self.mean.project(classes, columns, shape),
            mean_low: self.mean_low.project(classes, columns, shape),
            squares: self.squares.project(classes, columns, shape),
        }
    }

    /// Multiplies every column by a factor.
    pub(super) fn rescale(&mut self, factors: &[f64]) {
        for k in 0..self.classes {
            for (j, factor) in factors.iter().enumerate() {
                self.mean.row_mut(k)[j] *= factor;
                self.mean_low.row_mut(k)[j] *= factor;
                // Factor by factor: their product alone may overflow.
                let squares = &mut self.squares.row_mut(k)[j];
                *squares = *squares * factor * factor;
            }
        }
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        4 * self.weight.bytes()
    }
}

/// The error for an infinite value.
pub(super) fn infinite(column: String, row: u64, value: f64) -> crate::Error {
    DataFault::new("an infinite value cannot be used:")
        .column(column)
        .row(row)
        .value(value.to_string())
        .accepted("use a finite number or leave the cell empty")
        .into()
}
