//! A fitted forest: p(k | x) is the average of the trees' leaf distributions. Time O(trees · depth) a row.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::card::{Card, Cell, FixedTable, Summary};
use crate::data::{Features, Layout};
use crate::error::{ErrorKind, Result};
use crate::model::tree::codebook::Codebook;
use crate::model::tree::nodes::Tree;
use crate::model::tree::stored::{OfTrees, layout_of};
use crate::model::tree::walk::for_leaves;
use crate::model::tree::{Criterion, FOREST};
use crate::model::{Additive, Classifier, Paths, Scale, Scores};
use crate::notice::Notice;
use crate::record::{Array, Record, fault};
use crate::stats::ClassWeights;

/// Version of the stored content.
const VERSION: u32 = 1;

/// One tree with the distributions of its leaves, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ForestTree {
    pub(super) tree: Tree,
    /// By leaf and class.
    pub(super) leaves: Vec<f64>,
}

/// What is stored beside arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) criterion: String,
    pub(super) smoothing: f64,
    /// Weight of rows that some tree has not seen, their log loss and accuracy.
    pub(super) out_of_bag: Option<[f64; 3]>,
    /// Whether columns' worth comes from shuffling.
    pub(super) permuted: bool,
    pub(super) notices: Vec<Notice>,
}

/// A fitted forest.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestModel {
    layout: Arc<Layout>,
    classes: ClassWeights,
    trees: Vec<ForestTree>,
    /// Worth by column: bits per out-of-bag row, or gain.
    importance: Vec<f64>,
    /// Out-of-bag probabilities by row of the fit and class, zeros for a row that every tree has seen; empty where nobody asked for them.
    out_of_bag: Vec<f64>,
    head: Head,
}

impl ForestModel {
    /// The model of some trees.
    pub(super) fn new(book: &Codebook, trees: Vec<ForestTree>, importance: Vec<f64>, head: Head) -> Self {
        ForestModel { layout: Arc::clone(&book.layout), classes: book.classes.clone(), trees, importance, out_of_bag: Vec::new(), head }
    }

    /// The same with the out-of-bag probabilities of its rows.
    pub(super) fn with_out_of_bag(self, out_of_bag: Vec<f64>) -> Self {
        ForestModel { out_of_bag, ..self }
    }
}

impl Classifier for ForestModel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        FOREST
    }

    fn scale(&self) -> Scale {
        Scale::LogPosterior
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        rows.check(&self.layout)?;
        let classes = self.classes.rows.len();
        out.reset(rows.rows(), &vec![0.0; classes]);
        let (scores, _) = out.parts_mut();
        for_leaves(self.trees.iter().map(|planted| &planted.tree), &self.layout, rows, |which, first, leaves| {
            let planted = &self.trees[which];
            for (row, at) in scores[first * classes..].chunks_exact_mut(classes).zip(leaves) {
                let leaf = planted.tree.leaf_number(*at as usize);
                row.iter_mut().zip(&planted.leaves[leaf * classes..]).for_each(|(sum, p)| *sum += p);
            }
        })?;
        scores.iter_mut().for_each(|sum| *sum = (*sum / self.trees.len() as f64).ln());
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Err(ErrorKind::Unsupported {
            model: FOREST.into(),
            what: "split its scores into addends".into(),
            advice:
                "its probabilities are means over trees, and the logarithm of a mean is no sum over columns; a single tree and boosting \
                     can be split, and the forest itself lists what every column is worth"
                    .into(),
        }
        .into())
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn free_parameters(&self) -> usize {
        let of = |planted: &ForestTree| planted.tree.len() / 2 + planted.tree.len().div_ceil(2) * (self.classes.rows.len() - 1);
        self.trees.iter().map(of).sum()
    }

    fn card(&self) -> Card {
        let worth = if self.head.permuted { "bits_lost_when_shuffled" } else { "gain" };
        let mut tidy = FixedTable::new("tidy", ["column", worth]);
        for (feature, worth) in self.layout.features().iter().zip(&self.importance) {
            tidy.push([feature.name.as_str().into(), (*worth).into()]);
        }
        let leaves: usize = self.trees.iter().map(|planted| planted.tree.len().div_ceil(2)).sum();
        let mut facts: Vec<(String, Cell)> = vec![
            ("rows".into(), self.classes.total_rows().into()),
            ("trees".into(), self.trees.len().into()),
            ("leaves".into(), leaves.into()),
        ];
        if let Some([_, loss, accuracy]) = self.head.out_of_bag {
            facts.push(("out-of-bag log loss".into(), loss.into()));
            facts.push(("out-of-bag accuracy".into(), accuracy.into()));
        }
        let shown = facts.clone();
        facts.push(("criterion".into(), self.head.criterion.as_str().into()));
        facts.push(("smoothing".into(), self.head.smoothing.into()));
        facts.push(("free parameters".into(), self.free_parameters().into()));
        let footnote = match self.head.permuted {
            true => "what rows that a tree has not seen lose when the column's values are shuffled among them, averaged over trees",
            false => "what the column's splits gained on the rows of the fit, averaged over trees; it favours columns of many values",
        };
        Card {
            title: "Random forest".into(),
            facts,
            tidy: tidy.into(),
            summary: Some(Summary { facts: shown, table: None, footnotes: vec![footnote.into()] }),
            notices: self.notices(),
            ..Card::default()
        }
    }

    fn notices(&self) -> Vec<Notice> {
        self.head.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new(FOREST, VERSION, &self.head)?;
        self.layout.write(&mut record, "layout")?;
        self.classes.write(&mut record)?;
        record.put("importance", &self.importance);
        if !self.out_of_bag.is_empty() {
            record.put("out_of_bag", &self.out_of_bag);
        }
        record.put_counts("trees", &[self.trees.len() as u64]);
        for (at, planted) in self.trees.iter().enumerate() {
            planted.tree.write(&mut record, &format!("tree{at}."));
            record.put(format!("tree{at}.leaves"), &planted.leaves);
        }
        Ok(record)
    }
}

impl OfTrees for ForestModel {
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

/// Reads a stored forest.
pub(super) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    let layout = layout_of(record, FOREST, VERSION)?;
    let count = layout.classes().len();
    let head: Head = record.read_head()?;
    if head.criterion.parse::<Criterion>().is_err() {
        return Err(fault("it has a criterion that no forest has"));
    }
    let mut trees = Vec::new();
    for at in 0..record.counts_of("trees", 1)?[0] {
        if !matches!(record.arrays.get(&format!("tree{at}.leaves")), Some(Array::Numbers(_))) {
            return Err(fault(format!("`tree{at}.leaves` is missing")));
        }
        let tree = Tree::read(record, &format!("tree{at}."), &layout)?;
        let cells = tree.len().div_ceil(2).checked_mul(count).ok_or_else(|| fault("a shape is too large"))?;
        let leaves = record.weights(&format!("tree{at}.leaves"), cells)?;
        if leaves.chunks_exact(count).any(|p| (p.iter().sum::<f64>() - 1.0).abs() > 1e-9) {
            return Err(fault(format!("`tree{at}.leaves` are no probabilities")));
        }
        trees.push(ForestTree { tree, leaves });
    }
    if trees.is_empty() {
        return Err(fault("a forest has a tree"));
    }
    let importance = record.numbers("importance", layout.features().len())?;
    let out_of_bag = match record.arrays.get("out_of_bag") {
        None => Vec::new(),
        Some(Array::Numbers(kept)) if kept.len().is_multiple_of(count) => record.weights("out_of_bag", kept.len())?,
        Some(_) => return Err(fault("`out_of_bag` has no number for every row and class")),
    };
    Ok(Box::new(ForestModel { classes: ClassWeights::read(record, count)?, layout, trees, importance, out_of_bag, head }))
}
