//! Rounds of gradient boosting over coded rows.
//!
//! F starts at the log odds of the classes (their log proportions where there are more than two). Every round fits one tree per log odds to
//! g = y − p and h = p (1 − p), all from the same F, and adds η G/(H + λ) of every row's leaf. Passes over the rows: a survey, and one that gathers
//! them as codes; where they do not fit, about as many for every round as its trees are deep ([`BoostPass`]). Time O(rounds · rows · columns · log leaves), memory O(rows · (columns + 8 classes)).

use std::sync::Arc;

use super::boost_pass::{BoostPass, BoostPoint, Next};
use super::gradient_search::GradientRules;
use super::gradient_sums::strength_in_parts;
use super::gradient_tree::{GradientGrower, GradientTree};
use super::margins::{self, Loss};
use super::model::{BoostedTree, BoostingModel, Head, RoundLoss};
use super::params::GradientBoosting;
use super::shard::Shard;
use crate::data::Layout;
use crate::error::{Error, Result};
use crate::model::tree::canonical::{canonical_order, drawn};
use crate::model::tree::codebook::Codebook;
use crate::model::tree::coded_rows::CodedRows;
use crate::model::tree::coded_tree::CodedTree;
use crate::model::tree::learner::{TreeStats, room};
use crate::model::tree::nodes::Tree;
use crate::model::tree::survey::Survey;
use crate::model::tree::{BOOSTING, TAKES, notices};
use crate::model::{Learner, PassInfo, Step};
use crate::record::Record;
use crate::workers;

/// Rows that a leaf needs by default, and the share of all rows where that is fewer.
const LEAF_ROWS: f64 = 20.0;
const LEAF_SHARE: f64 = 0.05;
/// Bytes of a row in memory beside its codes: places and gradients; and for every margin itself, its probability and its loss.
const BYTES_PER_ROW: u64 = 24;
const BYTES_PER_MARGIN: u64 = 24;
/// Weight of all rows up to which gradients times weights stay within 64 bits.
const MOST_TIMES: f64 = (1u64 << 32) as f64;

impl Learner for GradientBoosting {
    type Stats = TreeStats;
    type Model = BoostingModel;

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<TreeStats> {
        TAKES.check(BOOSTING, layout)?;
        Ok(TreeStats::first(layout, pass))
    }

    fn finish(&self, stats: &TreeStats) -> Result<Step<TreeStats, BoostingModel>> {
        match stats {
            TreeStats::Survey(survey) => self.after_survey(survey).map(Step::Again),
            TreeStats::Rows(rows) => Ok(Step::Done(self.boosted(rows))),
            TreeStats::Boost(pass) => Ok(self.after_pass(pass)),
            TreeStats::Level(_) => Err(Error::internal("boosting was given the levels of a tree")),
        }
    }

    fn most_passes(&self) -> usize {
        // A pass at least for every split, and for the trees of a round one after the other where memory is small.
        self.max_iter.saturating_mul(self.max_leaf_nodes.saturating_add(2)).saturating_mul(256)
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
    /// All rows as codes where they fit; else passes over them for every round.
    fn after_survey(&self, survey: &Survey) -> Result<TreeStats> {
        let margins = if survey.layout.classes().len() == 2 { 1 } else { survey.layout.classes().len() as u64 };
        let per_row = BYTES_PER_ROW + BYTES_PER_MARGIN * margins;
        if self.early_stopping {
            // Held-out rows are drawn by their rank among all.
            return TreeStats::gathering(survey, BOOSTING, per_row, "allow more memory, take fewer rows, or stop after a number of rounds");
        }
        let book = Codebook::new(survey, BOOSTING)?;
        if survey.memory == 0 || room(survey, &book, per_row) <= survey.memory {
            return Ok(TreeStats::Rows(Box::new(CodedRows::new(Arc::new(book)))));
        }
        let heaviest = (!multiplies(&book)).then_some(book.heaviest);
        Ok(TreeStats::Boost(Box::new(BoostPass::new(BoostPoint::new(Arc::new(book), heaviest, survey.memory)))))
    }

    /// What follows a pass over rows that stay where they are.
    fn after_pass(&self, pass: &BoostPass) -> Step<TreeStats, BoostingModel> {
        let book = &*pass.point.book;
        let rules = self.rules(book);
        let next = match pass.advance(&rules) {
            Next::Pass(next) => next,
            Next::Round(trees, mut point) => {
                let mut learned = Vec::new();
                for tree in trees {
                    let values = self.values(&tree, &rules);
                    point.history.push(Arc::new(boosted_tree(&tree, &values, book)));
                    learned.push((CodedTree::new(&tree.nodes), values));
                }
                let is_last = point.history.len() >= self.max_iter * point.start.len();
                BoostPass::after(point, learned, &rules, is_last)
            }
            Next::Done(point) => {
                let trees = point.history.into_iter().map(Arc::unwrap_or_clone).collect();
                return Step::Done(BoostingModel::new(book, point.start, trees, self.head(book, point.losses)));
            }
        };
        Step::Again(TreeStats::Boost(Box::new(next)))
    }

    fn head(&self, book: &Codebook, losses: Vec<RoundLoss>) -> Head {
        Head { learning_rate: self.learning_rate, l2: self.l2 * book.row_weight, losses, notices: notices::pooled(book) }
    }

    /// What the nodes of a tree add to the log odds of their rows.
    fn values(&self, tree: &GradientTree, rules: &GradientRules) -> Vec<f64> {
        tree.sums.iter().map(|sum| self.learning_rate * sum.step(rules.l2)).collect()
    }

    fn rules(&self, book: &Codebook) -> GradientRules {
        let largest = book.fixed.weight(if multiplies(book) { 1 } else { book.heaviest });
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
        let (rules, heaviest) = (self.rules(book), (!multiplies(book)).then_some(book.heaviest));
        let (held_out, start) = (self.held_out(rows), margins::start(&class_units(rows)));
        let mut grower = GradientGrower::new(&book.bins, &rules, book.threads);
        let ranges = (0..book.threads).map(|at| rows.len() * at / book.threads..rows.len() * (at + 1) / book.threads).collect();
        let new_shard = |range| Shard::new(rows, range, &start, heaviest, &held_out);
        let mut shards: Vec<Shard<'_>> = workers::each(book.threads, ranges, new_shard);
        let (mut trees, mut losses, mut best) = (Vec::new(), Vec::new(), (Loss::MOST, 0));
        let stops = held_out.contains(&true);
        for round in 0..self.max_iter {
            for k in 0..start.len() {
                workers::each(book.threads, shards.iter_mut().collect(), |shard: &mut Shard<'_>| shard.begin(k));
                let tree = grower.grow(&mut shards);
                let values = self.values(&tree, &rules);
                let coded = CodedTree::new(&tree.nodes);
                let step = |shard: &mut Shard<'_>| shard.step(k, &tree.leaves, &values, &coded);
                workers::each(book.threads, shards.iter_mut().collect(), step);
                trees.push(boosted_tree(&tree, &values, book));
            }
            let [training, held_out] = round_losses(&mut shards, book.threads);
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
            trees.truncate((best.1 + 1) * start.len());
        }
        BoostingModel::new(book, start, trees, self.head(book, losses))
    }
}

/// Whether weights multiply the gradient of one row, so that a row of weight 2 is the row twice: they are whole numbers and not too many.
fn multiplies(book: &Codebook) -> bool {
    book.fixed.shift() == 0 && book.classes.total() < MOST_TIMES
}

/// Units of every class.
fn class_units(rows: &CodedRows) -> Vec<u64> {
    let (stride, mut units) = (rows.book.stride(), vec![0; rows.book.class_count()]);
    for (i, row) in rows.codes.chunks_exact(stride).enumerate() {
        units[usize::from(row[stride - 1])] += rows.weights.get(i).copied().unwrap_or(1);
    }
    units
}

/// Ends a round in all shards: losses of the rows that are learned from, and of those that are held out.
fn round_losses(shards: &mut [Shard<'_>], threads: usize) -> [Loss; 2] {
    let losses = workers::each(threads, shards.iter_mut().collect(), Shard::end_round);
    losses.into_iter().fold([Loss::NONE; 2], |mut sums, losses| {
        sums.iter_mut().zip(losses).for_each(|(sum, loss)| sum.add(loss));
        sums
    })
}

fn boosted_tree(grown: &GradientTree, values: &[f64], book: &Codebook) -> BoostedTree {
    let (tree, order) = Tree::new(&grown.nodes, book);
    let gain = |old: &usize| grown.nodes[*old].split.as_ref().map_or(0.0, |split| split.gain);
    BoostedTree { tree, values: order.iter().map(|old| values[*old]).collect(), gains: order.iter().map(gain).collect() }
}
