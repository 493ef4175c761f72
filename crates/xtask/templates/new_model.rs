//! __Title__: what it is, in a sentence.
//!
//! log p(x, k) = log π_k − Σ_j [ln 2 b_kj + |x_j − m_kj| / b_kj], a Laplace density per class k and number column j. Two passes: the first adds
//! up w and w x, which gives the centres m_kj; the second adds up w |x − m|, which gives the scales b_kj. Cost: one visit per number and
//! pass. This is a working start: replace the density by your own.

use std::sync::Arc;

use crate::card::{Card, Table};
use crate::codec::{Codec, Encode};
use crate::data::{Features, Layout, Rows, SKIP};
use crate::error::{DataFault, Error, Result};
use crate::model::params::shared::PRIOR;
use crate::model::{
    Additive, AnyLearner, Classifier, Contributions, Entry, Learner, Numbers, Param, ParamKind, Params, PassInfo, Prior, Scale, Scores, Step,
    Takes, Text,
};
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::{ClassWeights, Statistics};

/// Name in the registry, and tag of stored models.
const NAME: &str = "__kebab__";
/// Version of the stored content.
const VERSION: u32 = 1;

/// Smallest scale of a column within a class.
const FLOOR: Param = Param::new(
    "scale-floor",
    ParamKind::Between { least: 0.0, most: f64::INFINITY },
    "SIZE",
    "1e-9",
    "Smallest scale of a column within a class",
);

/// The line of the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: NAME,
    aliases: &[],
    python: "__Type__",
    family: "__title__",
    summary: "naive Bayes with Laplace densities: robust to far points",
    one_pass: false,
    takes: Takes { numbers: Numbers::Any, categories: false, booleans: false, text: Text::No },
    tolerance: 1e-9,
    takes_formula: false,
    params: &[&PRIOR, &FLOOR],
    build: |params| Ok(Box::new(__Type__::from_params(params)?) as Box<dyn AnyLearner>),
    read,
};

/// Options.
#[derive(Debug, Clone)]
pub struct __Type__ {
    prior: Prior,
    floor: f64,
}

impl __Type__ {
    fn from_params(params: &Params) -> Result<Self> {
        Ok(__Type__ { prior: params.parsed("prior")?.unwrap_or_default(), floor: params.number("scale-floor").unwrap_or(1e-9) })
    }
}

/// Sums of one pass: Σ w and Σ w x, or Σ w |x − m| once the centres are known.
#[derive(Debug, Clone)]
pub struct __Type__Stats {
    layout: Arc<Layout>,
    /// Centres, class after class; empty in the first pass.
    centres: Vec<f64>,
    /// Σ w per class and column, over rows that have a value.
    weights: Vec<f64>,
    sums: Vec<f64>,
    classes: Vec<f64>,
}

impl __Type__Stats {
    fn new(layout: &Arc<Layout>, centres: Vec<f64>) -> Self {
        let (classes, columns) = (layout.classes().len(), layout.numbers().len());
        __Type__Stats {
            layout: Arc::clone(layout),
            centres,
            weights: vec![0.0; classes * columns],
            sums: vec![0.0; classes * columns],
            classes: vec![0.0; classes],
        }
    }

    /// Means of what was summed up; an error where a class has no value in a column.
    fn means(&self) -> Result<Vec<f64>> {
        let columns = self.layout.numbers().len();
        let mean = |(at, (sum, weight)): (usize, (&f64, &f64))| match *weight > 0.0 {
            true => Ok(sum / weight),
            false => {
                let (class, column) = (self.layout.classes().label(at / columns), self.layout.numbers()[at % columns]);
                let name = &self.layout.features()[column].name;
                Err(DataFault::new("has no value in the class").column(name).value(class).accepted("every class needs one").into())
            }
        };
        self.sums.iter().zip(&self.weights).enumerate().map(mean).collect()
    }
}

impl Encode for __Type__Stats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.kind(if self.centres.is_empty() { "centres" } else { "scales" })?;
        codec.weights("weights", &mut self.weights)?;
        codec.finite("sums", &mut self.sums)?;
        codec.weights("classes", &mut self.classes)
    }
}

impl Statistics for __Type__Stats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let (labels, numbers) = (rows.counted_labels()?, rows.features.numbers);
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            self.classes[label as usize] += weight;
            for j in 0..numbers.cols() {
                let (at, value) = (label as usize * numbers.cols() + j, numbers.get(i, j));
                if value.is_infinite() {
                    let name = &self.layout.features()[self.layout.numbers()[j]].name;
                    let place = DataFault::new("is not finite").column(name).row(rows.first_row + i as u64 + 1).value(value.to_string());
                    return Err(place.accepted("finite numbers; missing values are left out").into());
                }
                if !value.is_nan() {
                    self.weights[at] += weight;
                    self.sums[at] += weight * self.centres.get(at).map_or(value, |centre| (value - centre).abs());
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        crate::stats::add(&mut self.weights, &other.weights);
        crate::stats::add(&mut self.sums, &other.sums);
        crate::stats::add(&mut self.classes, &other.classes);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.classes.iter().sum()
    }

    fn bytes(&self) -> usize {
        8 * (2 * self.sums.len() + self.classes.len())
    }
}

impl Learner for __Type__ {
    type Stats = __Type__Stats;
    type Model = __Type__Model;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<__Type__Stats> {
        if let Some(feature) = layout.features().iter().find(|feature| feature.kind() != crate::data::Kind::Number) {
            let what = format!("is a {} column, which {NAME} does not take", feature.kind().name());
            return Err(DataFault::new(what).column(&feature.name).accepted("number columns").into());
        }
        Ok(__Type__Stats::new(layout, Vec::new()))
    }

    fn finish(&self, stats: &__Type__Stats) -> Result<Step<__Type__Stats, __Type__Model>> {
        if stats.classes.iter().filter(|weight| **weight > 0.0).count() < 2 {
            return Err(Error::data("the target has fewer than two classes with rows"));
        }
        if stats.centres.is_empty() {
            return Ok(Step::Again(__Type__Stats::new(&stats.layout, stats.means()?)));
        }
        let scales = stats.means()?.into_iter().map(|scale| scale.max(self.floor)).collect();
        let weights = ClassWeights { weight: stats.classes.clone(), ..ClassWeights::new(stats.classes.len()) };
        let log_prior = self.prior.log_probabilities(stats.layout.classes(), &weights, 0.0)?;
        Ok(Step::Done(__Type__Model { layout: (*stats.layout).clone(), log_prior, centres: stats.centres.clone(), scales }))
    }

    fn write_point(&self, empty: &__Type__Stats, point: &mut Record) -> Result<()> {
        point.put("centres", &empty.centres);
        Ok(())
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<__Type__Stats> {
        let size = layout.classes().len() * layout.numbers().len();
        let centres = match point.numbers("centres", size) {
            Ok(centres) => centres,
            Err(_) => point.numbers("centres", 0)?,
        };
        Ok(__Type__Stats::new(layout, centres))
    }
}

/// The fitted model.
#[derive(Debug, Clone)]
pub struct __Type__Model {
    layout: Layout,
    log_prior: Vec<f64>,
    centres: Vec<f64>,
    scales: Vec<f64>,
}

impl __Type__Model {
    /// What column `j` adds to the score of class `k`; nothing where it has no value.
    fn addend(&self, k: usize, j: usize, value: f64) -> f64 {
        let at = k * self.layout.numbers().len() + j;
        if value.is_nan() { 0.0 } else { -(2.0 * self.scales[at]).ln() - (value - self.centres[at]).abs() / self.scales[at] }
    }
}

impl Classifier for __Type__Model {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        NAME
    }

    fn scale(&self) -> Scale {
        Scale::LogJoint
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        rows.check(&self.layout)?;
        out.reset(rows.rows(), &self.log_prior);
        let classes = self.log_prior.len();
        for (i, scores) in out.parts_mut().0.chunks_exact_mut(classes).enumerate() {
            for (k, score) in scores.iter_mut().enumerate() {
                *score += (0..rows.numbers.cols()).map(|j| self.addend(k, j, rows.numbers.get(i, j))).sum::<f64>();
            }
        }
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Ok(self)
    }

    fn free_parameters(&self) -> usize {
        self.log_prior.len() - 1 + 2 * self.centres.len()
    }

    fn card(&self) -> Card {
        let mut tidy = Table::new("tidy", &["class", "column", "level", "parameter", "estimate"]);
        for (k, label) in self.layout.classes().labels().iter().enumerate() {
            for (j, &feature) in self.layout.numbers().iter().enumerate() {
                let (name, at) = (&self.layout.features()[feature].name, k * self.layout.numbers().len() + j);
                for (parameter, value) in [("centre", self.centres[at]), ("scale", self.scales[at])] {
                    tidy.push(vec![label.as_str().into(), name.as_str().into(), crate::card::Cell::Empty, parameter.into(), value.into()]);
                }
            }
        }
        Card { title: "__Title__".into(), tidy, ..Card::default() }
    }

    fn notices(&self) -> Vec<Notice> {
        Vec::new()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new(NAME, VERSION, &serde_json::json!({}))?;
        self.layout.write(&mut record, "layout")?;
        record.put("log_prior", &self.log_prior);
        record.put("centres", &self.centres);
        record.put("scales", &self.scales);
        Ok(record)
    }
}

impl Additive for __Type__Model {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        rows.check(&self.layout)?;
        out.reset(rows.rows(), self.layout.features().len(), &self.log_prior);
        for i in 0..rows.rows() {
            for (j, &feature) in self.layout.numbers().iter().enumerate() {
                let addends = out.addends_mut(i, feature);
                addends.iter_mut().enumerate().for_each(|(k, addend)| *addend = self.addend(k, j, rows.numbers.get(i, j)));
            }
        }
        Ok(())
    }
}

/// Rebuilds a stored model.
fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    record.expect(NAME, VERSION)?;
    let layout = Layout::read(record, "layout")?;
    let (classes, size) = (layout.classes().len(), layout.classes().len() * layout.numbers().len());
    let scales = record.numbers("scales", size)?;
    if scales.iter().any(|scale| *scale <= 0.0) {
        return Err(fault("a scale is not positive"));
    }
    Ok(Box::new(__Type__Model { log_prior: record.logs("log_prior", classes)?, centres: record.numbers("centres", size)?, scales, layout }))
}
