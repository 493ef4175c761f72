//! How often a row is in the sample of a tree: a Poisson(1) number from a counter generator keyed by seed, tree and row.
//!
//! Rows are numbered in their canonical order, so samples do not depend on the order of the file, on partitions or on threads, and can be drawn
//! again at any time: nothing is kept. A row that stands for w equal rows (frequency weights) is drawn as w rows; a sampling weight is multiplied by the number that is drawn.

use crate::data::Weighting;
use crate::model::tree::canonical::{Draws, canonical_order};
use crate::model::tree::coded_rows::CodedRows;

/// Coded rows in canonical order, with the number of the first of the rows that each stands for.
pub(super) struct OrderedRows {
    pub(super) stride: usize,
    pub(super) codes: Vec<u8>,
    /// Weights in units; empty where every row weighs one unit.
    pub(super) weights: Vec<u64>,
    /// Whether a weight counts equal rows.
    counts_rows: bool,
    firsts: Vec<u64>,
    /// Where every row stood when it was read.
    pub(super) order: Vec<u32>,
}

impl OrderedRows {
    /// Puts rows in order.
    pub(super) fn new(rows: &CodedRows) -> Self {
        let (stride, order) = (rows.book.stride(), canonical_order(rows));
        let mut codes = Vec::with_capacity(rows.codes.len());
        order.iter().for_each(|i| codes.extend_from_slice(&rows.codes[*i as usize * stride..][..stride]));
        let weights: Vec<u64> =
            if rows.weights.is_empty() { Vec::new() } else { order.iter().map(|i| rows.weights[*i as usize]).collect() };
        let counts_rows = rows.book.layout.weighting() != Weighting::Sampling && rows.book.fixed.shift() == 0;
        let copies = |at: usize| if counts_rows { weights.get(at).copied().unwrap_or(1) } else { 1 };
        let firsts = (0..order.len()).scan(0, |next, at| {
            let first = *next;
            *next += copies(at);
            Some(first)
        });
        OrderedRows { firsts: firsts.collect(), stride, codes, weights, counts_rows, order }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.firsts.len()
    }

    /// A row's weight in units.
    pub(super) fn units(&self, i: usize) -> u64 {
        self.weights.get(i).copied().unwrap_or(1)
    }

    /// Units of all rows in the sample of a tree; 0 when a row is out of the bag.
    pub(super) fn sample(&self, seed: u64, tree: usize) -> Vec<u64> {
        let (draws, poisson) = (Draws::new(seed, tree as u64 + 2), Poisson::new());
        let draw = |row: u64| poisson.number(draws.at(row));
        let units = |(i, first): (usize, &u64)| match self.counts_rows {
            true => (0..self.units(i)).map(|copy| draw(first + copy)).sum(),
            false => draw(*first) * self.units(i),
        };
        self.firsts.iter().enumerate().map(units).collect()
    }
}

/// Poisson(1) numbers from 64 random bits, by the distribution function.
struct Poisson {
    /// The probability of no more than k, for every k that can be told from more.
    up_to: Vec<f64>,
}

impl Poisson {
    fn new() -> Self {
        let (mut up_to, mut p) = (Vec::new(), (-1f64).exp());
        let mut sum = p;
        while p > f64::EPSILON {
            up_to.push(sum);
            p /= up_to.len() as f64;
            sum += p;
        }
        Poisson { up_to }
    }

    fn number(&self, bits: u64) -> u64 {
        let u = (bits >> 11) as f64 / (1u64 << 53) as f64;
        self.up_to.iter().take_while(|sum| u >= **sum).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_distribution_of_poisson() {
        let count = 200_000u64;
        let mut seen = [0f64; 6];
        let (draws, poisson) = (Draws::new(3, 5), Poisson::new());
        (0..count).map(|row| poisson.number(draws.at(row))).for_each(|k| seen[(k as usize).min(5)] += 1.0);
        let mut p = (-1f64).exp();
        for (k, seen) in seen.iter().take(5).enumerate() {
            let (want, sd) = (p * count as f64, (p * (1.0 - p) * count as f64).sqrt());
            assert!((seen - want).abs() < 4.5 * sd, "{k}: {seen} for {want}");
            p /= (k + 1) as f64;
        }
    }
}
