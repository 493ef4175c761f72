//! Boosting where the rows do not fit in memory: passes that count the histograms of the trees of a round.
//!
//! A row's margins are those of the trees so far, added in their order, so they are the same to the bit as those that boosting in memory keeps; its
//! gradient and curvature are added as whole numbers to the histogram of the node that it is in. The first pass of a round counts the roots, and the
//! loss that the round before has left. Time O(rows · (trees so far · depth + columns)) a pass, memory the histograms of the nodes that are counted.

use std::sync::Arc;

use super::gradient_search::GradientRules;
use super::gradient_sums::{GradientSum, quantised};
use super::gradient_tree::GradientTree;
use super::growing_tree::{GrowingTree, Scope};
use super::margins::{self, Loss, Margins};
use super::model::{BoostedTree, RoundLoss};
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows};
use crate::error::Result;
use crate::model::tree::codebook::Codebook;
use crate::model::tree::coded_tree::CodedTree;
use crate::record::{Record, fault};
use crate::stats::Statistics;

/// Bytes of histograms that no memory is too small for.
const LEAST_BYTES: u64 = 16 << 20;
/// A node that is not counted in this pass.
const CLOSED: u32 = u32::MAX;

/// A tree of an earlier round with the values of its nodes.
type Learned = (CodedTree, Vec<f64>);

/// The trees so far, and the nodes that are counted.
#[derive(Debug, Clone)]
pub(in crate::model::tree) struct BoostPoint {
    pub(in crate::model::tree) book: Arc<Codebook>,
    /// Where every row starts; nothing while the classes are counted.
    pub(super) start: Vec<f64>,
    /// The largest weight, where weights are rounded with the gradients.
    heaviest: Option<u64>,
    /// Trees of earlier rounds, in the order in which they are added.
    learned: Vec<Arc<Learned>>,
    /// The trees of this round as rows walk them, one for each log odds.
    growing: Vec<CodedTree>,
    /// Nodes that are counted: log odds and node.
    wave: Vec<(usize, usize)>,
    /// Histogram of every node, by log odds.
    slots: Vec<Vec<u32>>,
    /// What only whoever asks knows of the trees of this round.
    trees: Vec<GrowingTree>,
    /// Trees and losses of the rounds before, for the model.
    pub(super) history: Vec<Arc<BoostedTree>>,
    pub(super) losses: Vec<RoundLoss>,
    /// Histograms at once.
    most: usize,
}

impl BoostPoint {
    /// Nothing learned; classes are to be counted.
    pub(super) fn new(book: Arc<Codebook>, heaviest: Option<u64>, memory: u64) -> Self {
        let cells = book.bins.offsets(1).last().copied().unwrap_or(1) as u64;
        let most = (memory.max(LEAST_BYTES) / 8 / (cells * size_of::<GradientSum>() as u64).max(1)).max(1) as usize;
        BoostPoint {
            book,
            heaviest,
            most,
            start: Vec::new(),
            learned: Vec::new(),
            growing: Vec::new(),
            wave: Vec::new(),
            slots: Vec::new(),
            trees: Vec::new(),
            history: Vec::new(),
            losses: Vec::new(),
        }
    }

    /// Starts a round: one tree for each log odds.
    fn begin_round(&mut self) {
        self.trees = vec![GrowingTree::new(); self.start.len()];
    }

    /// Chooses the nodes of the next pass; whether there are some.
    fn plan(&mut self, rules: &GradientRules) -> bool {
        let wanted = self.trees.iter_mut().enumerate().flat_map(|(k, tree)| tree.wanted(rules).into_iter().map(move |at| (k, at)));
        self.wave = wanted.collect();
        self.wave.truncate(self.most);
        self.growing = self.trees.iter().map(|tree| tree.coded.clone()).collect();
        self.assign();
        !self.wave.is_empty()
    }

    /// Gives every counted node its histogram.
    fn assign(&mut self) {
        self.slots = self.growing.iter().map(|tree| vec![CLOSED; tree.len()]).collect();
        for (slot, (k, at)) in self.wave.iter().enumerate() {
            self.slots[*k][*at] = slot as u32;
        }
    }

    /// Writes down what rows need.
    pub(in crate::model::tree) fn write(&self, point: &mut Record) {
        self.book.write(point);
        point.put("start", &self.start);
        point.put_counts("heaviest", &[self.heaviest.unwrap_or(0)]);
        point.put_counts("trees", &[self.learned.len() as u64, self.growing.len() as u64]);
        for (at, learned) in self.learned.iter().enumerate() {
            learned.0.write(point, &format!("learned{at}."));
            point.put(format!("learned{at}.values"), &learned.1);
        }
        for (k, tree) in self.growing.iter().enumerate() {
            tree.write(point, &format!("growing{k}."));
        }
        point.put_counts("nodes", &self.wave.iter().flat_map(|(k, at)| [*k as u64, *at as u64]).collect::<Vec<_>>());
    }

    /// Reads what was written: enough to count rows.
    pub(in crate::model::tree) fn read(point: &Record, layout: &Arc<Layout>) -> Result<Self> {
        let book = Arc::new(Codebook::read(point, layout)?);
        let (trees, width, classes) = (point.counts_of("trees", 2)?, book.bins.width(), book.class_count());
        let margins = if classes == 2 { 1 } else { classes };
        let start = if trees[1] == 0 { Vec::new() } else { point.logs("start", margins)? };
        let heaviest = Some(point.counts_of("heaviest", 1)?[0]).filter(|units| *units > 0);
        if trees[1] != start.len() as u64 || (trees[0] > 0 && start.is_empty()) {
            return Err(fault("trees are added to no margins"));
        }
        let mut empty = BoostPoint { start, ..BoostPoint::new(book, heaviest, 0) };
        for at in 0..trees[0] {
            let tree = CodedTree::read(point, &format!("learned{at}."), width)?;
            let values = point.numbers(&format!("learned{at}.values"), tree.len())?;
            empty.learned.push(Arc::new((tree, values)));
        }
        for k in 0..trees[1] {
            empty.growing.push(CodedTree::read(point, &format!("growing{k}."), width)?);
        }
        for pair in point.counts("nodes")?.chunks(2) {
            let node = pair.get(1).and_then(|at| Some((usize::try_from(pair[0]).ok()?, usize::try_from(*at).ok()?)));
            let open = node.filter(|(k, at)| empty.growing.get(*k).is_some_and(|tree| tree.is_leaf(*at)));
            empty.wave.push(open.ok_or_else(|| fault("a node is to be counted that is not open"))?);
        }
        empty.assign();
        Ok(empty)
    }
}

/// What comes after a pass.
pub(super) enum Next {
    /// Another pass of the same round.
    Pass(BoostPass),
    /// The trees of a round, and the point at which the next round starts.
    Round(Vec<GradientTree>, BoostPoint),
    /// Nothing: the loss of the last round is known, too.
    Done(BoostPoint),
}

/// Histograms of the trees of a round.
#[derive(Debug, Clone)]
pub struct BoostPass {
    pub(in crate::model::tree) point: Arc<BoostPoint>,
    offsets: Arc<Vec<usize>>,
    sums: Vec<GradientSum>,
    /// Units of every class.
    class_units: Vec<u64>,
    /// Loss of the margins.
    loss: Loss,
    weight: f64,
}

impl BoostPass {
    /// Nothing counted.
    pub(in crate::model::tree) fn new(point: BoostPoint) -> Self {
        let (offsets, classes) = (Arc::new(point.book.bins.offsets(1)), point.book.class_count());
        let cells = offsets.last().copied().unwrap_or(0) * point.wave.len();
        let sums = vec![GradientSum::default(); cells];
        BoostPass { point: Arc::new(point), offsets, sums, class_units: vec![0; classes], loss: Loss::NONE, weight: 0.0 }
    }

    /// Whether this pass is the first of a round, or asks for losses alone.
    fn begins_round(&self) -> bool {
        self.point.wave.iter().all(|(_, at)| *at == 0)
    }

    /// Goes on from what was counted.
    pub(super) fn advance(&self, rules: &GradientRules) -> Next {
        let mut point = (*self.point).clone();
        if point.start.is_empty() {
            point.start = margins::start(&self.class_units);
            point.begin_round();
            point.plan(rules);
            return Next::Pass(BoostPass::new(point));
        }
        if self.begins_round() && point.losses.len() < point.history.len() / point.start.len() {
            point.losses.push(RoundLoss { log_loss: self.loss.mean(), held_out_log_loss: None });
        }
        if point.wave.is_empty() {
            return Next::Done(point);
        }
        let (book, offsets) = (Arc::clone(&point.book), &self.offsets[..]);
        let cells = offsets.last().copied().unwrap_or(0);
        for (slot, (k, at)) in self.point.wave.iter().enumerate() {
            let counts = self.sums[slot * cells..(slot + 1) * cells].to_vec();
            point.trees[*k].learn(*at, counts, Scope { bins: &book.bins, offsets, rules });
        }
        if point.plan(rules) {
            return Next::Pass(BoostPass::new(point));
        }
        let trees = point.trees.iter().map(|tree| tree.finish(rules)).collect();
        Next::Round(trees, point)
    }

    /// The first pass of a round after some trees were learned, or, after the last round, the one that finds its loss.
    pub(super) fn after(mut point: BoostPoint, learned: Vec<Learned>, rules: &GradientRules, is_last: bool) -> Self {
        point.learned.extend(learned.into_iter().map(Arc::new));
        point.begin_round();
        point.plan(rules);
        if is_last {
            point.wave.clear();
            point.assign();
        }
        BoostPass::new(point)
    }

    /// Adds coded rows: their classes, losses and gradients.
    fn add(&mut self, codes: &[u8], units: &[u64]) {
        let (point, stride) = (&*self.point, self.point.book.stride());
        let labels: Vec<u8> = codes.chunks_exact(stride).map(|row| row[stride - 1]).collect();
        let count = labels.len() as u32;
        for (i, class) in labels.iter().enumerate() {
            self.class_units[usize::from(*class)] += units.get(i).copied().unwrap_or(1);
        }
        if point.start.is_empty() {
            return;
        }
        let mut margins = Margins::new(labels, units, &point.start, point.heaviest);
        for (at, learned) in point.learned.iter().enumerate() {
            let k = at % point.start.len();
            codes.chunks_exact(stride).enumerate().for_each(|(i, row)| margins.add(i, k, learned.1[learned.0.leaf(row)]));
        }
        margins.refresh();
        self.loss.add(margins.loss(&(0..count).collect::<Vec<_>>()));
        let cells = self.offsets.last().copied().unwrap_or(0);
        for (k, (tree, slots)) in point.growing.iter().zip(&point.slots).enumerate() {
            for (i, row) in codes.chunks_exact(stride).enumerate() {
                let slot = slots[tree.leaf(row)];
                if slot == CLOSED {
                    continue;
                }
                let (gradient, curvature, share) = margins.gradient(i, k);
                let both = [quantised(gradient, share), quantised(curvature, share)];
                let own = GradientSum::of_row(both, units.get(i).copied().unwrap_or(1), point.heaviest.is_none());
                let sums = &mut self.sums[slot as usize * cells..][..cells];
                self.offsets.iter().zip(&row[..stride - 1]).for_each(|(offset, code)| sums[offset + usize::from(*code)].add(&own));
            }
        }
    }
}

impl Encode for BoostPass {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        // Negative sums are written as the whole numbers of the same bits.
        let mut cells: Vec<u64> = self.sums.iter().flat_map(|sum| sum.0.map(|part| part as u64)).collect();
        codec.counts("sums", &mut cells)?;
        self.sums.iter_mut().zip(cells.chunks_exact(3)).for_each(|(sum, cells)| *sum = GradientSum([0, 1, 2].map(|at| cells[at] as i64)));
        codec.counts("class_units", &mut self.class_units)?;
        let mut loss = self.loss.words();
        codec.counts("loss", &mut loss)?;
        self.loss = Loss::from_words(loss);
        codec.weights("weight", std::slice::from_mut(&mut self.weight))
    }
}

impl Statistics for BoostPass {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let (mut codes, mut weights) = (Vec::new(), Vec::new());
        let book = Arc::clone(&self.point.book);
        book.encode(&rows, &mut codes, &mut weights)?;
        let count = codes.len() / book.stride();
        if weights.is_empty() && book.fixed.shift() != 0 {
            weights = vec![book.fixed.units(1.0); count];
        }
        self.weight += if weights.is_empty() { count as f64 } else { weights.iter().map(|units| book.fixed.weight(*units)).sum() };
        self.add(&codes, &weights);
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.sums.iter_mut().zip(&other.sums).for_each(|(mine, theirs)| mine.add(theirs));
        self.class_units.iter_mut().zip(&other.class_units).for_each(|(mine, theirs)| *mine = mine.saturating_add(*theirs));
        self.loss.add(other.loss);
        self.weight += other.weight;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn purpose(&self) -> String {
        match (self.point.start.is_empty(), self.point.wave.len()) {
            (true, _) => "weights of the classes".into(),
            (false, 0) => "the loss after the last round".into(),
            (false, nodes) => format!("gradients of {nodes} open nodes after {} trees", self.point.learned.len()),
        }
    }

    fn bytes(&self) -> usize {
        self.sums.len() * size_of::<GradientSum>()
    }
}
