//! A source without the rows that lack a value.
//!
//! Likelihoods of models with different columns can only be compared on the same rows, so a search takes those that have a value in
//! every candidate column.

use crate::data::{Features, MISSING, MappedSource, Rows, SKIP, Source};
use crate::error::Result;

/// Only rows with a value in every column: the labels of the others become [`SKIP`].
pub struct CompleteSource<'a> {
    source: &'a dyn Source,
}

impl<'a> CompleteSource<'a> {
    /// The complete rows of a source.
    pub fn new(source: &'a dyn Source) -> Self {
        CompleteSource { source }
    }

    /// How many rows that count lack a value.
    pub fn incomplete_rows(&self) -> Result<u64> {
        let mut count = 0;
        for partition in 0..self.source.partitions() {
            self.source.scan(partition, &mut |batch| {
                let labels = batch.counted_labels()?;
                count += (0..labels.len()).filter(|&i| labels[i] != SKIP && has_gap(&batch.features, i)).count() as u64;
                Ok(())
            })?;
        }
        Ok(count)
    }
}

fn has_gap(features: &Features<'_>, i: usize) -> bool {
    let numbers = (0..features.numbers.cols()).any(|j| features.numbers.get(i, j).is_nan());
    let codes = || (0..features.codes.cols()).any(|j| features.codes.get(i, j) == MISSING);
    numbers || codes() || features.words.iter().any(|block| !block.is_present(i))
}

impl MappedSource for CompleteSource<'_> {
    type Work = Vec<u32>;

    fn inner(&self) -> &dyn Source {
        self.source
    }

    fn map(&self, rows: Rows<'_>, labels: &mut Vec<u32>, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        labels.clear();
        labels.extend((0..rows.labels.len()).map(|i| if has_gap(&rows.features, i) { SKIP } else { rows.labels[i] }));
        sink(Rows { labels, ..rows })
    }
}
