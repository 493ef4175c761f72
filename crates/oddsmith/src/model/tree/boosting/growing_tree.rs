//! A tree of a round whose rows are read pass by pass: what is known of its nodes, and which must be counted next.
//!
//! The tree is the one that [`GradientGrower`](super::gradient_tree::GradientGrower) gives: the leaf whose split gains most is split first. As a pass costs much more than a
//! histogram, every pass counts the children of all nodes that would be split by what is known so far, so a tree takes about as many passes as it is
//! deep. Of two children the lighter is counted, and the other is what remains of their parent.

use super::gradient_search::{GradientRules, best_split};
use super::gradient_sums::GradientSum;
use super::gradient_tree::GradientTree;
use crate::model::tree::bins::Bins;
use crate::model::tree::coded_tree::CodedTree;
use crate::model::tree::growth::GrownNode;
use crate::model::tree::search::Split;

/// A node, as far as it is known.
#[derive(Debug, Clone)]
struct GrowingNode {
    depth: u32,
    parent: usize,
    sum: GradientSum,
    /// Its histogram, while its children may need it.
    counts: Vec<GradientSum>,
    /// Whether it is known if and how it is split.
    known: bool,
    split: Option<(Split, GradientSum)>,
    children: Option<[usize; 2]>,
}

/// Bins, where their cells start, and rules.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) bins: &'a Bins,
    pub(super) offsets: &'a [usize],
    pub(super) rules: &'a GradientRules,
}

/// A tree on its way.
#[derive(Debug, Clone)]
pub(super) struct GrowingTree {
    nodes: Vec<GrowingNode>,
    /// As rows walk it.
    pub(super) coded: CodedTree,
}

impl GrowingTree {
    /// Nothing is known.
    pub(super) fn new() -> Self {
        let sum = GradientSum::default();
        let root = GrowingNode { depth: 0, parent: 0, sum, counts: Vec::new(), known: false, split: None, children: None };
        GrowingTree { nodes: vec![root], coded: CodedTree::root() }
    }

    /// Nodes to be counted next; none when the tree is known.
    pub(super) fn wanted(&mut self, rules: &GradientRules) -> Vec<usize> {
        if !self.nodes[0].known {
            return vec![0];
        }
        let (mut open, mut last) = (vec![0], [0; 2]);
        while open.len() < rules.max_leaves {
            let Some(best) = self.best(&open) else { break };
            last = self.children(open.swap_remove(best), rules);
            open.extend(last);
        }
        let unknown: Vec<usize> = open.iter().copied().filter(|at| !self.nodes[*at].known).collect();
        // The children of the last split decide nothing.
        if open.len() == rules.max_leaves && unknown.iter().all(|at| last.contains(at)) {
            return Vec::new();
        }
        let mut wanted: Vec<usize> = unknown.iter().filter_map(|at| self.lighter(self.nodes[*at].parent)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// Takes the histogram of a node that was wanted.
    pub(super) fn learn(&mut self, at: usize, counts: Vec<GradientSum>, scope: Scope<'_>) {
        if at == 0 {
            let first = scope.offsets.get(1).copied().unwrap_or(0);
            counts[..first].iter().for_each(|sum| self.nodes[0].sum.add(sum));
            self.settle(0, counts, scope);
            return;
        }
        let parent = self.nodes[at].parent;
        let mut rest = std::mem::take(&mut self.nodes[parent].counts);
        rest.iter_mut().zip(&counts).for_each(|(rest, counted)| rest.take(counted));
        let sibling = self.nodes[parent].children.and_then(|pair| pair.into_iter().find(|child| *child != at));
        self.settle(at, counts, scope);
        if let Some(sibling) = sibling {
            self.settle(sibling, rest, scope);
        }
    }

    /// The tree, when all of it is known.
    pub(super) fn finish(&self, rules: &GradientRules) -> GradientTree {
        let root = GrownNode::leaf(Vec::new(), 0);
        let mut tree = GradientTree { nodes: vec![root], sums: vec![self.nodes[0].sum], leaves: Vec::new() };
        // Nodes here and their places in the tree.
        let (mut open, mut places) = (vec![0], vec![0]);
        while open.len() < rules.max_leaves {
            let Some(best) = self.best(&open) else { break };
            let (at, place) = (open.swap_remove(best), places.swap_remove(best));
            let (Some(children), Some((split, _))) = (self.nodes[at].children, &self.nodes[at].split) else { break };
            let first = tree.nodes.len();
            for child in children {
                tree.nodes.push(GrownNode::leaf(Vec::new(), self.nodes[child].depth));
                tree.sums.push(self.nodes[child].sum);
            }
            tree.nodes[place].split = Some(Box::new(split.clone()));
            tree.nodes[place].children = [first, first + 1];
            open.extend(children);
            places.extend([first, first + 1]);
        }
        tree.leaves = places;
        tree.leaves.sort_unstable();
        tree
    }

    /// The leaf that gains most, by its place in the list.
    fn best(&self, open: &[usize]) -> Option<usize> {
        let gain = |at: usize| self.nodes[open[at]].split.as_ref().map_or(0.0, |(split, _)| split.gain);
        let best = (0..open.len()).reduce(|best, at| if gain(at) > gain(best) { at } else { best });
        best.filter(|best| self.nodes[open[*best]].split.is_some())
    }

    /// The children of a node that is split.
    fn children(&mut self, at: usize, rules: &GradientRules) -> [usize; 2] {
        if let Some(children) = self.nodes[at].children {
            return children;
        }
        let (first, depth, mut sums) = (self.nodes.len(), self.nodes[at].depth + 1, [self.nodes[at].sum; 2]);
        if let Some((split, left)) = &self.nodes[at].split {
            sums[0] = *left;
            sums[1].take(left);
            self.coded.split(at, split.feature, split.left);
        }
        for sum in sums {
            // Too deep or too light to be split, whatever its rows are.
            let known = depth >= rules.max_depth || sum.units() < rules.least_leaf.saturating_mul(2);
            self.nodes.push(GrowingNode { depth, parent: at, sum, counts: Vec::new(), known, split: None, children: None });
        }
        self.nodes[at].children = Some([first, first + 1]);
        [first, first + 1]
    }

    fn lighter(&self, parent: usize) -> Option<usize> {
        let [first, second] = self.nodes[parent].children?;
        Some(if self.nodes[second].sum.units() < self.nodes[first].sum.units() { second } else { first })
    }

    /// Finds the split of a node from its histogram.
    fn settle(&mut self, at: usize, counts: Vec<GradientSum>, Scope { bins, offsets, rules }: Scope<'_>) {
        let node = &mut self.nodes[at];
        if node.depth < rules.max_depth {
            node.split = best_split(bins, offsets, rules, &node.sum, &counts);
        }
        node.known = true;
        node.counts = if node.split.is_some() { counts } else { Vec::new() };
    }
}
