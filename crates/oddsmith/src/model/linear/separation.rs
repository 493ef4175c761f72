//! Proof that no finite maximum of the likelihood exists.
//!
//! A direction d in the space of parameters along which no row's class loses against another, and some row's class gains,
//! raises the likelihood forever (Albert and Anderson). A solver that runs away runs along such a direction; one pass over the rows
//! proves it. For a row with classes S of positive share the loss is max_k η_k − min_S η_k (0 when it is not worse off), its
//! range max_k η_k − min_k η_k, with η = z·d.

use super::lens::Block;
use super::probe::Probe;
use crate::error::Result;
use crate::num::kernel::Panel;

/// Loss, as a share of the largest range, that rounding and an unfinished search may leave.
const TOLERANCE: f64 = 1e-6;

/// The worst loss and the largest range along a direction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Margins {
    pub(crate) loss: f64,
    pub(crate) range: f64,
    /// Rows that gain.
    pub(crate) gaining: u64,
    /// Rows that count.
    pub(crate) rows: u64,
}

impl Margins {
    /// Adds a block; the probe's point is the direction, and no offset enters.
    pub(crate) fn add(&mut self, probe: &Probe, block: &Block<'_>) -> Result<()> {
        let outputs = probe.shape.outputs;
        let mut scores = Vec::new();
        let bare = Block { offset: &[], words: block.words, x: block.x, shares: block.shares, weights: block.weights, first: block.first };
        probe.scores(&bare, &mut Panel::new(), &mut scores)?;
        for (i, eta) in scores.chunks_exact(outputs).enumerate().filter(|(i, _)| block.weights[*i] > 0.0) {
            let shares = &block.shares[i * outputs..(i + 1) * outputs];
            let rest = 1.0 - shares.iter().sum::<f64>();
            let classes = || std::iter::once((rest, 0.0)).chain(shares.iter().copied().zip(eta.iter().copied()));
            let high = classes().fold(f64::NEG_INFINITY, |a, (_, e)| a.max(e));
            let low = classes().fold(f64::INFINITY, |a, (_, e)| a.min(e));
            let held = classes().filter(|(share, _)| *share > 0.0).fold(f64::INFINITY, |a, (_, e)| a.min(e));
            self.loss = self.loss.max(high - held);
            self.range = self.range.max(high - low);
            self.gaining += u64::from(high - low > TOLERANCE * self.range);
            self.rows += 1;
        }
        Ok(())
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.loss = self.loss.max(other.loss);
        self.range = self.range.max(other.range);
        self.gaining += other.gaining;
        self.rows += other.rows;
    }

    /// Whether the direction proves separation.
    pub(crate) fn proves(&self) -> bool {
        self.range > 0.0 && self.range.is_finite() && self.loss <= TOLERANCE * self.range
    }

    /// Whether every row gains.
    pub(crate) fn complete(&self) -> bool {
        self.gaining == self.rows
    }
}
