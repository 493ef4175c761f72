//! Grows a tree from coded rows in memory.
//!
//! Rows move: a split puts the rows of the left child before those of the right one, in their order, so that histograms read memory from
//! front to back. Of two children the smaller one is counted and taken from the parent's histogram, which leaves the larger; nodes of few
//! rows count column by column and look only at codes that occur. Time O(rows · columns · depth) at most, memory two copies of
//! the rows and a histogram per open node.

use super::bins::Bins;
use super::code_set::CodeSet;
use super::growth::{GrownNode, Growth, divide};
use super::search::{Count, Search, Split, occupied};

/// Rows below which a node is counted column by column.
const FEW_ROWS: usize = 512;

/// Puts the columns in the order in which a node tries them, by its path from the root: so many at once, then, while none of them gains, one after the other.
pub(super) type ColumnChoice<'a> = &'a (dyn Fn(u64) -> (Vec<usize>, usize) + Sync);

/// Coded rows on the move.
pub(super) struct MovingRows {
    pub(super) stride: usize,
    pub(super) codes: Vec<u8>,
    /// Weights in units; empty where every row weighs one unit.
    pub(super) weights: Vec<u64>,
}

impl MovingRows {
    fn len(&self) -> usize {
        self.codes.len() / self.stride
    }
}

/// The tree of some rows. `columns` chooses the columns of a node; all are tried without.
pub(super) fn grow(rows: MovingRows, bins: &Bins, classes: usize, growth: &Growth, columns: Option<ColumnChoice<'_>>) -> Vec<GrownNode> {
    match rows.weights.is_empty() && rows.len() < u32::MAX as usize {
        true => Grower::<u32>::new(rows, bins, classes, growth, columns).grow(),
        false => Grower::<u64>::new(rows, bins, classes, growth, columns).grow(),
    }
}

/// A count that rows are added to.
trait Tally: Count {
    fn add(&mut self, units: u64);
    fn take(&mut self, other: Self);
}

impl Tally for u32 {
    #[inline]
    fn add(&mut self, units: u64) {
        *self = self.wrapping_add(units as u32);
    }

    #[inline]
    fn take(&mut self, other: Self) {
        *self = self.wrapping_sub(other);
    }
}

impl Tally for u64 {
    #[inline]
    fn add(&mut self, units: u64) {
        *self = self.wrapping_add(units);
    }

    #[inline]
    fn take(&mut self, other: Self) {
        *self = self.wrapping_sub(other);
    }
}

/// A node that waits: its place, its rows, its path from the root, and its histogram where it is known already.
struct Open<C> {
    at: usize,
    rows: (usize, usize),
    path: u64,
    counts: Option<Vec<C>>,
}

struct Grower<'a, C> {
    rows: MovingRows,
    bins: &'a Bins,
    classes: usize,
    growth: &'a Growth,
    choose: Option<ColumnChoice<'a>>,
    offsets: Vec<usize>,
    nodes: Vec<GrownNode>,
    /// Histograms to be used again.
    spare_counts: Vec<Vec<C>>,
    spare_codes: Vec<u8>,
    spare_weights: Vec<u64>,
    /// The counts of one column of a small node.
    column: Vec<C>,
}

impl<'a, C: Tally> Grower<'a, C> {
    fn new(rows: MovingRows, bins: &'a Bins, classes: usize, growth: &'a Growth, choose: Option<ColumnChoice<'a>>) -> Self {
        Grower {
            offsets: bins.offsets(classes),
            nodes: Vec::new(),
            spare_counts: Vec::new(),
            spare_codes: Vec::new(),
            spare_weights: Vec::new(),
            column: vec![C::default(); 256 * classes],
            rows,
            bins,
            classes,
            growth,
            choose,
        }
    }

    fn grow(mut self) -> Vec<GrownNode> {
        let all = (0, self.rows.len());
        self.nodes.push(GrownNode::leaf(self.class_counts(all), 0));
        let mut open = vec![Open { at: 0, rows: all, path: 1, counts: None }];
        while let Some(node) = open.pop() {
            self.visit(node, &mut open);
        }
        self.nodes
    }

    fn visit(&mut self, node: Open<C>, open: &mut Vec<Open<C>>) {
        let Open { at, rows, path, counts } = node;
        let total = self.nodes[at].counts.clone();
        if !self.growth.may_split(&total, self.nodes[at].depth) {
            self.keep(counts);
            return;
        }
        let (split, counts) = match self.choose {
            Some(choose) => (self.search_some(&total, rows, choose(path)), None),
            None if rows.1 - rows.0 < FEW_ROWS => (self.search_few(&total, rows, self.bins.by_name()), counts),
            None => {
                let counts = counts.unwrap_or_else(|| self.histogram(rows, self.bins.by_name()));
                (self.search(&total, &counts, self.bins.by_name()), Some(counts))
            }
        };
        let Some(split) = split.filter(|split| split.gain >= self.growth.least_gain) else {
            self.keep(counts);
            return;
        };
        let middle = self.part(rows, &split);
        let children = divide(&mut self.nodes, at, split);
        let (left, right) = ((rows.0, middle), (middle, rows.1));
        let known = self.inherit(counts, [left, right], children);
        for (at, rows, turn, counts) in [(children[1], right, 1, known.1), (children[0], left, 0, known.0)] {
            open.push(Open { at, rows, path: crate::data::mixed(path.wrapping_mul(2).wrapping_add(turn)), counts });
        }
    }

    /// The best split by the first columns, or by the first of the others that gains.
    fn search_some(&mut self, total: &[u64], rows: (usize, usize), (columns, first): (Vec<usize>, usize)) -> Option<Split> {
        let (tried, others) = columns.split_at(first.min(columns.len()));
        let found = match rows.1 - rows.0 < FEW_ROWS {
            true => self.search_few(total, rows, tried),
            false => {
                let counts = self.histogram(rows, tried);
                let found = self.search(total, &counts, tried);
                self.keep(Some(counts));
                found
            }
        };
        found.or_else(|| others.iter().find_map(|j| self.search_few(total, rows, std::slice::from_ref(j))))
    }

    /// Histograms of two children: the smaller one counted, the larger what remains of the parent's. Nodes of few rows, and those whose
    /// columns are their own, get none.
    fn inherit(&mut self, parent: Option<Vec<C>>, rows: [(usize, usize); 2], children: [usize; 2]) -> (Option<Vec<C>>, Option<Vec<C>>) {
        let size = rows.map(|(lo, hi)| hi - lo);
        let wanted = |which: usize| {
            size[which] >= FEW_ROWS && self.growth.may_split(&self.nodes[children[which]].counts, self.nodes[children[which]].depth)
        };
        let wanted = [wanted(0), wanted(1)];
        let smaller = usize::from(size[1] < size[0]);
        let Some(mut rest) = parent.filter(|_| self.choose.is_none() && wanted[1 - smaller]) else { return (None, None) };
        let counted = self.histogram(rows[smaller], self.bins.by_name());
        rest.iter_mut().zip(&counted).for_each(|(rest, counted)| rest.take(*counted));
        let counted = if wanted[smaller] {
            Some(counted)
        } else {
            self.keep(Some(counted));
            None
        };
        if smaller == 0 { (counted, Some(rest)) } else { (Some(rest), counted) }
    }

    /// Keeps the room of a histogram.
    fn keep(&mut self, counts: Option<Vec<C>>) {
        self.spare_counts.extend(counts);
    }

    fn weight(&self, i: usize) -> u64 {
        self.rows.weights.get(i).copied().unwrap_or(1)
    }

    fn class_counts(&self, rows: (usize, usize)) -> Vec<u64> {
        let mut counts = vec![0; self.classes];
        for i in rows.0..rows.1 {
            counts[usize::from(self.rows.codes[(i + 1) * self.rows.stride - 1])] += self.weight(i);
        }
        counts
    }

    /// Counts by column, code and class.
    fn histogram(&mut self, (lo, hi): (usize, usize), columns: &[usize]) -> Vec<C> {
        let cells = self.offsets[self.offsets.len() - 1];
        let mut counts = self.spare_counts.pop().unwrap_or_default();
        counts.clear();
        counts.resize(cells, C::default());
        let (stride, classes) = (self.rows.stride, self.classes);
        let codes = self.rows.codes[lo * stride..hi * stride].chunks_exact(stride);
        let every = columns.len() == self.bins.width();
        for (i, row) in codes.enumerate() {
            let (class, weight) = (usize::from(row[stride - 1]), if self.rows.weights.is_empty() { 1 } else { self.rows.weights[lo + i] });
            if every {
                for (offset, code) in self.offsets.iter().zip(&row[..stride - 1]) {
                    counts[offset + usize::from(*code) * classes + class].add(weight);
                }
            } else {
                for j in columns {
                    counts[self.offsets[*j] + usize::from(row[*j]) * classes + class].add(weight);
                }
            }
        }
        counts
    }

    fn search(&self, total: &[u64], counts: &[C], columns: &[usize]) -> Option<Split> {
        let mut search = Search::new(&self.growth.impurity, total, self.growth.least_leaf);
        let of = |j: usize| &counts[self.offsets[j]..self.offsets[j + 1]];
        for j in columns {
            search.column(self.bins, *j, of(*j), occupied(of(*j), self.classes));
        }
        search.finish(|j| occupied(of(j), self.classes))
    }

    fn search_few(&mut self, total: &[u64], (lo, hi): (usize, usize), columns: &[usize]) -> Option<Split> {
        let mut search = Search::new(&self.growth.impurity, total, self.growth.least_leaf);
        let (stride, classes) = (self.rows.stride, self.classes);
        let codes = &self.rows.codes[lo * stride..hi * stride];
        let column = &mut self.column;
        for j in columns {
            let mut set = CodeSet::default();
            for (i, row) in codes.chunks_exact(stride).enumerate() {
                let weight = if self.rows.weights.is_empty() { 1 } else { self.rows.weights[lo + i] };
                column[usize::from(row[*j]) * classes + usize::from(row[stride - 1])].add(weight);
                set.insert(row[*j]);
            }
            search.column(self.bins, *j, column, set);
            for code in set.codes() {
                column[usize::from(code) * classes..][..classes].fill(C::default());
            }
        }
        search.finish(|j| codes.chunks_exact(stride).fold(CodeSet::default(), |set, row| set.with(row[j])))
    }

    /// Moves the rows that go left before the others, either in their order; gives the place of the first of the others.
    fn part(&mut self, (lo, hi): (usize, usize), split: &Split) -> usize {
        let MovingRows { stride, codes, weights } = &mut self.rows;
        let stride = *stride;
        self.spare_codes.clear();
        self.spare_weights.clear();
        let mut next = lo;
        for i in lo..hi {
            let row = i * stride..(i + 1) * stride;
            if split.left.has(codes[row.start + split.feature]) {
                codes.copy_within(row, next * stride);
                if !weights.is_empty() {
                    weights[next] = weights[i];
                }
                next += 1;
            } else {
                self.spare_codes.extend_from_slice(&codes[row]);
                if !weights.is_empty() {
                    self.spare_weights.push(weights[i]);
                }
            }
        }
        codes[next * stride..hi * stride].copy_from_slice(&self.spare_codes);
        if !weights.is_empty() {
            weights[next..hi].copy_from_slice(&self.spare_weights);
        }
        next
    }
}
