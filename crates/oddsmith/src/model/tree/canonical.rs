//! An order of coded rows that does not depend on the order in which they were read.
//!
//! Rows are sorted by a hash of their codes, columns by name; rows that are alike are exchangeable. What is drawn for the r-th row of that
//! order is therefore the same for every order of the file, every partition and every number of threads.

use super::coded_rows::CodedRows;
use crate::data::mixed;

/// Places of the rows in canonical order.
pub(super) fn canonical_order(rows: &CodedRows) -> Vec<u32> {
    let (stride, by_name) = (rows.book.stride(), rows.book.bins.by_name());
    let mut rank = vec![0u64; by_name.len()];
    by_name.iter().enumerate().for_each(|(at, j)| rank[*j] = (at as u64 + 1) << 8);
    let key = |(i, row): (usize, &[u8])| {
        let sum = row.iter().zip(&rank).fold(0u64, |sum, (code, rank)| sum.wrapping_add(mixed(rank + u64::from(*code))));
        (mixed(sum), row[stride - 1], rows.weights.get(i).copied().unwrap_or(1), i as u32)
    };
    let mut keyed: Vec<(u64, u8, u64, u32)> = rows.codes.chunks_exact(stride).enumerate().map(key).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, _, _, i)| i).collect()
}

/// A number that looks random, for a seed and two counters.
pub(super) fn drawn(seed: u64, a: u64, b: u64) -> u64 {
    Draws::new(seed, a).at(b)
}

/// Numbers that look random, for a seed and a counter.
pub(super) struct Draws(u64);

impl Draws {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// For a seed and a first counter.
    pub(super) fn new(seed: u64, a: u64) -> Self {
        Draws(mixed(mixed(seed.wrapping_add(Self::STEP)).wrapping_add(a.wrapping_mul(Self::STEP))))
    }

    /// The number of a second counter.
    #[inline]
    pub(super) fn at(&self, b: u64) -> u64 {
        mixed(self.0.wrapping_add(b.wrapping_add(1).wrapping_mul(Self::STEP)))
    }
}
