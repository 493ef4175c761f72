//! A source without the rows that a model has no answer for.
//!
//! Crude and adjusted odds ratios differ by the other terms alone only where both come from the same rows: those with every value that the
//! whole model needs.

use super::ProjectedModel;
use crate::data::{MappedSource, Rows, SKIP, Source};
use crate::error::Result;
use crate::model::{Classifier, Scores};

/// Only rows that a model scores: the labels of the others become [`SKIP`].
pub struct AnsweredSource<'a> {
    source: &'a dyn Source,
    model: ProjectedModel<&'a dyn Classifier>,
}

impl<'a> AnsweredSource<'a> {
    /// The rows of a source that has the model's columns among its own.
    pub fn new(source: &'a dyn Source, model: &'a dyn Classifier) -> Result<Self> {
        Ok(AnsweredSource { source, model: ProjectedModel::new(model, source.layout())? })
    }
}

impl MappedSource for AnsweredSource<'_> {
    type Work = (Vec<u32>, Scores);

    fn inner(&self) -> &dyn Source {
        self.source
    }

    fn map(&self, rows: Rows<'_>, (labels, scores): &mut Self::Work, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        self.model.score_relative(&rows.features, scores)?;
        labels.clear();
        labels.extend(rows.labels.iter().enumerate().map(|(i, label)| if scores.row(i)[0].is_nan() { SKIP } else { *label }));
        sink(Rows { labels, ..rows })
    }
}
