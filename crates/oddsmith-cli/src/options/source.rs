//! How a table is read whose columns are named one by one: the order of levels, its bytes and its texts.

use std::num::NonZeroUsize;

use clap::Args;
use oddsmith::data::{Condition, Order};
use oddsmith_io::ReadOptions;

use super::{OrderArgs, ReadingArgs, TextArgs};
use crate::exit::Failure;

/// Flags about the order of levels and the reading of a table.
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    order: OrderArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

impl SourceArgs {
    /// The declared order of levels.
    pub(crate) fn order(&self) -> Result<Order, Failure> {
        self.order.order()
    }

    /// How the table is read.
    pub(crate) fn options(&self) -> Result<ReadOptions, Failure> {
        self.reading.options(&self.text)
    }

    /// Number of threads, where one was asked for.
    pub(crate) fn threads(&self) -> Option<NonZeroUsize> {
        self.reading.threads
    }

    /// The same, for the rows for which `further` is true as well.
    pub(crate) fn only(&self, further: &Condition) -> Result<Self, Failure> {
        Ok(Self { reading: self.reading.only(further)?, ..self.clone() })
    }
}
