//! A batch of rows through one tree after the other.
//!
//! A row that goes through all trees before the next one comes finds none of them in the cache. So all rows of a block go through a tree before the next
//! tree is touched, and what they find is added up in the order of trees, as it would be row by row. Within a block a row is a slice of numbers, one for
//! every column: levels stand there as their codes, so that a step need not know where a column lies before it knows which. Through a small tree several
//! rows walk side by side, each waiting for memory while the others do. A large tree is not in the cache: its rows are split in two at every node, so that a
//! node is fetched once for all rows that come to it.

use std::array::from_fn;
use std::hint::select_unpredictable;

use super::nodes::{FEATURE, GAP, GAP_LEFT, LEAF, LEVELS, Node, Tree, level_count};
use crate::data::{Features, Layout, Plane};
use crate::error::Result;
use crate::num::MatrixView;
use crate::num::kernel::{Panel, PanelRows};

/// Rows that walk side by side.
const TOGETHER: usize = 8;
/// Cells of a block whose columns are brought together: 256 KiB.
const BLOCK_CELLS: usize = 1 << 15;
/// Nodes beyond which a tree is large: 64 KiB.
const LARGE: usize = 4096;

/// Calls `visit(tree, first, leaves)` with the leaves of the rows from `first` on, tree after tree for each block of rows.
pub(super) fn for_leaves<'a>(
    trees: impl Iterator<Item = &'a Tree> + Clone,
    layout: &Layout,
    rows: &Features<'_>,
    mut visit: impl FnMut(usize, usize, &[u32]),
) -> Result<()> {
    let (mut leaves, mut sorting) = (vec![0; rows.rows()], Sorting::default());
    let columns = layout.features().len();
    if columns == 0 {
        // Without a column to ask about, a tree is a leaf.
        trees.enumerate().for_each(|(which, _)| visit(which, 0, &leaves));
        return Ok(());
    }
    let leveled = layout.numbers().len() < columns;
    let large = trees.clone().any(|tree| tree.len() > LARGE);
    let through = |first: usize, block: PanelRows<'_>| {
        for (which, tree) in trees.clone().enumerate() {
            match leveled {
                true => tree.leaves::<true>(block, &mut sorting, &mut leaves),
                false => tree.leaves::<false>(block, &mut sorting, &mut leaves),
            }
            visit(which, first, &leaves);
        }
    };
    // Numbers that lie row by row need not be copied; where they are, large trees want more rows at a time than a panel has.
    if leveled || large && rows.numbers.as_strided_rows().is_none() {
        return for_coded_blocks(layout, rows, through);
    }
    Panel::new().for_blocks(rows.numbers, through);
    Ok(())
}

/// Blocks of rows with all columns as numbers, in the order of the layout: a level is its code, and NaN what is missing or was not there in the fit.
fn for_coded_blocks(layout: &Layout, rows: &Features<'_>, mut visit: impl FnMut(usize, PanelRows<'_>)) -> Result<()> {
    let columns = layout.features().len();
    let most = (BLOCK_CELLS / columns).max(TOGETHER).min(rows.rows());
    let mut cells = vec![0.0; most * columns];
    for first in (0..rows.rows()).step_by(most.max(1)) {
        let count = most.min(rows.rows() - first);
        let cells = &mut cells[..count * columns];
        for feature in 0..columns {
            let own = cells[feature..].iter_mut().step_by(columns).zip(first..);
            match layout.plane(feature) {
                Plane::Numbers(place) => own.for_each(|(cell, i)| *cell = rows.numbers.get(i, place)),
                Plane::Codes(place) | Plane::Words(place) => {
                    let levels = level_count(layout, feature);
                    let known = |code: u32| if (code as usize) < levels { f64::from(code) } else { f64::NAN };
                    own.for_each(|(cell, i)| *cell = known(rows.codes.get(i, place)));
                }
            }
        }
        Panel::new().for_blocks(MatrixView::row_major(cells, count, columns)?, |_, block| visit(first, block));
    }
    Ok(())
}

/// Rows in the order in which nodes have split them; used again from tree to tree.
#[derive(Default)]
struct Sorting {
    order: Vec<u32>,
    /// Rows of the node that go right.
    right: Vec<u32>,
    /// Nodes whose rows wait, and where these begin and end.
    waiting: Vec<(u32, usize, usize)>,
}

impl Tree {
    /// The leaves of the rows of a block, which [`Self::follow`] comes to as well; `LEVELED` says whether some columns are levels.
    fn leaves<const LEVELED: bool>(&self, rows: PanelRows<'_>, sorting: &mut Sorting, leaves: &mut Vec<u32>) {
        leaves.clear();
        if self.len() > LARGE {
            return self.sort::<LEVELED>(rows, sorting, leaves);
        }
        let whole = rows.rows() / TOGETHER * TOGETHER;
        for first in (0..whole).step_by(TOGETHER) {
            leaves.extend_from_slice(&self.walk::<TOGETHER, LEVELED>(from_fn(|q| rows.row(first + q))));
        }
        leaves.extend((whole..rows.rows()).flat_map(|i| self.walk::<1, LEVELED>([rows.row(i)])));
    }

    /// The leaves of the rows of a block, node by node.
    fn sort<const LEVELED: bool>(&self, rows: PanelRows<'_>, Sorting { order, right, waiting }: &mut Sorting, leaves: &mut Vec<u32>) {
        let count = rows.rows();
        order.clear();
        order.extend(0..count as u32);
        right.resize(count, 0);
        leaves.resize(count, 0);
        waiting.push((0, 0, count));
        while let Some((at, first, end)) = waiting.pop() {
            let (node, own) = (self.nodes[at as usize], &mut order[first..end]);
            if node.feature == LEAF {
                own.iter().for_each(|i| leaves[*i as usize] = at);
                continue;
            }
            let (mut lefts, mut rights) = (0, 0);
            for k in 0..own.len() {
                let i = own[k];
                let left = self.goes_left::<LEVELED>(&node, rows.row(i as usize)[(node.feature & FEATURE) as usize]);
                // Written to both, kept by one: no branch hangs on the row.
                own[lefts] = i;
                right[rights] = i;
                lefts += usize::from(left);
                rights += usize::from(!left);
            }
            own[lefts..].copy_from_slice(&right[..rights]);
            let middle = first + lefts;
            waiting.extend([(node.right, middle, end), (at + 1, first, middle)].into_iter().filter(|(_, first, end)| first < end));
        }
    }

    /// The leaves of some rows.
    #[inline]
    fn walk<const ROWS: usize, const LEVELED: bool>(&self, rows: [&[f64]; ROWS]) -> [u32; ROWS] {
        let mut at = [0; ROWS];
        loop {
            let mut moved = 0;
            for (at, row) in at.iter_mut().zip(rows) {
                let next = self.next::<LEVELED>(*at, row);
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                return at;
            }
        }
    }

    /// Where a row goes from a node; a leaf keeps it. No branch hangs on the row, because no one could foresee where it goes.
    #[inline(always)]
    fn next<const LEVELED: bool>(&self, at: u32, row: &[f64]) -> u32 {
        let node = &self.nodes[at as usize];
        let leaf = node.feature == LEAF;
        let x = row[if leaf { 0 } else { (node.feature & FEATURE) as usize }];
        select_unpredictable(leaf, at, select_unpredictable(self.goes_left::<LEVELED>(node, x), at + 1, node.right))
    }

    /// Whether a row with this value goes left.
    #[inline(always)]
    fn goes_left<const LEVELED: bool>(&self, node: &Node, x: f64) -> bool {
        let mut there = x < node.threshold;
        if LEVELED {
            let listed = self.lists(node.threshold, x) & !x.is_nan();
            there = select_unpredictable(node.feature & LEVELS != 0, listed, there);
        }
        (there & (node.feature & GAP == 0)) | (x.is_nan() & (node.feature & GAP_LEFT != 0))
    }

    /// Whether the set of levels that starts at a word has a code; of a node that looks at a number it says nothing, and does no harm.
    #[inline(always)]
    fn lists(&self, start: f64, code: f64) -> bool {
        let (start, code) = (start as u32 as usize, code as u32 as usize);
        self.sets.get(start + code / 64).copied().unwrap_or(0) >> (code % 64) & 1 == 1
    }
}
