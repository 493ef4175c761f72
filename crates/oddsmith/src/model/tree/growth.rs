//! When a node is split, and the tree that comes of it, before it is pruned and smoothed.

use super::codebook::Codebook;
use super::impurity::{Criterion, Impurity};
use super::search::Split;

/// The rules of growing, in units of weight.
#[derive(Debug, Clone)]
pub(super) struct Growth {
    pub(super) impurity: Impurity,
    pub(super) max_depth: u32,
    pub(super) least_split: u64,
    pub(super) least_leaf: u64,
    /// Least gain of a split, as an impurity times weight.
    pub(super) least_gain: f64,
}

impl Growth {
    /// Whether a node may be split at all.
    pub(super) fn may_split(&self, counts: &[u64], depth: u32) -> bool {
        let weight: u64 = counts.iter().sum();
        let mixed = counts.iter().filter(|count| **count > 0).count() > 1;
        mixed && depth < self.max_depth && weight >= self.least_split && weight >= self.least_leaf.saturating_mul(2)
    }

    /// Rules with counts of rows in the unit of weights.
    pub(super) fn new(criterion: Criterion, book: &Codebook, max_depth: u32, (split, leaf): (f64, f64), share: f64) -> Self {
        let total: f64 = book.classes.total();
        let units = |rows: f64| if rows > 0.0 { book.fixed.units(rows * book.row_weight) } else { 1 };
        Growth {
            impurity: Impurity::new(criterion, book.fixed, book.fixed.units(total)),
            max_depth,
            least_split: units(split),
            least_leaf: units(leaf),
            least_gain: share * total * criterion.unit(),
        }
    }
}

/// A node of a growing tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GrownNode {
    /// Weights of the classes, in units.
    pub(super) counts: Vec<u64>,
    pub(super) depth: u32,
    pub(super) split: Option<Box<Split>>,
    /// Where its children stand, when it has some.
    pub(super) children: [usize; 2],
}

impl GrownNode {
    /// A leaf.
    pub(super) fn leaf(counts: Vec<u64>, depth: u32) -> Self {
        GrownNode { counts, depth, split: None, children: [0; 2] }
    }
}

/// Splits a node: appends its children, left before right, and gives their places.
pub(super) fn divide(nodes: &mut Vec<GrownNode>, at: usize, mut split: Split) -> [usize; 2] {
    let (depth, left) = (nodes[at].depth + 1, std::mem::take(&mut split.left_counts));
    let right: Vec<u64> = nodes[at].counts.iter().zip(&left).map(|(total, left)| total - left).collect();
    let children = [nodes.len(), nodes.len() + 1];
    nodes.push(GrownNode::leaf(left, depth));
    nodes.push(GrownNode::leaf(right, depth));
    nodes[at].split = Some(Box::new(split));
    nodes[at].children = children;
    children
}

/// Places of the nodes in the order in which a tree that is grown as a whole, left branches first, gets them: sums of their gains come out the same however
/// its branches were put together.
pub(super) fn as_grown(nodes: &[GrownNode]) -> Vec<usize> {
    let children = preorder(nodes).into_iter().filter(|at| nodes[*at].split.is_some()).flat_map(|at| nodes[at].children);
    std::iter::once(0).chain(children).collect()
}

/// Places of the nodes in preorder: a node, its left branch, its right branch.
pub(super) fn preorder(nodes: &[GrownNode]) -> Vec<usize> {
    let (mut order, mut open) = (Vec::with_capacity(nodes.len()), vec![0]);
    while let Some(at) = open.pop() {
        order.push(at);
        if nodes[at].split.is_some() {
            open.extend([nodes[at].children[1], nodes[at].children[0]]);
        }
    }
    order
}
