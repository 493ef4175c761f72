//! A fitted decision tree.
//!
//! log p(k | x) is that of the leaf that x comes to. Along the way from the root every split adds log p(child) − log p(node) for the column
//! that it looks at, so the addends of a row's columns sum to its score. Time O(depth) a row, memory O(nodes · classes).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::codebook::Codebook;
use super::growth::GrownNode;
use super::impurity::Criterion;
use super::nodes::Tree;
use super::params::DecisionTree;
use super::smoothing::smoothed;
use super::stored::{OfTrees, layout_of};
use super::walk::for_leaves;
use super::{NAME, notices};
use crate::card::Card;
use crate::data::{Features, Layout};
use crate::error::Result;
use crate::model::{Additive, Classifier, Contributions, PathNode, Paths, Scale, Scores};
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

/// Version of the stored content.
const VERSION: u32 = 1;

/// A fitted tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeModel {
    pub(super) layout: Arc<Layout>,
    pub(super) classes: ClassWeights,
    pub(super) tree: Tree,
    /// Weights by node and class.
    pub(super) weights: Vec<f64>,
    /// What every node's split gains, as an impurity times weight.
    pub(super) gains: Vec<f64>,
    pub(super) head: Head,
    /// By node and class.
    pub(super) log_p: Vec<f64>,
}

/// What is stored beside arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) criterion: String,
    /// Weight by which nodes are drawn towards their parents.
    pub(super) smoothing: f64,
    /// Price of a leaf in pruning, in the criterion's unit per row.
    pub(super) price: f64,
    pub(super) notices: Vec<Notice>,
}

impl TreeModel {
    /// The model of a grown tree that was pruned at a price.
    pub(super) fn new(learner: &DecisionTree, book: &Codebook, grown: &[GrownNode], price: f64) -> Self {
        let (tree, order) = Tree::new(grown, book);
        let weights: Vec<f64> = order.iter().flat_map(|old| &grown[*old].counts).map(|units| book.fixed.weight(*units)).collect();
        let gains = order.iter().map(|old| grown[*old].split.as_ref().map_or(0.0, |split| split.gain)).collect();
        let head = Head {
            criterion: learner.criterion.name().into(),
            smoothing: learner.smoothing * book.row_weight,
            price: price / book.classes.total() / learner.criterion.unit(),
            notices: notices::of_tree(grown, &order, &tree, book),
        };
        let (layout, classes) = (Arc::clone(&book.layout), book.classes.clone());
        TreeModel { log_p: log_probabilities(&tree, &weights, &head, classes.rows.len()), layout, classes, tree, weights, gains, head }
    }

    /// Number of classes.
    pub(super) fn class_count(&self) -> usize {
        self.classes.rows.len()
    }

    /// log p by class of a node.
    pub(super) fn log_p(&self, at: usize) -> &[f64] {
        &self.log_p[at * self.class_count()..][..self.class_count()]
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.tree.len().div_ceil(2)
    }

    /// Splits between the root and the deepest leaf.
    pub fn depth(&self) -> usize {
        self.depths().into_iter().max().unwrap_or(0)
    }

    /// The depth of every node.
    pub(super) fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.tree.len()];
        for at in 0..self.tree.len() {
            for child in self.tree.children(at).into_iter().flatten() {
                depths[child] = depths[at] + 1;
            }
        }
        depths
    }
}

/// Parents of a tree's nodes; that of the root is itself.
pub(super) fn parents(tree: &Tree) -> Vec<usize> {
    let mut parents = vec![0; tree.len()];
    for at in 0..tree.len() {
        for child in tree.children(at).into_iter().flatten() {
            parents[child] = at;
        }
    }
    parents
}

fn log_probabilities(tree: &Tree, weights: &[f64], head: &Head, classes: usize) -> Vec<f64> {
    smoothed(weights, classes, &parents(tree), head.smoothing).into_iter().map(f64::ln).collect()
}

impl Classifier for TreeModel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        NAME
    }

    fn scale(&self) -> Scale {
        Scale::LogPosterior
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        rows.check(&self.layout)?;
        out.reset(rows.rows(), self.log_p(0));
        let (scores, _) = out.parts_mut();
        let classes = self.class_count();
        for_leaves(std::iter::once(&self.tree), &self.layout, rows, |_, first, leaves| {
            for (row, leaf) in scores[first * classes..].chunks_exact_mut(classes).zip(leaves) {
                row.copy_from_slice(self.log_p(*leaf as usize));
            }
        })?;
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Ok(self)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn free_parameters(&self) -> usize {
        self.leaves() * (self.class_count() - 1) + self.tree.len() / 2
    }

    fn card(&self) -> Card {
        super::describe::card(self)
    }

    fn notices(&self) -> Vec<Notice> {
        self.head.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new(NAME, VERSION, &self.head)?;
        self.layout.write(&mut record, "layout")?;
        self.classes.write(&mut record)?;
        self.tree.write(&mut record, "tree.");
        record.put("weights", &self.weights);
        record.put("gains", &self.gains);
        Ok(record)
    }
}

impl Additive for TreeModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        rows.check(&self.layout)?;
        out.reset(rows.rows(), self.layout.features().len(), self.log_p(0));
        for i in 0..rows.rows() {
            let mut at = 0;
            while let (Some(next), Some(feature)) = (self.tree.step(at, &self.layout, rows, i), self.tree.feature(at)) {
                let addends = out.addends_mut(i, feature).iter_mut();
                for (addend, (before, after)) in addends.zip(self.log_p(at).iter().zip(self.log_p(next))) {
                    // What is impossible stays so.
                    *addend += if *before == f64::NEG_INFINITY { 0.0 } else { after - before };
                }
                at = next;
            }
        }
        Ok(())
    }
}

impl OfTrees for TreeModel {
    fn columns(&self) -> &Layout {
        &self.layout
    }

    fn count(&self) -> usize {
        1
    }

    fn tree(&self, _: usize) -> &Tree {
        &self.tree
    }

    fn told_by(&self, at: usize) -> Option<PathNode> {
        let condition = super::describe::condition_of(&self.tree, &self.layout, &parents(&self.tree), at);
        (at < self.tree.len()).then(|| PathNode { condition, weight: self.weight(at), log_p: self.log_p(at).to_vec() })
    }
}

/// Reads a stored tree.
pub(super) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    let layout = layout_of(record, NAME, VERSION)?;
    let count = layout.classes().len();
    let head: Head = record.read_head()?;
    let known = head.criterion.parse::<Criterion>().is_ok_and(|criterion| criterion.name() == head.criterion);
    if !known || !(0.0..f64::INFINITY).contains(&head.smoothing) || !(0.0..f64::INFINITY).contains(&head.price) {
        return Err(fault("it has a criterion, smoothing or price that no tree has"));
    }
    let tree = Tree::read(record, "tree.", &layout)?;
    let cells = tree.len().checked_mul(count).ok_or_else(|| fault("a shape is too large"))?;
    let (weights, gains) = (record.weights("weights", cells)?, record.weights("gains", tree.len())?);
    if weights.chunks_exact(count).any(|own| !(own.iter().sum::<f64>() > 0.0 && own.iter().sum::<f64>() < f64::INFINITY)) {
        return Err(fault("`weights` has a node without weight"));
    }
    let classes = ClassWeights::read(record, count)?;
    let log_p = log_probabilities(&tree, &weights, &head, count);
    Ok(Box::new(TreeModel { layout, classes, tree, weights, gains, head, log_p }))
}
