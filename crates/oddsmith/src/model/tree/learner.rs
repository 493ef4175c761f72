//! How a tree is learned: a survey of the columns, then all rows as codes where memory allows, else one pass per level.

use std::sync::Arc;

use super::boosting::{BoostPass, BoostPoint};
use super::canonical::{canonical_order, drawn};
use super::code_table::CodeTable;
use super::codebook::Codebook;
use super::coded_rows::CodedRows;
use super::grower::Ground;
use super::growth::{GrownNode, Growth, preorder};
use super::level_pass::{LevelPass, LevelPoint};
use super::model::TreeModel;
use super::params::DecisionTree;
use super::prune::{held_out_losses, prices, pruned_at};
use super::smoothing::smoothed;
use super::survey::Survey;
use super::{NAME, TAKES};
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows, Weighting};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Learner, PassInfo, Step};
use crate::record::Record;
use crate::stats::Statistics;

/// Folds of cross-validation.
const FOLDS: u64 = 10;
/// Bytes of a row in memory beside its codes: its place, twice.
const BYTES_PER_ROW: u64 = 8;
/// What helps when a tree is to be pruned by rows that are too many.
const PRUNED: &str = "allow more memory, take fewer rows, or prune by a price";
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
    /// Histograms of the trees of a round of boosting.
    Boost(Box<BoostPass>),
}

impl TreeStats {
    /// The empty summary of the first pass.
    pub(super) fn first(layout: &Arc<Layout>, pass: &PassInfo) -> Self {
        TreeStats::Survey(Box::new(Survey::new(layout, pass)))
    }

    /// The empty summary of the pass that gathers rows, with so many bytes beside the codes of each; an error where they are more than may be kept.
    pub(super) fn gathering(survey: &Survey, model: &str, per_row: u64, advice: &str) -> Result<Self> {
        let book = Codebook::new(survey, model)?;
        let wanted = room(survey, &book, per_row);
        if survey.memory > 0 && wanted > survey.memory {
            let (model, mib) = (model.to_owned(), |bytes: u64| bytes.div_ceil(1 << 20));
            let what = format!("keep {} coded rows: that takes {} MiB of {}", survey.classes.total_rows(), mib(wanted), mib(survey.memory));
            return Err(ErrorKind::Unsupported { model, what, advice: advice.into() }.into());
        }
        Ok(TreeStats::Rows(Box::new(CodedRows::new(Arc::new(book)))))
    }

    /// Writes the point of a pass.
    pub(super) fn write_point(&self, point: &mut Record) {
        match self {
            TreeStats::Survey(_) => {}
            TreeStats::Rows(rows) => rows.book.write(point),
            TreeStats::Level(level) => level.point.write(point),
            TreeStats::Boost(pass) => pass.point.write(point),
        }
    }

    /// The empty summary of the pass at a point.
    pub(super) fn at_point(layout: &Arc<Layout>, point: &Record) -> Result<Self> {
        let has = |name: &str| point.arrays.contains_key(name);
        match (has("shift"), has("wave")) {
            (true, _) if has("trees") => Ok(TreeStats::Boost(Box::new(BoostPass::new(BoostPoint::read(point, layout)?)))),
            (false, _) => Ok(TreeStats::first(layout, &PassInfo::default())),
            (true, false) => Ok(TreeStats::Rows(Box::new(CodedRows::new(Arc::new(Codebook::read(point, layout)?))))),
            (true, true) => Ok(TreeStats::Level(Box::new(LevelPass::new(LevelPoint::read(point, layout)?)))),
        }
    }
}

/// Bytes of coded rows, of their codes by column, and of what else is kept of every row.
pub(super) fn room(survey: &Survey, book: &Codebook, per_row: u64) -> u64 {
    // A place has 32 bits.
    if survey.classes.total_rows() > u64::from(u32::MAX) {
        return u64::MAX;
    }
    survey.classes.total_rows() * (2 * book.stride() as u64 + per_row + if survey.is_weighted() { 8 } else { 0 })
}

impl Encode for TreeStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            TreeStats::Survey(survey) => survey.encode(codec),
            TreeStats::Rows(rows) => rows.encode(codec),
            TreeStats::Level(level) => level.encode(codec),
            TreeStats::Boost(pass) => pass.encode(codec),
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
            TreeStats::Boost(pass) => pass.observe(rows),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (TreeStats::Survey(mine), TreeStats::Survey(theirs)) => mine.merge(theirs),
            (TreeStats::Rows(mine), TreeStats::Rows(theirs)) => mine.merge(theirs),
            (TreeStats::Level(mine), TreeStats::Level(theirs)) => mine.merge(theirs),
            (TreeStats::Boost(mine), TreeStats::Boost(theirs)) => mine.merge(theirs),
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match self {
            TreeStats::Survey(survey) => survey.weight(),
            TreeStats::Rows(rows) => rows.weight(),
            TreeStats::Level(level) => level.weight(),
            TreeStats::Boost(pass) => pass.weight(),
        }
    }

    fn purpose(&self) -> String {
        match self {
            TreeStats::Survey(survey) => survey.purpose(),
            TreeStats::Rows(rows) => rows.purpose(),
            TreeStats::Level(level) => level.purpose(),
            TreeStats::Boost(pass) => pass.purpose(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match self {
            TreeStats::Survey(survey) => survey.discloses(),
            TreeStats::Rows(rows) => rows.discloses(),
            TreeStats::Level(level) => level.discloses(),
            TreeStats::Boost(pass) => pass.discloses(),
        }
    }

    fn adds_exactly(&self) -> bool {
        match self {
            // Weights that are no whole numbers are added in the order of rows.
            TreeStats::Survey(survey) => survey.layout.weighting() == Weighting::None,
            TreeStats::Rows(_) | TreeStats::Level(_) | TreeStats::Boost(_) => true,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            TreeStats::Survey(survey) => survey.bytes(),
            TreeStats::Rows(rows) => rows.bytes(),
            TreeStats::Level(level) => level.bytes(),
            TreeStats::Boost(pass) => pass.bytes(),
        }
    }
}

impl Learner for DecisionTree {
    type Stats = TreeStats;
    type Model = TreeModel;

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<TreeStats> {
        TAKES.check(NAME, layout)?;
        Ok(TreeStats::first(layout, pass))
    }

    fn finish(&self, stats: &TreeStats) -> Result<Step<TreeStats, TreeModel>> {
        match stats {
            TreeStats::Survey(survey) if self.cross_validated => TreeStats::gathering(survey, NAME, BYTES_PER_ROW, PRUNED).map(Step::Again),
            TreeStats::Survey(survey) => {
                let book = Arc::new(Codebook::new(survey, NAME)?);
                Ok(Step::Again(match room(survey, &book, BYTES_PER_ROW) <= survey.memory {
                    true => TreeStats::Rows(Box::new(CodedRows::new(book))),
                    false => TreeStats::Level(Box::new(LevelPass::new(LevelPoint::root(book, survey.memory)))),
                }))
            }
            TreeStats::Rows(rows) => self.grown_from(rows).map(Step::Done),
            TreeStats::Boost(_) => Err(Error::internal("a tree was given the sums of boosting")),
            TreeStats::Level(level) => level.check().map(|()| match level.advance(&self.growth(&level.point.book)) {
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
        let (book, growth, table) = (&*rows.book, self.growth(&rows.book), rows.table());
        let ground = ground(book, &growth, &table);
        let nodes = ground.grow((0..rows.len() as u32).collect(), rows.weights_by_place());
        let price = if self.cross_validated { self.best_price(rows, &ground, &nodes) } else { self.price(book) };
        Ok(self.model(book, nodes, price))
    }

    /// The price with the least held-out loss; of equal ones the largest, which gives the smallest tree.
    fn best_price(&self, rows: &CodedRows, ground: &Ground<'_>, nodes: &[GrownNode]) -> f64 {
        let prices = prices(nodes, &ground.growth.impurity);
        let mut fold_of = vec![0; rows.len()];
        for (rank, i) in canonical_order(rows).into_iter().enumerate() {
            fold_of[i as usize] = drawn(self.seed, 0, rank as u64) % FOLDS;
        }
        let mut losses = vec![0.0; prices.len()];
        for fold in 0..FOLDS {
            let held_out = self.losses_of(rows, ground, &prices, &|place| fold_of[place as usize] == fold);
            losses.iter_mut().zip(held_out).for_each(|(sum, loss)| *sum += loss);
        }
        let best = (0..prices.len()).rev().reduce(|best, at| if losses[at] < losses[best] { at } else { best });
        best.map_or(0.0, |best| prices[best])
    }

    /// Held-out losses at every price of the tree that was grown without some rows.
    fn losses_of(&self, rows: &CodedRows, ground: &Ground<'_>, prices: &[f64], held_out: &dyn Fn(u32) -> bool) -> Vec<f64> {
        let (book, table) = (&*rows.book, ground.table);
        let (out, kept): (Vec<u32>, Vec<u32>) = (0..rows.len() as u32).partition(|place| held_out(*place));
        let grown = ground.grow(kept, rows.weights_by_place());
        let p = probabilities(&grown, book, self.smoothing * book.row_weight);
        let mut losses = vec![0.0; grown.len()];
        for place in out {
            let (row, class) = (table.row(place), table.class(place));
            let weight = book.fixed.weight(rows.weights.get(place as usize).copied().unwrap_or(1));
            let mut at = 0;
            loop {
                losses[at] -= weight * p[at * book.class_count() + class].max(LEAST_PROBABILITY).ln();
                let Some(split) = &grown[at].split else { break };
                at = grown[at].children[usize::from(!split.left.has(row[split.feature]))];
            }
        }
        held_out_losses(&grown, &ground.growth.impurity, prices, &losses)
    }
}

/// What one tree is grown from: all columns at every node, on all threads.
fn ground<'a>(book: &'a Codebook, growth: &'a Growth, table: &'a CodeTable<'a>) -> Ground<'a> {
    Ground { table, bins: &book.bins, classes: book.class_count(), growth, draw: None, threads: book.threads }
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
    place.iter().flat_map(|new| &p[new * classes..][..classes]).copied().collect()
}
