//! What every stored model of trees begins with, and the paths through any of them.

use std::sync::Arc;

use super::TAKES;
use super::nodes::Tree;
use crate::data::{Features, Layout};
use crate::error::Result;
use crate::model::{PathNode, Paths};
use crate::record::{Record, fault};

/// The layout of a stored model of trees of this name and version.
pub(super) fn layout_of(record: &Record, name: &'static str, version: u32) -> Result<Arc<Layout>> {
    record.expect(name, version)?;
    let layout = Layout::read(record, "layout")?;
    if TAKES.check(name, &layout).is_err() || layout.classes().len() < 2 {
        return Err(fault("it has columns that trees do not take, or fewer than two classes"));
    }
    Ok(Arc::new(layout))
}

/// A model that sends rows through trees.
pub(super) trait OfTrees {
    /// The columns that its trees look at.
    fn columns(&self) -> &Layout;

    /// Number of trees.
    fn count(&self) -> usize;

    /// One of them.
    fn tree(&self, which: usize) -> &Tree;

    /// What a node says by itself, where a node is all of the answer.
    fn told_by(&self, _at: usize) -> Option<PathNode> {
        None
    }
}

impl<M: OfTrees> Paths for M {
    fn trees(&self) -> usize {
        self.count()
    }

    fn nodes(&self, tree: usize) -> usize {
        self.tree(tree).len()
    }

    fn follow(&self, tree: usize, rows: &Features<'_>, i: usize, path: &mut Vec<usize>) {
        self.tree(tree).follow(self.columns(), rows, i, path);
    }

    fn node(&self, at: usize) -> Option<PathNode> {
        self.told_by(at)
    }
}
