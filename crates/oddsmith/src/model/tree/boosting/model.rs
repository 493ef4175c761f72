//! A fitted sum of trees.
//!
//! Two classes: the score of the second is F = F₀ + Σ values of leaves, that of the first 0. More: a sum for every class. A node has a value
//! too, so a split adds value(child) − value(node) for its column, and columns add up to the score. Time O(trees · depth) a row.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::card::{Card, Cell, FixedTable, Summary};
use crate::data::{Features, Layout};
use crate::error::Result;
use crate::model::tree::BOOSTING;
use crate::model::tree::codebook::Codebook;
use crate::model::tree::nodes::Tree;
use crate::model::tree::stored::{OfTrees, layout_of};
use crate::model::tree::walk::for_leaves;
use crate::model::{Additive, Classifier, Contributions, Paths, Scale, Scores};
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

/// Version of the stored content.
const VERSION: u32 = 1;

/// One tree with the values of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoostedTree {
    pub(super) tree: Tree,
    pub(super) values: Vec<f64>,
    pub(super) gains: Vec<f64>,
}

/// Losses after a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RoundLoss {
    pub(super) log_loss: f64,
    pub(super) held_out_log_loss: Option<f64>,
}

/// What is stored beside arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) learning_rate: f64,
    pub(super) l2: f64,
    pub(super) losses: Vec<RoundLoss>,
    pub(super) notices: Vec<Notice>,
}

/// A fitted sum of trees.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostingModel {
    layout: Arc<Layout>,
    classes: ClassWeights,
    /// One number for two classes, else one per class.
    start: Vec<f64>,
    /// Round after round, within a round by class.
    trees: Vec<BoostedTree>,
    head: Head,
}

impl BoostingModel {
    /// The model of some rounds.
    pub(super) fn new(book: &Codebook, start: Vec<f64>, trees: Vec<BoostedTree>, head: Head) -> Self {
        BoostingModel { layout: Arc::clone(&book.layout), classes: book.classes.clone(), start, trees, head }
    }

    /// The class whose score tree `at` adds to.
    fn class_of(&self, at: usize) -> usize {
        if self.start.len() == 1 { 1 } else { at % self.start.len() }
    }

    /// Scores before any tree.
    fn base(&self) -> Vec<f64> {
        if self.start.len() == 1 { vec![0.0, self.start[0]] } else { self.start.clone() }
    }

    /// Splits and gains by column.
    fn importance(&self) -> Vec<(u64, f64)> {
        let mut columns = vec![(0, 0.0); self.layout.features().len()];
        for boosted in &self.trees {
            for at in 0..boosted.tree.len() {
                if let Some(feature) = boosted.tree.feature(at) {
                    columns[feature].0 += 1;
                    columns[feature].1 += boosted.gains[at];
                }
            }
        }
        let total: f64 = columns.iter().map(|(_, gain)| gain).sum();
        columns.into_iter().map(|(splits, gain)| (splits, if total > 0.0 { gain / total } else { 0.0 })).collect()
    }
}

impl Classifier for BoostingModel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        BOOSTING
    }

    fn scale(&self) -> Scale {
        Scale::LogPosterior
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        rows.check(&self.layout)?;
        let base = self.base();
        out.reset(rows.rows(), &base);
        let (scores, _) = out.parts_mut();
        for_leaves(self.trees.iter().map(|boosted| &boosted.tree), &self.layout, rows, |which, first, leaves| {
            let (class, values) = (self.class_of(which), &self.trees[which].values);
            for (row, leaf) in scores[first * base.len()..].chunks_exact_mut(base.len()).zip(leaves) {
                row[class] += values[*leaf as usize];
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
        // A value per leaf and a threshold per split, of which there is one less than leaves.
        self.start.len() + self.trees.iter().map(|boosted| boosted.tree.len()).sum::<usize>()
    }

    fn card(&self) -> Card {
        let mut tidy = FixedTable::new("tidy", ["column", "splits", "gain_share"]);
        for (feature, (splits, share)) in self.layout.features().iter().zip(self.importance()) {
            tidy.push([feature.name.as_str().into(), splits.into(), share.into()]);
        }
        let mut rounds = FixedTable::new("rounds", ["round", "log_loss", "held_out_log_loss"]);
        for (round, loss) in self.head.losses.iter().enumerate() {
            rounds.push([(round + 1).into(), loss.log_loss.into(), loss.held_out_log_loss.map_or(Cell::Empty, Cell::from)]);
        }
        let leaves: usize = self.trees.iter().map(|boosted| boosted.tree.len().div_ceil(2)).sum();
        let mut facts: Vec<(String, Cell)> = vec![
            ("rows".into(), self.classes.total_rows().into()),
            ("rounds".into(), self.head.losses.len().into()),
            ("trees".into(), self.trees.len().into()),
            ("leaves".into(), leaves.into()),
            ("learning rate".into(), self.head.learning_rate.into()),
            ("l2".into(), self.head.l2.into()),
        ];
        let shown = facts[..4].to_vec();
        facts.push(("free parameters".into(), self.free_parameters().into()));
        let footnotes = vec!["gain_share is the share of the loss that a column's splits took away on the rows of the fit; it favours columns of many values".into()];
        Card {
            title: "Gradient boosting".into(),
            facts,
            tidy: tidy.into(),
            summary: Some(Summary { facts: shown, table: None, footnotes }),
            tables: vec![rounds.into()],
            notices: self.notices(),
            ..Card::default()
        }
    }

    fn notices(&self) -> Vec<Notice> {
        self.head.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new(BOOSTING, VERSION, &self.head)?;
        self.layout.write(&mut record, "layout")?;
        self.classes.write(&mut record)?;
        record.put("start", &self.start);
        for (at, boosted) in self.trees.iter().enumerate() {
            boosted.tree.write(&mut record, &format!("tree{at}."));
            record.put(format!("tree{at}.values"), &boosted.values);
            record.put(format!("tree{at}.gains"), &boosted.gains);
        }
        Ok(record)
    }
}

impl Additive for BoostingModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        rows.check(&self.layout)?;
        let mut base = self.base();
        for (at, boosted) in self.trees.iter().enumerate() {
            base[self.class_of(at)] += boosted.values[0];
        }
        out.reset(rows.rows(), self.layout.features().len(), &base);
        for i in 0..rows.rows() {
            for (which, boosted) in self.trees.iter().enumerate() {
                let (class, mut at) = (self.class_of(which), 0);
                while let (Some(next), Some(feature)) = (boosted.tree.step(at, &self.layout, rows, i), boosted.tree.feature(at)) {
                    out.addends_mut(i, feature)[class] += boosted.values[next] - boosted.values[at];
                    at = next;
                }
            }
        }
        Ok(())
    }
}

impl OfTrees for BoostingModel {
    fn columns(&self) -> &Layout {
        &self.layout
    }

    fn count(&self) -> usize {
        self.trees.len()
    }

    fn tree(&self, which: usize) -> &Tree {
        &self.trees[which].tree
    }
}

/// Reads a stored sum of trees.
pub(super) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    let layout = layout_of(record, BOOSTING, VERSION)?;
    let count = layout.classes().len();
    let head: Head = record.read_head()?;
    let width = if count == 2 { 1 } else { count };
    let start = record.logs("start", width)?;
    if start.iter().all(|log| *log == f64::NEG_INFINITY) {
        return Err(fault("`start` leaves no class possible"));
    }
    let mut trees = Vec::new();
    for at in 0..head.losses.len().checked_mul(width).ok_or_else(|| fault("a shape is too large"))? {
        let prefix = format!("tree{at}.");
        let tree = Tree::read(record, &prefix, &layout)?;
        let values = record.numbers(&format!("{prefix}values"), tree.len())?;
        let gains = record.weights(&format!("{prefix}gains"), tree.len())?;
        trees.push(BoostedTree { tree, values, gains });
    }
    Ok(Box::new(BoostingModel { classes: ClassWeights::read(record, count)?, layout, start, trees, head }))
}
