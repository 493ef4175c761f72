//! Grows one tree of a round: the leaf whose split lessens the loss most is split first, until there are enough leaves.
//!
//! A split gains G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ); levels of a category stand in the order of G/(H + s) with s the
//! curvature of ten rows. Gaps are tried on either side. Rows move as in [`grow`](crate::model::tree::grower::grow), with their gradients; of two children the smaller
//! is counted. Time O(rows · columns) per level of the tree.

use super::gradient_sums::GradientSum;
use crate::model::tree::bins::{Bins, ColumnCodes};
use crate::model::tree::code_set::CodeSet;
use crate::model::tree::growth::GrownNode;
use crate::model::tree::level_order::oriented;
use crate::model::tree::search::{Shape, Split};

/// Share of a gain by which another must exceed it to be taken for larger: gradients are rounded to a part of 2^30.
const SAME: f64 = 1e-7;
/// Rows whose curvature draws the order of rare levels to the middle.
const LEVEL_ROWS: f64 = 10.0;

/// Rows with their gradients, on the move.
#[derive(Default)]
pub(super) struct GradientRows {
    pub(super) stride: usize,
    pub(super) codes: Vec<u8>,
    pub(super) gradients: Vec<[i32; 2]>,
    /// Weights in units; empty where every row weighs one unit.
    pub(super) units: Vec<u64>,
    /// Whether gradients are those of one unit, to be multiplied by the units of their row.
    pub(super) times: bool,
    /// Places of the rows before they moved.
    pub(super) places: Vec<u32>,
}

/// When a leaf is split.
#[derive(Debug, Clone)]
pub(super) struct GradientRules {
    pub(super) max_leaves: usize,
    pub(super) max_depth: u32,
    /// Units that a leaf needs.
    pub(super) least_leaf: u64,
    /// λ in parts.
    pub(super) l2: f64,
}

/// A tree, the sums of its nodes, and the rows of its leaves.
pub(super) struct GradientTree {
    pub(super) nodes: Vec<GrownNode>,
    pub(super) sums: Vec<GradientSum>,
    /// Leaf, first and last of its moved rows.
    pub(super) leaves: Vec<(usize, usize, usize)>,
}

/// A leaf that may be split: its node, rows, histogram and best split.
struct Leaf {
    at: usize,
    rows: (usize, usize),
    counts: Vec<GradientSum>,
    split: Option<(Split, GradientSum)>,
}

/// Grows trees one after the other in the same buffers.
pub(super) struct GradientGrower<'a> {
    bins: &'a Bins,
    rules: &'a GradientRules,
    offsets: Vec<usize>,
    spare: Vec<Vec<GradientSum>>,
    moved: GradientRows,
}

impl<'a> GradientGrower<'a> {
    /// With empty buffers.
    pub(super) fn new(bins: &'a Bins, rules: &'a GradientRules, stride: usize) -> Self {
        let moved = GradientRows { stride, ..GradientRows::default() };
        GradientGrower { bins, rules, offsets: bins.offsets(1), spare: Vec::new(), moved }
    }

    /// The tree of some rows.
    pub(super) fn grow(&mut self, rows: &mut GradientRows) -> GradientTree {
        let all = (0, rows.places.len());
        let counts = self.histogram(rows, all);
        let mut total = GradientSum::default();
        counts[..self.offsets[1]].iter().for_each(|sum| total.add(sum));
        let mut tree = GradientTree { nodes: vec![GrownNode::leaf(Vec::new(), 0)], sums: vec![total], leaves: Vec::new() };
        let mut open = vec![self.leaf(&tree, 0, all, counts)];
        while tree.leaves.len() + open.len() < self.rules.max_leaves {
            let gain = |leaf: &Leaf| leaf.split.as_ref().map_or(0.0, |(split, _)| split.gain);
            let best = (0..open.len()).reduce(|best, at| if gain(&open[at]) > gain(&open[best]) { at } else { best });
            let Some(best) = best.filter(|best| open[*best].split.is_some()) else { break };
            let leaf = open.swap_remove(best);
            self.divide(&mut tree, rows, leaf, &mut open);
        }
        for leaf in open {
            tree.leaves.push((leaf.at, leaf.rows.0, leaf.rows.1));
            self.spare.push(leaf.counts);
        }
        tree.leaves.sort_unstable();
        tree
    }

    fn leaf(&self, tree: &GradientTree, at: usize, rows: (usize, usize), counts: Vec<GradientSum>) -> Leaf {
        let split = if tree.nodes[at].depth < self.rules.max_depth { self.search(&tree.sums[at], &counts) } else { None };
        Leaf { at, rows, counts, split }
    }

    fn divide(&mut self, tree: &mut GradientTree, rows: &mut GradientRows, leaf: Leaf, open: &mut Vec<Leaf>) {
        let Leaf { at, rows: (lo, hi), counts: mut rest, split } = leaf;
        let Some((split, left)) = split else { return };
        let middle = self.part(rows, (lo, hi), &split);
        let (mut right, depth) = (tree.sums[at], tree.nodes[at].depth + 1);
        right.take(&left);
        let children = [tree.nodes.len(), tree.nodes.len() + 1];
        tree.nodes.extend([GrownNode::leaf(Vec::new(), depth), GrownNode::leaf(Vec::new(), depth)]);
        tree.sums.extend([left, right]);
        tree.nodes[at].split = Some(Box::new(split));
        tree.nodes[at].children = children;
        let sides = [(lo, middle), (middle, hi)];
        let smaller = usize::from(hi - middle < middle - lo);
        let counted = self.histogram(rows, sides[smaller]);
        rest.iter_mut().zip(&counted).for_each(|(rest, counted)| rest.take(counted));
        let (first, second) = if smaller == 0 { (counted, rest) } else { (rest, counted) };
        let pair = [self.leaf(tree, children[0], sides[0], first), self.leaf(tree, children[1], sides[1], second)];
        open.extend(pair);
    }

    fn histogram(&mut self, rows: &GradientRows, (lo, hi): (usize, usize)) -> Vec<GradientSum> {
        let mut counts = self.spare.pop().unwrap_or_default();
        counts.clear();
        counts.resize(self.offsets[self.offsets.len() - 1], GradientSum::default());
        let stride = rows.stride;
        for (i, row) in rows.codes[lo * stride..hi * stride].chunks_exact(stride).enumerate() {
            let sum = GradientSum::of_row(rows.gradients[lo + i], rows.units.get(lo + i).copied().unwrap_or(1), rows.times);
            for (offset, code) in self.offsets.iter().zip(&row[..stride - 1]) {
                counts[offset + usize::from(*code)].add(&sum);
            }
        }
        counts
    }

    fn search(&self, total: &GradientSum, counts: &[GradientSum]) -> Option<(Split, GradientSum)> {
        let mut search = GradientSearch { total, rules: self.rules, whole: total.worth(self.rules.l2), best: None };
        for j in self.bins.by_name() {
            let column = &counts[self.offsets[*j]..self.offsets[*j + 1]];
            match self.bins.column(*j) {
                ColumnCodes::Number { .. } => search.numbers(*j, column),
                ColumnCodes::Levels { by_name, .. } => search.levels(*j, column, by_name),
            }
        }
        search.finish(|j| &counts[self.offsets[j]..self.offsets[j + 1]])
    }

    fn part(&mut self, rows: &mut GradientRows, (lo, hi): (usize, usize), split: &Split) -> usize {
        let (stride, moved, weighted) = (rows.stride, &mut self.moved, !rows.units.is_empty());
        moved.codes.clear();
        moved.gradients.clear();
        moved.units.clear();
        moved.places.clear();
        let mut next = lo;
        for i in lo..hi {
            let row = i * stride..(i + 1) * stride;
            if split.left.has(rows.codes[row.start + split.feature]) {
                rows.codes.copy_within(row, next * stride);
                rows.gradients[next] = rows.gradients[i];
                rows.places[next] = rows.places[i];
                if weighted {
                    rows.units[next] = rows.units[i];
                }
                next += 1;
            } else {
                moved.codes.extend_from_slice(&rows.codes[row]);
                moved.gradients.push(rows.gradients[i]);
                moved.places.push(rows.places[i]);
                if weighted {
                    moved.units.push(rows.units[i]);
                }
            }
        }
        rows.codes[next * stride..hi * stride].copy_from_slice(&moved.codes);
        rows.gradients[next..hi].copy_from_slice(&moved.gradients);
        rows.places[next..hi].copy_from_slice(&moved.places);
        if weighted {
            rows.units[next..hi].copy_from_slice(&moved.units);
        }
        next
    }
}

/// The search at one leaf.
struct GradientSearch<'a> {
    total: &'a GradientSum,
    rules: &'a GradientRules,
    whole: f64,
    best: Option<Candidate>,
}

struct Candidate {
    feature: usize,
    shape: Shape,
    values_left: CodeSet,
    gaps_left: Option<bool>,
    gain: f64,
    left: GradientSum,
}

impl GradientSearch<'_> {
    fn numbers(&mut self, feature: usize, column: &[GradientSum]) {
        let gaps = column[0].units() > 0;
        let (mut below, mut with_gaps, mut last) = (GradientSum::default(), column[0], 0);
        if gaps {
            self.offer(feature, &with_gaps, || (Shape::Gap, CodeSet::default(), Some(true)));
        }
        for (code, sum) in column.iter().enumerate().skip(1).filter(|(_, sum)| sum.units() > 0) {
            if last > 0 {
                let shape = Shape::Below(last as u8, code as u8);
                self.offer(feature, &below, || (shape, CodeSet::up_to(last as u8), gaps.then_some(false)));
                if gaps {
                    self.offer(feature, &with_gaps, || (shape, CodeSet::up_to(last as u8), Some(true)));
                }
            }
            below.add(sum);
            with_gaps.add(sum);
            last = code;
        }
    }

    fn levels(&mut self, feature: usize, column: &[GradientSum], by_name: &[u8]) {
        let gaps = column[0].units() > 0;
        if gaps {
            self.offer(feature, &column[0], || (Shape::Gap, CodeSet::default(), Some(true)));
        }
        // Curvature of ten rows of this node.
        let (_, curvature) = self.total.parts();
        let drawn = LEVEL_ROWS * curvature / (self.total.units() as f64).max(1.0) + self.rules.l2;
        let present: Vec<u8> = by_name.iter().copied().filter(|code| column[usize::from(*code)].units() > 0).collect();
        let place = |at: usize| column[usize::from(present[at])].step(drawn);
        let order: Vec<u8> = oriented(present.len(), |a, b| place(a).total_cmp(&place(b))).into_iter().map(|at| present[at]).collect();
        let mut left = GradientSum::default();
        for end in 1..order.len() {
            left.add(&column[usize::from(order[end - 1])]);
            let set = || order[..end].iter().fold(CodeSet::default(), |set, code| set.with(*code));
            self.offer(feature, &left, || (Shape::Levels, set(), gaps.then_some(false)));
            if gaps {
                let mut with_gaps = left;
                with_gaps.add(&column[0]);
                self.offer(feature, &with_gaps, || (Shape::Levels, set(), Some(true)));
            }
        }
    }

    #[inline]
    fn offer(&mut self, feature: usize, left: &GradientSum, make: impl FnOnce() -> (Shape, CodeSet, Option<bool>)) {
        let mut right = *self.total;
        right.take(left);
        if left.units() < self.rules.least_leaf || right.units() < self.rules.least_leaf {
            return;
        }
        let children = left.worth(self.rules.l2) + right.worth(self.rules.l2);
        let gain = children - self.whole;
        let best = self.best.as_ref().map_or(0.0, |best| best.gain);
        if gain > best + SAME * children {
            let (shape, values_left, gaps_left) = make();
            self.best = Some(Candidate { feature, shape, values_left, gaps_left, gain, left: *left });
        }
    }

    fn finish<'b>(self, column: impl FnOnce(usize) -> &'b [GradientSum]) -> Option<(Split, GradientSum)> {
        let Candidate { feature, shape, values_left, gaps_left, gain, left: sum } = self.best?;
        let mut left = values_left;
        // Without gaps they go with the heavier side.
        if gaps_left.unwrap_or(2 * sum.units() >= self.total.units()) {
            left.insert(0);
            if shape == Shape::Levels {
                let counts = column(feature);
                let absent = |code: &u8| counts.get(usize::from(*code)).is_none_or(|sum| sum.units() == 0);
                (1..=u8::MAX).filter(absent).for_each(|code| left.insert(code));
            }
        }
        Some((Split { feature, shape, left, gaps: gaps_left.is_some(), gain, left_counts: Vec::new(), rival: None }, sum))
    }
}
