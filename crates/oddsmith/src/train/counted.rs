//! How many rows of which weight a pass saw, beside what it sums up.

use crate::codec::{Codec, Encode};
use crate::data::{Rows, SKIP};
use crate::error::Result;
use crate::stats::Statistics;

/// A statistic, and how many rows of which weight it saw.
#[derive(Clone)]
pub(super) struct Counted<S> {
    pub(super) rows: u64,
    pub(super) weight: f64,
    pub(super) sums: S,
}

impl<S> Counted<S> {
    pub(super) fn new(empty: S) -> Self {
        Counted { rows: 0, weight: 0.0, sums: empty }
    }
}

impl<S: Encode> Encode for Counted<S> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("rows", &mut self.rows)?;
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        codec.part("sums", &mut self.sums)
    }
}

impl<S> Statistics for Counted<S>
where
    S: for<'b> Statistics<Input<'b> = Rows<'b>>,
{
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        for (i, _) in rows.labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            self.rows += 1;
            self.weight += rows.weights.map_or(1.0, |weights| weights[i]);
        }
        self.sums.observe(rows)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.rows += other.rows;
        self.weight += other.weight;
        self.sums.merge(&other.sums)
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn in_order(&self) -> bool {
        self.sums.in_order()
    }

    fn bytes(&self) -> usize {
        self.sums.bytes()
    }
}
