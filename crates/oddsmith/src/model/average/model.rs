//! A fitted average: ln p(k|x) = ln Σ_m w_m p_m(k|x). A model that says nothing about a row is left out of its average.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::members::{Members, nest};
use crate::card::{Card, Cell, FixedTable, Summary};
use crate::data::{Features, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Additive, Classifier, Evidence, EvidenceOf, Scale, Scores, written};
use crate::notice::{FEW_HELD_BACK, Notice, PENALISED};
use crate::num::log_sum_exp;
use crate::record::{Record, fault};

/// Version of the stored content.
const VERSION: u32 = 1;

/// Rows held back for each model from which on weights rest on enough of them.
const ENOUGH_ROWS: f64 = 20.0;

/// How the weights came about.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Weighing {
    /// The same for all.
    Equal,
    /// Posterior probabilities.
    Evidence { evidence: Evidence, log_evidences: Vec<f64> },
    /// The best mixture over so many rows that were held back; nats per row of each model and of the mixture there.
    Stacking { rows: f64, each: Vec<f64>, mixture: f64 },
}

/// Several models and their weights.
#[derive(Clone)]
pub struct AverageModel {
    layout: Layout,
    names: Vec<String>,
    members: Members,
    weights: Vec<f64>,
    log_weights: Vec<f64>,
    weighing: Weighing,
}

impl AverageModel {
    /// The average by weights, which need not add up to 1.
    pub(super) fn new(layout: &Layout, names: &[String], members: Members, weights: Vec<f64>, weighing: Weighing) -> Result<Self> {
        let total: f64 = weights.iter().sum();
        let fits = names.len() == weights.len() && members.models().len() == weights.len();
        if !fits || total.is_nan() || total <= 0.0 || weights.iter().any(|weight| *weight < 0.0) {
            return Err(Error::internal("an average has other weights than models"));
        }
        let weights = weights.iter().map(|weight| weight / total).collect();
        Ok(AverageModel::of_shares(layout, names, members, weights, weighing))
    }

    /// The average by weights as they are. Shares add up to 1 within rounding; divided by their sum once more, they would be other numbers.
    fn of_shares(layout: &Layout, names: &[String], members: Members, weights: Vec<f64>, weighing: Weighing) -> Self {
        let log_weights = weights.iter().map(|weight| libm::log(*weight)).collect();
        AverageModel { layout: layout.clone(), names: names.to_vec(), members, weights, log_weights, weighing }
    }

    /// The models with their weights, by name.
    pub fn weights(&self) -> impl Iterator<Item = (&str, f64)> {
        self.names.iter().map(String::as_str).zip(self.weights.iter().copied())
    }

    fn method(&self) -> &'static str {
        match self.weighing {
            Weighing::Equal => "equal",
            Weighing::Evidence { .. } => "evidence",
            Weighing::Stacking { .. } => "stacking",
        }
    }
}

impl Classifier for AverageModel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        super::NAME
    }

    fn scale(&self) -> Scale {
        Scale::LogPosterior
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        rows.check(&self.layout)?;
        let classes = self.layout.classes().len();
        out.reset(rows.rows(), &vec![0.0; classes]);
        let scores = self.members.log_probabilities(rows)?;
        let (values, _) = out.parts_mut();
        let mut addends = Vec::with_capacity(scores.len());
        for (i, row) in values.chunks_exact_mut(classes.max(1)).enumerate() {
            for (k, value) in row.iter_mut().enumerate() {
                addends.clear();
                let each = scores.iter().zip(&self.log_weights).map(|(scores, log_weight)| scores.row(i)[k] + log_weight);
                addends.extend(each.filter(|addend| !addend.is_nan()));
                *value = if addends.is_empty() { f64::NAN } else { log_sum_exp(addends.iter()) };
            }
        }
        Ok(())
    }

    /// A logarithm of a sum of probabilities is no sum over columns.
    fn contributions(&self) -> Result<&dyn Additive> {
        let advice = "probabilities of several models are averaged, which no sum over columns gives; split one of the models instead";
        Err(ErrorKind::Unsupported { model: self.card().title, what: "split its log odds into addends".into(), advice: advice.into() }
            .into())
    }

    fn evidence(&self) -> Option<Evidence> {
        if let Weighing::Evidence { evidence, .. } = self.weighing { Some(evidence) } else { None }
    }

    /// Those of all models, and their weights without the last.
    fn free_parameters(&self) -> usize {
        let weights = if self.weighing == Weighing::Equal { 0 } else { self.weights.len() - 1 };
        self.members.models().iter().map(|model| model.free_parameters()).sum::<usize>() + weights
    }

    fn card(&self) -> Card {
        let mut tidy = FixedTable::new("models", ["model", "weight", "log_evidence", "held_out_bits", "parameters"]);
        for (m, (name, weight)) in self.weights().enumerate() {
            let (log_evidence, bits) = match &self.weighing {
                Weighing::Equal => (Cell::Empty, Cell::Empty),
                Weighing::Evidence { log_evidences, .. } => (log_evidences[m].into(), Cell::Empty),
                Weighing::Stacking { each, .. } => (Cell::Empty, (each[m] * std::f64::consts::LOG2_E).into()),
            };
            tidy.push([name.into(), weight.into(), log_evidence, bits, self.members.models()[m].free_parameters().into()]);
        }
        let mut facts: Vec<(String, Cell)> = vec![("models".into(), self.names.len().into()), ("weights by".into(), self.method().into())];
        match &self.weighing {
            Weighing::Equal => {}
            Weighing::Evidence { evidence, .. } => {
                facts.push(("evidence of".into(), evidence.of.name().into()));
                facts.push(("log evidence".into(), evidence.ln.into()));
            }
            Weighing::Stacking { rows, mixture, .. } => {
                facts.push(("rows held back".into(), (*rows).into()));
                facts.push(("held-out bits per row".into(), (mixture * std::f64::consts::LOG2_E).into()));
            }
        }
        let footnotes = match &self.weighing {
            Weighing::Equal => Vec::new(),
            Weighing::Evidence { .. } => vec!["weight: posterior probability, all models equally likely before".to_owned()],
            Weighing::Stacking { .. } => {
                vec![
                    "weight: of the mixture with the fewest bits on rows held back; held_out_bits: bits per row there of each model"
                        .to_owned(),
                ]
            }
        };
        Card {
            title: format!("Average of {}", crate::notice::counted(self.names.len() as u64, "model")),
            summary: Some(Summary { facts: facts.clone(), table: None, footnotes }),
            facts,
            tidy: tidy.into(),
            notices: self.notices(),
            ..Card::default()
        }
    }

    /// What the fits noticed; what several of them noticed once. What is said of the precision of single coefficients is not about an
    /// average, which shows none.
    fn notices(&self) -> Vec<Notice> {
        let mut all: Vec<Notice> = Vec::new();
        for notice in self.members.models().iter().flat_map(|model| model.notices()) {
            if notice.id != PENALISED && !all.contains(&notice) {
                all.push(notice);
            }
        }
        if let Weighing::Stacking { rows, .. } = self.weighing
            && rows < ENOUGH_ROWS * self.names.len() as f64
        {
            let text = format!("{rows} rows were held back to weigh {} models by", self.names.len());
            all.push(Notice::new(FEW_HELD_BACK, text));
        }
        all
    }

    fn record(&self) -> Result<Record> {
        let (method, of, is_laplace) = match &self.weighing {
            Weighing::Evidence { evidence, .. } => ("evidence", Some(evidence.of == EvidenceOf::Joint), evidence.is_laplace),
            _ => (self.method(), None, false),
        };
        let head = Head { names: self.names.clone(), method: method.into(), is_joint: of, is_laplace };
        let mut record = Record::new(super::NAME, VERSION, &serde_json::json!({}))?;
        record.put_part("average", &head)?;
        self.layout.write(&mut record, "layout")?;
        record.put("weights", &self.weights);
        match &self.weighing {
            Weighing::Equal => {}
            Weighing::Evidence { evidence, log_evidences } => {
                record.put("log-evidences", log_evidences);
                record.put("log-evidence", &[evidence.ln]);
            }
            Weighing::Stacking { rows, each, mixture } => {
                record.put("held-back", &[*rows, *mixture]);
                record.put("nats", each);
            }
        }
        for (m, model) in self.members.models().iter().enumerate() {
            let (key, prefix) = nest("model", m);
            record.put_nested(&key, &prefix, model.record()?)?;
        }
        Ok(record)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    names: Vec<String>,
    method: String,
    is_joint: Option<bool>,
    is_laplace: bool,
}

/// Rebuilds an average.
pub(super) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    record.expect(super::NAME, VERSION)?;
    let head: Head = record.part("average")?;
    let layout = Layout::read(record, "layout")?;
    let count = head.names.len();
    let weights = record.weights("weights", count)?;
    let total: f64 = weights.iter().sum();
    if total.is_nan() || (total - 1.0).abs() > 1e-9 {
        return Err(fault("`weights` do not add up to 1"));
    }
    let weighing = match (head.method.as_str(), head.is_joint) {
        ("equal", None) => Weighing::Equal,
        ("stacking", None) => {
            let held_back = record.numbers("held-back", 2)?;
            Weighing::Stacking { rows: held_back[0], mixture: held_back[1], each: record.extended("nats", count)? }
        }
        ("evidence", Some(is_joint)) => {
            let of = if is_joint { EvidenceOf::Joint } else { EvidenceOf::Classes };
            let evidence = Evidence { ln: record.numbers("log-evidence", 1)?[0], of, is_laplace: head.is_laplace };
            Weighing::Evidence { evidence, log_evidences: record.extended("log-evidences", count)? }
        }
        _ => return Err(fault("its weights came about in no way that this program knows")),
    };
    let mut models: Vec<Arc<dyn Classifier>> = Vec::new();
    for m in 0..count {
        let (key, prefix) = nest("model", m);
        let model = read_member(&record.nested(&key, &prefix)?)?;
        let known = model.layout().features().iter().all(|feature| layout.features().contains(feature));
        if model.layout().classes() != layout.classes() || model.scale() == Scale::Margin || !known {
            return Err(fault("a model of the average has other classes or columns, or no probabilities"));
        }
        models.push(Arc::from(model));
    }
    Ok(Box::new(AverageModel::of_shares(&layout, &head.names, Members::new(models, &layout)?, weights, weighing)))
}

/// Rebuilds a model of an average, which is no average itself.
pub(super) fn read_member(record: &Record) -> Result<Box<dyn Classifier>> {
    match written::find(&record.tag) {
        Ok(entry) if entry.name == record.tag && entry.name != super::NAME => (entry.read)(record),
        _ => Err(fault(format!("it holds `{}`, which is no model that can be averaged", record.tag))),
    }
}
