//! Where a score comes from: the prior and one addend per feature, for every row and class.

use crate::data::Features;
use crate::error::Result;

/// A model whose scores are sums: a base, which is the prior of generative models, and one addend per feature.
pub trait Additive {
    /// Splits the scores of a batch into their addends.
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()>;
}

/// Addends of the scores of a batch. For every row and class, `base` plus the addends of all features is the score.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contributions {
    classes: usize,
    features: usize,
    base: Vec<f64>,
    addends: Vec<f64>,
}

impl Contributions {
    /// An empty buffer.
    pub fn new() -> Self {
        Contributions::default()
    }

    /// Makes room for `rows` rows of `features` addends and sets the base (the log prior) of all rows.
    pub fn reset(&mut self, rows: usize, features: usize, base: &[f64]) {
        self.classes = base.len();
        self.features = features;
        self.base = base.to_vec();
        self.addends.clear();
        self.addends.resize(rows * features * self.classes, 0.0);
    }

    /// Multiplies every addend by a slope and moves the base by one offset per class.
    pub fn stretch(&mut self, slope: f64, offsets: &[f64]) {
        self.base.iter_mut().zip(offsets).for_each(|(base, offset)| *base = slope * *base + offset);
        self.addends.iter_mut().for_each(|addend| *addend *= slope);
    }

    /// The score of a row before any feature is looked at.
    pub fn base(&self) -> &[f64] {
        &self.base
    }

    /// The addends of feature `j` in row `i`, class by class.
    pub fn addends(&self, i: usize, j: usize) -> &[f64] {
        let start = (i * self.features + j) * self.classes;
        &self.addends[start..start + self.classes]
    }

    /// The same, to be written.
    pub fn addends_mut(&mut self, i: usize, j: usize) -> &mut [f64] {
        let start = (i * self.features + j) * self.classes;
        &mut self.addends[start..start + self.classes]
    }
}
