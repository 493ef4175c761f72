//! The network as a learner: units of the columns first, then the search, a pass for every point that it asks for.
//!
//! −Σ w log p(class) + ½ λ Σ w² is made least by L-BFGS over all rows: one sum of slopes per pass, so rows may lie anywhere and the same bits
//! come from any number of threads. It ends where no slope is larger than a share of the rows' weight, never because a step was short. There is more
//! than one place where it may end; which one hangs on the first weights, and these on the seed. Steps by parts of the rows ([`super::adam`]) come
//! near such a place in fewer passes, end after so many, and say how steep it is there; they take rows in their order, on one thread.

use std::sync::Arc;

use super::adam::{AdamSums, Plan};
use super::gradient::{Asked, GradientSums};
use super::model::{Account, NetworkModel};
use super::shape::{Activation, Shape, mix};
use crate::codec::{Codec, Encode};
use crate::data::{DesignOptions, Features, Layout, Rows, Weighting};
use crate::error::{Error, ErrorKind, Result};
use crate::model::on_design::{DesignBatch, DesignFrame, DesignPass, DesignStats, DesignSums};
use crate::model::params::Params;
use crate::model::{Learner, Look, LookedParameter, PassInfo, Step, Takes, Text};
use crate::notice::{self, Notice};
use crate::num::optimise::{Ask, Lbfgs};
use crate::record::{Record, fault};
use crate::stats::{ClassWeights, Parts, Statistics, TableStats};

pub(super) const NAME: &str = "network";
pub(super) const TAKES: Takes = Takes { text: Text::No, ..Takes::ALL };
/// Largest slope at the end, as a share of the weight of the rows.
const FLAT: f64 = 1e-10;
/// The same beyond which the end is not reached.
const NEAR: f64 = 1e-5;
/// Variation of a column below this share of its size is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Most steps over all rows, and epochs of steps by parts, unless told otherwise.
const STEPS: usize = 1000;
const EPOCHS: usize = 200;
/// Units of a hidden layer at most.
const MOST_UNITS: usize = 4096;

/// How weights are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// By all rows at once, until the loss is flat.
    #[default]
    Lbfgs,
    /// By parts of the rows, epoch after epoch.
    Adam,
}

impl Search {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Search::Lbfgs => "lbfgs",
            Search::Adam => "adam",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Search::Lbfgs, Search::Adam].into_iter().find(|search| search.name() == name)
    }
}

/// Its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Units of the hidden layers, none to two; default one of 8.
    pub hidden: Vec<usize>,
    /// What a hidden unit makes of its sum.
    pub activation: Activation,
    /// Strength λ of the penalty ½ λ Σ w²; default 1.
    pub decay: f64,
    /// Start of the random first weights; default 1.
    pub seed: u64,
    /// How weights are looked for.
    pub search: Search,
    /// Most steps over all rows, default 1000; epochs of steps by parts, default 200.
    pub steps: Option<usize>,
    /// How columns become a design.
    pub options: DesignOptions,
}

impl Default for Network {
    fn default() -> Self {
        let (activation, options) = (Activation::default(), DesignOptions::default());
        Network { hidden: vec![8], activation, decay: 1.0, seed: 1, search: Search::default(), steps: None, options }
    }
}

impl Network {
    /// The learner with the options that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        let other = Network::default();
        Ok(Network {
            hidden: params.text("hidden").map_or(Ok(other.hidden), sizes)?,
            activation: params.text("activation").and_then(Activation::named).unwrap_or_default(),
            decay: params.number("decay").unwrap_or(other.decay),
            seed: params.whole("start-seed").unwrap_or(other.seed),
            search: params.text("search").and_then(Search::named).unwrap_or_default(),
            steps: params.whole("steps").and_then(|steps| usize::try_from(steps).ok()),
            options: DesignOptions { missing: params.parsed("missing")?.unwrap_or_default(), ..DesignOptions::default() },
        })
    }
}

/// Sizes of hidden layers as people write them.
fn sizes(text: &str) -> Result<Vec<usize>> {
    let refused = || Error::option("hidden", text, format!("one or two sizes from 1 to {MOST_UNITS}, such as 16 or 16,8, or none"));
    if matches!(text.trim(), "none" | "") {
        return Ok(Vec::new());
    }
    let size = |part: &str| part.trim().parse::<usize>().ok().filter(|size| (1..=MOST_UNITS).contains(size));
    let sizes: Option<Vec<usize>> = text.split(',').map(size).collect();
    sizes.filter(|sizes| sizes.len() <= 2).ok_or_else(refused)
}

/// The sums of a pass.
pub type NetworkStats = DesignStats<NetworkSums>;

/// What is summed over design rows.
#[derive(Debug, Clone)]
pub enum NetworkSums {
    /// Means and spreads of the columns.
    Columns(Box<TableStats>),
    /// Loss and slopes.
    Gradient(Box<GradientSums>),
    /// An epoch of steps by parts.
    Adam(Box<AdamSums>),
}

impl Encode for NetworkSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            NetworkSums::Columns(table) => table.encode(codec),
            NetworkSums::Gradient(sums) => sums.encode(codec),
            NetworkSums::Adam(sums) => sums.encode(codec),
        }
    }
}

impl DesignSums for NetworkSums {
    fn observe(&mut self, batch: &DesignBatch<'_>) -> Result<()> {
        match self {
            NetworkSums::Columns(table) => {
                table.observe(Rows::new(Features::of_numbers(batch.matrix()?), batch.labels, batch.weights, batch.first_row))
            }
            NetworkSums::Gradient(sums) => sums.observe(batch),
            NetworkSums::Adam(sums) => sums.observe(batch),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (NetworkSums::Columns(mine), NetworkSums::Columns(theirs)) => mine.merge(theirs),
            (NetworkSums::Gradient(mine), NetworkSums::Gradient(theirs)) => {
                mine.merge(theirs);
                Ok(())
            }
            (NetworkSums::Adam(mine), NetworkSums::Adam(theirs)) => mine.merge(theirs),
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn in_order(&self) -> bool {
        matches!(self, NetworkSums::Adam(_))
    }

    fn discloses(&self) -> Option<String> {
        matches!(self, NetworkSums::Adam(_)).then(|| "the rows that wait for their step, with all of their cells".into())
    }

    fn purpose(&self) -> String {
        match self {
            NetworkSums::Columns(_) => "means and spreads of the columns".into(),
            NetworkSums::Gradient(_) => "loss and slopes of the network".into(),
            NetworkSums::Adam(sums) => format!("epoch {} of the network", sums.epochs + 1),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            NetworkSums::Columns(table) => table.bytes(),
            NetworkSums::Gradient(sums) => 8 * sums.gradient.len(),
            NetworkSums::Adam(sums) => sums.bytes(),
        }
    }
}

fn columns(frame: &Arc<DesignFrame>) -> Result<NetworkSums> {
    let parts = Parts { moments: true, ..Parts::default() };
    Ok(NetworkSums::Columns(Box::new(TableStats::new(Arc::clone(frame.columns()), parts))))
}

impl Learner for Network {
    type Stats = NetworkStats;
    type Model = NetworkModel;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<NetworkStats> {
        TAKES.check(NAME, layout)?;
        DesignStats::begin(layout, &self.options, columns)
    }

    fn finish(&self, stats: &NetworkStats) -> Result<Step<NetworkStats, NetworkModel>> {
        match stats {
            DesignStats::Survey(layout, survey) => DesignStats::surveyed(layout, &self.options, survey, columns).map(Step::Again),
            DesignStats::Sums(pass) => match &pass.sums {
                NetworkSums::Columns(table) => self.after_columns(pass, table),
                NetworkSums::Gradient(sums) => self.after_gradient(pass, &sums.in_units()),
                NetworkSums::Adam(sums) => self.after_epoch(pass, sums),
            },
        }
    }

    fn searches(&self) -> bool {
        true
    }

    fn looks(&self, stats: &NetworkStats) -> Result<Vec<Look>> {
        let DesignStats::Sums(pass) = stats else { return Ok(Vec::new()) };
        let NetworkSums::Gradient(sums) = &pass.sums else { return Ok(Vec::new()) };
        Ok(self.step(pass, &sums.in_units()).into_iter().collect())
    }

    /// A step may be shortened forty times.
    fn most_passes(&self) -> usize {
        self.most_steps().saturating_mul(41).saturating_add(100)
    }

    fn write_point(&self, empty: &NetworkStats, point: &mut Record) -> Result<()> {
        empty.write_point(point, |sums, point| {
            match sums {
                NetworkSums::Columns(table) => table.write_scales(point),
                NetworkSums::Gradient(sums) => {
                    point.put("theta", &sums.theta);
                    write_units(&sums.shape, point);
                }
                NetworkSums::Adam(sums) => {
                    point.put("epoch-of-weight", &[sums.plan().weight]);
                    write_units(sums.shape(), point);
                    Codec::out(point, "").part("epoch", &mut (**sums).clone())?;
                }
            }
            Ok(())
        })
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<NetworkStats> {
        DesignStats::at_point(layout, &self.options, point, |frame| {
            let epoch = point.arrays.contains_key("epoch-of-weight");
            if !epoch && !point.arrays.contains_key("theta") {
                let mut sums = columns(frame)?;
                if let NetworkSums::Columns(table) = &mut sums {
                    table.read_scales(point)?;
                }
                return Ok(sums);
            }
            let (centre, spread) = (point.numbers("centre", frame.width())?, point.weights("spread", frame.width())?);
            let shape = Arc::new(self.shape(frame, centre, spread)?);
            if epoch {
                let weight = point.weights("epoch-of-weight", 1)?[0];
                let mut sums = AdamSums::new(&shape, vec![0.0; shape.parameters()], self.plan(frame, weight));
                Codec::from(point, "").part("epoch", &mut sums)?;
                return Ok(NetworkSums::Adam(Box::new(sums)));
            }
            let theta = point.numbers("theta", shape.parameters())?;
            Ok(NetworkSums::Gradient(Box::new(GradientSums::new(&shape, theta, Asked::Elsewhere))))
        })
    }
}

impl Network {
    fn most_steps(&self) -> usize {
        self.steps.unwrap_or(if self.search == Search::Adam { EPOCHS } else { STEPS })
    }

    /// What stays the same from epoch to epoch.
    fn plan(&self, frame: &DesignFrame, weight: f64) -> Plan {
        let frequency = frame.layout().weighting() == Weighting::Frequency;
        Plan { decay: self.decay, weight, epochs: self.most_steps() as u64, seed: self.seed, frequency }
    }

    fn shape(&self, frame: &DesignFrame, centre: Vec<f64>, spread: Vec<f64>) -> Result<Shape> {
        if self.hidden.len() > 2 || self.hidden.iter().any(|size| !(1..=MOST_UNITS).contains(size)) {
            return Err(Error::option("hidden", format!("{:?}", self.hidden), format!("one or two sizes from 1 to {MOST_UNITS}")));
        }
        let sizes = std::iter::once(frame.width()).chain(self.hidden.iter().copied()).chain([frame.classes()]).collect();
        Ok(Shape { sizes, activation: self.activation, centre, spread })
    }

    fn after_columns(&self, pass: &DesignPass<NetworkSums>, table: &TableStats) -> Result<Step<NetworkStats, NetworkModel>> {
        pass.check_rows()?;
        if let Some(again) = table.rescaled() {
            return Ok(again_with(pass, NetworkSums::Columns(Box::new(again))));
        }
        let (classes, width) = (pass.frame.classes(), pass.frame.width());
        let (mut centre, mut spread) = (vec![0.0; width], vec![0.0; width]);
        if let Some(moments) = table.moments() {
            for j in 0..width {
                let all = (0..classes).map(|k| moments.get(k, j)).filter(|moment| moment.weight > 0.0).reduce(|all, own| all.plus(own));
                let Some(all) = all else { continue };
                let deviation = (all.squares / all.weight).sqrt();
                centre[j] = all.mean / table.scale(j);
                let varies = deviation > ROUNDING * all.mean.abs();
                spread[j] = if varies { deviation / table.scale(j) } else { 0.0 };
            }
        }
        let shape = Arc::new(self.shape(&pass.frame, centre, spread)?);
        let inputs: Vec<u64> = (0..width).map(|j| key(pass.frame.name(j))).collect();
        let theta = shape.first(self.seed, &inputs, &places(&pass.classes, pass.frame.layout()));
        let weight = pass.classes.total();
        if self.search == Search::Adam {
            let sums = AdamSums::new(&shape, theta, self.plan(&pass.frame, weight));
            return Ok(again_with(pass, NetworkSums::Adam(Box::new(sums))));
        }
        let search = Lbfgs::new(theta.clone(), FLAT * weight);
        Ok(again_at(pass, &shape, theta, Asked::Search(Arc::new(search))))
    }

    fn after_epoch(&self, pass: &DesignPass<NetworkSums>, sums: &AdamSums) -> Result<Step<NetworkStats, NetworkModel>> {
        let over = sums.epoch_over()?;
        if over.theta().iter().any(|theta| !theta.is_finite()) {
            let what = format!("the weights of the network left the range of numbers in epoch {}", over.epochs);
            return Err(ErrorKind::NoEstimate { what, advice: "measure columns in other units".into() }.into());
        }
        match over.epochs < over.plan().epochs {
            true => Ok(again_with(pass, NetworkSums::Adam(Box::new(over)))),
            // One more look, at all rows, says where the steps have come to.
            false => Ok(again_at(pass, over.shape(), over.theta().to_vec(), Asked::End(over.epochs))),
        }
    }

    fn after_gradient(&self, pass: &DesignPass<NetworkSums>, sums: &GradientSums) -> Result<Step<NetworkStats, NetworkModel>> {
        let (loss, slopes) = sums.penalised(self.decay);
        let mut search = match &sums.asked {
            Asked::Search(search) => (**search).clone(),
            Asked::End(epochs) => {
                let slope = slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
                let end = End { theta: sums.theta.to_vec(), value: loss, slope, steps: *epochs };
                return Ok(Step::Done(self.model(pass, &sums.shape, end)));
            }
            Asked::Elsewhere => return Err(Error::internal("the search that asked is elsewhere")),
        };
        if !loss.is_finite() && !search.value().is_finite() {
            let what = "the loss of the network is not a number at its first weights".to_owned();
            return Err(ErrorKind::NoEstimate { what, advice: "measure columns in other units".into() }.into());
        }
        match search.tell(loss, &slopes) {
            Ask::At(theta) if search.steps() < self.most_steps() => Ok(again_at(pass, &sums.shape, theta, Asked::Search(Arc::new(search)))),
            _ => {
                let (theta, steps) = (search.place().to_vec(), search.steps() as u64);
                let end = End { theta, value: search.value(), slope: search.largest_slope(), steps };
                Ok(Step::Done(self.model(pass, &sums.shape, end)))
            }
        }
    }

    /// The look at a point from which the search goes on. Weights of the first layer are those of columns of unit spread around their means.
    fn step(&self, pass: &DesignPass<NetworkSums>, sums: &GradientSums) -> Option<Look> {
        let (loss, slopes) = sums.penalised(self.decay);
        if let Asked::Search(search) = &sums.asked {
            let mut search = (**search).clone();
            search.tell(loss, &slopes);
            if search.place() != &**sums.theta {
                return None;
            }
        }
        let weight = pass.classes.total();
        let mut parameters = Vec::new();
        sums.shape.each_parameter(|at, layer, unit, input| {
            let (class, term) = sums.shape.names(&pass.frame, (layer, unit, input));
            parameters.push(LookedParameter { class, term, value: sums.theta[at], slope: Some(slopes[at] / weight) });
        });
        Some(Look { search: None, loss: Some(loss / weight), parameters })
    }

    fn model(&self, pass: &DesignPass<NetworkSums>, shape: &Shape, end: End) -> NetworkModel {
        let weight = pass.classes.total();
        let slope = end.slope / weight;
        let mut notices = pass.row_notices();
        let constant = (0..pass.frame.width()).filter(|&j| shape.spread[j] == 0.0);
        notices.extend(constant.map(|j| pass.frame.constant_notice(j, shape.centre[j])));
        if slope > NEAR {
            let made = notice::counted(end.steps, if self.search == Search::Adam { "epoch" } else { "step" });
            let text = format!("{made} were made and the largest slope is still {slope:.1e} per row");
            notices.push(Notice::new(notice::NETWORK_UNFINISHED, text));
        }
        let account = Account {
            hidden: self.hidden.clone(),
            activation: self.activation.name().into(),
            decay: self.decay,
            seed: self.seed,
            by_parts: self.search == Search::Adam,
            steps: end.steps,
            objective: end.value / weight,
            slope,
            missing: self.options.missing,
            notices,
        };
        NetworkModel::new(&pass.frame, shape.clone(), end.theta, pass.classes.clone(), account)
    }
}

/// Where the search has come to.
struct End {
    theta: Vec<f64>,
    /// Loss and penalty.
    value: f64,
    /// Largest slope.
    slope: f64,
    steps: u64,
}

fn write_units(shape: &Shape, point: &mut Record) {
    point.put("centre", &shape.centre);
    point.put("spread", &shape.spread);
}

/// A pass that asks for loss and slopes at a point.
fn again_at(pass: &DesignPass<NetworkSums>, shape: &Arc<Shape>, theta: Vec<f64>, asked: Asked) -> Step<NetworkStats, NetworkModel> {
    again_with(pass, NetworkSums::Gradient(Box::new(GradientSums::new(shape, theta, asked))))
}

fn again_with(pass: &DesignPass<NetworkSums>, sums: NetworkSums) -> Step<NetworkStats, NetworkModel> {
    Step::Again(DesignStats::Sums(Box::new(DesignPass::new(&pass.frame, sums))))
}

/// A key of a name.
fn key(name: &str) -> u64 {
    name.bytes().fold(name.len() as u64, |state, byte| mix(state ^ u64::from(byte)))
}

/// Place of every class by weight, the heaviest first; equal ones in the order of their labels.
fn places(classes: &ClassWeights, layout: &Layout) -> Vec<u64> {
    let before = |a: usize, b: usize| {
        let labels = layout.classes().labels();
        classes.weight[a].total_cmp(&classes.weight[b]).reverse().then(labels[a].cmp(&labels[b])).is_lt()
    };
    let count = classes.weight.len();
    (0..count).map(|k| (0..count).filter(|&other| before(other, k)).count() as u64).collect()
}

/// Refuses what a stored network says of its layers when it contradicts itself.
pub(super) fn check_hidden(hidden: &[usize]) -> Result<()> {
    match hidden.len() <= 2 && hidden.iter().all(|size| (1..=MOST_UNITS).contains(size)) {
        true => Ok(()),
        false => Err(fault("it has layers that there cannot be")),
    }
}
