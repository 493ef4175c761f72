//! TITLE. Written by `cargo xtask new-model`: a model that works, to be changed into yours.
//!
//! log p(x, k) = log π_k − Σ_j [ log 2b_j + |x_j − m_kj| / b_j ] over the columns that have a value, with m_kj the mean of column j in
//! class k and b_j the mean absolute deviation around these means. Deviations need the means, so there are two passes: one for the
//! moments of every class and column, one for the deviations. Time O(rows · columns) each, memory O(classes · columns).

use std::sync::Arc;

use crate::card::{Card, Cell, FixedTable};
use crate::codec::{Codec, Encode};
use crate::data::{Features, Layout, Rows, SKIP};
use crate::error::{Error, ErrorKind, Result};
use crate::model::params::shared::PRIOR;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::{
    Additive, Classifier, Contributions, Entry, Learner, PassInfo, Prior, Scale, Scores, Step, Takes, Units, check_classes,
};
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::{ClassWeights, Parts, Statistics, TableStats};

const NAME: &str = "KEBAB";
const TAKES: Takes = Takes::NUMBERS;
/// Version of the stored content.
const VERSION: u32 = 1;

const LEAST_DEVIATION: Param = Param::new(
    "least-deviation",
    ParamKind::Number { least: 0.0, most: f64::INFINITY },
    "SIZE",
    "0",
    "Smallest mean deviation of a column; 0 refuses a column that does not vary within the classes",
);

/// What the registry knows of it.
pub(crate) const ENTRIES: &[Entry] = &[Entry {
    name: NAME,
    aliases: &[],
    python: "CAMEL",
    family: "TITLE",
    summary: "naive Bayes with double-exponential densities for number columns",
    one_pass: false,
    takes: TAKES,
    tolerance: 1e-9,
    units: Units::Free,
    takes_formula: false,
    params: &[&PRIOR, &LEAST_DEVIATION],
    build: |params| Ok(Box::new(CAMEL::from_params(params)?)),
    read,
}];

/// Its options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CAMEL {
    /// Where p(y) comes from.
    pub prior: Prior,
    /// Smallest mean deviation of a column; default 0.
    pub least_deviation: f64,
}

impl CAMEL {
    /// The learner with the options that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        Ok(CAMEL {
            prior: params.parsed("prior")?.unwrap_or_default(),
            least_deviation: params.number("least-deviation").unwrap_or_default(),
        })
    }
}

/// The sums of a pass.
#[derive(Debug, Clone)]
pub enum CAMELStats {
    /// The first: moments by class and column.
    Moments(Box<TableStats>),
    /// The second: deviations from known means.
    Deviations(Deviations),
}

/// Σ w |x_j − m_kj| by column.
#[derive(Debug, Clone)]
pub struct Deviations {
    layout: Arc<Layout>,
    /// By class and column; they are known before the pass and are no part of its sums.
    means: Arc<Vec<f64>>,
    classes: ClassWeights,
    weight: Vec<f64>,
    sum: Vec<f64>,
}

impl Deviations {
    fn new(layout: &Arc<Layout>, means: Vec<f64>) -> Self {
        let (classes, columns) = (layout.classes().len(), layout.numbers().len());
        Deviations {
            layout: Arc::clone(layout),
            means: Arc::new(means),
            classes: ClassWeights::new(classes),
            weight: vec![0.0; columns],
            sum: vec![0.0; columns],
        }
    }

    fn observe(&mut self, rows: &Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        self.classes.observe(&labels, rows.weights)?;
        let columns = self.sum.len();
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            let means = &self.means[label as usize * columns..][..columns];
            for (j, mean) in means.iter().enumerate() {
                let x = rows.features.numbers.get(i, j);
                if !x.is_nan() {
                    self.weight[j] += weight;
                    self.sum[j] += weight * (x - mean).abs();
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) {
        self.classes.merge(&other.classes);
        for (mine, theirs) in self.weight.iter_mut().zip(&other.weight).chain(self.sum.iter_mut().zip(&other.sum)) {
            *mine += theirs;
        }
    }
}

impl Encode for CAMELStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            CAMELStats::Moments(table) => table.encode(codec),
            CAMELStats::Deviations(sums) => {
                codec.part("classes", &mut sums.classes)?;
                codec.weights("weight", &mut sums.weight)?;
                codec.weights("sum", &mut sums.sum)
            }
        }
    }
}

impl Statistics for CAMELStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        match self {
            CAMELStats::Moments(table) => table.observe(rows),
            CAMELStats::Deviations(sums) => sums.observe(&rows),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (CAMELStats::Moments(mine), CAMELStats::Moments(theirs)) => mine.merge(theirs),
            (CAMELStats::Deviations(mine), CAMELStats::Deviations(theirs)) => {
                mine.merge(theirs);
                Ok(())
            }
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match self {
            CAMELStats::Moments(table) => table.weight(),
            CAMELStats::Deviations(sums) => sums.classes.total(),
        }
    }

    fn purpose(&self) -> String {
        match self {
            CAMELStats::Moments(_) => "means by class".into(),
            CAMELStats::Deviations(_) => "mean deviations by column".into(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            CAMELStats::Moments(table) => table.bytes(),
            CAMELStats::Deviations(sums) => 16 * sums.sum.len(),
        }
    }
}

impl Learner for CAMEL {
    type Stats = CAMELStats;
    type Model = CAMELModel;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<CAMELStats> {
        TAKES.check(NAME, layout)?;
        let parts = Parts { moments: true, ..Parts::default() };
        Ok(CAMELStats::Moments(Box::new(TableStats::new(Arc::clone(layout), parts))))
    }

    fn finish(&self, stats: &CAMELStats) -> Result<Step<CAMELStats, CAMELModel>> {
        match stats {
            CAMELStats::Moments(table) => {
                check_classes(table.layout(), table.classes())?;
                Ok(Step::Again(CAMELStats::Deviations(Deviations::new(table.layout(), means(table)))))
            }
            CAMELStats::Deviations(sums) => self.estimated(sums).map(Step::Done),
        }
    }

    fn write_point(&self, empty: &CAMELStats, point: &mut Record) -> Result<()> {
        if let CAMELStats::Deviations(sums) = empty {
            point.put("means", &sums.means);
        }
        Ok(())
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<CAMELStats> {
        if !point.arrays.contains_key("means") {
            return self.begin(layout, &PassInfo::default());
        }
        let means = point.numbers("means", layout.classes().len() * layout.numbers().len())?;
        Ok(CAMELStats::Deviations(Deviations::new(layout, means)))
    }
}

/// Means by class and column; a class without a value has that of all classes together.
fn means(table: &TableStats) -> Vec<f64> {
    let (classes, columns) = (table.layout().classes().len(), table.layout().numbers().len());
    let Some(moments) = table.moments() else { return Vec::new() };
    let pooled = |j: usize| (0..classes).map(|k| moments.get(k, j)).reduce(|all, own| all.plus(own)).map_or(0.0, |moment| moment.mean);
    let mean = |k: usize, j: usize| if moments.get(k, j).weight > 0.0 { moments.get(k, j).mean } else { pooled(j) };
    (0..classes).flat_map(|k| (0..columns).map(move |j| (k, j))).map(|(k, j)| mean(k, j)).collect()
}

impl CAMEL {
    fn estimated(&self, sums: &Deviations) -> Result<CAMELModel> {
        let layout = &sums.layout;
        let mut deviations = Vec::new();
        for (j, (sum, weight)) in sums.sum.iter().zip(&sums.weight).enumerate() {
            let deviation = if *weight > 0.0 { (sum / weight).max(self.least_deviation) } else { self.least_deviation };
            if !(deviation > 0.0 && deviation.is_finite()) {
                let what = format!("column `{}` does not vary within the classes", layout.features()[layout.numbers()[j]].name);
                return Err(ErrorKind::NoEstimate { what, advice: "leave it out, or give a least deviation above 0".into() }.into());
            }
            deviations.push(deviation);
        }
        let log_prior = self.prior.log_probabilities(layout.classes(), &sums.classes, 0.0)?;
        Ok(CAMELModel { layout: Arc::clone(layout), classes: sums.classes.clone(), log_prior, means: sums.means.to_vec(), deviations })
    }
}

/// A fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct CAMELModel {
    layout: Arc<Layout>,
    classes: ClassWeights,
    log_prior: Vec<f64>,
    /// By class and column.
    means: Vec<f64>,
    /// By column.
    deviations: Vec<f64>,
}

impl CAMELModel {
    /// log p(x_j | k); nothing where the value is missing.
    fn addend(&self, k: usize, j: usize, x: f64) -> f64 {
        if x.is_nan() {
            return 0.0;
        }
        let deviation = self.deviations[j];
        -(2.0 * deviation).ln() - (x - self.means[k * self.deviations.len() + j]).abs() / deviation
    }
}

impl Classifier for CAMELModel {
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
        let (scores, _) = out.parts_mut();
        for (i, row) in scores.chunks_exact_mut(self.log_prior.len()).enumerate() {
            for (k, score) in row.iter_mut().enumerate() {
                *score += (0..self.deviations.len()).map(|j| self.addend(k, j, rows.numbers.get(i, j))).sum::<f64>();
            }
        }
        out.rescue_impossible(&self.log_prior);
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Ok(self)
    }

    fn free_parameters(&self) -> usize {
        self.log_prior.len() - 1 + self.means.len() + self.deviations.len()
    }

    fn card(&self) -> Card {
        let labels = self.layout.classes().labels();
        let mut tidy = FixedTable::new("tidy", ["class", "column", "parameter", "estimate"]);
        for (k, label) in labels.iter().enumerate() {
            let mut say = |column: Cell, parameter: &str, value: f64| tidy.push([label.as_str().into(), column, parameter.into(), value.into()]);
            say(Cell::Empty, "prior", self.log_prior[k].exp());
            for (j, deviation) in self.deviations.iter().enumerate() {
                let name = self.layout.features()[j].name.as_str();
                say(name.into(), "mean", self.means[k * self.deviations.len() + j]);
                say(name.into(), "deviation", *deviation);
            }
        }
        let facts = vec![("rows".into(), self.classes.total_rows().into()), ("free parameters".into(), self.free_parameters().into())];
        Card { title: "TITLE".into(), facts, tidy: tidy.into(), notices: self.notices(), ..Card::default() }
    }

    fn notices(&self) -> Vec<Notice> {
        Vec::new()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new(NAME, VERSION, &serde_json::json!({}))?;
        self.layout.write(&mut record, "layout")?;
        self.classes.write(&mut record)?;
        record.put("prior.log", &self.log_prior);
        record.put("means", &self.means);
        record.put("deviations", &self.deviations);
        Ok(record)
    }
}

impl Additive for CAMELModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        rows.check(&self.layout)?;
        out.reset(rows.rows(), self.deviations.len(), &self.log_prior);
        for i in 0..rows.rows() {
            for j in 0..self.deviations.len() {
                let x = rows.numbers.get(i, j);
                out.addends_mut(i, j).iter_mut().enumerate().for_each(|(k, addend)| *addend = self.addend(k, j, x));
            }
        }
        Ok(())
    }
}

fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    record.expect(NAME, VERSION)?;
    let layout = Arc::new(Layout::read(record, "layout")?);
    let (classes, columns) = (layout.classes().len(), layout.features().len());
    if TAKES.check(NAME, &layout).is_err() || classes < 2 {
        return Err(fault("it has other columns than numbers, or fewer than two classes"));
    }
    let cells = classes.checked_mul(columns).ok_or_else(|| fault("a shape is too large"))?;
    let deviations = record.numbers("deviations", columns)?;
    if !deviations.iter().all(|deviation| *deviation > 0.0) {
        return Err(fault("`deviations` holds a number that is not above zero"));
    }
    let model = CAMELModel {
        classes: ClassWeights::read(record, classes)?,
        log_prior: record.logs("prior.log", classes)?,
        means: record.numbers("means", cells)?,
        deviations,
        layout,
    };
    Ok(Box::new(model))
}
