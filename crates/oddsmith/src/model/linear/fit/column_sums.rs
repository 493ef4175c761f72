//! Weighted means and products of a block's columns around their running mean.
//!
//! mean += Σ w (x − mean) / W;  products about the old mean move to the new one by − W_new δ δᵀ (Chan). Marked columns
//! are summed about zero: with S_j = Σ w over the rows that mark j, products with other columns move by − S_j δᵀ and the
//! products among marks are centred when they are read. Memory: p² numbers; time: that of the Gram kernel plus p² per block. Of very many
//! columns only the squares are summed up, p numbers in time p per row.

use crate::codec::{Codec, Encode};
use crate::data::design::Place;
use crate::error::Result;
use crate::num::MatrixView;
use crate::num::kernel::{CrossSums, Gram, MarkProducts, Marks, mixed_width};

/// Which products of columns are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Products {
    /// All of them.
    All,
    /// Those of every column with itself.
    Squares,
}

/// Sums of columns.
#[derive(Debug, Clone)]
pub(crate) struct ColumnSums {
    wanted: Products,
    pub(crate) weight: f64,
    /// Means of the columns that have cells.
    mean: Vec<f64>,
    /// Upper triangle of Σ w (x − mean)(x − mean)ᵀ over those columns, or its diagonal.
    products: Vec<f64>,
    /// Marks, the one for none included.
    range: usize,
    /// Σ w (x − mean) over the rows of a mark, mark after mark, padded; empty where only squares are wanted.
    mixed: Vec<f64>,
    /// Upper triangle of the weights of pairs of marks, or its diagonal.
    marked: Vec<f64>,
    gram: Option<Gram>,
    totals: Vec<f64>,
}

impl Encode for ColumnSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        codec.numbers("mean", &mut self.mean)?;
        codec.numbers("products", &mut self.products)?;
        codec.numbers("mixed", &mut self.mixed)?;
        codec.numbers("marked", &mut self.marked)
    }
}

impl ColumnSums {
    /// Nothing seen of this many cells and marks.
    pub(crate) fn new(columns: usize, range: usize, wanted: Products) -> Self {
        let all = wanted == Products::All;
        let square = |size: usize| if all { size * size } else { size };
        ColumnSums {
            wanted,
            weight: 0.0,
            mean: vec![0.0; columns],
            products: vec![0.0; square(columns)],
            range,
            mixed: vec![0.0; if all { range * mixed_width(columns) } else { 0 }],
            marked: vec![0.0; square(range)],
            gram: all.then(|| Gram::pooled(1, columns)),
            totals: vec![0.0; columns],
        }
    }

    /// Adds a block of finite rows.
    pub(crate) fn add(&mut self, rows: MatrixView<'_>, marks: Marks<'_>, weights: &[f64]) {
        let weight: f64 = weights.iter().sum();
        if weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            // Any row is a better centre than zero.
            let first = weights.iter().position(|w| *w > 0.0).unwrap_or(0);
            for (j, mean) in self.mean.iter_mut().enumerate() {
                *mean = rows.get(first, j);
            }
        }
        match &mut self.gram {
            Some(gram) => {
                gram.add(rows, None, Some(weights), &self.mean, &mut self.products);
                if marks.is_any() {
                    MarkProducts::default().add(rows, marks, weights, &self.mean, &mut self.mixed, &mut self.marked);
                }
            }
            None => {
                self.add_squares(rows, weights);
                marks.add_factors(weights, 1, &mut self.marked);
            }
        }
        self.totals.fill(0.0);
        CrossSums::new(&self.mean).add(rows, weights, &mut self.totals, &mut [0.0]);
        self.weight += weight;
        let total = self.weight;
        self.totals.iter_mut().for_each(|t| *t /= total);
        self.add_outer(-total);
        self.shift_mixed(1.0);
        for (mean, shift) in self.mean.iter_mut().zip(&self.totals) {
            *mean += shift;
        }
    }

    /// Adds the squares of the columns that have cells.
    fn add_squares(&mut self, rows: MatrixView<'_>, weights: &[f64]) {
        for (i, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            for (j, (square, mean)) in self.products.iter_mut().zip(&self.mean).enumerate() {
                let d = rows.get(i, j) - mean;
                *square += weight * d * d;
            }
        }
    }

    /// Where the weight of a mark stands.
    fn own(&self, mark: usize) -> usize {
        if self.wanted == Products::All { mark * self.range + mark } else { mark }
    }

    /// products += factor · δ δᵀ with δ in `totals`.
    fn add_outer(&mut self, factor: f64) {
        if self.wanted == Products::Squares {
            return self.products.iter_mut().zip(&self.totals).for_each(|(square, delta)| *square += factor * delta * delta);
        }
        let size = self.mean.len();
        for (i, row) in self.products.chunks_exact_mut(size.max(1)).enumerate() {
            let scaled = factor * self.totals[i];
            for (cell, delta) in row[i..].iter_mut().zip(&self.totals[i..]) {
                *cell += scaled * delta;
            }
        }
    }

    /// Moves the mean that `mixed` is about by share · δ with δ in `totals`.
    fn shift_mixed(&mut self, share: f64) {
        for (mark, sums) in self.mixed.chunks_exact_mut(mixed_width(self.mean.len()).max(1)).enumerate() {
            let weight = share * self.marked[mark * self.range + mark];
            sums.iter_mut().zip(&self.totals).for_each(|(sum, delta)| *sum -= weight * delta);
        }
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            *self = other.clone();
            return;
        }
        let total = self.weight + other.weight;
        for (t, (theirs, ours)) in self.totals.iter_mut().zip(other.mean.iter().zip(&self.mean)) {
            *t = theirs - ours;
        }
        self.add_outer(self.weight * (other.weight / total));
        crate::stats::add(&mut self.products, &other.products);
        let share = other.weight / total;
        // Both sides move to the joint mean: ours by share · δ, theirs by (share − 1) · δ.
        self.shift_mixed(share);
        for (mark, sums) in self.mixed.chunks_exact_mut(mixed_width(self.mean.len()).max(1)).enumerate() {
            let weight = (share - 1.0) * other.marked[mark * self.range + mark];
            let theirs = &other.mixed[mark * sums.len()..];
            for ((sum, theirs), delta) in sums.iter_mut().zip(theirs).zip(&self.totals) {
                *sum += theirs - weight * delta;
            }
        }
        crate::stats::add(&mut self.marked, &other.marked);
        for (mean, delta) in self.mean.iter_mut().zip(&self.totals) {
            *mean += share * delta;
        }
        self.weight = total;
    }

    /// The weighted means of the columns that have cells.
    pub(crate) fn means(&self) -> &[f64] {
        &self.mean
    }

    /// The weighted mean of a column.
    pub(crate) fn mean(&self, column: Place) -> f64 {
        match column {
            Place::Cell(j) => self.mean[j],
            Place::Mark(mark) => self.marked[self.own(mark)] / self.weight,
        }
    }

    /// Σ w (x_i − mean_i)(x_j − mean_j); where only squares were summed up, not a number for two columns.
    pub(crate) fn product(&self, i: Place, j: Place) -> f64 {
        if self.wanted == Products::Squares {
            return match (i, i == j) {
                (_, false) => f64::NAN,
                (Place::Cell(j), true) => self.products[j],
                (Place::Mark(mark), true) => self.marked[mark] - self.mean(i) * self.mean(i) * self.weight,
            };
        }
        match (i, j) {
            (Place::Cell(i), Place::Cell(j)) => self.products[i.min(j) * self.mean.len() + i.max(j)],
            (Place::Cell(j), Place::Mark(mark)) | (Place::Mark(mark), Place::Cell(j)) => {
                self.mixed[mark * mixed_width(self.mean.len()) + j]
            }
            (Place::Mark(a), Place::Mark(b)) => {
                let about_zero = self.marked[a.min(b) * self.range + a.max(b)];
                about_zero - self.mean(i) * self.mean(j) * self.weight
            }
        }
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.products.len() + self.mixed.len() + self.marked.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 60;

    /// Two numbers, three columns of one group, and a weight, of which some are zero.
    fn row(i: usize) -> ([f64; 5], u32, f64) {
        let mark = (i * i + i / 7) % 4;
        let hit = |m: usize| f64::from(u8::from(mark == m));
        let (x, y) = (1e6 + (i * 37 % 19) as f64, (i * 11 % 13) as f64 / 8.0);
        ([x, y, hit(0), hit(1), hit(2)], mark as u32, [1.0, 0.0, 2.5][i % 3])
    }

    fn places() -> [Place; 5] {
        [Place::Cell(0), Place::Cell(1), Place::Mark(0), Place::Mark(1), Place::Mark(2)]
    }

    fn sums(rows: std::ops::Range<usize>, step: usize, wanted: Products) -> ColumnSums {
        let mut sums = ColumnSums::new(2, 4, wanted);
        for lo in rows.clone().step_by(step) {
            let block: Vec<_> = (lo..rows.end.min(lo + step)).map(row).collect();
            let cells: Vec<f64> = block.iter().flat_map(|(x, ..)| x[..2].to_vec()).collect();
            let marks: Vec<u32> = block.iter().map(|(_, mark, _)| *mark).collect();
            let weights: Vec<f64> = block.iter().map(|(.., w)| *w).collect();
            sums.add(MatrixView::row_major(&cells, block.len(), 2).unwrap(), Marks::new(1, 3, &marks), &weights);
        }
        sums
    }

    #[test]
    fn marks_give_the_means_and_products_of_their_cells() {
        let total: f64 = (0..ROWS).map(|i| row(i).2).sum();
        let mean = |j: usize| (0..ROWS).map(|i| row(i).2 * row(i).0[j]).sum::<f64>() / total;
        let product = |a: usize, b: usize| {
            let term = |i: usize| row(i).2 * (row(i).0[a] - mean(a)) * (row(i).0[b] - mean(b));
            (0..ROWS).map(term).sum::<f64>()
        };
        let merged = |wanted| {
            let mut merged = sums(0..23, 5, wanted);
            merged.merge(&sums(23..23, 5, wanted));
            merged.merge(&sums(23..ROWS, 9, wanted));
            merged
        };
        let [all, squares] = [Products::All, Products::Squares];
        for sums in [sums(0..ROWS, 7, all), merged(all), sums(0..ROWS, 7, squares), merged(squares)] {
            for (a, &at) in places().iter().enumerate() {
                assert!((sums.mean(at) - mean(a)).abs() <= 1e-15 * mean(a).abs(), "mean {a}");
                for (b, &other) in places().iter().enumerate().filter(|(b, _)| sums.wanted == all || *b == a) {
                    let (got, want) = (sums.product(at, other), product(a, b));
                    assert!((got - want).abs() <= 1e-9 * total, "{a}, {b}: {got} is not {want}");
                }
            }
        }
    }
}
