//! How a forest is learned: trees of samples of the rows, each node split by the best of some columns.
//!
//! Passes over the rows: a survey, and one that gathers them as codes. Then, for every tree, rows are drawn ([`OrderedRows::sampled`]), a tree is grown whose
//! nodes try columns drawn by seed, tree and path from the root (and further ones while none of them gains), and the rows that are out of
//! its bag tell what it is worth. Time O(trees · rows · tried columns · depth).

use std::sync::Arc;

use super::bootstrap::OrderedRows;
use super::model::{ForestModel, ForestTree, Head};
use super::params::{Importance, RandomForest};
use crate::data::{Layout, mixed};
use crate::error::{Error, Result};
use crate::model::tree::canonical::drawn;
use crate::model::tree::codebook::Codebook;
use crate::model::tree::coded_rows::CodedRows;
use crate::model::tree::grower::{MovingRows, grow};
use crate::model::tree::growth::{GrownNode, Growth};
use crate::model::tree::learner::{TreeStats, probabilities};
use crate::model::tree::nodes::Tree;
use crate::model::tree::{FOREST, TAKES, notices};
use crate::model::{Learner, PassInfo, Step};
use crate::record::Record;

/// Cells × trees up to which shuffling every column does not take long.
const FEW_CELLS: u64 = 50_000_000;
/// A row costs at most the logarithm of this.
const LEAST_PROBABILITY: f64 = 1e-12;

impl Learner for RandomForest {
    type Stats = TreeStats;
    type Model = ForestModel;

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<TreeStats> {
        TAKES.check(FOREST, layout)?;
        Ok(TreeStats::first(layout, pass.memory))
    }

    fn finish(&self, stats: &TreeStats) -> Result<Step<TreeStats, ForestModel>> {
        match stats {
            TreeStats::Survey(survey) => TreeStats::gathering(survey, FOREST).map(Step::Again),
            TreeStats::Rows(rows) => Ok(Step::Done(self.planted(rows))),
            TreeStats::Level(_) => Err(Error::internal("a forest was given the levels of a tree")),
        }
    }

    fn write_point(&self, empty: &TreeStats, point: &mut Record) -> Result<()> {
        empty.write_point(point);
        Ok(())
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<TreeStats> {
        TreeStats::at_point(layout, point)
    }
}

/// What a tree of a forest brings.
struct Planted {
    tree: ForestTree,
    /// Probabilities of its out-of-bag rows: row, class by class.
    out_of_bag: Vec<(u32, Vec<f64>)>,
    /// Worth of columns.
    importance: Vec<f64>,
}

/// All that trees of a forest share.
struct Ground<'a> {
    rows: OrderedRows,
    book: &'a Codebook,
    growth: Growth,
    importance: Importance,
}

impl RandomForest {
    fn planted(&self, rows: &CodedRows) -> ForestModel {
        let book = &*rows.book;
        let (limits, depth) = ((self.min_samples_split, self.min_samples_leaf), self.max_depth.unwrap_or(u32::MAX));
        let growth = Growth::new(self.criterion, book, depth, limits, self.min_impurity_decrease);
        let cells = (rows.len() * book.bins.width() * self.n_estimators) as u64;
        let affordable = if cells <= FEW_CELLS { Importance::Permutation } else { Importance::Gain };
        let ground = Ground { rows: OrderedRows::new(rows), book, growth, importance: self.importance.unwrap_or(affordable) };
        let (classes, width) = (book.class_count(), book.bins.width());
        let (mut sums, mut counts) = (vec![0.0; rows.len() * classes], vec![0u32; rows.len()]);
        let (mut trees, mut importance) = (Vec::new(), vec![0.0; width]);
        for at in 0..self.n_estimators {
            let planted = self.plant(&ground, at);
            for (i, p) in planted.out_of_bag {
                counts[i as usize] += 1;
                sums[i as usize * classes..][..classes].iter_mut().zip(p).for_each(|(sum, p)| *sum += p);
            }
            importance.iter_mut().zip(planted.importance).for_each(|(sum, own)| *sum += own);
            trees.push(planted.tree);
        }
        importance.iter_mut().for_each(|sum| *sum /= self.n_estimators as f64);
        let out_of_bag = out_of_bag(&ground, &sums, &counts);
        let permuted = ground.importance == Importance::Permutation;
        let head = Head {
            criterion: self.criterion.name().into(),
            out_of_bag,
            permuted,
            smoothing: self.smoothing * book.row_weight,
            notices: notices::pooled(book),
        };
        ForestModel::new(book, trees, importance, head)
    }

    /// One tree.
    fn plant(&self, ground: &Ground<'_>, at: usize) -> Planted {
        let (rows, book) = (&ground.rows, ground.book);
        let mut moving = MovingRows { stride: rows.stride, codes: Vec::new(), weights: Vec::new() };
        let mut bag_free: Vec<u32> = Vec::new();
        for i in 0..rows.len() {
            match rows.sampled(self.seed, at, i) {
                0 => bag_free.push(i as u32),
                units if rows.weights.is_empty() => (0..units).for_each(|_| moving.codes.extend_from_slice(rows.row(i))),
                units => {
                    moving.codes.extend_from_slice(rows.row(i));
                    moving.weights.push(units);
                }
            }
        }
        if moving.codes.is_empty() {
            // A table of a row or two may miss the bag altogether.
            (0..rows.len()).for_each(|i| moving.codes.extend_from_slice(rows.row(i)));
            moving.weights = rows.weights.clone();
        }
        let by_name = book.bins.by_name();
        let tried = self.max_features.of(by_name.len());
        let key = drawn(self.seed, at as u64 + 2, u64::MAX);
        let choose = |path: u64| {
            let mut ranks: Vec<usize> = (0..by_name.len()).collect();
            shuffle(&mut ranks, drawn(key, path, 0));
            ranks[..tried].sort_unstable();
            (ranks.into_iter().map(|rank| by_name[rank]).collect(), tried)
        };
        let grown = grow(moving, &book.bins, book.class_count(), &ground.growth, Some(&choose));
        self.account(ground, at, &grown, &bag_free)
    }

    /// What the rows out of the bag say of a grown tree.
    fn account(&self, ground: &Ground<'_>, at: usize, grown: &[GrownNode], bag_free: &[u32]) -> Planted {
        let (rows, book, classes) = (&ground.rows, ground.book, ground.book.class_count());
        let p = probabilities(grown, book, self.smoothing * book.row_weight);
        let of = |node: usize| &p[node * classes..(node + 1) * classes];
        let out_of_bag: Vec<(u32, Vec<f64>)> = bag_free.iter().map(|i| (*i, of(leaf(grown, rows.row(*i as usize))).to_vec())).collect();
        let mut importance = vec![0.0; book.bins.width()];
        match ground.importance {
            Importance::Gain => {
                let gains = grown.iter().filter_map(|node| node.split.as_ref());
                gains.for_each(|split| importance[split.feature] += split.gain / book.classes.total() / self.criterion.unit());
            }
            Importance::Permutation => {
                let loss = |row: &[u8], units: u64| {
                    let class = usize::from(row[rows.stride - 1]);
                    -(book.fixed.weight(units)) * of(leaf(grown, row))[class].max(LEAST_PROBABILITY).ln()
                };
                let weight: f64 = bag_free.iter().map(|i| book.fixed.weight(rows.units(*i as usize))).sum();
                let before: f64 = bag_free.iter().map(|i| loss(rows.row(*i as usize), rows.units(*i as usize))).sum();
                let shuffled = shuffled(bag_free, drawn(self.seed, at as u64 + 2, u64::MAX - 1));
                let mut row = Vec::new();
                for (j, worth) in importance.iter_mut().enumerate().filter(|(j, _)| uses(grown, *j) && weight > 0.0) {
                    let mut after = 0.0;
                    for (own, other) in bag_free.iter().zip(&shuffled) {
                        row.clear();
                        row.extend_from_slice(rows.row(*own as usize));
                        row[j] = rows.row(*other as usize)[j];
                        after += loss(&row, rows.units(*own as usize));
                    }
                    *worth = (after - before) / weight / std::f64::consts::LN_2;
                }
            }
        }
        let (tree, order) = Tree::new(grown, book);
        let leaves = order.iter().filter(|old| grown[**old].split.is_none());
        Planted { tree: ForestTree { leaves: leaves.flat_map(|old| of(*old).to_vec()).collect(), tree }, out_of_bag, importance }
    }
}

/// Puts items in an order that looks random.
fn shuffle(items: &mut [usize], key: u64) {
    for at in 0..items.len().saturating_sub(1) {
        let others = (items.len() - at) as u64;
        let draw = mixed(key.wrapping_add((at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        items.swap(at, at + ((u128::from(draw) * u128::from(others)) >> 64) as usize);
    }
}

fn uses(grown: &[GrownNode], feature: usize) -> bool {
    grown.iter().any(|node| node.split.as_ref().is_some_and(|split| split.feature == feature))
}

/// The leaf of a coded row.
fn leaf(grown: &[GrownNode], row: &[u8]) -> usize {
    let mut at = 0;
    while let Some(split) = &grown[at].split {
        at = grown[at].children[usize::from(!split.left.has(row[split.feature]))];
    }
    at
}

/// The rows in an order that looks random.
fn shuffled(rows: &[u32], key: u64) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = rows.iter().map(|i| (drawn(key, 0, u64::from(*i)), *i)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, i)| i).collect()
}

/// Weight, log loss and accuracy of the averages over trees that have not seen a row; `None` where every tree has seen every row.
fn out_of_bag(ground: &Ground<'_>, sums: &[f64], counts: &[u32]) -> Option<[f64; 3]> {
    let (rows, classes) = (&ground.rows, ground.book.class_count());
    let (mut weight, mut loss, mut hits) = (0.0, 0.0, 0.0);
    for (i, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (own, class) = (ground.book.fixed.weight(rows.units(i)), usize::from(rows.row(i)[rows.stride - 1]));
        let p = &sums[i * classes..(i + 1) * classes];
        let most = (0..classes).fold(0, |best, k| if p[k] > p[best] { k } else { best });
        weight += own;
        loss -= own * (p[class] / f64::from(*count)).max(LEAST_PROBABILITY).ln();
        hits += if most == class { own } else { 0.0 };
    }
    (weight > 0.0).then(|| [weight, loss / weight, hits / weight])
}
