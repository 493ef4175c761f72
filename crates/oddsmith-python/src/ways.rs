//! The ways of rows through the trees of a model, as arrays.

use numpy::PyArray1;
use oddsmith::data::Features;
use oddsmith::error::ErrorKind;
use oddsmith::model::{Classifier, Paths};
use pyo3::prelude::*;

/// Nodes of every tree; nodes that are listed by row and tree; these end to end.
pub(crate) type Followed<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// The ways of rows through the trees of a model.
pub(crate) struct Ways {
    trees: Vec<u64>,
    lengths: Vec<u64>,
    nodes: Vec<u64>,
}

impl Ways {
    /// Of no rows yet; an error where the model has no trees.
    pub(crate) fn of(model: &dyn Classifier) -> oddsmith::Result<Self> {
        let paths = paths_of(model)?;
        let trees = (0..paths.trees()).map(|tree| paths.nodes(tree) as u64).collect();
        Ok(Ways { trees, lengths: Vec::new(), nodes: Vec::new() })
    }

    /// Adds the rows of a batch: whole ways, or leaves alone.
    pub(crate) fn follow(&mut self, model: &dyn Classifier, rows: &Features<'_>, whole: bool) -> oddsmith::Result<()> {
        let (paths, mut path) = (paths_of(model)?, Vec::new());
        for i in 0..rows.rows() {
            for tree in 0..paths.trees() {
                path.clear();
                paths.follow(tree, rows, i, &mut path);
                let listed = if whole { &path[..] } else { &path[path.len().saturating_sub(1)..] };
                self.lengths.push(listed.len() as u64);
                self.nodes.extend(listed.iter().map(|node| *node as u64));
            }
        }
        Ok(())
    }

    /// As arrays.
    pub(crate) fn listed(self, py: Python<'_>) -> Followed<'_> {
        (PyArray1::from_vec(py, self.trees), PyArray1::from_vec(py, self.lengths), PyArray1::from_vec(py, self.nodes))
    }
}

fn paths_of(model: &dyn Classifier) -> oddsmith::Result<&dyn Paths> {
    model.paths().ok_or_else(|| {
        let (model, what) = (model.card().title, "list nodes".to_owned());
        ErrorKind::Unsupported { model, what, advice: "it has no trees".into() }.into()
    })
}
