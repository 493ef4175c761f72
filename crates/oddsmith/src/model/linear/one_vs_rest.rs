//! One regression per class against all others.
//!
//! Each class k has log odds η_k of its own; p_k is proportional to σ(η_k). The K fits know nothing of each other, so their raw
//! probabilities need not add up to one: they are divided by their sum. All of them share every pass over the rows.

use std::sync::Arc;

use super::model::LogisticModel;
use super::options::{ClassWeighting, Intervals, Logistic, OnSeparation};
use crate::card::{Card, Cell, Summary, Table};
use crate::codec::{Codec, Encode};
use crate::data::{Classes, Features, Layout, Rows, SKIP};
use crate::error::{Error, ErrorKind, Result};
use crate::model::linear::fit::first_looks::check_classes;
use crate::model::linear::fit::passes::LinearStats;
use crate::model::params::Params;
use crate::model::{Additive, Classifier, Learner, Look, PassInfo, Scale, Scores, Step, TableNeeds};
use crate::notice::Notice;
use crate::num::logspace::ln_1p_exp;
use crate::record::{Record, fault};
use crate::stats::Statistics;

/// Version of the stored content.
const VERSION: u32 = 1;
/// The class of all other rows in the fit of one class.
const REST: &str = "(other classes)";

/// Options: those of every single fit.
#[derive(Debug, Clone)]
pub struct OneVsRest {
    /// The options of each fit.
    pub each: Logistic,
}

impl OneVsRest {
    /// One regression per class with the options and the formula that were given. Intervals are Wald's unless others are asked for: a
    /// profile per class and coefficient takes long.
    pub fn from_params(params: &Params) -> Result<Self> {
        let each = Logistic::from_params(params)?;
        if let ClassWeighting::Given(_) = each.class_weights {
            let accepted = "balanced; every class is fitted against all others together, which have no factor in common";
            return Err(Error::option("class-weight", params.text("class-weight").unwrap_or_default(), accepted));
        }
        if each.on_separation == OnSeparation::Infinite {
            let accepted = "error, firth or drop; infinite log odds of several classes have no order";
            return Err(Error::option("on-separation", "infinite", accepted));
        }
        let precision = if params.has("ci") { each.precision } else { each.precision.min(Intervals::Wald) };
        Ok(OneVsRest { each: Logistic { sampling: false, tests: false, precision, ..each } })
    }
}

/// Statistics of the fits that are still under way.
#[derive(Debug, Clone)]
pub struct OneVsRestStats {
    layout: Arc<Layout>,
    parts: Vec<ClassFit>,
    labels: Vec<u32>,
    weight: f64,
}

#[derive(Debug, Clone)]
enum ClassFit {
    Fitting(Box<LinearStats>),
    Fitted(Arc<LogisticModel>),
    /// Fitted by whoever asked for the pass.
    Elsewhere,
}

impl Statistics for OneVsRestStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.weight += rows.labels.iter().filter(|label| **label != SKIP).count() as f64;
        for (k, part) in self.parts.iter_mut().enumerate() {
            if let ClassFit::Fitting(stats) = part {
                self.labels.clear();
                let own = |label: &u32| if *label == SKIP { SKIP } else { u32::from(*label as usize == k) };
                self.labels.extend(rows.labels.iter().map(own));
                stats.observe(Rows { labels: &self.labels, ..rows })?;
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight += other.weight;
        for (mine, theirs) in self.parts.iter_mut().zip(&other.parts) {
            if let (ClassFit::Fitting(mine), ClassFit::Fitting(theirs)) = (mine, theirs) {
                mine.merge(theirs)?;
            }
        }
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn purpose(&self) -> String {
        self.fitting().map_or_else(String::new, |stats| format!("for every class: {}", stats.purpose()))
    }

    fn discloses(&self) -> Option<String> {
        self.fitting().and_then(Statistics::discloses)
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(|part| if let ClassFit::Fitting(stats) = part { stats.bytes() } else { 0 }).sum()
    }
}

impl Encode for OneVsRestStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        for (k, part) in self.parts.iter_mut().enumerate() {
            if let ClassFit::Fitting(stats) = part {
                codec.part(&format!("class{k}"), &mut **stats)?;
            }
        }
        Ok(())
    }
}

impl OneVsRestStats {
    /// The first fit that is still under way.
    fn fitting(&self) -> Option<&LinearStats> {
        self.parts.iter().find_map(|part| if let ClassFit::Fitting(stats) = part { Some(&**stats) } else { None })
    }
}

impl Learner for OneVsRest {
    type Stats = OneVsRestStats;
    type Model = OneVsRestModel;

    fn needs(&self) -> Result<TableNeeds> {
        self.each.needs()
    }

    fn begin(&self, layout: &Arc<Layout>, pass: &PassInfo) -> Result<OneVsRestStats> {
        check_classes(layout)?;
        // All fits share every pass, so none of them may leave partitions out.
        let whole = PassInfo { partitions: 1, ..*pass };
        let part = |label: &String| Ok(ClassFit::Fitting(Box::new(self.each.begin(&against_rest(layout, label)?, &whole)?)));
        let parts = layout.classes().labels().iter().map(part).collect::<Result<Vec<_>>>()?;
        Ok(OneVsRestStats { layout: Arc::clone(layout), parts, labels: Vec::new(), weight: 0.0 })
    }

    fn finish(&self, stats: &OneVsRestStats) -> Result<Step<OneVsRestStats, OneVsRestModel>> {
        let mut parts = Vec::new();
        for part in &stats.parts {
            parts.push(match part {
                ClassFit::Fitted(model) => ClassFit::Fitted(Arc::clone(model)),
                ClassFit::Elsewhere => return Err(Error::internal("a fit is finished where its earlier passes are not known")),
                ClassFit::Fitting(stats) => match self.each.finish(stats)? {
                    Step::Again(next) => ClassFit::Fitting(Box::new(next)),
                    Step::Done(model) => ClassFit::Fitted(Arc::new(model)),
                },
            });
        }
        let done: Option<Vec<Arc<LogisticModel>>> =
            parts.iter().map(|part| if let ClassFit::Fitted(model) = part { Some(Arc::clone(model)) } else { None }).collect();
        match done {
            Some(models) => OneVsRestModel::new(&stats.layout, models).map(Step::Done),
            None => Ok(Step::Again(OneVsRestStats { layout: Arc::clone(&stats.layout), parts, labels: Vec::new(), weight: 0.0 })),
        }
    }

    fn most_passes(&self) -> usize {
        self.each.most_passes()
    }

    fn searches(&self) -> bool {
        self.each.searches()
    }

    fn looks(&self, stats: &OneVsRestStats) -> Result<Vec<Look>> {
        let mut looks = Vec::new();
        for (part, label) in stats.parts.iter().zip(stats.layout.classes().labels()) {
            if let ClassFit::Fitting(stats) = part {
                let own = self.each.looks(stats)?;
                looks.extend(own.into_iter().map(|look| Look { search: Some(label.clone()), ..look }));
            }
        }
        Ok(looks)
    }

    fn write_point(&self, empty: &OneVsRestStats, point: &mut Record) -> Result<()> {
        for (k, part) in empty.parts.iter().enumerate() {
            if let ClassFit::Fitting(stats) = part {
                let mut inner = Record::new("one-vs-rest", VERSION, &serde_json::json!({}))?;
                self.each.write_point(stats, &mut inner)?;
                let (key, prefix) = nest(k);
                point.put_nested(&key, &prefix, inner)?;
            }
        }
        Ok(())
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<OneVsRestStats> {
        let part = |(k, label): (usize, &String)| {
            let (key, prefix) = nest(k);
            if point.head.get(&key).is_none() {
                return Ok(ClassFit::Elsewhere);
            }
            let fit = self.each.at_point(&against_rest(layout, label)?, &point.nested(&key, &prefix)?)?;
            Ok(ClassFit::Fitting(Box::new(fit)))
        };
        let parts = layout.classes().labels().iter().enumerate().map(part).collect::<Result<Vec<_>>>()?;
        Ok(OneVsRestStats { layout: Arc::clone(layout), parts, labels: Vec::new(), weight: 0.0 })
    }
}

/// The layout of the fit of one class against all others.
pub(in crate::model) fn against_rest(layout: &Layout, label: &str) -> Result<Arc<Layout>> {
    let classes = Classes::new(vec![REST.into(), label.to_owned()])?;
    let against = Layout::new(layout.target(), layout.features().to_vec(), classes, layout.weighting())?;
    Ok(Arc::new(against.with_keys(layout.keys().to_vec())))
}

/// The key and the prefix of what is stored of class `k`.
fn nest(k: usize) -> (String, String) {
    (format!("model {k}"), format!("{k}:"))
}

/// One fitted regression per class.
#[derive(Debug, Clone)]
pub struct OneVsRestModel {
    layout: Layout,
    models: Vec<Arc<LogisticModel>>,
}

impl OneVsRestModel {
    fn new(layout: &Layout, models: Vec<Arc<LogisticModel>>) -> Result<Self> {
        let first = models.first().ok_or_else(|| Error::internal("no class"))?;
        let features = first.layout().features().to_vec();
        let layout = Layout::new(layout.target(), features, layout.classes().clone(), layout.weighting())?;
        Ok(OneVsRestModel { layout, models })
    }

    /// The regression of every class.
    pub fn models(&self) -> &[Arc<LogisticModel>] {
        &self.models
    }
}

impl OneVsRestModel {
    /// The odds ratios of all classes, one class after the other.
    fn odds_ratios(&self, cards: &[Card]) -> Option<Table> {
        let of_class = |(card, label): (&Card, &String)| {
            let mut table = card.summary.as_ref()?.table.clone()?;
            table.insert_column(0, "class", |_, _| label.as_str().into());
            Some(table)
        };
        let mut tables = cards.iter().zip(self.layout.classes().labels()).filter_map(of_class);
        let mut all = tables.next()?;
        tables.for_each(|table| all.append(&table));
        Some(all)
    }
}

impl Classifier for OneVsRestModel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        "one-vs-rest"
    }

    fn scale(&self) -> Scale {
        Scale::LogPosterior
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        let classes = self.models.len();
        out.reset(rows.rows(), &vec![0.0; classes]);
        let mut one = Scores::new();
        for (k, model) in self.models.iter().enumerate() {
            model.score(rows, &mut one)?;
            let (values, _) = out.parts_mut();
            for (row, pair) in values.chunks_exact_mut(classes).zip(one.values().chunks_exact(2)) {
                // ln σ(η)
                row[k] = -ln_1p_exp(pair[0] - pair[1]);
            }
        }
        Ok(())
    }

    /// ln σ(η_k) is no sum over columns, and neither is its difference between two classes.
    fn contributions(&self) -> Result<&dyn Additive> {
        let advice = "every class has a regression of its own, and their probabilities are divided by their sum, which no sum over columns \
                      gives; a softmax regression of the same columns can be split";
        Err(ErrorKind::Unsupported { model: self.card().title, what: "split its log odds into addends".into(), advice: advice.into() }
            .into())
    }

    fn free_parameters(&self) -> usize {
        self.models.iter().map(|model| model.free_parameters()).sum()
    }

    fn card(&self) -> Card {
        let cards: Vec<Card> = self.models.iter().map(|model| model.card()).collect();
        let mut tidy = cards[0].tidy.clone();
        cards[1..].iter().for_each(|card| tidy.append(&card.tidy));
        let steps: u64 = self.models.iter().map(|model| model.account().steps).sum();
        let facts = vec![
            ("formula".into(), Cell::from(self.models[0].account().formula.as_str())),
            ("rows".into(), self.models[0].account().rows.into()),
            ("regressions".into(), self.models.len().into()),
            ("steps".into(), steps.into()),
        ];
        let (_, method) = cards[0].title.split_once(", ").unwrap_or_default();
        // How the solvers came there is for those who ask for all facts.
        let told = facts.iter().filter(|(name, _)| name != "steps").cloned().collect();
        Card {
            title: format!("One regression per class against the others, {method}"),
            facts,
            tidy,
            summary: Some(Summary { facts: told, table: self.odds_ratios(&cards), footnotes: Vec::new() }),
            notices: self.notices(),
            ..Card::default()
        }
    }

    fn notices(&self) -> Vec<Notice> {
        let classes = self.models.iter().zip(self.layout.classes().labels());
        classes.flat_map(|(model, label)| model.notices().into_iter().map(move |notice| notice.level(label.clone()))).collect()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new("one-vs-rest", VERSION, &serde_json::json!({}))?;
        self.layout.write(&mut record, "layout")?;
        for (k, model) in self.models.iter().enumerate() {
            let (key, prefix) = nest(k);
            record.put_nested(&key, &prefix, model.record()?)?;
        }
        Ok(record)
    }
}

/// Rebuilds the regressions.
pub(crate) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    record.expect("one-vs-rest", VERSION)?;
    let layout = Layout::read(record, "layout")?;
    let mut models = Vec::new();
    for k in 0..layout.classes().len() {
        let (key, prefix) = nest(k);
        let model = super::stored::read_model(&record.nested(&key, &prefix)?)?;
        if model.layout().classes().labels().get(1) != layout.classes().labels().get(k) || model.layout().classes().len() != 2 {
            return Err(fault("a regression is not that of its class"));
        }
        if model.layout().features() != layout.features() {
            return Err(fault("the regressions do not read the same columns"));
        }
        models.push(Arc::new(model));
    }
    match models.len() {
        0 | 1 => Err(fault("a classifier has two classes or more")),
        _ => Ok(Box::new(OneVsRestModel { layout, models })),
    }
}
