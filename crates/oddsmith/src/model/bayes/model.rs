//! A fitted naive Bayes model.

use std::sync::Arc;

use rand_core::Rng;

use super::estimate::Estimate;
use super::{Family, NaiveBayes, Part};
use crate::card::{Card, Cell, FixedTable, Table};
use crate::data::{Features, Layout};
use crate::error::Result;
use crate::model::hashed_words::{OTHERS, SharedRow};
use crate::model::term::Term;
use crate::model::{Additive, Classifier, Contributions, Distribution, Generative, LinearLogOdds, SampledRow, Scale, Scores, Value};
use crate::notice::Notice;
use crate::record::Record;
use crate::stats::ClassWeights;

/// The fact that says which Gaussians share a variance.
const TYING: &str = "variances";

/// log p(x, y) = log p(y) + Σ parts.
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveBayesModel {
    pub(super) family: Family,
    pub(super) layout: Arc<Layout>,
    pub(super) classes: ClassWeights,
    pub(super) log_prior: Vec<f64>,
    pub(super) parts: Vec<Part>,
    pub(super) facts: Vec<(String, String)>,
    pub(super) notices: Vec<Notice>,
    pub(super) log_marginal_likelihood: Option<f64>,
}

impl NaiveBayesModel {
    pub(super) fn new(
        options: &NaiveBayes,
        layout: Arc<Layout>,
        classes: ClassWeights,
        log_prior: Vec<f64>,
        estimate: Estimate<'_>,
    ) -> Self {
        let has = |wanted: fn(&Part) -> bool| estimate.parts.iter().any(wanted);
        let mut facts = Vec::new();
        let mut say = |name: &str, value: String| facts.push((name.to_owned(), value));
        if has(|part| matches!(part, Part::Gaussian(_) | Part::Student(_))) {
            say(TYING, options.tying.to_string());
            if !options.predictive {
                say("divisor", options.divisor.to_string());
            }
        }
        if has(|part| matches!(part, Part::Count(_) | Part::Polya(_))) {
            say("smoothing", options.smoothing.to_string());
        }
        if options.predictive {
            say("parameters", "integrated out".into());
        }
        let Estimate { parts, notices, log_marginal_likelihood, .. } = estimate;
        NaiveBayesModel { family: options.family, layout, classes, log_prior, parts, facts, notices, log_marginal_likelihood }
    }

    /// The parts of the model.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Rows and weights per class that it was learned from.
    pub fn class_weights(&self) -> &ClassWeights {
        &self.classes
    }

    fn tidy(&self) -> Table {
        let mut table = FixedTable::new("tidy", ["class", "column", "level", "parameter", "estimate"]);
        let classes = self.log_prior.len();
        let layout = &self.layout;
        for k in 0..classes {
            let label = layout.classes().label(k);
            table.push([label.into(), Cell::Empty, Cell::Empty, "prior".into(), self.log_prior[k].exp().into()]);
            for part in &self.parts {
                let mut add = |feature: usize, level: Option<String>, parameter: &str, value: f64| {
                    let level = level.map_or(Cell::Empty, Cell::from);
                    table.push([label.into(), layout.features()[feature].name.as_str().into(), level, parameter.into(), value.into()]);
                };
                list_parameters(part, k, classes, layout, &mut add);
            }
        }
        table.into()
    }
}

/// Takes feature, level, name and value of a parameter.
type AddParameter<'a> = dyn FnMut(usize, Option<String>, &str, f64) + 'a;

/// Calls `add` with every parameter of a part in class `k`: feature, level, name, value.
fn list_parameters(part: &Part, k: usize, classes: usize, layout: &Layout, add: &mut AddParameter<'_>) {
    match part {
        Part::Gaussian(part) => {
            for (at, &j) in part.columns.iter().enumerate() {
                let cell = k * part.columns.len() + at;
                add(layout.numbers()[j], None, "mean", part.means[cell]);
                add(layout.numbers()[j], None, "sd", part.deviations[cell]);
            }
        }
        Part::Student(part) => {
            for (at, &j) in part.columns.iter().enumerate() {
                let cell = k * part.columns.len() + at;
                add(layout.numbers()[j], None, "location", part.locations[cell]);
                add(layout.numbers()[j], None, "scale", part.scales[cell]);
                add(layout.numbers()[j], None, "freedom", part.freedom[cell]);
            }
        }
        Part::Polya(part) => {
            let feature = part.source.place(0, layout).0;
            let shared = SharedRow::find(layout, feature, &part.alphas, classes);
            for (at, alphas) in part.alphas.chunks_exact(classes).enumerate().filter(|(_, alphas)| !shared.is(alphas)) {
                let (feature, level) = part.source.place(at, layout);
                add(feature, level, "probability", alphas[k] / part.totals[k]);
            }
            shared.row().iter().for_each(|alphas| add(feature, Some(OTHERS.into()), "probability", alphas[k] / part.totals[k]));
        }
        Part::Count(part) => {
            let complement = part.distribution == Distribution::Complement;
            let (name, sign) = if complement { ("probability elsewhere", -1.0) } else { ("probability", 1.0) };
            match &part.term {
                Term::Numbers(term) => {
                    for (at, &j) in term.columns.iter().enumerate() {
                        add(layout.numbers()[j], None, name, (sign * term.weights[at * classes + k]).exp());
                    }
                }
                Term::Flags(term) => {
                    for (at, &j) in term.columns.iter().enumerate() {
                        add(layout.numbers()[j], None, "probability", term.present[at * classes + k].exp());
                    }
                }
                Term::Levels(term) => {
                    for (at, &j) in term.columns.iter().enumerate() {
                        let feature = layout.codes()[j];
                        for cell in term.offsets[at]..term.offsets[at + 1] {
                            add(
                                feature,
                                layout.level_name(feature, cell - term.offsets[at]),
                                "probability",
                                term.table[cell * classes + k].exp(),
                            );
                        }
                    }
                }
                Term::Words(term) => {
                    let feature = layout.words()[term.block];
                    let mut add_word = |level: Option<String>, weights: &[f64]| match term.presence {
                        true => add(feature, level, "probability", 1.0 / (1.0 + (-weights[k]).exp())),
                        false => add(feature, level, name, (sign * weights[k]).exp()),
                    };
                    let shared = SharedRow::find(layout, feature, &term.table, classes);
                    for word in strongest_first(&term.table, classes) {
                        let weights = &term.table[word * classes..][..classes];
                        if !shared.is(weights) {
                            add_word(layout.level_name(feature, word), weights);
                        }
                    }
                    shared.row().iter().for_each(|weights| add_word(Some(OTHERS.into()), weights));
                }
            }
        }
    }
}

/// Words by how far the classes disagree about them, the same for every class.
fn strongest_first(table: &[f64], classes: usize) -> Vec<usize> {
    let spread = |word: usize| {
        let weights = &table[word * classes..][..classes];
        let (low, high) = weights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), w| (low.min(*w), high.max(*w)));
        if low == high { 0.0 } else { high - low }
    };
    let mut order: Vec<usize> = (0..table.len() / classes).collect();
    order.sort_by(|a, b| spread(*b).total_cmp(&spread(*a)));
    order
}

impl Classifier for NaiveBayesModel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn tag(&self) -> &'static str {
        self.family.tag()
    }

    fn scale(&self) -> Scale {
        let complement = |part: &Part| matches!(part, Part::Count(part) if part.distribution == Distribution::Complement);
        if self.parts.iter().any(complement) { Scale::LogPosterior } else { Scale::LogJoint }
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        rows.check(&self.layout)?;
        out.reset(rows.rows(), &self.log_prior);
        for part in &self.parts {
            part.add_scores(rows, out)?;
        }
        out.rescue_impossible(&self.log_prior);
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Ok(self)
    }

    fn linear(&self) -> Option<LinearLogOdds> {
        let terms = self.parts.iter().map(|part| part.linear_term(self.log_prior.len())).collect::<Option<Vec<_>>>()?;
        LinearLogOdds::new(&self.log_prior, &terms)
    }

    fn generative(&self) -> Option<&dyn Generative> {
        Some(self)
    }

    /// K − 1 class proportions and those of the parts.
    fn free_parameters(&self) -> usize {
        let tying = self.facts.iter().find(|(name, _)| name == TYING).and_then(|(_, value)| value.parse().ok()).unwrap_or_default();
        let classes = self.log_prior.len();
        classes - 1 + self.parts.iter().map(|part| part.free_parameters(classes, tying)).sum::<usize>()
    }

    fn card(&self) -> Card {
        let mut facts = vec![("rows".to_owned(), Cell::from(self.classes.total_rows()))];
        if self.layout.weighting() != crate::data::Weighting::None {
            facts.push(("weight".into(), self.classes.total().into()));
        }
        facts.extend(self.facts.iter().map(|(name, value)| (name.clone(), Cell::from(value.as_str()))));
        if let Some(evidence) = self.log_marginal_likelihood {
            facts.push(("log evidence".into(), evidence.into()));
        }
        Card { title: self.family.title().into(), facts, tidy: self.tidy(), notices: self.notices(), ..Card::default() }
    }

    fn notices(&self) -> Vec<Notice> {
        self.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        super::stored::write(self)
    }
}

impl Additive for NaiveBayesModel {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        rows.check(&self.layout)?;
        out.reset(rows.rows(), self.layout.features().len(), &self.log_prior);
        for part in &self.parts {
            part.add_contributions(rows, &self.layout, out)?;
        }
        Ok(())
    }
}

impl Generative for NaiveBayesModel {
    fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    fn with_log_prior(&self, log_prior: Vec<f64>) -> Box<dyn Classifier> {
        Box::new(NaiveBayesModel { log_prior, ..self.clone() })
    }

    fn sample(&self, k: usize, random: &mut dyn Rng) -> Result<SampledRow> {
        // A column without a part was constant or never seen: its one value is unknown here, so it stays missing.
        let missing = |j: usize| match self.layout.plane(j) {
            crate::data::Plane::Numbers(_) => Value::Number(f64::NAN),
            crate::data::Plane::Codes(_) => Value::Code(crate::data::MISSING),
            crate::data::Plane::Words(_) => Value::Words(Vec::new()),
        };
        let mut values: Vec<Value> = (0..self.layout.features().len()).map(missing).collect();
        for part in &self.parts {
            part.sample(k, &self.layout, random, &mut values)?;
        }
        Ok(SampledRow { class: k, values })
    }

    fn log_marginal_likelihood(&self) -> Option<f64> {
        self.log_marginal_likelihood
    }
}
