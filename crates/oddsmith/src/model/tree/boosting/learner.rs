//! Rounds of gradient boosting over coded rows.
//!
//! F starts at the log odds of the classes (their log proportions where there are more than two). Every round fits one tree per log odds to
//! g = y − p and h = p (1 − p), all from the same F, and adds η G/(H + λ) of every row's leaf. Passes over the rows: a survey, and one that gathers
//! them as codes. Time O(rounds · rows · columns · log leaves), memory O(rows · (columns + 8 classes)).

use std::sync::Arc;

use super::gradient_sums::{quantised, strength_in_parts};
use super::gradient_tree::{GradientGrower, GradientRows, GradientRules, GradientTree};
use super::margins::{Loss, Margins};
use super::model::{BoostedTree, BoostingModel, Head, RoundLoss};
use super::params::GradientBoosting;
use crate::data::Layout;
use crate::error::{Error, Result};
use crate::model::tree::canonical::{canonical_order, drawn};
use crate::model::tree::coded_rows::CodedRows;
use crate::model::tree::learner::TreeStats;
use crate::model::tree::nodes::Tree;
use crate::model::tree::{BOOSTING, TAKES, notices};
use crate::model::{Learner, PassInfo, Step};
use crate::record::Record;

/// Rows that a leaf needs by default, and the share of all rows where that is fewer.
const LEAF_ROWS: f64 = 20.0;
const LEAF_SHARE: f64 = 0.05;
/// Weight of all rows up to which gradients times weights stay within 64 bits.
const MOST_TIMES: f64 = (1u64 << 32) as f64;

impl Learner for GradientBoosting {
    type Stats = TreeStats;
    type Model = BoostingModel;

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<TreeStats> {
        TAKES.check(BOOSTING, layout)?;
        Ok(TreeStats::first(layout, pass.memory))
    }

    fn finish(&self, stats: &TreeStats) -> Result<Step<TreeStats, BoostingModel>> {
        match stats {
            TreeStats::Survey(survey) => TreeStats::gathering(survey, BOOSTING).map(Step::Again),
            TreeStats::Rows(rows) => Ok(Step::Done(self.boosted(rows))),
            TreeStats::Level(_) => Err(Error::internal("boosting was given the levels of a tree")),
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

impl GradientBoosting {
    fn rules(&self, rows: &CodedRows, largest: f64) -> GradientRules {
        let book = &rows.book;
        let total = book.classes.total() / book.row_weight;
        let least = self.min_samples_leaf.unwrap_or(LEAF_ROWS.min((LEAF_SHARE * total).floor()));
        GradientRules {
            max_leaves: self.max_leaf_nodes,
            max_depth: self.max_depth.unwrap_or(u32::MAX),
            least_leaf: if least > 0.0 { book.fixed.units(least * book.row_weight) } else { 1 },
            l2: strength_in_parts(self.l2 * book.row_weight, largest),
        }
    }

    /// Rows that are held out, by place.
    fn held_out(&self, rows: &CodedRows) -> Vec<bool> {
        let mut held_out = vec![false; rows.len()];
        if self.early_stopping {
            let limit = (self.validation_fraction * (u64::MAX as f64)) as u64;
            for (rank, i) in canonical_order(rows).into_iter().enumerate() {
                held_out[i as usize] = drawn(self.seed, 1, rank as u64) < limit;
            }
        }
        held_out
    }

    fn boosted(&self, rows: &CodedRows) -> BoostingModel {
        let book = &*rows.book;
        // Whole weights multiply the gradient of one row, so that a row of weight 2 is the row twice.
        let times = book.fixed.shift() == 0 && book.classes.total() < MOST_TIMES;
        let heaviest = if times { 1 } else { rows.weights.iter().copied().max().unwrap_or_else(|| book.fixed.units(1.0)) };
        let rules = self.rules(rows, book.fixed.weight(heaviest));
        let held_out = self.held_out(rows);
        let training: Vec<u32> = (0..rows.len() as u32).filter(|i| !held_out[*i as usize]).collect();
        let mut margins = Margins::new(rows, (!times).then_some(heaviest));
        let mut grower = GradientGrower::new(&book.bins, &rules, book.stride());
        let (stride, empty) = (book.stride(), GradientRows::default());
        let mut moving = GradientRows { stride, times, ..empty };
        let (mut trees, mut losses, mut best) = (Vec::new(), Vec::new(), (Loss::MOST, 0));
        let stops = held_out.contains(&true);
        for round in 0..self.max_iter {
            for k in 0..margins.width() {
                fill(&mut moving, rows, &training, &margins, k);
                let tree = grower.grow(&mut moving);
                let values: Vec<f64> = tree.sums.iter().map(|sum| self.learning_rate * sum.step(rules.l2)).collect();
                apply(&tree, &values, &moving, &mut margins, k);
                if stops {
                    route_held_out(&tree, &values, rows, &held_out, &mut margins, k);
                }
                trees.push(boosted_tree(&tree, &values, book));
            }
            margins.refresh();
            let of = |wanted: bool| margins.loss(rows, |i| held_out[i] == wanted);
            let (training, held_out) = (of(false), of(true));
            losses.push(RoundLoss { log_loss: training.mean(), held_out_log_loss: stops.then(|| held_out.mean()) });
            if held_out < best.0 {
                best = (held_out, round);
            }
            if stops && round - best.1 >= self.n_iter_no_change {
                break;
            }
        }
        if stops {
            losses.truncate(best.1 + 1);
            trees.truncate((best.1 + 1) * margins.width());
        }
        let head = Head { learning_rate: self.learning_rate, l2: self.l2 * book.row_weight, losses, notices: notices::pooled(book) };
        BoostingModel::new(book, margins.start().to_vec(), trees, head)
    }
}

/// Puts the training rows in their first order, with their gradients for log odds `k`.
fn fill(moving: &mut GradientRows, rows: &CodedRows, training: &[u32], margins: &Margins, k: usize) {
    let stride = moving.stride;
    moving.codes.clear();
    if training.len() == rows.len() {
        moving.codes.extend_from_slice(&rows.codes);
    } else {
        training.iter().for_each(|i| moving.codes.extend_from_slice(&rows.codes[*i as usize * stride..][..stride]));
    }
    moving.places.clear();
    moving.places.extend_from_slice(training);
    moving.gradients.clear();
    moving.gradients.extend(training.iter().map(|i| {
        let (gradient, curvature, share) = margins.gradient(rows, *i as usize, k);
        [quantised(gradient, share), quantised(curvature, share)]
    }));
    moving.units.clear();
    if !rows.weights.is_empty() {
        moving.units.extend(training.iter().map(|i| rows.weights[*i as usize]));
    }
}

/// Adds the values of leaves to the margins of the rows that came to them.
fn apply(tree: &GradientTree, values: &[f64], moving: &GradientRows, margins: &mut Margins, k: usize) {
    for (leaf, lo, hi) in &tree.leaves {
        moving.places[*lo..*hi].iter().for_each(|place| margins.add(*place as usize, k, values[*leaf]));
    }
}

/// The same for rows that the tree has not seen.
fn route_held_out(tree: &GradientTree, values: &[f64], rows: &CodedRows, held_out: &[bool], margins: &mut Margins, k: usize) {
    let stride = rows.book.stride();
    for i in (0..rows.len()).filter(|i| held_out[*i]) {
        let row = &rows.codes[i * stride..(i + 1) * stride];
        let mut at = 0;
        while let Some(split) = &tree.nodes[at].split {
            at = tree.nodes[at].children[usize::from(!split.left.has(row[split.feature]))];
        }
        margins.add(i, k, values[at]);
    }
}

fn boosted_tree(grown: &GradientTree, values: &[f64], book: &crate::model::tree::codebook::Codebook) -> BoostedTree {
    let (tree, order) = Tree::new(&grown.nodes, book);
    let gain = |old: &usize| grown.nodes[*old].split.as_ref().map_or(0.0, |split| split.gain);
    BoostedTree { tree, values: order.iter().map(|old| values[*old]).collect(), gains: order.iter().map(gain).collect() }
}
