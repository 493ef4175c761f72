//! How a tree is learned: a survey of the columns, then all rows as codes where memory allows, else one pass per level.

use std::sync::Arc;

use super::canonical::{canonical_order, drawn};
use super::codebook::Codebook;
use super::coded_rows::CodedRows;
use super::grower::{MovingRows, grow};
use super::growth::{GrownNode, Growth, preorder};
use super::level_pass::{LevelPass, LevelPoint};
use super::model::TreeModel;
use super::params::DecisionTree;
use super::prune::{held_out_losses, prices, pruned_at};
use super::smoothing::smoothed;
use super::survey::Survey;
use super::{NAME, TAKES};
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Learner, PassInfo, Step};
use crate::record::Record;
use crate::stats::Statistics;

/// Folds of cross-validation.
const FOLDS: u64 = 10;
/// A held-out row costs at most the logarithm of this.
const LEAST_PROBABILITY: f64 = 1e-12;

/// The sums of a pass of a tree, or of several.
#[derive(Debug, Clone)]
pub enum TreeStats {
    /// The first: where values lie.
    Survey(Box<Survey>),
    /// All rows as codes.
    Rows(Box<CodedRows>),
    /// Histograms of the open nodes.
    Level(Box<LevelPass>),
}

impl TreeStats {
    /// The empty summary of the first pass.
    pub(super) fn first(layout: &Arc<Layout>, memory: u64) -> Self {
        TreeStats::Survey(Box::new(Survey::new(layout, memory)))
    }

    /// The empty summary of the pass that gathers rows; an error where they are more than may be kept.
    pub(super) fn gathering(survey: &Survey, model: &str) -> Result<Self> {
        let book = Codebook::new(survey, model)?;
        let wanted = room(survey, &book);
        if survey.memory > 0 && wanted > survey.memory {
            let (model, mib) = (model.to_owned(), |bytes: u64| bytes.div_ceil(1 << 20));
            let what = format!("keep {} coded rows: that takes {} MiB of {}", survey.classes.total_rows(), mib(wanted), mib(survey.memory));
            return Err(
                ErrorKind::Unsupported { model, what, advice: "allow more memory, take fewer rows, or grow one tree".into() }.into()
            );
        }
        Ok(TreeStats::Rows(Box::new(CodedRows::new(Arc::new(book)))))
    }

    /// Writes the point of a pass.
    pub(super) fn write_point(&self, point: &mut Record) {
        match self {
            TreeStats::Survey(_) => {}
            TreeStats::Rows(rows) => rows.book.write(point),
            TreeStats::Level(level) => level.point.write(point),
        }
    }

    /// The empty summary of the pass at a point.
    pub(super) fn at_point(layout: &Arc<Layout>, point: &Record) -> Result<Self> {
        match (point.arrays.contains_key("shift"), point.arrays.contains_key("wave")) {
            (false, _) => Ok(TreeStats::first(layout, 0)),
            (true, false) => Ok(TreeStats::Rows(Box::new(CodedRows::new(Arc::new(Codebook::read(point, layout)?))))),
            (true, true) => Ok(TreeStats::Level(Box::new(LevelPass::new(LevelPoint::read(point, layout)?)))),
        }
    }
}

/// Bytes of coded rows, and of the copy that is moved about.
fn room(survey: &Survey, book: &Codebook) -> u64 {
    2 * survey.classes.total_rows() * (book.stride() as u64 + if survey.is_weighted() { 8 } else { 0 })
}

impl Encode for TreeStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            TreeStats::Survey(survey) => survey.encode(codec),
            TreeStats::Rows(rows) => rows.encode(codec),
            TreeStats::Level(level) => level.encode(codec),
        }
    }
}

impl Statistics for TreeStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        match self {
            TreeStats::Survey(survey) => survey.observe(rows),
            TreeStats::Rows(coded) => coded.observe(rows),
            TreeStats::Level(level) => level.observe(rows),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (TreeStats::Survey(mine), TreeStats::Survey(theirs)) => mine.merge(theirs),
            (TreeStats::Rows(mine), TreeStats::Rows(theirs)) => mine.merge(theirs),
            (TreeStats::Level(mine), TreeStats::Level(theirs)) => mine.merge(theirs),
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match self {
            TreeStats::Survey(survey) => survey.weight(),
            TreeStats::Rows(rows) => rows.weight(),
            TreeStats::Level(level) => level.weight(),
        }
    }

    fn purpose(&self) -> String {
        match self {
            TreeStats::Survey(survey) => survey.purpose(),
            TreeStats::Rows(rows) => rows.purpose(),
            TreeStats::Level(level) => level.purpose(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match self {
            TreeStats::Survey(survey) => survey.discloses(),
            TreeStats::Rows(rows) => rows.discloses(),
            TreeStats::Level(level) => level.discloses(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            TreeStats::Survey(survey) => survey.bytes(),
            TreeStats::Rows(rows) => rows.bytes(),
            TreeStats::Level(level) => level.bytes(),
        }
    }
}

impl Learner for DecisionTree {
    type Stats = TreeStats;
    type Model = TreeModel;

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<TreeStats> {
        TAKES.check(NAME, layout)?;
        Ok(TreeStats::first(layout, pass.memory))
    }

    fn finish(&self, stats: &TreeStats) -> Result<Step<TreeStats, TreeModel>> {
        match stats {
            TreeStats::Survey(survey) if self.cross_validated => TreeStats::gathering(survey, NAME).map(Step::Again),
            TreeStats::Survey(survey) => {
                let book = Arc::new(Codebook::new(survey, NAME)?);
                Ok(Step::Again(match room(survey, &book) <= survey.memory {
                    true => TreeStats::Rows(Box::new(CodedRows::new(book))),
                    false => TreeStats::Level(Box::new(LevelPass::new(LevelPoint::root(book, survey.memory)))),
                }))
            }
            TreeStats::Rows(rows) => self.grown_from(rows).map(Step::Done),
            TreeStats::Level(level) => Ok(match level.advance(&self.growth(&level.point.book)) {
                Ok(next) => Step::Again(TreeStats::Level(Box::new(next))),
                Err(nodes) => Step::Done(self.model(&level.point.book, nodes, self.price(&level.point.book))),
            }),
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

impl DecisionTree {
    fn growth(&self, book: &Codebook) -> Growth {
        let rows = (self.min_samples_split, self.min_samples_leaf);
        Growth::new(self.criterion, book, self.max_depth, rows, self.min_impurity_decrease)
    }

    /// The price of a leaf as an impurity times weight.
    fn price(&self, book: &Codebook) -> f64 {
        self.ccp_alpha * book.classes.total() * self.criterion.unit()
    }

    fn model(&self, book: &Codebook, nodes: Vec<GrownNode>, price: f64) -> TreeModel {
        let nodes = if price > 0.0 { pruned_at(&nodes, &self.growth(book).impurity, price) } else { nodes };
        TreeModel::new(self, book, &nodes, price)
    }

    fn grown_from(&self, rows: &CodedRows) -> Result<TreeModel> {
        let (book, growth) = (&*rows.book, self.growth(&rows.book));
        let all = MovingRows { stride: book.stride(), codes: rows.codes.clone(), weights: rows.weights.clone() };
        let nodes = grow(all, &book.bins, book.class_count(), &growth, None);
        let price = if self.cross_validated { self.best_price(rows, &growth, &nodes) } else { self.price(book) };
        Ok(self.model(book, nodes, price))
    }

    /// The price with the least held-out loss; of equal ones the largest, which gives the smallest tree.
    fn best_price(&self, rows: &CodedRows, growth: &Growth, nodes: &[GrownNode]) -> f64 {
        let prices = prices(nodes, &growth.impurity);
        let mut fold_of = vec![0; rows.len()];
        for (rank, i) in canonical_order(rows).into_iter().enumerate() {
            fold_of[i as usize] = drawn(self.seed, 0, rank as u64) % FOLDS;
        }
        let mut losses = vec![0.0; prices.len()];
        for fold in 0..FOLDS {
            let held_out = self.losses_of(rows, growth, &prices, &|i| fold_of[i] == fold);
            losses.iter_mut().zip(held_out).for_each(|(sum, loss)| *sum += loss);
        }
        let best = (0..prices.len()).rev().reduce(|best, at| if losses[at] < losses[best] { at } else { best });
        best.map_or(0.0, |best| prices[best])
    }

    /// Held-out losses at every price of the tree that was grown without some rows.
    fn losses_of(&self, rows: &CodedRows, growth: &Growth, prices: &[f64], held_out: &dyn Fn(usize) -> bool) -> Vec<f64> {
        let (book, stride) = (&*rows.book, rows.book.stride());
        let row = |i: usize| &rows.codes[i * stride..(i + 1) * stride];
        let units = |i: usize| rows.weights.get(i).copied().unwrap_or(1);
        let kept = || (0..rows.len()).filter(|i| !held_out(*i));
        let weights = if rows.weights.is_empty() { Vec::new() } else { kept().map(units).collect() };
        let moving = MovingRows { stride, codes: kept().flat_map(|i| row(i).iter().copied()).collect(), weights };
        let grown = grow(moving, &book.bins, book.class_count(), growth, None);
        let p = probabilities(&grown, book, self.smoothing * book.row_weight);
        let mut losses = vec![0.0; grown.len()];
        for i in (0..rows.len()).filter(|i| held_out(*i)) {
            let (row, class) = (row(i), usize::from(row(i)[stride - 1]));
            let weight = book.fixed.weight(units(i));
            let mut at = 0;
            loop {
                losses[at] -= weight * p[at * book.class_count() + class].max(LEAST_PROBABILITY).ln();
                let Some(split) = &grown[at].split else { break };
                at = grown[at].children[usize::from(!split.left.has(row[split.feature]))];
            }
        }
        held_out_losses(&grown, &growth.impurity, prices, &losses)
    }
}

/// Probabilities by node of a grown tree and class, smoothed.
pub(super) fn probabilities(nodes: &[GrownNode], book: &Codebook, strength: f64) -> Vec<f64> {
    let (classes, order) = (book.class_count(), preorder(nodes));
    let (mut place, mut parents) = (vec![0; nodes.len()], vec![0; nodes.len()]);
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
    for old in order.iter().filter(|old| nodes[**old].split.is_some()) {
        nodes[*old].children.iter().for_each(|child| parents[place[*child]] = place[*old]);
    }
    let weights: Vec<f64> = order.iter().flat_map(|old| &nodes[*old].counts).map(|units| book.fixed.weight(*units)).collect();
    let p = smoothed(&weights, classes, &parents, strength);
    (0..nodes.len()).flat_map(|old| p[place[old] * classes..][..classes].to_vec()).collect()
}
