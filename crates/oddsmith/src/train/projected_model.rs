//! A model that looks at some columns of wider rows.

use std::sync::{Mutex, PoisonError};

use crate::card::Card;
use crate::data::{ColumnPick, Features, Layout};
use crate::error::Result;
use crate::model::{Classifier, Decision, Scale, Scores};
use crate::notice::Notice;
use crate::record::Record;

/// A model behind a layout that has its columns among others, such as that of the table it was learned from.
pub struct ProjectedModel<M> {
    model: M,
    layout: Layout,
    pick: ColumnPick,
    /// Buffers that one batch at a time may use; another one takes copies.
    buffers: Mutex<Option<ColumnPick>>,
}

impl<M: Classifier> ProjectedModel<M> {
    /// The model over rows of `layout`; an error when these lack a column.
    pub fn new(model: M, layout: &Layout) -> Result<Self> {
        let chosen = model.layout().names().iter().map(|name| layout.index(name)).collect::<Result<Vec<_>>>()?;
        let pick = ColumnPick::new(layout, &chosen);
        Ok(ProjectedModel { model, layout: layout.clone(), pick, buffers: Mutex::new(None) })
    }

    /// The rows that the model itself reads.
    pub fn with_columns<T>(&self, rows: &Features<'_>, work: impl FnOnce(Features<'_>) -> Result<T>) -> Result<T> {
        let lock = || self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pick = lock().take().unwrap_or_else(|| self.pick.clone());
        let done = pick.with(rows, rows.rows(), work);
        *lock() = Some(pick);
        done
    }

    /// The model itself.
    pub fn inner(&self) -> &M {
        &self.model
    }
}

impl<M: Classifier> Classifier for ProjectedModel<M> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        self.model.tag()
    }

    fn scale(&self) -> Scale {
        self.model.scale()
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.with_columns(rows, |rows| self.model.score(&rows, out))
    }

    fn score_relative(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.with_columns(rows, |rows| self.model.score_relative(&rows, out))
    }

    fn decision(&self) -> Decision {
        self.model.decision()
    }

    fn free_parameters(&self) -> usize {
        self.model.free_parameters()
    }

    fn card(&self) -> Card {
        self.model.card()
    }

    fn notices(&self) -> Vec<Notice> {
        self.model.notices()
    }

    fn record(&self) -> Result<Record> {
        self.model.record()
    }
}
