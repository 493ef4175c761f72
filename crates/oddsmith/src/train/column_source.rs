//! A source seen through some of its columns.

use crate::data::{ColumnPick, Layout, MappedSource, Rows, Source};
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

impl MappedSource for ColumnSource<'_> {
    type Work = Option<ColumnPick>;

    fn inner(&self) -> &dyn Source {
        self.source
    }

    fn mapped_layout(&self) -> &Layout {
        &self.layout
    }

    fn mapped_bytes(&self) -> u64 {
        let all = self.source.layout().features().len().max(1) as u64;
        self.source.bytes() * self.layout.features().len() as u64 / all
    }

    fn map(&self, rows: Rows<'_>, pick: &mut Option<ColumnPick>, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let pick = pick.get_or_insert_with(|| self.pick.clone());
        pick.with(&rows.features, rows.labels.len(), |features| sink(Rows { features, ..rows }))
    }
}
