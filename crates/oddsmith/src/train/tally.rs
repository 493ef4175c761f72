//! Which rows a pass saw: how many, their weight, and a digest that tells whether they are the same as in another pass.
//!
//! The digest is the sum over rows of a hash of the row's class, weight, numbers and levels, by their names and not by their codes. So it
//! does not depend on the order of rows and columns, on batches, or on the codes that the places agreed upon, and digests of parts add up.

use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{Layout, RowHashes, Rows, SKIP, mixed};
use crate::error::Result;
use crate::stats::Statistics;

/// Rows, their weight and their digest.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Tally {
    pub(super) rows: u64,
    pub(super) weight: f64,
    pub(super) digest: u64,
}

impl Encode for Tally {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("rows", &mut self.rows)?;
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        codec.count("digest", &mut self.digest)
    }
}

impl Tally {
    /// Adds what another has seen.
    fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.weight += other.weight;
        self.digest = self.digest.wrapping_add(other.digest);
    }
}

/// A statistic, and which rows it saw.
#[derive(Debug, Clone)]
pub(super) struct Tallied<S> {
    names: Arc<RowHashes>,
    pub(super) tally: Tally,
    pub(super) sums: S,
}

impl<S> Tallied<S> {
    /// Nothing seen of rows of a layout.
    pub(super) fn new(layout: &Layout, empty: S) -> Self {
        Tallied { names: Arc::new(RowHashes::new(layout)), tally: Tally::default(), sums: empty }
    }

    fn count(&mut self, rows: &Rows<'_>) -> Result<()> {
        let (labels, mut hashes) = (rows.counted_labels()?, Vec::new());
        self.names.write(rows, &labels, &mut hashes);
        let tally = &mut self.tally;
        for (i, hash) in hashes.into_iter().enumerate().filter(|(i, _)| labels[*i] != SKIP) {
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            tally.rows += 1;
            tally.weight += weight;
            tally.digest = tally.digest.wrapping_add(mixed(hash.wrapping_add(mixed(weight.to_bits()))));
        }
        Ok(())
    }
}

impl<S: Encode> Encode for Tallied<S> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("tally", &mut self.tally)?;
        codec.part("sums", &mut self.sums)
    }
}

impl<S> Statistics for Tallied<S>
where
    S: for<'b> Statistics<Input<'b> = Rows<'b>>,
{
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.count(&rows)?;
        self.sums.observe(rows)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.tally.merge(&other.tally);
        self.sums.merge(&other.sums)
    }

    fn weight(&self) -> f64 {
        self.tally.weight
    }

    fn in_order(&self) -> bool {
        self.sums.in_order()
    }

    fn bytes(&self) -> usize {
        self.sums.bytes()
    }
}

/// A statistic of nothing: a pass that only tallies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nothing;

impl Encode for Nothing {
    fn encode(&mut self, _: &mut Codec<'_>) -> Result<()> {
        Ok(())
    }
}

impl Statistics for Nothing {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, _: Rows<'_>) -> Result<()> {
        Ok(())
    }

    fn merge(&mut self, _: &Self) -> Result<()> {
        Ok(())
    }

    fn weight(&self) -> f64 {
        0.0
    }

    fn bytes(&self) -> usize {
        1
    }
}
