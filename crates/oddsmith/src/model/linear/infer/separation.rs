//! Proof that no finite maximum of the likelihood exists.
//!
//! A direction d in the space of parameters along which no row's class loses against another, and some row's class gains,
//! raises the likelihood forever (Albert and Anderson). A solver that runs away runs along such a direction; one pass over the rows
//! proves it. With η = z·d a row's classes S of positive share lose max_k η_k − min_S η_k and lead by min_S η_k − max_{k∉S} η_k.
//!
//! A loss counts unless it is as small as the rounding of the row's own score, which is of the order of |z|₁ · |d|∞ in the solver's
//! coordinates. A measure taken from other rows would not do: beside one row with a huge value every other row's loss looks small.

use crate::codec::{Codec, Encode};
use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::eval_point::{EvalPoint, RowSizes};
use crate::num::kernel::Panel;

/// Loss, as a share of the row's size times that of the direction, that rounding and an unfinished search may leave.
pub(super) const TOLERANCE: f64 = 1e-11;

/// What rows gain and lose along a direction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct SeparationCheck {
    /// The largest change of log odds.
    pub(crate) range: f64,
    /// Rows whose class loses against another.
    losing: u64,
    /// Rows with any change.
    moving: u64,
    /// Rows whose class gains against every other.
    leading: u64,
    /// Rows that count.
    rows: u64,
}

impl Encode for SeparationCheck {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("range", &mut self.range)?;
        codec.count("losing", &mut self.losing)?;
        codec.count("moving", &mut self.moving)?;
        codec.count("leading", &mut self.leading)?;
        codec.count("rows", &mut self.rows)
    }
}

impl SeparationCheck {
    /// Adds a block; the eval_point's point is the direction, and no offset enters.
    pub(crate) fn add(&mut self, eval_point: &EvalPoint, block: &Block<'_>) -> Result<()> {
        let outputs = eval_point.shape.outputs;
        let length = eval_point.theta.iter().fold(0.0f64, |a, t| a.max(t.abs()));
        let mut scores = Vec::new();
        let bare = Block { offset: &[], ..*block };
        eval_point.scores(&bare, &mut Panel::new(), &mut scores)?;
        let sizes = RowSizes::new(eval_point, block.marks.is_any());
        for (i, eta) in scores.chunks_exact(outputs).enumerate().filter(|(i, _)| block.weights[*i] > 0.0) {
            // One row that loses refutes the direction; the others need no exact look any more.
            if self.losing > 0 {
                let (low, high) = eta.iter().fold((0.0f64, 0.0f64), |(low, high), e| (low.min(*e), high.max(*e)));
                self.range = self.range.max(high - low);
                continue;
            }
            let proportions = &block.proportions[i * outputs..(i + 1) * outputs];
            let rest = 1.0 - proportions.iter().sum::<f64>();
            let classes = || std::iter::once((rest, 0.0)).chain(proportions.iter().copied().zip(eta.iter().copied()));
            let high = classes().fold(f64::NEG_INFINITY, |a, (_, e)| a.max(e));
            let low = classes().fold(f64::INFINITY, |a, (_, e)| a.min(e));
            let held = classes().filter(|(share, _)| *share > 0.0).fold(f64::INFINITY, |a, (_, e)| a.min(e));
            let rival = classes().filter(|(share, _)| *share <= 0.0).fold(f64::NEG_INFINITY, |a, (_, e)| a.max(e));
            self.range = self.range.max(high - low);
            let rounding = TOLERANCE * sizes.of(block, i) * length;
            // What is not a number must count as a loss.
            let holds = high - held <= rounding;
            self.losing += u64::from(!holds);
            self.moving += u64::from(high - low > rounding);
            self.leading += u64::from(held - rival > rounding && rival.is_finite());
            self.rows += 1;
        }
        Ok(())
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.range = self.range.max(other.range);
        self.losing += other.losing;
        self.moving += other.moving;
        self.leading += other.leading;
        self.rows += other.rows;
    }

    /// Whether the direction proves separation.
    pub(crate) fn proves(&self) -> bool {
        self.moving > 0 && self.losing == 0 && self.range.is_finite()
    }

    /// Whether every row's class gains against every other.
    pub(crate) fn complete(&self) -> bool {
        self.leading == self.rows
    }
}
