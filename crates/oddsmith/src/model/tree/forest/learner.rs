//! How a forest is learned: trees of samples of the rows, each node split by the best of some columns.
//!
//! Passes over the rows: a survey, and one that gathers them as codes. Then, for every tree, rows are drawn ([`OrderedRows::sample`]), a tree is grown whose
//! nodes try columns drawn by seed, tree and path from the root (and further ones while none of them gains), and the rows that are out of
//! its bag tell what it is worth. Trees are grown on all threads and put together in their order. Time O(trees · rows · tried columns · depth).

use std::sync::Arc;

use super::bootstrap::OrderedRows;
use super::model::{ForestModel, ForestTree, Head};
use super::params::{Importance, RandomForest};
use crate::data::Layout;
use crate::error::{Error, Result};
use crate::model::tree::canonical::drawn;
use crate::model::tree::code_table::CodeTable;
use crate::model::tree::codebook::Codebook;
use crate::model::tree::coded_rows::CodedRows;
use crate::model::tree::coded_tree::CodedTree;
use crate::model::tree::column_draw::ColumnDraw;
use crate::model::tree::grower::{Ground, Weights};
use crate::model::tree::growth::{GrownNode, Growth, as_grown};
use crate::model::tree::learner::{TreeStats, probabilities};
use crate::model::tree::nodes::Tree;
use crate::model::tree::survey::Survey;
use crate::model::tree::{FOREST, TAKES, notices};
use crate::model::{Learner, PassInfo, Step};
use crate::record::Record;
use crate::workers;

/// Cells × trees up to which shuffling every column does not take long.
const FEW_CELLS: u64 = 50_000_000;
/// A row costs at most the logarithm of this.
const LEAST_PROBABILITY: f64 = 1e-12;

impl Learner for RandomForest {
    type Stats = TreeStats;
    type Model = ForestModel;

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<TreeStats> {
        TAKES.check(FOREST, layout)?;
        Ok(TreeStats::first(layout, pass))
    }

    fn finish(&self, stats: &TreeStats) -> Result<Step<TreeStats, ForestModel>> {
        match stats {
            TreeStats::Survey(survey) => self.gathering(survey).map(Step::Again),
            TreeStats::Rows(rows) => Ok(Step::Done(self.planted(rows))),
            TreeStats::Level(_) | TreeStats::Boost(_) => Err(Error::internal("a forest was given the levels of a tree")),
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
    /// Its out-of-bag rows and their leaves, from left to right.
    out_of_bag: Vec<(u32, u32)>,
    /// Worth of columns.
    importance: Vec<f64>,
}

/// All that trees of a forest share.
struct Plot<'a> {
    rows: &'a OrderedRows,
    table: &'a CodeTable<'a>,
    book: &'a Codebook,
    growth: Growth,
    importance: Importance,
}

impl RandomForest {
    fn gathering(&self, survey: &Survey) -> Result<TreeStats> {
        // Samples are drawn by the rank of a row among all, so all must be there; beside its codes a row has its place, and every thread a sample.
        let per_row = 24 + 8 * (survey.layout.classes().len() + 2 * survey.threads) as u64;
        TreeStats::gathering(
            survey,
            FOREST,
            per_row,
            "allow more memory, take fewer rows, or use boosting, which reads rows again and again",
        )
    }

    fn planted(&self, rows: &CodedRows) -> ForestModel {
        let book = &*rows.book;
        let (limits, depth) = ((self.min_samples_split, self.min_samples_leaf), self.max_depth.unwrap_or(u32::MAX));
        let growth = Growth::new(self.criterion, book, depth, limits, self.min_impurity_decrease);
        let cells = (rows.len() * book.bins.width() * self.n_estimators) as u64;
        let affordable = if cells <= FEW_CELLS { Importance::Permutation } else { Importance::Gain };
        let ordered = OrderedRows::new(rows);
        let table = CodeTable::new(&ordered.codes, ordered.stride);
        let plot = Plot { rows: &ordered, table: &table, book, growth, importance: self.importance.unwrap_or(affordable) };
        let (classes, width) = (book.class_count(), book.bins.width());
        let (mut sums, mut counts) = (vec![0.0; rows.len() * classes], vec![0u32; rows.len()]);
        let (mut trees, mut importance) = (Vec::new(), vec![0.0; width]);
        for planted in workers::each(book.threads, (0..self.n_estimators).collect(), |at| self.plant(&plot, at)) {
            for (i, leaf) in planted.out_of_bag {
                counts[i as usize] += 1;
                let p = &planted.tree.leaves[leaf as usize * classes..];
                sums[i as usize * classes..][..classes].iter_mut().zip(p).for_each(|(sum, p)| *sum += p);
            }
            importance.iter_mut().zip(planted.importance).for_each(|(sum, own)| *sum += own);
            trees.push(planted.tree);
        }
        importance.iter_mut().for_each(|sum| *sum /= self.n_estimators as f64);
        let out_of_bag = out_of_bag(&plot, &sums, &counts);
        let kept = if self.keep_out_of_bag { as_read(&ordered.order, &sums, &counts) } else { Vec::new() };
        let permuted = plot.importance == Importance::Permutation;
        let head = Head {
            criterion: self.criterion.name().into(),
            out_of_bag,
            permuted,
            smoothing: self.smoothing * book.row_weight,
            notices: notices::pooled(book),
        };
        ForestModel::new(book, trees, importance, head).with_out_of_bag(kept)
    }

    /// One tree.
    fn plant(&self, plot: &Plot<'_>, at: usize) -> Planted {
        let (rows, book) = (plot.rows, plot.book);
        let mut units = rows.sample(self.seed, at);
        let (mut bag, bag_free): (Vec<u32>, Vec<u32>) = (0..rows.len() as u32).partition(|place| units[*place as usize] > 0);
        if bag.is_empty() {
            // A table of a row or two may miss the bag altogether.
            bag.clone_from(&bag_free);
            units = (0..rows.len()).map(|i| rows.units(i)).collect();
        }
        let by_name = book.bins.by_name();
        let draw = ColumnDraw { by_name, tried: self.max_features.of(by_name.len()), key: drawn(self.seed, at as u64 + 2, u64::MAX) };
        let (classes, growth) = (book.class_count(), &plot.growth);
        let ground = Ground { table: plot.table, bins: &book.bins, classes, growth, draw: Some(&draw), threads: 1 };
        let total = units.iter().try_fold(0u64, |sum, units| sum.checked_add(*units));
        let grown = match total {
            Some(total) if total <= u64::from(u32::MAX) => {
                let few: Vec<u32> = units.iter().map(|units| *units as u32).collect();
                ground.grow(bag, Weights::Few(&few))
            }
            _ => ground.grow(bag, Weights::Units(&units)),
        };
        self.account(plot, at, &grown, &bag_free)
    }

    /// What the rows out of the bag say of a grown tree.
    fn account(&self, plot: &Plot<'_>, at: usize, grown: &[GrownNode], bag_free: &[u32]) -> Planted {
        let (book, table, coded) = (plot.book, plot.table, CodedTree::new(grown));
        let (classes, p) = (book.class_count(), probabilities(grown, book, self.smoothing * book.row_weight));
        let importance = match plot.importance {
            Importance::Gain => {
                let (mut worth, unit) = (vec![0.0; book.bins.width()], self.criterion.unit());
                let splits = as_grown(grown).into_iter().filter_map(|at| grown[at].split.as_ref());
                splits.for_each(|split| worth[split.feature] += split.gain / book.classes.total() / unit);
                worth
            }
            Importance::Permutation => {
                let key = drawn(self.seed, at as u64 + 2, u64::MAX - 1);
                bits_lost(plot, (grown, &coded, &p), bag_free, &shuffled(bag_free, key))
            }
        };
        let (tree, order) = Tree::new(grown, book);
        let (mut leaves, mut number_of) = (Vec::new(), vec![0; grown.len()]);
        for old in order.into_iter().filter(|old| grown[*old].split.is_none()) {
            number_of[old] = (leaves.len() / classes) as u32;
            leaves.extend_from_slice(&p[old * classes..][..classes]);
        }
        let leaves_of = coded.leaves(table, bag_free);
        let out_of_bag = bag_free.iter().zip(leaves_of).map(|(place, leaf)| (*place, number_of[leaf as usize])).collect();
        Planted { tree: ForestTree { tree, leaves }, out_of_bag, importance }
    }
}

/// Bits that out-of-bag rows lose when the values of a column are shuffled among them, by column.
fn bits_lost(plot: &Plot<'_>, tree: (&[GrownNode], &CodedTree, &[f64]), bag_free: &[u32], shuffled: &[u32]) -> Vec<f64> {
    let (Plot { rows, table, book, .. }, (grown, coded, p)) = (plot, tree);
    let (classes, own_weight) = (book.class_count(), |place: u32| book.fixed.weight(rows.units(place as usize)));
    let loss = |row: &[u8], weight: f64| {
        let class = usize::from(row[table.stride - 1]);
        -weight * p[coded.leaf(row) * classes + class].max(LEAST_PROBABILITY).ln()
    };
    let weight: f64 = bag_free.iter().map(|place| own_weight(*place)).sum();
    let before: f64 = bag_free.iter().map(|place| loss(table.row(*place), own_weight(*place))).sum();
    let (mut worth, mut row) = (vec![0.0; book.bins.width()], Vec::new());
    for (j, worth) in worth.iter_mut().enumerate().filter(|(j, _)| uses(grown, *j) && weight > 0.0) {
        let mut after = 0.0;
        for (own, other) in bag_free.iter().zip(shuffled) {
            row.clear();
            row.extend_from_slice(table.row(*own));
            row[j] = table.row(*other)[j];
            after += loss(&row, own_weight(*own));
        }
        *worth = (after - before) / weight / std::f64::consts::LN_2;
    }
    worth
}

fn uses(grown: &[GrownNode], feature: usize) -> bool {
    grown.iter().any(|node| node.split.as_ref().is_some_and(|split| split.feature == feature))
}

/// The rows in an order that looks random.
fn shuffled(rows: &[u32], key: u64) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = rows.iter().map(|i| (drawn(key, 0, u64::from(*i)), *i)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, i)| i).collect()
}

/// Out-of-bag probabilities in the order in which rows were read; zeros for a row that every tree has seen.
fn as_read(order: &[u32], sums: &[f64], counts: &[u32]) -> Vec<f64> {
    let mut kept = vec![0.0; sums.len()];
    let classes = sums.len() / order.len().max(1);
    for ((place, sums), count) in order.iter().zip(sums.chunks_exact(classes.max(1))).zip(counts) {
        let own = &mut kept[*place as usize * classes..][..classes];
        own.iter_mut().zip(sums).for_each(|(p, sum)| *p = sum / f64::from((*count).max(1)));
    }
    kept
}

/// Weight, log loss and accuracy of the averages over trees that have not seen a row; `None` where every tree has seen every row.
fn out_of_bag(plot: &Plot<'_>, sums: &[f64], counts: &[u32]) -> Option<[f64; 3]> {
    let classes = plot.book.class_count();
    let (mut weight, mut loss, mut hits) = (0.0, 0.0, 0.0);
    for (i, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (own, class) = (plot.book.fixed.weight(plot.rows.units(i)), plot.table.class(i as u32));
        let p = &sums[i * classes..(i + 1) * classes];
        let most = (0..classes).fold(0, |best, k| if p[k] > p[best] { k } else { best });
        weight += own;
        loss -= own * (p[class] / f64::from(*count)).max(LEAST_PROBABILITY).ln();
        hits += if most == class { own } else { 0.0 };
    }
    (weight > 0.0).then(|| [weight, loss / weight, hits / weight])
}
