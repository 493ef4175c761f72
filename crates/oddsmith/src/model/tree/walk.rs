//! A batch of rows through one tree after the other.
//!
//! A row that goes through all trees before the next one comes finds none of them in the cache. So all rows go through a tree before the next tree
//! is touched, and what they find is added up in the order of trees, as it would be row by row.

use super::nodes::Tree;
use crate::data::{Features, Layout};
use crate::num::kernel::Panel;

/// Calls `visit(tree, first, leaves)` with the leaves of the rows from `first` on, tree after tree for each block of rows.
pub(super) fn for_leaves<'a>(
    trees: impl Iterator<Item = &'a Tree> + Clone,
    layout: &Layout,
    rows: &Features<'_>,
    mut visit: impl FnMut(usize, usize, &[u32]),
) {
    let mut leaves = Vec::new();
    let columns = layout.features().len();
    if columns > 0 && layout.numbers().len() == columns {
        Panel::new().for_blocks(rows.numbers, |first, block| {
            for (which, tree) in trees.clone().enumerate() {
                tree.leaves(block, &mut leaves);
                visit(which, first, &leaves);
            }
        });
        return;
    }
    for (which, tree) in trees.enumerate() {
        leaves.clear();
        leaves.extend((0..rows.rows()).map(|i| tree.leaf(layout, rows, i) as u32));
        visit(which, 0, &leaves);
    }
}
