//! The way of a row through a tree: which questions it answers, and what every answer changes.

use crate::data::Features;

/// A node on the way of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct PathNode {
    /// The condition under which rows come here from the node before; `all rows` at the root.
    pub condition: String,
    /// Weight of the rows of the fit that came here.
    pub weight: f64,
    /// Log probabilities of the classes here.
    pub log_p: Vec<f64>,
}

/// A model of trees. Nodes of a tree are numbered from 0: a node, its left branch, its right branch.
pub trait Paths {
    /// How many trees there are.
    fn trees(&self) -> usize;

    /// How many nodes a tree has.
    fn nodes(&self, tree: usize) -> usize;

    /// Appends the nodes that row `i` of a batch comes through, from the root to its leaf.
    fn follow(&self, tree: usize, rows: &Features<'_>, i: usize, path: &mut Vec<usize>);

    /// A node in words, where one tree is the whole model and log probabilities along its paths add up to its scores.
    fn node(&self, _node: usize) -> Option<PathNode> {
        None
    }
}
