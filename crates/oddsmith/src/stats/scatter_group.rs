//! Weight, means and products of rows that have the same columns observed.
//!
//! Per class k weight W_k, mean m_k and products P_k = Σ w (x − m_k)(x − m_k)ᵀ, or their sum over classes when pooled.
//! Two groups combine by δ = m' − m: P += P' + δδᵀ W W'/(W+W'). What rounding drops of a mean is kept beside it, or δ would
//! lose the digits of a common offset.

use std::collections::BTreeSet;

use super::class_table::ClassTable;
use super::class_weights::rows_by_class;
use super::parts::ScatterPart;
use super::scales::is_extreme;
use crate::data::SKIP;
use crate::num::kernel::{Gram, widest};
use crate::num::{MatrixView, two_sum};

/// What became of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum BatchFate {
    /// It was added.
    Added,
    /// Nothing was added: a counted value is missing or infinite, or sums of either sign overflowed.
    Gaps,
    /// Nothing was added: the squares of these columns leave the range of numbers.
    Extreme(Vec<usize>),
}

impl BatchFate {
    /// The columns whose squares leave the range of numbers, in a batch of `columns` columns without a missing or infinite
    /// value: any of them may have overflowed when there seem to be gaps all the same.
    pub fn extreme_columns(self, columns: usize) -> Vec<usize> {
        match self {
            BatchFate::Added => Vec::new(),
            BatchFate::Gaps => (0..columns).collect(),
            BatchFate::Extreme(columns) => columns,
        }
    }
}

/// Weight, means and products by class.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterGroup {
    /// Rows per class.
    pub rows: Vec<u64>,
    /// Weight per class.
    pub weight: Vec<f64>,
    /// Squared weight per class.
    pub squared: Vec<f64>,
    /// Mean per class and column.
    pub mean: ClassTable,
    /// What rounding dropped of that mean.
    pub mean_low: ClassTable,
    /// Products around the class means, of which the upper triangle of a row-major square is kept: one matrix when
    /// pooled, else one per class.
    pub products: Vec<Vec<f64>>,
}

impl ScatterGroup {
    /// Nothing seen of `columns` columns.
    pub fn new(classes: usize, columns: usize, part: ScatterPart) -> Self {
        let matrices = match part {
            ScatterPart::None => 0,
            ScatterPart::Pooled => 1,
            ScatterPart::PerClass => classes,
        };
        ScatterGroup {
            rows: vec![0; classes],
            weight: vec![0.0; classes],
            squared: vec![0.0; classes],
            mean: ClassTable::new(classes, columns),
            mean_low: ClassTable::new(classes, columns),
            products: vec![vec![0.0; columns * columns]; matrices],
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.mean.columns()
    }

    /// Total weight.
    pub fn total(&self) -> f64 {
        self.weight.iter().sum()
    }

    /// Products of all classes around their own means.
    pub fn pooled_products(&self) -> Vec<f64> {
        let mut pooled = vec![0.0; self.columns() * self.columns()];
        for products in &self.products {
            super::add(&mut pooled, products);
        }
        pooled
    }

    fn matrix_of(&self, k: usize) -> usize {
        if self.products.len() == 1 { 0 } else { k }
    }

    /// Adds a batch of complete rows; rows labelled [`SKIP`] do not count. Gaps show in the sums, so complete batches are
    /// never searched for them. Columns that were scaled already are never called extreme.
    pub fn observe(&mut self, values: MatrixView<'_>, labels: &[u32], weights: Option<&[f64]>, scaled: bool) -> BatchFate {
        let (classes, columns) = (self.rows.len(), self.columns());
        let shift = self.shifts(values, labels);
        let mut block = ScatterGroup::new(classes, columns, ScatterPart::None);
        let (matrices, size) = (self.products.len(), columns * columns);
        let mut gram = if matrices == 1 { Gram::pooled(classes, columns) } else { Gram::per_class(classes, columns) };
        let mut products = vec![0.0; matrices * size];
        gram.add_with_sums(values, labels, weights, shift.cells(), &mut products, block.mean.cells_mut());
        if block.mean.cells().iter().any(|sum| sum.is_nan() || (scaled && sum.is_infinite())) {
            return BatchFate::Gaps;
        }
        let square = |cell: usize| products[self.matrix_of(cell / columns) * size + cell % columns * (columns + 1)];
        let extreme: BTreeSet<usize> = (0..block.mean.cells().len())
            .filter(|&cell| is_extreme(block.mean.cells()[cell], square(cell)))
            .map(|cell| cell % columns)
            .collect();
        if !scaled && !extreme.is_empty() {
            return BatchFate::Extreme(extreme.into_iter().collect());
        }
        block.products = (0..matrices).map(|at| products[at * size..(at + 1) * size].to_vec()).collect();
        match weights {
            None => {
                block.rows = rows_by_class(labels, classes);
                block.weight = block.rows.iter().map(|rows| *rows as f64).collect();
                block.squared.clone_from(&block.weight);
            }
            Some(weights) => {
                for (&label, &weight) in labels.iter().zip(weights).filter(|(label, _)| **label != SKIP) {
                    let k = label as usize;
                    block.rows[k] += u64::from(weight != 0.0);
                    block.weight[k] += weight;
                    block.squared[k] += weight * weight;
                }
            }
        }
        block.settle(&shift);
        self.merge(&block);
        BatchFate::Added
    }

    /// Multiplies every column by a factor.
    pub(super) fn rescale(&mut self, factors: &[f64]) {
        let columns = self.columns();
        for table in [&mut self.mean, &mut self.mean_low] {
            table.cells_mut().iter_mut().enumerate().for_each(|(cell, mean)| *mean *= factors[cell % columns]);
        }
        for products in &mut self.products {
            for (cell, product) in products.iter_mut().enumerate() {
                *product = *product * factors[cell / columns] * factors[cell % columns];
            }
        }
    }

    /// A row close to the mean of every class: the running mean, or the class's first row in the batch.
    fn shifts(&self, values: MatrixView<'_>, labels: &[u32]) -> ClassTable {
        let mut shift = self.mean.clone();
        let mut open: Vec<bool> = self.weight.iter().map(|&w| w == 0.0).collect();
        let mut left = open.iter().filter(|o| **o).count();
        for (i, &label) in labels.iter().enumerate() {
            if left == 0 {
                break;
            }
            if label != SKIP && open[label as usize] {
                (0..self.columns()).for_each(|j| shift.row_mut(label as usize)[j] = values.get(i, j));
                open[label as usize] = false;
                left -= 1;
            }
        }
        shift
    }

    /// Turns sums of deviations from `shift` into means, and products around the shift into products around the mean.
    fn settle(&mut self, shift: &ClassTable) {
        for k in (0..self.rows.len()).filter(|&k| self.weight[k] > 0.0) {
            let w = self.weight[k];
            let offsets: Vec<f64> = self.mean.row(k).iter().map(|sum| sum / w).collect();
            let matrix = self.matrix_of(k);
            add_outer(&mut self.products[matrix], &offsets, -w);
            for (j, offset) in offsets.iter().enumerate() {
                (self.mean.row_mut(k)[j], self.mean_low.row_mut(k)[j]) = two_sum(shift.get(k, j), *offset);
            }
        }
        self.lift_squares();
    }

    /// Adds another group over the same columns.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.products.iter_mut().zip(&other.products) {
            super::add(mine, theirs);
        }
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            *mine += theirs;
        }
        super::add(&mut self.squared, &other.squared);
        for k in (0..self.rows.len()).filter(|&k| other.weight[k] > 0.0) {
            let (mine, theirs) = (self.weight[k], other.weight[k]);
            let total = mine + theirs;
            if mine > 0.0 {
                let delta = self.distance(other, k);
                let matrix = self.matrix_of(k);
                add_outer(&mut self.products[matrix], &delta, mine * theirs / total);
                self.move_mean(k, &delta, theirs / total);
            } else {
                self.mean.row_mut(k).copy_from_slice(other.mean.row(k));
                self.mean_low.row_mut(k).copy_from_slice(other.mean_low.row(k));
            }
            self.weight[k] = total;
        }
    }

    /// How far the mean of class `k` is from here to `other`.
    fn distance(&self, other: &Self, k: usize) -> Vec<f64> {
        let low = other.mean_low.row(k).iter().zip(self.mean_low.row(k)).map(|(b, a)| b - a);
        other.mean.row(k).iter().zip(self.mean.row(k)).zip(low).map(|((b, a), low)| (b - a) + low).collect()
    }

    /// Moves the mean of class `k` by `share` of `delta`.
    fn move_mean(&mut self, k: usize, delta: &[f64], share: f64) {
        for ((mean, low), d) in self.mean.row_mut(k).iter_mut().zip(self.mean_low.row_mut(k)).zip(delta) {
            (*mean, *low) = two_sum(*mean, *low + d * share);
        }
    }

    /// Takes another group over the same columns away.
    pub fn subtract(&mut self, other: &Self) {
        for (mine, theirs) in self.products.iter_mut().zip(&other.products) {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a -= b);
        }
        for k in (0..self.rows.len()).filter(|&k| other.weight[k] > 0.0) {
            let (total, theirs) = (self.weight[k], other.weight[k]);
            self.rows[k] = self.rows[k].saturating_sub(other.rows[k]);
            let rest = if self.rows[k] == 0 { 0.0 } else { super::remainder(total, theirs) };
            self.squared[k] = if rest == 0.0 { 0.0 } else { super::remainder(self.squared[k], other.squared[k]) };
            self.weight[k] = rest;
            let matrix = self.matrix_of(k);
            if rest == 0.0 {
                // What remains of an emptied class is rounding only.
                self.mean.clear(k);
                self.mean_low.clear(k);
                if self.products.len() > 1 {
                    self.products[matrix].fill(0.0);
                }
                continue;
            }
            let delta = self.distance(other, k);
            add_outer(&mut self.products[matrix], &delta, -(total * theirs / rest));
            self.move_mean(k, &delta, -theirs / rest);
        }
        if self.total_rows() == 0 {
            self.products.iter_mut().for_each(|products| products.fill(0.0));
        }
        self.lift_squares();
    }

    /// Rounding must not leave a negative sum of squares on the diagonal.
    fn lift_squares(&mut self) {
        let columns = self.columns();
        for products in &mut self.products {
            products.iter_mut().step_by(columns + 1).for_each(|square| *square = square.max(0.0));
        }
    }

    /// Number of rows of all classes.
    pub fn total_rows(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// The same group over `columns` (positions in this group) and with class `k` moved to `classes[k]` of `count`.
    /// `part` says whose products the group keeps: with one class the number of matrices does not tell.
    #[must_use]
    pub fn project(&self, part: ScatterPart, classes: &[usize], count: usize, columns: &[usize]) -> Self {
        let mut moved = ScatterGroup::new(count, columns.len(), part);
        for (k, &to) in classes.iter().enumerate() {
            moved.rows[to] = self.rows[k];
            moved.weight[to] = self.weight[k];
            moved.squared[to] = self.squared[k];
            for (j, &from) in columns.iter().enumerate() {
                moved.mean.row_mut(to)[j] = self.mean.get(k, from);
                moved.mean_low.row_mut(to)[j] = self.mean_low.get(k, from);
            }
        }
        let width = self.columns();
        for (matrix, products) in self.products.iter().enumerate() {
            let to = if part == ScatterPart::PerClass { classes[matrix] } else { 0 };
            for (a, &from_a) in columns.iter().enumerate() {
                for (b, &from_b) in columns.iter().enumerate().skip(a) {
                    let (low, high) = (from_a.min(from_b), from_a.max(from_b));
                    moved.products[to][a * columns.len() + b] = products[low * width + high];
                }
            }
        }
        moved
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        2 * self.mean.bytes() + self.products.len() * self.columns() * self.columns() * size_of::<f64>()
    }
}

/// Adds `factor · v vᵀ` to the upper triangle of a square matrix.
fn add_outer(products: &mut [f64], v: &[f64], factor: f64) {
    widest(
        #[inline(always)]
        || {
            for (a, (&left, row)) in v.iter().zip(products.chunks_exact_mut(v.len().max(1))).enumerate() {
                for (cell, right) in row[a..].iter_mut().zip(&v[a..]) {
                    *cell += factor * left * right;
                }
            }
        },
    );
}
