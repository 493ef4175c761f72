//! What growing a tree noticed.

use super::bins::ColumnCodes;
use super::codebook::Codebook;
use super::describe::condition;
use super::growth::GrownNode;
use super::model::parents;
use super::nodes::Tree;
use crate::notice::{NO_SPLIT, Notice, POOLED_LEVELS, TIED_SPLITS, counted};

/// Notices of a tree whose nodes stand in `order`.
pub(super) fn of_tree(grown: &[GrownNode], order: &[usize], tree: &Tree, book: &Codebook) -> Vec<Notice> {
    let mut notices = pooled(book);
    if grown[order[0]].split.is_none() {
        notices.push(Notice::new(
            NO_SPLIT,
            "no split of one column gains anything under these rules, so every row has the class proportions of the table",
        ));
    }
    notices.extend(tied(grown, order, tree, book));
    notices
}

/// Categories whose lighter levels share a code.
pub(super) fn pooled(book: &Codebook) -> Vec<Notice> {
    let mut notices = Vec::new();
    for (j, feature) in book.layout.features().iter().enumerate() {
        if let ColumnCodes::Levels { codes, .. } = book.bins.column(j)
            && codes.len() > usize::from(u8::MAX)
        {
            let pooled = codes.iter().filter(|code| **code == u8::MAX).count();
            let text = format!("has {} levels; the {} with the fewest rows are one to the tree", codes.len(), pooled);
            notices.push(Notice::new(POOLED_LEVELS, text).column(&feature.name));
        }
    }
    notices
}

/// Splits that another column's split equals: how many, and the one nearest to the root.
fn tied(grown: &[GrownNode], order: &[usize], tree: &Tree, book: &Codebook) -> Option<Notice> {
    let ties: Vec<(usize, usize)> =
        order.iter().enumerate().filter_map(|(at, old)| grown[*old].split.as_ref()?.rival.map(|rival| (at, rival))).collect();
    let depth = |at: usize| grown[order[at]].depth;
    let (at, rival) = *ties.iter().min_by_key(|(at, _)| (depth(*at), *at))?;
    let (layout, weight) = (&book.layout, grown[order[at]].counts.iter().sum());
    let (taken, rows) = (condition(tree, layout, &parents(tree), at, true), book.fixed.weight(weight));
    let others = match ties.len() - 1 {
        0 => String::new(),
        more => format!("; so it is at {}", counted(more as u64, "further node")),
    };
    let text = format!(
        "at node {} ({rows} rows) a split by `{}` gains exactly as much as `{taken}`, which was taken because its column comes first by name{others}",
        at + 1,
        layout.features()[rival].name
    );
    Some(Notice::new(TIED_SPLITS, text))
}
