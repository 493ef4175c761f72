//! Grows one tree of a round: the leaf whose split lessens the loss most is split first, until there are enough leaves.
//!
//! Of two children the lighter is counted in all shards and taken from their parent, which leaves the other. Time O(rows · columns) per level of
//! the tree.

use super::gradient_search::{GradientRules, best_split};
use super::gradient_sums::GradientSum;
use super::shard::Shard;
use crate::model::tree::bins::Bins;
use crate::model::tree::growth::GrownNode;
use crate::model::tree::search::Split;
use crate::workers;

/// Weight below which a leaf is parted and counted on one thread.
const FEW_UNITS: u64 = 1 << 14;

/// A tree, and the sums of its nodes.
pub(super) struct GradientTree {
    pub(super) nodes: Vec<GrownNode>,
    pub(super) sums: Vec<GradientSum>,
    /// Nodes that were not split.
    pub(super) leaves: Vec<usize>,
}

/// A leaf that may be split: its node, histogram and best split.
struct Leaf {
    at: usize,
    counts: Vec<GradientSum>,
    split: Option<(Split, GradientSum)>,
}

/// Grows trees one after the other from the rows of shards.
pub(super) struct GradientGrower<'a> {
    bins: &'a Bins,
    rules: &'a GradientRules,
    offsets: Vec<usize>,
    threads: usize,
    /// Histograms to be used again.
    spare: Vec<Vec<GradientSum>>,
}

impl<'a> GradientGrower<'a> {
    /// On so many threads.
    pub(super) fn new(bins: &'a Bins, rules: &'a GradientRules, threads: usize) -> Self {
        GradientGrower { bins, rules, offsets: bins.offsets(1), threads, spare: Vec::new() }
    }

    /// The tree of the rows of shards, which have begun it.
    pub(super) fn grow(&mut self, shards: &mut [Shard<'_>]) -> GradientTree {
        let counts = self.histogram(shards, self.threads, None, 0);
        let mut total = GradientSum::default();
        counts[..self.offsets[1]].iter().for_each(|sum| total.add(sum));
        let mut tree = GradientTree { nodes: vec![GrownNode::leaf(Vec::new(), 0)], sums: vec![total], leaves: Vec::new() };
        let mut open = vec![self.leaf(&tree, 0, counts)];
        while open.len() < self.rules.max_leaves {
            let gain = |leaf: &Leaf| leaf.split.as_ref().map_or(0.0, |(split, _)| split.gain);
            let best = (0..open.len()).reduce(|best, at| if gain(&open[at]) > gain(&open[best]) { at } else { best });
            let Some(best) = best.filter(|best| open[*best].split.is_some()) else { break };
            let leaf = open.swap_remove(best);
            self.divide(&mut tree, shards, leaf, &mut open);
        }
        for leaf in open {
            tree.leaves.push(leaf.at);
            self.spare.push(leaf.counts);
        }
        tree.leaves.sort_unstable();
        tree
    }

    fn leaf(&self, tree: &GradientTree, at: usize, counts: Vec<GradientSum>) -> Leaf {
        let split = if tree.nodes[at].depth < self.rules.max_depth {
            best_split(self.bins, &self.offsets, self.rules, &tree.sums[at], &counts)
        } else {
            None
        };
        Leaf { at, counts, split }
    }

    fn divide(&mut self, tree: &mut GradientTree, shards: &mut [Shard<'_>], leaf: Leaf, open: &mut Vec<Leaf>) {
        let Leaf { at, counts: mut rest, split } = leaf;
        let Some((split, left)) = split else { return };
        let (mut right, depth) = (tree.sums[at], tree.nodes[at].depth + 1);
        right.take(&left);
        let children = [tree.nodes.len(), tree.nodes.len() + 1];
        // The lighter child is counted; the other is what remains.
        let smaller = usize::from(right.units() < left.units());
        let threads = if tree.sums[at].units() < FEW_UNITS { 1 } else { self.threads };
        let counted = self.histogram(shards, threads, Some((at, &split)), children[smaller]);
        tree.nodes.extend([GrownNode::leaf(Vec::new(), depth), GrownNode::leaf(Vec::new(), depth)]);
        tree.sums.extend([left, right]);
        tree.nodes[at].split = Some(Box::new(split));
        tree.nodes[at].children = children;
        rest.iter_mut().zip(&counted).for_each(|(rest, counted)| rest.take(counted));
        let (first, second) = if smaller == 0 { (counted, rest) } else { (rest, counted) };
        open.extend([self.leaf(tree, children[0], first), self.leaf(tree, children[1], second)]);
    }

    /// The histogram of a leaf over all shards, after another was parted.
    fn histogram(&mut self, shards: &mut [Shard<'_>], threads: usize, parted: Option<(usize, &Split)>, leaf: usize) -> Vec<GradientSum> {
        let mut sums = self.spare.pop().unwrap_or_default();
        let (bins, offsets) = (self.bins, &self.offsets[..]);
        workers::each(threads, shards.iter_mut().collect(), |shard: &mut Shard<'_>| {
            if let Some((at, split)) = parted {
                shard.part(at, split);
            }
            shard.count(leaf, bins, offsets);
        });
        sums.clear();
        for shard in shards {
            match sums.is_empty() {
                true => std::mem::swap(&mut sums, &mut shard.sums),
                false => sums.iter_mut().zip(&shard.sums).for_each(|(sum, part)| sum.add(part)),
            }
        }
        sums
    }
}
