//! Mergeable summaries of rows. A statistic knows no option: every prior, divisor and penalty comes later.

mod class_table;
mod class_weights;
mod compensated;
mod design_survey;
mod flag_columns;
mod level_counts;
#[cfg(test)]
mod nist;
mod number_moments;
mod number_tallies;
mod part_of;
mod parts;
mod project;
mod quantile_sketch;
pub(crate) mod row_factor;
mod scales;
mod scatter;
mod scatter_group;
mod scatter_record;
mod table;
mod table_record;
mod union;
mod value_counts;
mod word_counts;

pub use class_table::ClassTable;
pub use class_weights::ClassWeights;
pub use level_counts::LevelCounts;
pub use number_moments::{Moment, NumberMoments};
pub use number_tallies::NumberTallies;
pub use parts::{Parts, ScatterPart, WordParts};
pub(crate) use quantile_sketch::between;
pub use quantile_sketch::{ColumnBins, MOST_VALUES, QuantileSketch};
pub(crate) use scales::{MOST_POWER, check_size, power_near};
pub use scatter::Scatter;
pub use scatter_group::{BatchFate, ScatterGroup};
pub use table::TableStats;
pub use union::{Named, Union, separate, unite};
pub use value_counts::ValueCounts;
pub use word_counts::WordCounts;

use crate::codec::Encode;
use crate::error::Result;

/// A mergeable summary with a wire form.
///
/// Laws: the empty summary is the identity of `merge`; `merge` is associative and commutative up to
/// rounding; observing a stream in pieces and merging equals observing it whole; a summary that is written down and read into the empty
/// summary of the same pass is the same summary, to the bit.
pub trait Statistics: Encode + Clone + Send + Sync {
    /// What is summed up: labelled rows for models, judged scores for metrics.
    type Input<'a>;

    /// Adds a batch.
    fn observe(&mut self, input: Self::Input<'_>) -> Result<()>;

    /// Numbers that the driver keeps for every row from pass to pass, so that a pass need not compute them again from all that came
    /// before: the margin of a boosted row, its leaf. Most summaries want none.
    fn row_state(&self) -> usize {
        0
    }

    /// Adds a batch with the numbers that are kept for its rows, [`Statistics::row_state`] each: zeros before the first pass, afterwards
    /// what the pass before left in them. They save work and never change a sum: [`Statistics::observe`] comes to the same without
    /// them, because a place that answers one question alone has none.
    fn observe_kept(&mut self, input: Self::Input<'_>, _kept: &mut [f64]) -> Result<()> {
        self.observe(input)
    }

    /// Adds what another summary of the same layout has seen.
    fn merge(&mut self, other: &Self) -> Result<()>;

    /// Tells that so many rows of the table come before those that were seen: whoever reads a table in parts counts the rows of each from the beginning of
    /// the part. Only what names rows cares.
    fn come_after(&mut self, _rows: u64) {}

    /// Total weight seen.
    fn weight(&self) -> f64;

    /// Whether a pass over a source of `partitions` partitions may leave this one out: a learner that only wants to know
    /// roughly where to start looks at some of them.
    fn skips(&self, _partition: usize, _partitions: usize) -> bool {
        false
    }

    /// Whether a row is added to what all rows before it have made of the summary, so that pieces of the rows cannot be added up apart: the
    /// driver then reads a source from its first row to its last, and two summaries that both have seen rows refuse to merge. Nearly
    /// every summary is a sum and says no.
    fn in_order(&self) -> bool {
        false
    }

    /// Whether summaries of neighbouring rows come to the same, to the bit, however they are put together: sums of whole numbers, rows one behind the
    /// other. Workers elsewhere then add up what they have before they send it on.
    fn adds_exactly(&self) -> bool {
        false
    }

    /// What the pass is for, in words.
    fn purpose(&self) -> String {
        "sums over the rows".into()
    }

    /// What the sums tell of single rows and not only of all together, in words; `None` when they are sums alone.
    fn discloses(&self) -> Option<String> {
        None
    }

    /// Size in memory, by which the driver decides how many summaries may be alive at once.
    fn bytes(&self) -> usize;
}

/// Adds `other` to `sums`, entry by entry.
pub(crate) fn add(sums: &mut [f64], other: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(other) {
        *sum += value;
    }
}

/// Takes `other` away from `sums` of weights.
pub(crate) fn take(sums: &mut [f64], other: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(other) {
        *sum = remainder(*sum, *value);
    }
}

/// Share of a sum of weights below which a difference of two such sums is taken for their rounding.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// The weight that remains when `part` of `whole` is taken away. Whole numbers are exact up to 2^53; of other weights
/// a difference that could be rounding is nothing, or an emptied cell would keep a mean made of noise.
pub(crate) fn remainder(whole: f64, part: f64) -> f64 {
    const EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    let rest = whole - part;
    let exact = whole.fract() == 0.0 && part.fract() == 0.0 && whole <= EXACT;
    if rest > 0.0 && (exact || rest > whole * ROUNDING) { rest } else { 0.0 }
}
