//! The values of a column with their weights, in order: quantiles and sums over all of them.
//!
//! Exact while no more than [`MOST`] values differ. Beyond that, neighbours are joined to their mean, so that the rank of a
//! quantile is off by a few millionths of the rows. That moves a knot by as much, and changes no fitted value's correctness:
//! knots and polynomials are a choice of basis.

use crate::codec::{Codec, Encode};
use crate::error::Result;

/// The most values kept apart.
const MOST: usize = 1 << 21;

/// Values waiting to be sorted in before that is done.
const WAITING: usize = 1 << 14;

/// Values with weights.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueTable {
    /// In rising order, each once.
    sorted: Vec<(f64, f64)>,
    waiting: Vec<(f64, f64)>,
    rows: u64,
    joined: bool,
}

impl Encode for ValueTable {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        if !codec.is_reading() {
            self.settle();
        }
        let mut pairs: Vec<f64> = self.sorted.iter().flat_map(|(value, weight)| [*value, *weight]).collect();
        codec.list("values", 2, &mut pairs)?;
        self.sorted = pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        codec.count("rows", &mut self.rows)?;
        codec.flag("joined", &mut self.joined)
    }
}

impl ValueTable {
    /// Adds a finite value.
    pub(super) fn push(&mut self, value: f64, weight: f64) {
        // Both zeros are one value.
        self.waiting.push((value + 0.0, weight));
        self.rows += 1;
        if self.waiting.len() >= WAITING.max(self.sorted.len()) {
            self.settle();
        }
    }

    /// Adds the values of another table.
    pub(super) fn merge(&mut self, other: &Self) {
        self.waiting.extend_from_slice(&other.sorted);
        self.waiting.extend_from_slice(&other.waiting);
        self.rows += other.rows;
        self.joined |= other.joined;
        if self.waiting.len() >= WAITING.max(self.sorted.len()) {
            self.settle();
        }
    }

    /// Sorts in what waits.
    pub(super) fn settle(&mut self) {
        self.sorted.append(&mut self.waiting);
        // Stable, and already sorted runs cost little.
        self.sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.sorted.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            kept.1 += if same { later.1 } else { 0.0 };
            same
        });
        if self.sorted.len() > MOST {
            self.join_neighbours();
        }
    }

    /// Joins every second value with the one before it; the extremes stay.
    fn join_neighbours(&mut self) {
        self.joined = true;
        let last = self.sorted.len() - 1;
        let inner = self.sorted[1..last].chunks(2).map(|pair| match pair {
            [a, b] => {
                let weight = a.1 + b.1;
                (a.0 + (b.0 - a.0) * (b.1 / weight), weight)
            }
            _ => pair[0],
        });
        self.sorted = std::iter::once(self.sorted[0]).chain(inner).chain([self.sorted[last]]).collect();
    }

    /// Different values in rising order with their weights; everything must be settled.
    pub(super) fn entries(&self) -> &[(f64, f64)] {
        &self.sorted
    }

    /// Whether all values were kept apart.
    pub(super) fn is_exact(&self) -> bool {
        !self.joined
    }

    /// The smallest and the largest value.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        Some((self.sorted.first()?.0, self.sorted.last()?.0))
    }

    fn total(&self) -> f64 {
        self.sorted.iter().map(|(_, weight)| weight).sum()
    }

    /// The mean weight of a row.
    pub(super) fn mean_weight(&self) -> f64 {
        self.total() / self.rows.max(1) as f64
    }

    /// The mean, around the middle of the range.
    pub(super) fn mean(&self) -> f64 {
        let Some((lo, hi)) = self.range() else { return 0.0 };
        let middle = lo / 2.0 + hi / 2.0;
        let weight = self.total();
        middle + self.sorted.iter().map(|(x, w)| (x - middle) * (w / weight)).sum::<f64>()
    }

    /// The quantile that R calls type 7: linear between the order statistics at ranks ⌊h⌋ and ⌈h⌉, h = (n − 1)p from 0.
    /// `unit` is the weight of one row.
    pub(super) fn quantile(&self, p: f64, unit: f64) -> f64 {
        let h = (self.total() / unit - 1.0).max(0.0) * p;
        let (lower, upper) = (self.at_rank(h.floor() * unit), self.at_rank((h.floor() + 1.0) * unit));
        let share = h - h.floor();
        if share == 0.0 || lower == upper { lower } else { (1.0 - share) * lower + share * upper }
    }

    /// The value that covers a cumulated weight.
    fn at_rank(&self, rank: f64) -> f64 {
        let mut below = 0.0;
        for (value, weight) in &self.sorted {
            below += weight;
            if below > rank {
                return *value;
            }
        }
        self.sorted.last().map_or(0.0, |(value, _)| *value)
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        (self.sorted.len() + self.waiting.len()) * size_of::<(f64, f64)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: &[(f64, f64)]) -> ValueTable {
        let mut table = ValueTable::default();
        values.iter().for_each(|(x, w)| table.push(*x, *w));
        table.settle();
        table
    }

    #[test]
    fn quantiles_are_linear_between_order_statistics() {
        // quantile(c(3, 1, 4, 1, 5, 9, 2, 6), c(0, .1, .25, .5, .9, 1)) of R.
        let table = table(&[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0].map(|x| (x, 1.0)));
        for (p, expected) in [(0.0, 1.0), (0.1, 1.0), (0.25, 1.75), (0.5, 3.5), (0.9, 6.9), (1.0, 9.0)] {
            assert!((table.quantile(p, 1.0) - expected).abs() < 1e-15, "{p}");
        }
    }

    #[test]
    fn a_weight_is_a_number_of_rows() {
        let rows = table(&[(1.0, 1.0), (2.0, 1.0), (2.0, 1.0), (2.0, 1.0), (7.0, 1.0), (7.0, 1.0)]);
        let weighted = table(&[(7.0, 2.0), (1.0, 1.0), (2.0, 3.0)]);
        assert_eq!(rows.entries(), weighted.entries());
        let halves = table(&[(7.0, 1.0), (1.0, 0.5), (2.0, 1.5)]);
        for p in [0.0, 0.2, 0.5, 0.77, 0.95, 1.0] {
            assert_eq!(rows.quantile(p, 1.0), weighted.quantile(p, 1.0));
            assert_eq!(rows.quantile(p, 1.0), halves.quantile(p, 0.5));
        }
        assert!((rows.mean() - 3.5).abs() < 1e-15);
    }

    #[test]
    fn too_many_values_are_joined_without_moving_quantiles_far() {
        let mut table = ValueTable::default();
        let count = MOST + MOST / 2;
        for i in 0..count {
            // Every value once, in a scattered order.
            table.push(((i as u64 * 0x9E37_79B1) % count as u64) as f64, 1.0);
        }
        table.settle();
        assert!(!table.is_exact() && table.entries().len() <= MOST);
        assert_eq!(table.total(), count as f64);
        for p in [0.0, 0.1, 0.5, 0.999, 1.0] {
            let exact = (count - 1) as f64 * p;
            assert!((table.quantile(p, 1.0) - exact).abs() < 1e-5 * count as f64, "{p}");
        }
    }
}
