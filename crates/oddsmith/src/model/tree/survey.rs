//! The first pass of every tree: where values lie, how heavy levels, classes and rows are.

use std::sync::Arc;

use super::fixed_point::FixedPoint;
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows, SKIP, Weighting};
use crate::error::Result;
use crate::model::PassInfo;
use crate::stats::{ClassWeights, QuantileSketch, Statistics, add};

/// What the first pass sums up. Time O(rows · columns), memory that of the sketch.
#[derive(Debug, Clone)]
pub struct Survey {
    pub(super) layout: Arc<Layout>,
    pub(super) sketch: QuantileSketch,
    pub(super) classes: ClassWeights,
    /// Weight of every level of every code column, side by side.
    levels: Vec<f64>,
    level_starts: Vec<usize>,
    pub(super) largest: f64,
    /// Whether a weight is no whole number.
    fractions: bool,
    /// What may be kept of rows; it is known before the pass and is no part of the sums.
    pub(super) memory: u64,
    /// Threads on which trees may be grown.
    pub(super) threads: usize,
}

impl Survey {
    /// Nothing seen.
    pub(super) fn new(layout: &Arc<Layout>, pass: &PassInfo) -> Self {
        let starts = layout.level_counts().into_iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        let level_starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
        Survey {
            sketch: QuantileSketch::new(layout),
            classes: ClassWeights::new(layout.classes().len()),
            levels: vec![0.0; level_starts[level_starts.len() - 1]],
            level_starts,
            largest: 0.0,
            fractions: false,
            layout: Arc::clone(layout),
            memory: pass.memory,
            threads: pass.threads,
        }
    }

    /// Weights of the levels of a code column.
    pub(super) fn levels_of(&self, place: usize) -> &[f64] {
        &self.levels[self.level_starts[place]..self.level_starts[place + 1]]
    }

    /// Whether rows have weights other than 1.
    pub(super) fn is_weighted(&self) -> bool {
        self.fractions || self.largest > 1.0
    }

    /// The unit of weights.
    pub(super) fn fixed_point(&self) -> FixedPoint {
        FixedPoint::new(self.classes.total_rows(), self.largest, !self.fractions)
    }

    /// How much of the weight counts as one row: 1, or, where weights have no unit, the total over the effective number of rows.
    pub(super) fn row_weight(&self) -> f64 {
        match self.layout.weighting() {
            Weighting::Sampling => {
                let ratio = self.classes.total() / self.classes.effective_rows(Weighting::Sampling).max(f64::MIN_POSITIVE);
                // The order in which weights were added shows in the last bits alone.
                libm::ldexp(f64::from((libm::ldexp(ratio, -libm::ilogb(ratio))) as f32), libm::ilogb(ratio))
            }
            Weighting::None | Weighting::Frequency => 1.0,
        }
    }
}

impl Encode for Survey {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("sketch", &mut self.sketch)?;
        codec.part("classes", &mut self.classes)?;
        codec.weights("levels", &mut self.levels)?;
        codec.weights("largest", std::slice::from_mut(&mut self.largest))?;
        codec.flag("fractions", &mut self.fractions)
    }
}

impl Statistics for Survey {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.sketch.observe(rows)?;
        let labels = rows.counted_labels()?;
        self.classes.observe(&labels, rows.weights)?;
        let weight = |i: usize| rows.weights.map_or(1.0, |weights| weights[i]);
        for (place, pair) in self.level_starts.windows(2).enumerate() {
            let levels = &mut self.levels[pair[0]..pair[1]];
            for i in (0..labels.len()).filter(|i| labels[*i] != SKIP) {
                if let Some(level) = levels.get_mut(rows.features.codes.get(i, place) as usize) {
                    *level += weight(i);
                }
            }
        }
        if let Some(weights) = rows.weights {
            for (weight, _) in weights.iter().zip(&*labels).filter(|(_, label)| **label != SKIP) {
                self.largest = self.largest.max(*weight);
                self.fractions |= weight.fract() != 0.0;
            }
        } else if labels.iter().any(|label| *label != SKIP) {
            self.largest = self.largest.max(1.0);
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.sketch.merge(&other.sketch)?;
        self.classes.merge(&other.classes);
        add(&mut self.levels, &other.levels);
        self.largest = self.largest.max(other.largest);
        self.fractions |= other.fractions;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.classes.total()
    }

    fn purpose(&self) -> String {
        self.sketch.purpose()
    }

    fn discloses(&self) -> Option<String> {
        self.sketch.discloses()
    }

    fn bytes(&self) -> usize {
        self.sketch.bytes() + self.levels.len() * size_of::<f64>()
    }
}
