//! Grows a tree from coded rows in memory.
//!
//! A node is a run of places of rows; a split puts those of the left child before those of the right one. Of two children the smaller one is counted and
//! taken from the parent's histogram, which leaves the larger; nodes of few rows count some columns at a time and look only at codes that occur.
//! The uppermost nodes are counted on several threads, the branches below them are grown on one each, in a forest from copies of their rows: sums of
//! whole numbers come out the same. Time O(rows · columns · depth) at most, memory a byte per row and column, and a histogram per open node.

use super::bins::Bins;
use super::code_set::CodeSet;
use super::code_table::CodeTable;
use super::column_draw::ColumnDraw;
use super::growth::{GrownNode, Growth, divide};
use super::search::{Search, Split, occupied};
use super::tally::{ByPlace, Count, One, RowWeights, Tally};
use crate::data::mixed;
use crate::workers;

/// Rows below which a node is counted some columns at a time.
const FEW_ROWS: usize = 512;
/// Columns that a node of few rows counts at a time.
const FEW_COLUMNS: usize = 8;
/// Rows from which on a node is counted on several threads.
const MANY_ROWS: usize = 1 << 15;
/// Branches for every thread, so that none waits long for the others.
const BRANCHES: usize = 8;
/// Rows below which a branch whose nodes draw their columns is grown from a copy of its rows, which stays in the nearest caches: such a node looks at few
/// columns of its rows, and would fetch a line of memory for every one of them.
const NEAR_ROWS: usize = 2048;

/// What a tree is grown from, and how.
pub(super) struct Ground<'a> {
    pub(super) table: &'a CodeTable<'a>,
    pub(super) bins: &'a Bins,
    pub(super) classes: usize,
    pub(super) growth: &'a Growth,
    /// Draws the columns of a node; all are tried without.
    pub(super) draw: Option<&'a ColumnDraw<'a>>,
    pub(super) threads: usize,
}

/// Weights of rows by place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Weights<'a> {
    /// One unit each.
    One,
    /// Few units, together less than 2^32.
    Few(&'a [u32]),
    /// Any.
    Units(&'a [u64]),
}

impl Ground<'_> {
    /// The tree of the rows at some places.
    pub(super) fn grow(&self, places: Vec<u32>, weights: Weights<'_>) -> Vec<GrownNode> {
        match weights {
            Weights::One => grow::<u32, One>(self, places, One),
            Weights::Few(weights) => grow(self, places, ByPlace(weights)),
            Weights::Units(weights) => grow(self, places, ByPlace(weights)),
        }
    }
}

/// A node that waits: its place, its rows, its path from the root, and its histogram where it is known already.
struct Open<C> {
    at: usize,
    rows: (usize, usize),
    path: u64,
    counts: Option<Vec<C>>,
}

fn grow<C: Count, W: RowWeights<C>>(ground: &Ground<'_>, mut places: Vec<u32>, weights: W) -> Vec<GrownNode> {
    let mut counts = vec![0; ground.classes];
    places.iter().for_each(|place| counts[ground.table.class(*place)] += weights.of(*place).into());
    let mut top = Grower::new(ground, weights, GrownNode::leaf(counts, 0), ground.threads);
    let apart = match ground.draw {
        Some(_) => NEAR_ROWS,
        None if ground.threads > 1 => places.len() / (BRANCHES * ground.threads),
        None => 0,
    };
    let root = Open { at: 0, rows: (0, places.len()), path: 1, counts: None };
    let mut branches = top.grow(&mut places, root, apart);
    let mut nodes = top.nodes;
    branches.sort_by_key(|branch| branch.rows.0);
    let (mut pieces, mut rest, mut next) = (Vec::new(), &mut places[..], 0);
    for branch in branches {
        let (lo, hi) = branch.rows;
        let (own, others) = std::mem::take(&mut rest)[lo - next..].split_at_mut(hi - lo);
        (rest, next) = (others, hi);
        pieces.push((nodes[branch.at].clone(), branch, own));
    }
    // The largest first, so that the last to be finished are small.
    pieces.sort_by_key(|(_, _, own)| std::cmp::Reverse(own.len()));
    let grown = workers::each(ground.threads, pieces, |(root, branch, own)| {
        let (at, branch) = (branch.at, Open { at: 0, rows: (0, own.len()), ..branch });
        let grown = match ground.draw {
            Some(_) => grow_near(ground, weights, root, branch, own),
            None => grow_branch(ground, weights, root, branch, own),
        };
        (at, grown)
    });
    grown.into_iter().for_each(|(at, branch)| graft(&mut nodes, at, branch));
    nodes
}

/// The nodes of a branch of the rows at some places.
fn grow_branch<C: Count, W: RowWeights<C>>(
    ground: &Ground<'_>,
    weights: W,
    root: GrownNode,
    branch: Open<C>,
    places: &mut [u32],
) -> Vec<GrownNode> {
    let mut grower = Grower::new(ground, weights, root, 1);
    grower.grow(places, branch, 0);
    grower.nodes
}

/// The same from a copy of these rows.
fn grow_near<C: Count, W: RowWeights<C>>(
    ground: &Ground<'_>,
    weights: W,
    root: GrownNode,
    branch: Open<C>,
    places: &[u32],
) -> Vec<GrownNode> {
    let mut codes = Vec::with_capacity(places.len() * ground.table.stride);
    places.iter().for_each(|place| codes.extend_from_slice(ground.table.row(*place)));
    let units: Vec<C> = places.iter().map(|place| weights.of(*place)).collect();
    let (table, mut own) = (CodeTable::new(&codes, ground.table.stride), (0..places.len() as u32).collect::<Vec<u32>>());
    let Ground { bins, classes, growth, draw, threads, .. } = *ground;
    grow_branch(&Ground { table: &table, bins, classes, growth, draw, threads }, ByPlace(&units), root, branch, &mut own)
}

/// Puts a branch in the place of a leaf.
fn graft(nodes: &mut Vec<GrownNode>, at: usize, branch: Vec<GrownNode>) {
    // The root of the branch is the leaf; its other nodes come behind those that are there.
    let first = nodes.len() - 1;
    for (place, mut node) in branch.into_iter().enumerate() {
        if node.split.is_some() {
            node.children = node.children.map(|child| first + child);
        }
        match place {
            0 => nodes[at] = node,
            _ => nodes.push(node),
        }
    }
}

struct Grower<'a, C, W> {
    ground: &'a Ground<'a>,
    weights: W,
    threads: usize,
    offsets: Vec<usize>,
    nodes: Vec<GrownNode>,
    tally: Tally<C>,
    /// Histograms and places to be used again.
    spare_counts: Vec<Vec<C>>,
    spare_places: Vec<u32>,
    /// Ranks of the columns of a node.
    ranks: Vec<usize>,
}

impl<'a, C: Count, W: RowWeights<C>> Grower<'a, C, W> {
    fn new(ground: &'a Ground<'a>, weights: W, root: GrownNode, threads: usize) -> Self {
        Grower {
            offsets: ground.bins.offsets(ground.classes),
            nodes: vec![root],
            // Nodes that draw their columns are never counted as a whole.
            tally: Tally::new(if ground.draw.is_some() { FEW_COLUMNS } else { ground.bins.width().max(FEW_COLUMNS) }, ground.classes),
            spare_counts: Vec::new(),
            spare_places: Vec::new(),
            ranks: Vec::new(),
            ground,
            weights,
            threads,
        }
    }

    /// Splits a node and what comes of it; gives back nodes of no more than `apart` rows as they are.
    fn grow(&mut self, places: &mut [u32], root: Open<C>, apart: usize) -> Vec<Open<C>> {
        let (mut open, mut branches) = (vec![root], Vec::new());
        while let Some(node) = open.pop() {
            match node.rows.1 - node.rows.0 <= apart {
                true => branches.push(node),
                false => self.visit(places, node, &mut open),
            }
        }
        branches
    }

    fn visit(&mut self, places: &mut [u32], node: Open<C>, open: &mut Vec<Open<C>>) {
        let (ground, Open { at, rows, path, counts }) = (self.ground, node);
        if !ground.growth.may_split(&self.nodes[at].counts, self.nodes[at].depth) {
            self.spare_counts.extend(counts);
            return;
        }
        let (own, by_name) = (&mut places[rows.0..rows.1], ground.bins.by_name());
        let (split, counts) = match ground.draw {
            Some(draw) => (self.search_drawn(at, own, draw, path), None),
            None if own.len() < FEW_ROWS => (self.search_few(at, own, by_name), counts),
            None => {
                let counts = counts.unwrap_or_else(|| self.histogram(own));
                (self.search(at, &counts), Some(counts))
            }
        };
        let Some(split) = split.filter(|split| split.gain >= ground.growth.least_gain) else {
            self.spare_counts.extend(counts);
            return;
        };
        let middle = ground.table.part(own, split.feature, &split.left, &mut self.spare_places);
        let children = divide(&mut self.nodes, at, split);
        let sides = own.split_at(middle);
        let known = self.inherit(counts, [sides.0, sides.1], children);
        let (left, right) = ((rows.0, rows.0 + middle), (rows.0 + middle, rows.1));
        for (at, rows, turn, counts) in [(children[1], right, 1, known.1), (children[0], left, 0, known.0)] {
            open.push(Open { at, rows, path: mixed(path.wrapping_mul(2).wrapping_add(turn)), counts });
        }
    }

    /// Histograms of two children: the smaller one counted, the larger what remains of the parent's. Nodes of few rows, and those whose
    /// columns are their own, get none.
    fn inherit(&mut self, parent: Option<Vec<C>>, sides: [&[u32]; 2], children: [usize; 2]) -> (Option<Vec<C>>, Option<Vec<C>>) {
        let Some(mut rest) = parent else { return (None, None) };
        let wanted = [0, 1].map(|which| {
            let child = &self.nodes[children[which]];
            sides[which].len() >= FEW_ROWS && self.ground.growth.may_split(&child.counts, child.depth)
        });
        let smaller = usize::from(sides[1].len() < sides[0].len());
        if !wanted[1 - smaller] {
            self.spare_counts.push(rest);
            return (None, None);
        }
        let counted = self.histogram(sides[smaller]);
        rest.iter_mut().zip(&counted).for_each(|(rest, counted)| rest.take(*counted));
        let counted = if wanted[smaller] {
            Some(counted)
        } else {
            self.spare_counts.push(counted);
            None
        };
        if smaller == 0 { (counted, Some(rest)) } else { (Some(rest), counted) }
    }

    /// Counts by column, code and class.
    fn histogram(&mut self, places: &[u32]) -> Vec<C> {
        let mut counts = self.spare_counts.pop().unwrap_or_default();
        let (ground, weights, offsets) = (self.ground, self.weights, &self.offsets);
        if self.threads == 1 || places.len() < MANY_ROWS {
            self.tally.count(ground.table, places, weights);
            self.tally.move_to(offsets, &mut counts);
            return counts;
        }
        let pieces = places.chunks(places.len().div_ceil(self.threads)).collect();
        let parts = workers::each(self.threads, pieces, |piece: &[u32]| {
            let (mut tally, mut counts) = (Tally::new(ground.bins.width(), ground.classes), Vec::new());
            tally.count(ground.table, piece, weights);
            tally.move_to(offsets, &mut counts);
            counts
        });
        counts.clear();
        counts.resize(offsets[offsets.len() - 1], C::default());
        parts.iter().for_each(|part| counts.iter_mut().zip(part).for_each(|(sum, count)| sum.add(*count)));
        counts
    }

    fn search(&self, at: usize, counts: &[C]) -> Option<Split> {
        let Ground { bins, classes, growth, .. } = *self.ground;
        let mut search = Search::new(&growth.impurity, &self.nodes[at].counts, growth.least_leaf);
        let of = |j: usize| &counts[self.offsets[j]..self.offsets[j + 1]];
        bins.by_name().iter().for_each(|j| search.column(bins, *j, of(*j), occupied(of(*j), classes)));
        search.finish(|j| occupied(of(j), classes))
    }

    /// The best split by the columns that are drawn for a node, or by the first of the others that gains.
    fn search_drawn(&mut self, at: usize, places: &[u32], draw: &ColumnDraw<'_>, path: u64) -> Option<Split> {
        let mut ranks = std::mem::take(&mut self.ranks);
        draw.first(path, &mut ranks);
        ranks[..draw.tried].iter_mut().for_each(|rank| *rank = draw.by_name[*rank]);
        let found = self.search_few(at, places, &ranks[..draw.tried]);
        let found = found.or_else(|| {
            draw.others(path, &mut ranks);
            ranks[draw.tried..].iter().find_map(|rank| self.search_few(at, places, &[draw.by_name[*rank]]))
        });
        self.ranks = ranks;
        found
    }

    /// The best split by some columns, which are counted for this node alone.
    fn search_few(&mut self, at: usize, places: &[u32], columns: &[usize]) -> Option<Split> {
        let Ground { bins, classes, growth, table, .. } = *self.ground;
        let (tally, mut sets) = (&mut self.tally, [CodeSet::default(); FEW_COLUMNS]);
        let mut search = Search::new(&growth.impurity, &self.nodes[at].counts, growth.least_leaf);
        for columns in columns.chunks(FEW_COLUMNS) {
            if places.len() < FEW_ROWS {
                tally.count_few(table, places, self.weights, columns, &mut sets);
            } else {
                tally.count_some(table, places, self.weights, columns);
                sets.iter_mut().zip(0..columns.len()).for_each(|(set, slot)| *set = occupied(tally.slot(slot), classes));
            }
            for (slot, (j, set)) in columns.iter().zip(sets).enumerate() {
                search.column(bins, *j, tally.slot(slot), set);
                tally.clear(slot, set);
            }
        }
        search.finish(|j| places.iter().fold(CodeSet::default(), |set, place| set.with(table.row(*place)[j])))
    }
}
