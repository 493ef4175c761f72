//! Scores in bins: what remains of them when they are too many to keep.
//!
//! A bin holds all numbers that share sign, exponent and the first ten bits of the fraction, so its width is a thousandth
//! of its values. Bins do not depend on the data, so histograms merge exactly. Each keeps, for events and for others,
//! weight, squared weight, rows and the sum of scores. Memory: 100 bytes per bin that occurs, a few megabytes at most.

use std::collections::BTreeMap;

use super::ranking::{Ranking, ScoreScale, Side};
use super::sorting::key;
use crate::codec::{Codec, Encode};
use crate::error::Result;
use crate::record::fault;

/// Bits of a key that name the bin: sign, eleven of the exponent, ten of the fraction.
const BIN_BITS: u32 = 22;

/// What fell into a bin, of one class.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Content {
    weight: f64,
    squared: f64,
    rows: u64,
    scores: f64,
}

impl Content {
    fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.squared += other.squared;
        self.rows += other.rows;
        self.scores += other.scores;
    }
}

/// Binned scores of events and others.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ScoreHistogram {
    /// Others and events by bin.
    bins: BTreeMap<u32, [Content; 2]>,
}

impl Encode for ScoreHistogram {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let mut keys: Vec<u64> = self.bins.keys().map(|bin| u64::from(*bin)).collect();
        let contents = || self.bins.values().flatten();
        let mut rows: Vec<u64> = contents().map(|content| content.rows).collect();
        let mut sums: Vec<f64> = contents().flat_map(|content| [content.weight, content.squared, content.scores]).collect();
        codec.count_list("keys", &mut keys)?;
        codec.count_list("rows", &mut rows)?;
        codec.cells("sums", 6 * keys.len(), &mut sums)?;
        if !codec.is_reading() {
            return Ok(());
        }
        if rows.len() != 2 * keys.len() || keys.iter().any(|bin| bin >> BIN_BITS != 0) || keys.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(fault(format!("`{}` does not list bins in rising order", codec.full_name("keys"))));
        }
        let content = |at: usize| Content { weight: sums[3 * at], squared: sums[3 * at + 1], rows: rows[at], scores: sums[3 * at + 2] };
        self.bins = keys.iter().enumerate().map(|(at, bin)| (*bin as u32, [content(2 * at), content(2 * at + 1)])).collect();
        Ok(())
    }
}

impl ScoreHistogram {
    /// Adds rows of score, whether it has the event, and weight.
    pub(super) fn add(&mut self, rows: impl Iterator<Item = (f64, bool, f64)>) {
        // A short run in one bin is the rule for neighbours in a batch of sorted or similar rows; the map does the rest.
        for (score, event, weight) in rows.filter(|(_, _, weight)| *weight > 0.0) {
            let bin = self.bins.entry((key(score) >> (u64::BITS - BIN_BITS)) as u32).or_default();
            bin[usize::from(event)].add(&Content { weight, squared: weight * weight, rows: 1, scores: weight * score });
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (bin, [others, events]) in &other.bins {
            let mine = self.bins.entry(*bin).or_default();
            mine[0].add(others);
            mine[1].add(events);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        100 * self.bins.len()
    }

    /// The bins as ties at their mean score.
    pub(super) fn ranking(&self, scale: ScoreScale) -> Ranking {
        let (mut events, mut others) = (Side::default(), Side::default());
        for [other, event] in self.bins.values() {
            let score = (other.scores + event.scores) / (other.weight + event.weight);
            for (side, content) in [(&mut others, other), (&mut events, event)] {
                if content.rows > 0 {
                    side.push(score, content.weight, content.squared, content.rows);
                }
            }
        }
        Ranking::of_sides(events, others, scale, true)
    }
}
