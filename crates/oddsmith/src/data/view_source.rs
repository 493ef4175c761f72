//! Rows that already lie in memory, viewed in place.

use super::{Features, Layout, Rows, SKIP, Source};
use crate::error::{DataFault, Error, Result};

/// Rows of one partition: small enough that a block and its sums stay in the cache, large enough that
/// handing out work costs nothing.
const PARTITION_ROWS: usize = 8192;

/// A source over borrowed planes: NumPy arrays, Arrow buffers, a parsed table.
pub struct ViewSource<'a> {
    layout: &'a Layout,
    features: Features<'a>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
}

impl<'a> ViewSource<'a> {
    /// A source over planes that fit the layout and the labels.
    pub fn new(layout: &'a Layout, features: Features<'a>, labels: &'a [u32], weights: Option<&'a [f64]>) -> Result<Self> {
        features.check(layout)?;
        let rows = features.rows();
        if labels.len() != rows || weights.is_some_and(|w| w.len() != rows) {
            return Err(Error::data(format!(
                "{rows} rows of features come with {} labels and {} weights",
                labels.len(),
                weights.map_or(rows, <[f64]>::len)
            )));
        }
        if let Some(i) = labels.iter().position(|&label| label != SKIP && label as usize >= layout.classes().len()) {
            return Err(DataFault::new("the label is the code of no class:").row(i as u64 + 1).value(labels[i].to_string()).into());
        }
        if let Some(i) = weights.and_then(|w| w.iter().position(|w| !(0.0..f64::INFINITY).contains(w))) {
            let fault = DataFault::new("a weight cannot be").row(i as u64 + 1).value(weights.map_or(0.0, |w| w[i]).to_string());
            return Err(fault.accepted("weights are finite numbers from 0 up").into());
        }
        Ok(ViewSource { layout, features, labels, weights })
    }
}

impl Source for ViewSource<'_> {
    fn layout(&self) -> &Layout {
        self.layout
    }

    fn partitions(&self) -> usize {
        self.labels.len().div_ceil(PARTITION_ROWS)
    }

    fn bytes(&self) -> u64 {
        let cells = self.features.numbers.cols() * 8 + self.features.codes.cols() * 4;
        let entries: usize = self.features.words.iter().map(|block| block.columns.len() * 12).sum();
        (cells * self.labels.len() + entries) as u64
    }

    fn rows(&self) -> Option<u64> {
        Some(self.labels.len() as u64)
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let lo = partition * PARTITION_ROWS;
        let hi = (lo + PARTITION_ROWS).min(self.labels.len());
        let mut words = Vec::new();
        let features = self.features.slice(lo, hi, &mut words);
        sink(Rows::new(features, &self.labels[lo..hi], self.weights.map(|w| &w[lo..hi]), lo as u64))
    }
}
