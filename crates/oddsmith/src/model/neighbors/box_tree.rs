//! Points in boxes within boxes, where columns are few and rows are many.
//!
//! Points are halved at the median of their widest column until few are left. A query goes into the half that it lies in, and into the other one only where
//! that is no farther than the nearest found so far: what is compared are the same roundings of the same differences, of which the edge of a box
//! has the smallest, so no point is left out that a look at all of them would keep. Time about log n per query, memory 8 · n · columns bytes.

use super::points::{Points, Query};
use super::votes::EQUAL;

/// Points of a box that is not halved any more.
const LEAF: usize = 16;
/// Columns up to which boxes leave out enough.
pub(super) const MOST_COLUMNS: usize = 6;
/// The column of a box that is not halved.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    /// Position among the columns that count.
    column: u32,
    /// The half above; that below comes next.
    above: u32,
    /// Places of its points, where it is not halved.
    places: (u32, u32),
    /// Largest value below and smallest above.
    edges: (f64, f64),
}

/// Boxes of points.
#[derive(Debug)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    /// Columns that count, and one over the unit of each.
    columns: Vec<(usize, f64)>,
    /// Row at each place, and its cells.
    rows: Vec<u32>,
    cells: Vec<f64>,
}

/// What is known of a query on its way.
struct Search<'a> {
    query: &'a [f64],
    wanted: usize,
    /// Nothing beyond it can be among the nearest.
    limit: f64,
    found: Vec<(f64, u32)>,
}

impl BoxTree {
    /// Boxes of some rows, none of which has a gap.
    pub(super) fn new(points: &Points, rows: &[u32]) -> Self {
        let columns: Vec<(usize, f64)> = points.inverse.iter().copied().enumerate().filter(|(_, inverse)| *inverse > 0.0).collect();
        let mut tree = BoxTree { nodes: Vec::new(), columns, rows: rows.to_vec(), cells: Vec::new() };
        let mut order = std::mem::take(&mut tree.rows);
        tree.halve(points, &mut order, 0);
        tree.cells = order.iter().flat_map(|&row| tree.columns.iter().map(move |(j, _)| points.numbers(row as usize)[*j])).collect();
        tree.rows = order;
        tree
    }

    fn halve(&mut self, points: &Points, rows: &mut [u32], first: u32) {
        let at = self.nodes.len();
        let places = (first, first + rows.len() as u32);
        self.nodes.push(Node { column: NONE, above: 0, places, edges: (0.0, 0.0) });
        let value = |row: u32, j: usize| points.numbers(row as usize)[j];
        let width = |(j, inverse): &(usize, f64)| {
            let (low, high) = rows
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &row| (low.min(value(row, *j)), high.max(value(row, *j))));
            (high - low) * inverse
        };
        let widths: Vec<f64> = self.columns.iter().map(width).collect();
        let widest = (0..widths.len()).reduce(|best, c| if widths[c] > widths[best] { c } else { best });
        let Some(column) = widest.filter(|&column| rows.len() > LEAF && widths[column] > 0.0) else { return };
        let (j, middle) = (self.columns[column].0, rows.len() / 2);
        rows.select_nth_unstable_by(middle, |a, b| value(*a, j).total_cmp(&value(*b, j)));
        let (below, above) = rows.split_at_mut(middle);
        let largest = below.iter().fold(f64::NEG_INFINITY, |most, &row| most.max(value(row, j)));
        let edges = (largest, value(above[0], j));
        self.halve(points, below, first);
        let next = self.nodes.len() as u32;
        self.halve(points, above, first + middle as u32);
        self.nodes[at] = Node { column: column as u32, above: next, places, edges };
    }

    /// Rows among which the `wanted` nearest of a query are, and all as far as the last of them.
    pub(super) fn search(&self, query: &Query, wanted: usize) -> Vec<u32> {
        let own: Vec<f64> = self.columns.iter().map(|(j, _)| query.numbers[*j]).collect();
        let mut search = Search { query: &own, wanted, limit: f64::INFINITY, found: Vec::with_capacity(2 * wanted + LEAF) };
        self.walk(0, &mut [0.0; MOST_COLUMNS], &mut search);
        search.lower();
        search.found.into_iter().map(|(_, row)| row).collect()
    }

    /// Looks into a box; `apart` is how far it lies from the query, column by column.
    fn walk(&self, at: usize, apart: &mut [f64; MOST_COLUMNS], search: &mut Search<'_>) {
        let node = self.nodes[at];
        if node.column == NONE {
            let width = self.columns.len();
            for place in node.places.0 as usize..node.places.1 as usize {
                let cells = &self.cells[place * width..(place + 1) * width];
                let squared = squares(search.query.iter().zip(cells).zip(&self.columns).map(|((q, x), (_, inverse))| (q - x) * inverse));
                search.take(squared, self.rows[place]);
            }
            return;
        }
        let column = node.column as usize;
        let (q, inverse) = (search.query[column], self.columns[column].1);
        let (to_below, to_above) = ((q - node.edges.0) * inverse, (node.edges.1 - q) * inverse);
        let below_first = to_below < to_above;
        let (near, far, gap) = if below_first { (at + 1, node.above as usize, to_above) } else { (node.above as usize, at + 1, to_below) };
        self.walk(near, apart, search);
        let before = apart[column];
        apart[column] = gap.max(before);
        if squares(apart[..self.columns.len()].iter().copied()) <= search.limit {
            self.walk(far, apart, search);
        }
        apart[column] = before;
    }
}

/// A sum of squares in the order of the columns.
fn squares(differences: impl Iterator<Item = f64>) -> f64 {
    differences.fold(0.0, |sum, difference| sum + difference * difference)
}

impl Search<'_> {
    fn take(&mut self, squared: f64, row: u32) {
        if squared <= self.limit {
            self.found.push((squared, row));
            if self.found.len() >= 2 * self.wanted + LEAF {
                self.lower();
            }
        }
    }

    fn lower(&mut self) {
        if self.found.len() < self.wanted || self.wanted == 0 {
            return;
        }
        let (_, kth, _) = self.found.select_nth_unstable_by(self.wanted - 1, |a, b| a.0.total_cmp(&b.0));
        let limit = kth.0 * (1.0 + EQUAL);
        self.limit = limit;
        self.found.retain(|(squared, _)| *squared <= limit);
    }
}
