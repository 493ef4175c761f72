//! A grown tree as rows walk it: nodes of 16 bytes in preorder, so that the left child is the next node.

use super::bins::ColumnCodes;
use super::codebook::Codebook;
use super::growth::{GrownNode, preorder};
use super::search::Shape;
use crate::data::{Features, Layout, Plane, Space};
use crate::error::Result;
use crate::record::{Record, fault};

/// Rows with a gap, or a level that was not there, go left.
pub(super) const GAP_LEFT: u32 = 1 << 31;
/// The split looks at levels.
pub(super) const LEVELS: u32 = 1 << 30;
/// The split looks at gaps alone: they go left, values right.
pub(super) const GAP: u32 = 1 << 29;
/// Rows of the fit had gaps here.
const GAPS_SEEN: u32 = 1 << 28;
/// The column.
pub(super) const FEATURE: u32 = GAPS_SEEN - 1;
/// A node without a split.
pub(super) const LEAF: u32 = u32::MAX;

/// One node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node {
    /// Of a number; for levels, where their bits start; for a leaf, how many leaves come before it.
    pub(super) threshold: f64,
    /// The column and what is done with it.
    pub(super) feature: u32,
    /// The right child.
    pub(super) right: u32,
}

/// What a split asks, for people.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Question {
    /// Whether a number is below.
    Below(f64),
    /// Whether a level is one of these.
    In(Vec<usize>),
    /// Whether there is no value.
    Missing,
}

/// A tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Bits of levels that go left, a word for every 64.
    pub(super) sets: Vec<u64>,
}

impl Tree {
    /// From a grown tree; the places of its nodes in the order of this one come with it.
    pub(super) fn new(grown: &[GrownNode], book: &Codebook) -> (Self, Vec<usize>) {
        let order = preorder(grown);
        let mut place = vec![0; grown.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let (mut nodes, mut sets, mut leaves) = (Vec::with_capacity(order.len()), Vec::new(), 0.0);
        for old in &order {
            let Some(split) = &grown[*old].split else {
                nodes.push(Node { threshold: leaves, feature: LEAF, right: 0 });
                leaves += 1.0;
                continue;
            };
            let flag = |flag: u32, on: bool| if on { flag } else { 0 };
            let kind = flag(LEVELS, split.shape == Shape::Levels) | flag(GAP, split.shape == Shape::Gap);
            let gaps = flag(GAP_LEFT, split.left.has(0)) | flag(GAPS_SEEN, split.gaps);
            let threshold = match (split.shape, book.bins.column(split.feature)) {
                (Shape::Below(last, next), _) => book.bins.threshold(split.feature, last, next),
                (Shape::Levels, ColumnCodes::Levels { codes, .. }) => {
                    let start = sets.len();
                    sets.resize(start + words(codes.len()), 0);
                    for level in (0..codes.len()).filter(|level| split.left.has(codes[*level])) {
                        sets[start + level / 64] |= 1u64 << (level % 64);
                    }
                    start as f64
                }
                _ => 0.0,
            };
            nodes.push(Node { threshold, feature: split.feature as u32 | kind | gaps, right: place[grown[*old].children[1]] as u32 });
        }
        (Tree { nodes, sets }, order)
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Children of a node; `None` for a leaf.
    pub(super) fn children(&self, at: usize) -> Option<[usize; 2]> {
        let node = &self.nodes[at];
        (node.feature != LEAF).then_some([at + 1, node.right as usize])
    }

    /// The column that a node looks at.
    pub(super) fn feature(&self, at: usize) -> Option<usize> {
        let feature = self.nodes[at].feature;
        (feature != LEAF).then_some((feature & FEATURE) as usize)
    }

    /// What a node asks.
    pub(super) fn question(&self, at: usize, layout: &Layout) -> Option<Question> {
        let (node, feature) = (&self.nodes[at], self.feature(at)?);
        Some(match node.feature {
            bits if bits & GAP != 0 => Question::Missing,
            bits if bits & LEVELS != 0 => {
                let start = node.threshold as usize;
                let bit = |level: &usize| self.sets[start + level / 64] >> (level % 64) & 1 == 1;
                Question::In((0..level_count(layout, feature)).filter(bit).collect())
            }
            _ => Question::Below(node.threshold),
        })
    }

    /// Whether gaps go left, where rows of the fit had some.
    pub(super) fn gaps(&self, at: usize) -> Option<bool> {
        let bits = self.nodes[at].feature;
        (bits != LEAF && bits & GAPS_SEEN != 0).then_some(bits & GAP_LEFT != 0)
    }

    /// Whether gaps go left, with or without rows of the fit that had some; `None` at a leaf.
    pub(super) fn gap_goes_left(&self, at: usize) -> Option<bool> {
        let bits = self.nodes[at].feature;
        (bits != LEAF).then_some(bits & GAP_LEFT != 0)
    }

    /// The child to which row `i` of a batch goes; `None` at a leaf.
    #[inline]
    pub(super) fn step(&self, at: usize, layout: &Layout, rows: &Features<'_>, i: usize) -> Option<usize> {
        let node = &self.nodes[at];
        if node.feature == LEAF {
            return None;
        }
        let gap_left = node.feature & GAP_LEFT != 0;
        let left = match layout.plane((node.feature & FEATURE) as usize) {
            Plane::Numbers(place) => {
                let x = rows.numbers.get(i, place);
                if x.is_nan() { gap_left } else { node.feature & GAP == 0 && x < node.threshold }
            }
            Plane::Codes(place) | Plane::Words(place) => {
                let (code, levels) = (rows.codes.get(i, place) as usize, level_count(layout, (node.feature & FEATURE) as usize));
                if code >= levels {
                    gap_left
                } else {
                    node.feature & GAP == 0 && self.sets[node.threshold as usize + code / 64] >> (code % 64) & 1 == 1
                }
            }
        };
        Some(if left { at + 1 } else { node.right as usize })
    }

    /// Appends the nodes of row `i` from the root to its leaf.
    pub(super) fn follow(&self, layout: &Layout, rows: &Features<'_>, i: usize, path: &mut Vec<usize>) {
        let mut next = Some(0);
        while let Some(at) = next {
            path.push(at);
            next = self.step(at, layout, rows, i);
        }
    }

    /// How many leaves come before a leaf.
    pub(super) fn leaf_number(&self, at: usize) -> usize {
        self.nodes[at].threshold as usize
    }

    /// Stores the tree.
    pub(super) fn write(&self, record: &mut Record, prefix: &str) {
        let counts: Vec<u64> = self.nodes.iter().flat_map(|node| [u64::from(node.feature), u64::from(node.right)]).collect();
        record.put_counts(format!("{prefix}nodes"), &counts);
        record.put(format!("{prefix}thresholds"), &self.nodes.iter().map(|node| node.threshold).collect::<Vec<_>>());
        record.put_counts(format!("{prefix}sets"), &self.sets);
    }

    /// Reads a tree of a layout; every node must be where preorder puts it.
    pub(super) fn read(record: &Record, prefix: &str, layout: &Layout) -> Result<Self> {
        let counts = record.counts(&format!("{prefix}nodes"))?;
        let thresholds = record.numbers(&format!("{prefix}thresholds"), counts.len() / 2)?;
        let sets = record.counts(&format!("{prefix}sets"))?.to_vec();
        let narrow = |count: u64| u32::try_from(count).map_err(|_| fault(format!("`{prefix}nodes` holds a number that is too large")));
        let mut nodes = Vec::new();
        for (pair, threshold) in counts.chunks_exact(2).zip(thresholds) {
            nodes.push(Node { threshold, feature: narrow(pair[0])?, right: narrow(pair[1])? });
        }
        let tree = Tree { nodes, sets };
        match tree.is_sound(layout) {
            true if counts.len().is_multiple_of(2) => Ok(tree),
            _ => Err(fault(format!("`{prefix}nodes` are no tree over these columns"))),
        }
    }

    fn is_sound(&self, layout: &Layout) -> bool {
        let count = self.nodes.len();
        let leaves = self.nodes.iter().filter(|node| node.feature == LEAF);
        if leaves.enumerate().any(|(at, leaf)| leaf.threshold != at as f64 || leaf.right != 0) {
            return false;
        }
        let mut sizes = vec![0usize; count];
        for at in (0..count).rev() {
            let node = &self.nodes[at];
            if node.feature == LEAF {
                sizes[at] = 1;
                continue;
            }
            let (feature, right) = ((node.feature & FEATURE) as usize, node.right as usize);
            let sound = at + 1 < count && right < count && right == at + 1 + sizes[at + 1] && self.asks_well(node, feature, layout);
            if !sound {
                return false;
            }
            sizes[at] = 1 + sizes[at + 1] + sizes[right];
        }
        sizes.first() == Some(&count)
    }

    fn asks_well(&self, node: &Node, feature: usize, layout: &Layout) -> bool {
        if feature >= layout.features().len() {
            return false;
        }
        let levels = node.feature & LEVELS != 0;
        match (node.feature & GAP != 0, layout.plane(feature)) {
            (_, Plane::Words(_)) => false,
            (true, _) => !levels && node.feature & GAP_LEFT != 0,
            (false, Plane::Numbers(_)) => !levels,
            (false, Plane::Codes(_)) => {
                let starts = node.threshold >= 0.0 && node.threshold.fract() == 0.0 && node.threshold <= self.sets.len() as f64;
                levels && starts && node.threshold as usize + words(level_count(layout, feature)) <= self.sets.len()
            }
        }
    }
}

fn words(levels: usize) -> usize {
    levels.div_ceil(64)
}

/// Levels of a column; none of numbers.
pub(super) fn level_count(layout: &Layout, feature: usize) -> usize {
    match &layout.features()[feature].space {
        Space::Levels { levels, .. } => levels.len(),
        _ => 0,
    }
}
