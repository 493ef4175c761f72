//! A level of a tree whose rows do not fit in memory: one pass over them for the histograms of the nodes that are open.
//!
//! Counts by open node, column, code and class. A row finds its node by walking the frozen tree. When the histograms of a level would take
//! more than their share of memory, the level is taken in several passes. Everything is a sum of whole numbers, so the tree is the one that
//! [`grow`](super::grower::grow) gives. Time O(rows · (columns + depth)) a pass.

use std::sync::Arc;

use super::codebook::Codebook;
use super::coded_tree::CodedTree;
use super::growth::{GrownNode, Growth, divide};
use super::search::{Search, occupied};
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows};
use crate::error::Result;
use crate::record::{Record, fault};
use crate::stats::Statistics;

/// Bytes of histograms that no memory is too small for.
const LEAST_BYTES: u64 = 16 << 20;
/// A node that is not counted in this pass.
const CLOSED: u32 = u32::MAX;

/// The frozen tree and the nodes that are counted.
#[derive(Debug, Clone)]
pub(super) struct LevelPoint {
    pub(super) book: Arc<Codebook>,
    /// The tree as rows walk it, and as it has grown; only whoever asks knows the second.
    tree: CodedTree,
    nodes: Vec<GrownNode>,
    /// Nodes that are counted, and those that wait for another pass.
    wave: Vec<usize>,
    waiting: Vec<usize>,
    /// Histogram of every node.
    slots: Vec<u32>,
    /// Histograms at once.
    most: usize,
}

impl LevelPoint {
    /// Nothing but a root.
    pub(super) fn root(book: Arc<Codebook>, memory: u64) -> Self {
        let cells = book.bins.offsets(book.class_count()).last().copied().unwrap_or(1) as u64;
        let most = (memory.max(LEAST_BYTES) / 4 / (cells * 8).max(1)).max(1) as usize;
        let root = GrownNode::leaf(vec![0; book.class_count()], 0);
        LevelPoint { book, tree: CodedTree::root(), nodes: vec![root], wave: vec![0], waiting: Vec::new(), slots: vec![0], most }
    }

    /// The next nodes to be counted; `None` when there are none.
    fn next(mut self, open: Vec<usize>) -> Option<Self> {
        let mut open = open;
        self.waiting = open.split_off(self.most.min(open.len()));
        self.wave = open;
        self.slots = vec![CLOSED; self.tree.len()];
        for (slot, node) in self.wave.iter().enumerate() {
            self.slots[*node] = slot as u32;
        }
        (!self.wave.is_empty()).then_some(self)
    }

    /// Writes the tree down as far as rows need it.
    pub(super) fn write(&self, point: &mut Record) {
        self.book.write(point);
        self.tree.write(point, "");
        point.put_counts("wave", &self.wave.iter().map(|node| *node as u64).collect::<Vec<_>>());
    }

    /// Reads what was written: enough to count rows.
    pub(super) fn read(point: &Record, layout: &Arc<Layout>) -> Result<Self> {
        let book = Arc::new(Codebook::read(point, layout)?);
        let tree = CodedTree::read(point, "", book.bins.width())?;
        let open = |node: &u64| usize::try_from(*node).ok().filter(|node| tree.is_leaf(*node));
        let wave: Option<Vec<usize>> = point.counts("wave")?.iter().map(open).collect();
        let wave = wave.ok_or_else(|| fault("no open node is to be counted"))?;
        let most = wave.len();
        let empty = LevelPoint { book, tree, nodes: Vec::new(), wave: Vec::new(), waiting: Vec::new(), slots: Vec::new(), most };
        empty.next(wave).ok_or_else(|| fault("no open node is to be counted"))
    }
}

/// Histograms of open nodes.
#[derive(Debug, Clone)]
pub struct LevelPass {
    pub(super) point: Arc<LevelPoint>,
    offsets: Arc<Vec<usize>>,
    counts: Vec<u64>,
    weight: f64,
}

impl LevelPass {
    /// Nothing counted.
    pub(super) fn new(point: LevelPoint) -> Self {
        let offsets = Arc::new(point.book.bins.offsets(point.book.class_count()));
        let cells = offsets.last().copied().unwrap_or(0) * point.wave.len();
        LevelPass { point: Arc::new(point), offsets, counts: vec![0; cells], weight: 0.0 }
    }

    /// Whether every column has the rows of its node, class by class: what others have counted may be wrong.
    pub(super) fn check(&self) -> Result<()> {
        let (classes, cells) = (self.point.book.class_count(), self.offsets[self.offsets.len() - 1]);
        for (slot, node) in self.point.wave.iter().enumerate() {
            let counts = &self.counts[slot * cells..(slot + 1) * cells];
            let mut sums = self.offsets.windows(2).map(|pair| class_sums(&counts[pair[0]..pair[1]], classes));
            let known = match *node {
                0 => sums.next().unwrap_or_default(),
                node => self.point.nodes[node].counts.clone(),
            };
            if sums.any(|sums| sums != known) {
                return Err(fault("columns of one node have other rows"));
            }
        }
        Ok(())
    }

    /// Splits the counted nodes where that gains something: the pass that comes next, or the whole tree.
    pub(super) fn advance(&self, growth: &Growth) -> std::result::Result<LevelPass, Vec<GrownNode>> {
        let classes = self.point.book.class_count();
        let (bins, cells) = (&self.point.book.bins, self.offsets[self.offsets.len() - 1]);
        let mut point = (*self.point).clone();
        let mut open = std::mem::take(&mut point.waiting);
        for (slot, node) in self.point.wave.iter().enumerate() {
            let counts = &self.counts[slot * cells..(slot + 1) * cells];
            let of = |j: usize| &counts[self.offsets[j]..self.offsets[j + 1]];
            if *node == 0 {
                point.nodes[0].counts = class_sums(of(0), classes);
                if !growth.may_split(&point.nodes[0].counts, 0) {
                    continue;
                }
            }
            let total = point.nodes[*node].counts.clone();
            let mut search = Search::new(&growth.impurity, &total, growth.least_leaf);
            for j in bins.by_name() {
                search.column(bins, *j, of(*j), occupied(of(*j), classes));
            }
            if let Some(split) = search.finish(|j| occupied(of(j), classes)).filter(|split| split.gain >= growth.least_gain) {
                point.tree.split(*node, split.feature, split.left);
                let children = divide(&mut point.nodes, *node, split);
                let may_split = |child: &usize| growth.may_split(&point.nodes[*child].counts, point.nodes[*child].depth);
                open.extend(children.into_iter().filter(may_split));
            }
        }
        let nodes = point.nodes.clone();
        point.next(open).map(LevelPass::new).ok_or(nodes)
    }
}

/// Weights of classes over all codes of a column.
fn class_sums(counts: &[u64], classes: usize) -> Vec<u64> {
    counts.chunks_exact(classes).fold(vec![0; classes], |sums, code| sums.iter().zip(code).map(|(a, b)| a.saturating_add(*b)).collect())
}

impl Encode for LevelPass {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.counts("counts", &mut self.counts)?;
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        if codec.is_reading() && self.counts.iter().any(|count| *count > u64::MAX >> 1) {
            return Err(fault("a node has more weight than there can be"));
        }
        Ok(())
    }
}

impl Statistics for LevelPass {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let (mut codes, mut weights) = (Vec::new(), Vec::new());
        let (point, book) = (&self.point, &self.point.book);
        book.encode(&rows, &mut codes, &mut weights)?;
        let (stride, classes, cells) = (book.stride(), book.class_count(), self.offsets[self.offsets.len() - 1]);
        for (i, row) in codes.chunks_exact(stride).enumerate() {
            let units = weights.get(i).copied().unwrap_or_else(|| book.fixed.units(1.0));
            self.weight += book.fixed.weight(units);
            let slot = point.slots[point.tree.leaf(row)];
            if slot == CLOSED {
                continue;
            }
            let counts = &mut self.counts[slot as usize * cells..][..cells];
            let class = usize::from(row[stride - 1]);
            for (offset, code) in self.offsets.iter().zip(&row[..stride - 1]) {
                counts[offset + usize::from(*code) * classes + class] += units;
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine = mine.saturating_add(*theirs));
        self.weight += other.weight;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn purpose(&self) -> String {
        format!("counts of {} open nodes", self.point.wave.len())
    }

    fn bytes(&self) -> usize {
        self.counts.len() * size_of::<u64>()
    }
}
