//! The mean of a number column over the rows in which it is present.
//!
//! Kept as a weight and a mean that moves by w (x − m)/W, with what rounding drops of it, so that neither an offset of 1e8 nor
//! numbers near the largest cost digits.

use crate::codec::{Codec, Encode};
use crate::error::Result;
use crate::num::two_sum;

/// Weight and mean of present values, and whether any was missing.
#[derive(Debug, Clone, Default)]
pub(super) struct MeanSum {
    weight: f64,
    mean: f64,
    low: f64,
    has_gaps: bool,
}

impl Encode for MeanSum {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("weight", &mut self.weight)?;
        codec.number("mean", &mut self.mean)?;
        codec.number("low", &mut self.low)?;
        codec.flag("gaps", &mut self.has_gaps)
    }
}

impl MeanSum {
    /// Adds a value; NaN is a gap.
    pub(super) fn push(&mut self, x: f64, weight: f64) {
        if x.is_nan() {
            self.has_gaps = true;
        } else if weight > 0.0 {
            self.add(x, 0.0, weight);
        }
    }

    fn add(&mut self, mean: f64, low: f64, weight: f64) {
        self.weight += weight;
        let share = weight / self.weight;
        let delta = (mean - self.mean) + (low - self.low);
        // The difference of two numbers near the largest overflows; their shares do not.
        let step = if delta.is_finite() { delta * share } else { mean * share - self.mean * share };
        (self.mean, self.low) = two_sum(self.mean, self.low + step);
    }

    /// Adds another summary.
    pub(super) fn merge(&mut self, other: &Self) {
        self.has_gaps |= other.has_gaps;
        if other.weight > 0.0 {
            self.add(other.mean, other.low, other.weight);
        }
    }

    /// The mean, when there was any value.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.weight > 0.0).then_some(self.mean)
    }

    /// Whether a value was missing.
    pub(super) fn has_gaps(&self) -> bool {
        self.has_gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_distant_and_of_huge_numbers() {
        let mut sum = MeanSum::default();
        (0..1000).for_each(|i| sum.push(1e8 + f64::from(i) / 1000.0, 1.0));
        sum.push(f64::NAN, 1.0);
        assert!((sum.mean().unwrap() - (1e8 + 0.4995)).abs() < 2e-8 && sum.has_gaps());
        let mut huge = MeanSum::default();
        [f64::MAX, -f64::MAX, f64::MAX].into_iter().for_each(|x| huge.push(x, 1.0));
        assert!((huge.mean().unwrap() / (f64::MAX / 3.0) - 1.0).abs() < 1e-15);
        let mut merged = MeanSum::default();
        merged.merge(&huge);
        merged.merge(&MeanSum::default());
        assert_eq!(merged.mean(), huge.mean());
    }
}
