//! Naive Bayes models as records. Every array is read with the length that the layout and the part's head demand.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::polya::CountSource;
use super::{CountPart, Family, GaussianPart, NaiveBayesModel, Part, PolyaPart, StudentPart};
use crate::data::Layout;
use crate::error::Result;
use crate::model::term::{FlagTerm, LevelTerm, NumberTerm, Term, WordTerm};
use crate::model::{Classifier, Distribution, Prepared};
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    family: Family,
    facts: Vec<(String, String)>,
    parts: Vec<PartHead>,
    log_evidence: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "lowercase", deny_unknown_fields)]
enum PartHead {
    Gaussian { columns: Vec<usize>, shared: bool },
    Student { columns: Vec<usize>, joint: bool },
    Polya { source: CountSource },
    Counts { distribution: Distribution, columns: Vec<usize> },
    Flags { columns: Vec<usize>, threshold: f64 },
    Levels { columns: Vec<usize> },
    Words { distribution: Distribution, block: usize, presence: bool, required: Vec<u32> },
}

pub(super) fn write(model: &NaiveBayesModel) -> Result<Record> {
    let mut arrays: Vec<(String, &[f64])> = vec![("prior.log".into(), &model.log_prior)];
    let mut parts = Vec::new();
    for (at, part) in model.parts.iter().enumerate() {
        let mut put = |name: &str, values| arrays.push((format!("part{at}.{name}"), values));
        parts.push(match part {
            Part::Gaussian(part) => {
                put("mean", &part.means);
                put("sd", &part.deviations);
                PartHead::Gaussian { columns: part.columns.clone(), shared: part.shared }
            }
            Part::Student(part) => {
                put("location", &part.locations);
                put("scale", &part.scales);
                put("freedom", &part.freedom);
                PartHead::Student { columns: part.columns.clone(), joint: part.joint }
            }
            Part::Polya(part) => {
                put("alpha", &part.alphas);
                put("total", &part.totals);
                put("length", &part.lengths);
                PartHead::Polya { source: part.source.clone() }
            }
            Part::Count(part) => {
                put("length", &part.lengths);
                match &part.term {
                    Term::Numbers(term) => {
                        put("weight", &term.weights);
                        PartHead::Counts { distribution: part.distribution, columns: term.columns.clone() }
                    }
                    Term::Flags(term) => {
                        put("absent", &term.absent);
                        put("present", &term.present);
                        PartHead::Flags { columns: term.columns.clone(), threshold: term.threshold }
                    }
                    Term::Levels(term) => {
                        put("table", &term.table);
                        PartHead::Levels { columns: term.columns.clone() }
                    }
                    Term::Words(term) => {
                        put("base", &term.base);
                        put("table", &term.table);
                        PartHead::Words {
                            distribution: part.distribution,
                            block: term.block,
                            presence: term.presence,
                            required: term.required.clone(),
                        }
                    }
                }
            }
        });
    }
    let head = Head { family: model.family, facts: model.facts.clone(), parts, log_evidence: model.log_evidence };
    let mut record = Record::new(model.family.tag(), VERSION, &serde_json::json!({}))?;
    record.put_part("naive-bayes", &head)?;
    arrays.into_iter().for_each(|(name, values)| record.put(name, values));
    model.classes.write(&mut record);
    model.layout.write(&mut record, "layout")?;
    Ok(record)
}

/// Rebuilds a stored naive Bayes model.
pub(crate) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    let head: Head = record.part("naive-bayes")?;
    record.expect(head.family.tag(), VERSION)?;
    let layout = Arc::new(Layout::read(record, "layout")?);
    let classes = layout.classes().len();
    if classes == 0 {
        return Err(fault("a model without classes"));
    }
    let parts = head.parts.iter().enumerate().map(|(at, part)| read_part(record, &layout, at, part)).collect::<Result<_>>()?;
    let log_prior = record.logs("prior.log", classes)?;
    let model = NaiveBayesModel {
        family: head.family,
        classes: ClassWeights::read(record, classes)?,
        log_prior,
        parts,
        facts: head.facts,
        notices: Vec::new(),
        log_evidence: head.log_evidence,
        layout,
    };
    Ok(Box::new(model))
}

fn read_part(record: &Record, layout: &Layout, at: usize, head: &PartHead) -> Result<Part> {
    let classes = layout.classes().len();
    let name = |array: &str| format!("part{at}.{array}");
    let within = |columns: &[usize], plane: usize| match columns.iter().all(|&j| j < plane) {
        true => Ok(columns.len()),
        false => Err(fault(format!("part {at} speaks of columns that the layout does not have"))),
    };
    let positive = |values: Vec<f64>| match values.iter().all(|v| *v > 0.0) {
        true => Ok(values),
        false => Err(fault(format!("part {at} holds a scale that is not above zero"))),
    };
    let numbers = layout.numbers().len();
    let lengths = || record.numbers(&name("length"), classes);
    Ok(match head {
        PartHead::Gaussian { columns, shared } => {
            let cells = within(columns, numbers)? * classes;
            let means = record.numbers(&name("mean"), cells)?;
            Part::Gaussian(GaussianPart {
                columns: columns.clone(),
                means,
                deviations: positive(record.numbers(&name("sd"), cells)?)?,
                shared: *shared,
                kernel: Prepared::default(),
            })
        }
        PartHead::Student { columns, joint } => {
            let cells = within(columns, numbers)? * classes;
            let locations = record.numbers(&name("location"), cells)?;
            let scales = positive(record.numbers(&name("scale"), cells)?)?;
            let freedom = positive(record.numbers(&name("freedom"), cells)?)?;
            Part::Student(StudentPart { columns: columns.clone(), locations, scales, freedom, joint: *joint })
        }
        PartHead::Polya { source } => {
            let width = match source {
                CountSource::Words { block } => *layout
                    .word_widths()
                    .get(*block)
                    .ok_or_else(|| fault(format!("part {at} speaks of a text column that is not there")))?,
                CountSource::Numbers { columns } => within(columns, numbers)?,
            };
            let alphas = positive(record.numbers(&name("alpha"), width * classes)?)?;
            let totals = positive(record.numbers(&name("total"), classes)?)?;
            Part::Polya(PolyaPart { source: source.clone(), alphas, totals, lengths: lengths()? })
        }
        PartHead::Counts { distribution, columns } => {
            let width = within(columns, numbers)?;
            let weights = record.log_weights(&name("weight"), width * classes)?;
            let term = NumberTerm { columns: columns.clone(), centre: vec![0.0; width], base: vec![0.0; width * classes], weights };
            Part::Count(CountPart { distribution: *distribution, term: Term::Numbers(term), lengths: lengths()? })
        }
        PartHead::Flags { columns, threshold } => {
            let cells = within(columns, numbers)? * classes;
            let (absent, present) = (record.logs(&name("absent"), cells)?, record.logs(&name("present"), cells)?);
            let term = FlagTerm { columns: columns.clone(), threshold: *threshold, absent, present };
            Part::Count(CountPart { distribution: Distribution::Bernoulli, term: Term::Flags(term), lengths: lengths()? })
        }
        PartHead::Levels { columns } => {
            let counts = layout.level_counts();
            within(columns, counts.len())?;
            let mut offsets = vec![0];
            columns.iter().for_each(|&j| offsets.push(offsets[offsets.len() - 1] + counts[j]));
            let table = record.logs(&name("table"), offsets[columns.len()] * classes)?;
            let term = LevelTerm { columns: columns.clone(), offsets, table, kernel: Prepared::default() };
            Part::Count(CountPart { distribution: Distribution::Categorical, term: Term::Levels(term), lengths: lengths()? })
        }
        PartHead::Words { distribution, block, presence, required } => {
            let width =
                *layout.word_widths().get(*block).ok_or_else(|| fault(format!("part {at} speaks of a text column that is not there")))?;
            if required.len() != classes {
                return Err(fault(format!("part {at} does not fit the classes")));
            }
            let (base, table) = (record.logs(&name("base"), classes)?, record.log_weights(&name("table"), width * classes)?);
            let term =
                WordTerm { block: *block, presence: *presence, base, required: required.clone(), table, kernel: Prepared::default() };
            Part::Count(CountPart { distribution: *distribution, term: Term::Words(term), lengths: lengths()? })
        }
    })
}
