//! A source seen through some of its columns.

use super::column_pick::ColumnPick;
use crate::data::{Layout, Rows, Source};
use crate::error::Result;
use crate::model::Classifier;

/// Rows with only some features, in a given order.
pub struct ColumnSource<'a> {
    source: &'a dyn Source,
    layout: Layout,
    pick: ColumnPick,
}

impl<'a> ColumnSource<'a> {
    /// The features with these indices.
    pub fn new(source: &'a dyn Source, features: &[usize]) -> Result<Self> {
        Ok(ColumnSource { layout: source.layout().select(features)?, pick: ColumnPick::new(source.layout(), features), source })
    }

    /// The columns that a model reads.
    pub fn for_model(source: &'a dyn Source, model: &dyn Classifier) -> Result<Self> {
        let features = model.layout().names().iter().map(|name| source.layout().index(name)).collect::<Result<Vec<_>>>()?;
        ColumnSource::new(source, &features)
    }
}

impl Source for ColumnSource<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn partitions(&self) -> usize {
        self.source.partitions()
    }

    fn bytes(&self) -> u64 {
        let all = self.source.layout().features().len().max(1) as u64;
        self.source.bytes() * self.layout.features().len() as u64 / all
    }

    fn rows(&self) -> Option<u64> {
        self.source.rows()
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let mut pick = self.pick.clone();
        self.source
            .scan(partition, &mut |batch| pick.with(&batch.features, batch.labels.len(), |features| sink(Rows { features, ..batch })))
    }
}
