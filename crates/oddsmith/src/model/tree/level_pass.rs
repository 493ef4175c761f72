//! A level of a tree whose rows do not fit in memory: one pass over them for the histograms of the nodes that are open.
//!
//! Counts by open node, column, code and class. A row finds its node by walking the frozen tree, for which the columns of its splits are looked up; the
//! others are looked up of rows that are counted. Of two children the smaller one is counted and taken from the parent's histogram, which leaves the
//! larger. When the histograms of a level would take more than their share of memory, the level is taken in several passes. Everything is a sum of
//! whole numbers, so the tree is the one that [`grow`](super::grower::grow) gives. Time O(rows · (columns + depth)) a pass.

use std::sync::Arc;

use super::bins::BLOCK;
use super::codebook::Codebook;
use super::coded_tree::CodedTree;
use super::growth::{GrownNode, Growth, divide};
use super::search::{Search, occupied};
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows, SKIP};
use crate::error::Result;
use crate::record::{Record, fault};
use crate::stats::Statistics;

/// Bytes of histograms that no memory is too small for.
const LEAST_BYTES: u64 = 16 << 20;
/// A node that is not counted in this pass.
const CLOSED: u32 = u32::MAX;

/// A node that is to be counted, and the other child of its parent where that follows from the parent's histogram.
#[derive(Debug, Clone)]
struct Open {
    node: usize,
    sibling: Option<(usize, Arc<Vec<u64>>)>,
}

impl Open {
    fn alone(node: usize) -> Self {
        Open { node, sibling: None }
    }
}

/// The frozen tree and the nodes that are counted.
#[derive(Debug, Clone)]
pub(super) struct LevelPoint {
    pub(super) book: Arc<Codebook>,
    /// The tree as rows walk it, and as it has grown; only whoever asks knows the second.
    tree: CodedTree,
    nodes: Vec<GrownNode>,
    /// Nodes that are counted, and those that wait for another pass.
    wave: Vec<Open>,
    waiting: Vec<Open>,
    /// Histogram of every node.
    slots: Vec<u32>,
    /// Columns that rows are sent through the tree by, and the others.
    asked: Vec<usize>,
    others: Vec<usize>,
    /// Histograms at once.
    most: usize,
}

impl LevelPoint {
    /// Nothing but a root.
    pub(super) fn root(book: Arc<Codebook>, memory: u64) -> Self {
        let cells = book.bins.offsets(book.class_count()).last().copied().unwrap_or(1) as u64;
        let most = (memory.max(LEAST_BYTES) / 4 / (cells * 8).max(1)).max(1) as usize;
        let root = GrownNode::leaf(vec![0; book.class_count()], 0);
        LevelPoint::empty(book, CodedTree::root(), vec![root], most).counting(vec![Open::alone(0)])
    }

    fn empty(book: Arc<Codebook>, tree: CodedTree, nodes: Vec<GrownNode>, most: usize) -> Self {
        let (wave, waiting, slots) = (Vec::new(), Vec::new(), Vec::new());
        LevelPoint { book, tree, nodes, wave, waiting, slots, asked: Vec::new(), others: Vec::new(), most }
    }

    /// The point at which some nodes are counted, as many as there is room for.
    fn counting(mut self, mut open: Vec<Open>) -> Self {
        self.waiting = open.split_off(self.most.min(open.len()));
        self.wave = open;
        self.slots = vec![CLOSED; self.tree.len()];
        for (slot, open) in self.wave.iter().enumerate() {
            self.slots[open.node] = slot as u32;
        }
        self.asked = self.tree.columns();
        self.others = (0..self.book.bins.width()).filter(|j| self.asked.binary_search(j).is_err()).collect();
        self
    }

    /// Splits a node where that gains something, and gives what of its children is to be counted.
    fn split(&mut self, node: usize, growth: &Growth, counts: &[u64], room: bool) -> Vec<Open> {
        let (book, offsets) = (Arc::clone(&self.book), self.book.bins.offsets(self.book.class_count()));
        let (of, classes) = (|j: usize| &counts[offsets[j]..offsets[j + 1]], book.class_count());
        let total = self.nodes[node].counts.clone();
        let mut search = Search::new(&growth.impurity, &total, growth.least_leaf);
        for j in book.bins.by_name() {
            search.column(&book.bins, *j, of(*j), occupied(of(*j), classes));
        }
        let found = search.finish(|j| occupied(of(j), classes)).filter(|split| split.gain >= growth.least_gain);
        let Some(split) = found else { return Vec::new() };
        self.tree.split(node, split.feature, split.left);
        let [left, right] = divide(&mut self.nodes, node, split);
        let may_split = |child: usize| growth.may_split(&self.nodes[child].counts, self.nodes[child].depth);
        let weight = |child: usize| self.nodes[child].counts.iter().sum::<u64>();
        match (may_split(left), may_split(right)) {
            (true, true) if room => {
                let (few, many) = if weight(right) < weight(left) { (right, left) } else { (left, right) };
                vec![Open { node: few, sibling: Some((many, Arc::new(counts.to_vec()))) }]
            }
            _ => [left, right].into_iter().filter(|child| may_split(*child)).map(Open::alone).collect(),
        }
    }

    /// Writes the tree down as far as rows need it.
    pub(super) fn write(&self, point: &mut Record) {
        self.book.write(point);
        self.tree.write(point, "");
        point.put_counts("wave", &self.wave.iter().map(|open| open.node as u64).collect::<Vec<_>>());
    }

    /// Reads what was written: enough to count rows.
    pub(super) fn read(point: &Record, layout: &Arc<Layout>) -> Result<Self> {
        let book = Arc::new(Codebook::read(point, layout)?);
        let tree = CodedTree::read(point, "", book.bins.width())?;
        let open = |node: &u64| usize::try_from(*node).ok().filter(|node| tree.is_leaf(*node)).map(Open::alone);
        let wave: Option<Vec<Open>> = point.counts("wave")?.iter().map(open).collect();
        let wave = wave.filter(|wave| !wave.is_empty()).ok_or_else(|| fault("no open node is to be counted"))?;
        let most = wave.len();
        Ok(LevelPoint::empty(book, tree, Vec::new(), most).counting(wave))
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
        for (slot, open) in self.point.wave.iter().enumerate() {
            let counts = &self.counts[slot * cells..(slot + 1) * cells];
            let mut sums = self.offsets.windows(2).map(|pair| class_sums(&counts[pair[0]..pair[1]], classes));
            let known = match open.node {
                0 => sums.next().unwrap_or_default(),
                node => self.point.nodes[node].counts.clone(),
            };
            if sums.any(|sums| sums != known) {
                return Err(fault("columns of one node have other rows"));
            }
            if open.sibling.iter().any(|(_, parent)| counts.iter().zip(parent.iter()).any(|(own, all)| own > all)) {
                return Err(fault("a node has rows that its parent does not have"));
            }
        }
        Ok(())
    }

    /// Splits the counted nodes where that gains something: the pass that comes next, or the whole tree.
    pub(super) fn advance(&self, growth: &Growth) -> std::result::Result<LevelPass, Vec<GrownNode>> {
        let (classes, cells) = (self.point.book.class_count(), self.offsets[self.offsets.len() - 1]);
        let mut point = (*self.point).clone();
        let mut open = std::mem::take(&mut point.waiting);
        for (slot, counted) in self.point.wave.iter().enumerate() {
            let counts = &self.counts[slot * cells..(slot + 1) * cells];
            if counted.node == 0 {
                point.nodes[0].counts = class_sums(&counts[self.offsets[0]..self.offsets[1]], classes);
                if !growth.may_split(&point.nodes[0].counts, 0) {
                    continue;
                }
            }
            let sibling = counted.sibling.as_ref().map(|(sibling, parent)| {
                let rest: Vec<u64> = parent.iter().zip(counts).map(|(all, own)| all.saturating_sub(*own)).collect();
                (*sibling, rest)
            });
            for (node, counts) in std::iter::once((counted.node, counts)).chain(sibling.iter().map(|(sibling, rest)| (*sibling, &**rest))) {
                // Histograms of parents are kept while they take no more than those that are counted.
                let room = open.iter().filter(|open: &&Open| open.sibling.is_some()).count() < point.most;
                open.extend(point.split(node, growth, counts, room));
            }
        }
        match open.is_empty() {
            true => Err(point.nodes),
            false => Ok(LevelPass::new(point.counting(open))),
        }
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
        let point = Arc::clone(&self.point);
        let (book, labels) = (&*point.book, point.book.labels(&rows)?);
        let (width, classes, cells) = (book.bins.width(), book.class_count(), self.offsets[self.offsets.len() - 1]);
        let one = book.fixed.units(1.0);
        let units = |i: usize| rows.weights.map_or(one, |weights| book.fixed.units(weights[i]));
        let (mut codes, mut places, mut slots) = (vec![0; BLOCK * width], Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        for (block, labels) in labels.chunks(BLOCK).enumerate() {
            let first = block * BLOCK;
            places.clear();
            places.extend((0..labels.len()).filter(|at| labels[*at] != SKIP));
            self.weight += match rows.weights {
                Some(_) => places.iter().map(|at| book.fixed.weight(units(first + at))).sum(),
                None => book.fixed.weight(one * places.len() as u64),
            };
            book.bins.encode_some(&rows.features, &point.asked, (first, &places[..]), &mut codes, width);
            slots.clear();
            places.retain(|at| {
                let slot = point.slots[point.tree.leaf(&codes[at * width..][..width])];
                slots.extend((slot != CLOSED).then_some(slot as usize));
                slot != CLOSED
            });
            book.bins.encode_some(&rows.features, &point.others, (first, &places[..]), &mut codes, width);
            for (at, slot) in places.iter().zip(&slots) {
                let (counts, units, class) = (&mut self.counts[slot * cells..][..cells], units(first + at), labels[*at] as usize);
                for (offset, code) in self.offsets.iter().zip(&codes[at * width..][..width]) {
                    counts[offset + usize::from(*code) * classes + class] += units;
                }
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

#[cfg(test)]
mod tests {
    use super::super::learner::TreeStats;
    use super::super::params::DecisionTree;
    use super::*;
    use crate::control::Control;
    use crate::data::{Classes, Feature, Features, ViewSource, Weighting};
    use crate::model::{Learner, PassInfo, Step};
    use crate::num::MatrixView;
    use crate::train::pass;

    #[test]
    fn the_smaller_child_is_counted_and_has_no_rows_that_its_parent_lacks() {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
        let values: Vec<f64> = (0..60).map(f64::from).collect();
        let labels: Vec<u32> = (0..60).map(|i| u32::from(if i < 20 { i % 5 == 0 } else { i % 5 != 0 })).collect();
        let features = Features::of_numbers(MatrixView::row_major(&values, 60, 1).unwrap());
        let source = ViewSource::new(&layout, features, &labels, None).unwrap();
        let learner = DecisionTree::default();
        let mut stats = learner.begin(&Arc::new(layout.clone()), &PassInfo { memory: 0, ..PassInfo::of(&source) }).unwrap();
        for _ in 0..2 {
            let Step::Again(next) = learner.finish(&pass(&source, &stats, None, &Control::new()).unwrap()).unwrap() else { panic!() };
            stats = next;
        }
        let TreeStats::Level(mut level) = pass(&source, &stats, None, &Control::new()).unwrap() else { panic!() };
        let [Open { node, sibling: Some((sibling, parent)) }] = &level.point.wave[..] else { panic!("{:?}", level.point.wave) };
        let rows = |node: usize| level.point.nodes[node].counts.iter().sum::<u64>();
        assert!(rows(*node) < rows(*sibling) && rows(*node) == level.counts.iter().sum::<u64>());
        level.check().unwrap();
        // As many rows of every class, some of them of values that only the other child has.
        let own: Vec<usize> = (0..level.counts.len()).step_by(2).filter(|at| level.counts[*at] > 0).collect();
        let strange = (0..level.counts.len()).step_by(2).find(|at| level.counts[*at] == 0 && parent[*at] == 1).unwrap();
        own[..2].iter().for_each(|at| level.counts[*at] = 0);
        level.counts[strange] = 2;
        assert!(level.check().unwrap_err().to_string().contains("rows that its parent does not have"));
    }
}
