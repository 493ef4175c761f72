//! Naive Bayes models as records. Every array is read with the length that the layout and the part's head demand.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::polya::CountSource;
use super::{CountPart, Family, GaussianPart, NaiveBayesModel, Part, PolyaPart, StudentPart};
use crate::data::Layout;
use crate::error::Result;
use crate::model::term::{FlagTerm, LevelTerm, NumberTerm, Term, WordTerm};
use crate::model::{Classifier, Distribution, Prepared};
use crate::notice::Notice;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    family: Family,
    facts: Vec<(String, String)>,
    parts: Vec<PartHead>,
    #[serde(rename = "log_evidence")]
    log_marginal_likelihood: Option<f64>,
    notices: Vec<Notice>,
}

/// What a part is. The columns of part 3 are the array `part3.columns`: positions among the numbers, or the categories.
#[derive(Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "lowercase", deny_unknown_fields)]
enum PartHead {
    Gaussian {
        shared: bool,
    },
    Student {
        joint: bool,
    },
    /// Of the text column `block`, or of number columns.
    Polya {
        block: Option<usize>,
    },
    Counts {
        distribution: Distribution,
    },
    Flags {
        threshold: f64,
    },
    Levels {},
    Words {
        distribution: Distribution,
        block: usize,
        presence: bool,
        required: Vec<u32>,
    },
}

pub(super) fn write(model: &NaiveBayesModel) -> Result<Record> {
    let mut arrays: Vec<(String, &[f64])> = vec![("prior.log".into(), &model.log_prior)];
    let mut columns: Vec<(String, &[usize])> = Vec::new();
    let mut parts = Vec::new();
    for (at, part) in model.parts.iter().enumerate() {
        let mut put = |name: &str, values| arrays.push((format!("part{at}.{name}"), values));
        let mut put_columns = |positions| columns.push((format!("part{at}.columns"), positions));
        parts.push(match part {
            Part::Gaussian(part) => {
                put("mean", &part.means);
                put("sd", &part.deviations);
                put_columns(&part.columns);
                PartHead::Gaussian { shared: part.shared }
            }
            Part::Student(part) => {
                put("location", &part.locations);
                put("scale", &part.scales);
                put("freedom", &part.freedom);
                put_columns(&part.columns);
                PartHead::Student { joint: part.joint }
            }
            Part::Polya(part) => {
                put("alpha", &part.alphas);
                put("total", &part.totals);
                put("length", &part.lengths);
                let block = match &part.source {
                    CountSource::Words { block } => Some(*block),
                    CountSource::Numbers { columns } => {
                        put_columns(columns);
                        None
                    }
                };
                PartHead::Polya { block }
            }
            Part::Count(part) => {
                put("length", &part.lengths);
                match &part.term {
                    Term::Numbers(term) => {
                        put("weight", &term.weights);
                        put_columns(&term.columns);
                        PartHead::Counts { distribution: part.distribution }
                    }
                    Term::Flags(term) => {
                        put("absent", &term.absent);
                        put("present", &term.present);
                        put_columns(&term.columns);
                        PartHead::Flags { threshold: term.threshold }
                    }
                    Term::Levels(term) => {
                        put("table", &term.table);
                        put_columns(&term.columns);
                        PartHead::Levels {}
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
    let (family, facts, notices) = (model.family, model.facts.clone(), model.notices.clone());
    let head = Head { family, facts, parts, log_marginal_likelihood: model.log_marginal_likelihood, notices };
    let mut record = Record::new(model.family.tag(), VERSION, &serde_json::json!({}))?;
    record.put_part("naive-bayes", &head)?;
    arrays.into_iter().for_each(|(name, values)| record.put(name, values));
    for (name, positions) in columns {
        record.put_counts(name, &positions.iter().map(|&j| j as u64).collect::<Vec<_>>());
    }
    model.classes.write(&mut record)?;
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
        notices: head.notices,
        log_marginal_likelihood: head.log_marginal_likelihood,
        layout,
    };
    Ok(Box::new(model))
}

fn read_part(record: &Record, layout: &Layout, at: usize, head: &PartHead) -> Result<Part> {
    let classes = layout.classes().len();
    let name = |array: &str| format!("part{at}.{array}");
    let columns = |plane: usize| {
        let positions = record.counts(&name("columns"))?.iter().map(|&j| usize::try_from(j).ok().filter(|j| *j < plane));
        let positions: Option<Vec<usize>> = positions.collect();
        positions.ok_or_else(|| fault(format!("part {at} speaks of columns that the layout does not have")))
    };
    let width_of = |block: usize| {
        let width = layout.word_widths().get(block).copied();
        width.ok_or_else(|| fault(format!("part {at} speaks of a text column that is not there")))
    };
    let times = |width: usize| width.checked_mul(classes).ok_or_else(|| fault(format!("part {at} has a shape that is too large")));
    let positive = |values: Vec<f64>| match values.iter().all(|v| *v > 0.0) {
        true => Ok(values),
        false => Err(fault(format!("part {at} holds a scale that is not above zero"))),
    };
    let numbers = layout.numbers().len();
    let lengths = || record.numbers(&name("length"), classes);
    Ok(match head {
        PartHead::Gaussian { shared } => {
            let columns = columns(numbers)?;
            let cells = times(columns.len())?;
            let means = record.numbers(&name("mean"), cells)?;
            Part::Gaussian(GaussianPart {
                columns,
                means,
                deviations: positive(record.numbers(&name("sd"), cells)?)?,
                shared: *shared,
                kernel: Prepared::default(),
            })
        }
        PartHead::Student { joint } => {
            let columns = columns(numbers)?;
            let cells = times(columns.len())?;
            let locations = record.numbers(&name("location"), cells)?;
            let scales = positive(record.numbers(&name("scale"), cells)?)?;
            let freedom = positive(record.numbers(&name("freedom"), cells)?)?;
            Part::Student(StudentPart { columns, locations, scales, freedom, joint: *joint })
        }
        PartHead::Polya { block } => {
            let (source, width) = match *block {
                Some(block) => (CountSource::Words { block }, width_of(block)?),
                None => {
                    let columns = columns(numbers)?;
                    let width = columns.len();
                    (CountSource::Numbers { columns }, width)
                }
            };
            let alphas = positive(record.numbers(&name("alpha"), times(width)?)?)?;
            let totals = positive(record.numbers(&name("total"), classes)?)?;
            Part::Polya(PolyaPart { source, alphas, totals, lengths: lengths()? })
        }
        PartHead::Counts { distribution } => {
            let columns = columns(numbers)?;
            let weights = record.log_weights(&name("weight"), times(columns.len())?)?;
            let term = NumberTerm { centre: vec![0.0; columns.len()], base: vec![0.0; weights.len()], columns, weights };
            Part::Count(CountPart { distribution: *distribution, term: Term::Numbers(term), lengths: lengths()? })
        }
        PartHead::Flags { threshold } => {
            let columns = columns(numbers)?;
            let cells = times(columns.len())?;
            let (absent, present) = (record.logs(&name("absent"), cells)?, record.logs(&name("present"), cells)?);
            let term = FlagTerm { columns, threshold: *threshold, absent, present };
            Part::Count(CountPart { distribution: Distribution::Bernoulli, term: Term::Flags(term), lengths: lengths()? })
        }
        PartHead::Levels {} => {
            let counts = layout.level_counts();
            let columns = columns(counts.len())?;
            let mut offsets = vec![0];
            columns.iter().for_each(|&j| offsets.push(offsets[offsets.len() - 1] + counts[j]));
            let table = record.logs(&name("table"), times(offsets[columns.len()])?)?;
            let term = LevelTerm { columns, offsets, table, kernel: Prepared::default() };
            Part::Count(CountPart { distribution: Distribution::Categorical, term: Term::Levels(term), lengths: lengths()? })
        }
        PartHead::Words { distribution, block, presence, required } => {
            let width = width_of(*block)?;
            if required.len() != classes {
                return Err(fault(format!("part {at} does not fit the classes")));
            }
            let (base, table) = (record.logs(&name("base"), classes)?, record.log_weights(&name("table"), times(width)?)?);
            let term =
                WordTerm { block: *block, presence: *presence, base, required: required.clone(), table, kernel: Prepared::default() };
            Part::Count(CountPart { distribution: *distribution, term: Term::Words(term), lengths: lengths()? })
        }
    })
}
