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

/// The part `at` of a record.
fn read_part(record: &Record, layout: &Layout, at: usize, head: &PartHead) -> Result<Part> {
    let part = PartReader { record, layout, at };
    Ok(match head {
        PartHead::Gaussian { shared } => Part::Gaussian(part.gaussian(*shared)?),
        PartHead::Student { joint } => Part::Student(part.student(*joint)?),
        PartHead::Polya { block } => Part::Polya(part.polya(*block)?),
        PartHead::Counts { distribution } => part.count(*distribution, Term::Numbers(part.numbers()?))?,
        PartHead::Flags { threshold } => part.count(Distribution::Bernoulli, Term::Flags(part.flags(*threshold)?))?,
        PartHead::Levels {} => part.count(Distribution::Categorical, Term::Levels(part.levels()?))?,
        PartHead::Words { distribution, block, presence, required } => {
            part.count(*distribution, Term::Words(part.words(*block, *presence, required)?))?
        }
    })
}

/// Reads the arrays of one part, each with the shape that the layout gives it.
struct PartReader<'a> {
    record: &'a Record,
    layout: &'a Layout,
    at: usize,
}

impl PartReader<'_> {
    fn classes(&self) -> usize {
        self.layout.classes().len()
    }

    fn name(&self, array: &str) -> String {
        format!("part{}.{array}", self.at)
    }

    /// Places among `plane` columns.
    fn columns(&self, plane: usize) -> Result<Vec<usize>> {
        let stored = self.record.counts(&self.name("columns"))?;
        let positions: Option<Vec<usize>> = stored.iter().map(|&j| usize::try_from(j).ok().filter(|j| *j < plane)).collect();
        positions.ok_or_else(|| fault(format!("part {} speaks of columns that the layout does not have", self.at)))
    }

    fn number_columns(&self) -> Result<Vec<usize>> {
        self.columns(self.layout.numbers().len())
    }

    /// Number of words of a text column.
    fn width_of(&self, block: usize) -> Result<usize> {
        let width = self.layout.word_widths().get(block).copied();
        width.ok_or_else(|| fault(format!("part {} speaks of a text column that is not there", self.at)))
    }

    /// One cell for every class.
    fn times_classes(&self, width: usize) -> Result<usize> {
        width.checked_mul(self.classes()).ok_or_else(|| fault(format!("part {} has a shape that is too large", self.at)))
    }

    fn positive(&self, array: &str, cells: usize) -> Result<Vec<f64>> {
        let values = self.record.numbers(&self.name(array), cells)?;
        match values.iter().all(|v| *v > 0.0) {
            true => Ok(values),
            false => Err(fault(format!("part {} holds a scale that is not above zero", self.at))),
        }
    }

    fn lengths(&self) -> Result<Vec<f64>> {
        self.record.numbers(&self.name("length"), self.classes())
    }

    fn gaussian(&self, shared: bool) -> Result<GaussianPart> {
        let columns = self.number_columns()?;
        let cells = self.times_classes(columns.len())?;
        let means = self.record.numbers(&self.name("mean"), cells)?;
        Ok(GaussianPart { columns, means, deviations: self.positive("sd", cells)?, shared, kernel: Prepared::default() })
    }

    fn student(&self, joint: bool) -> Result<StudentPart> {
        let columns = self.number_columns()?;
        let cells = self.times_classes(columns.len())?;
        let locations = self.record.numbers(&self.name("location"), cells)?;
        let (scales, freedom) = (self.positive("scale", cells)?, self.positive("freedom", cells)?);
        Ok(StudentPart { columns, locations, scales, freedom, joint })
    }

    fn polya(&self, block: Option<usize>) -> Result<PolyaPart> {
        let (source, width) = match block {
            Some(block) => (CountSource::Words { block }, self.width_of(block)?),
            None => {
                let columns = self.number_columns()?;
                let width = columns.len();
                (CountSource::Numbers { columns }, width)
            }
        };
        let alphas = self.positive("alpha", self.times_classes(width)?)?;
        let totals = self.positive("total", self.classes())?;
        Ok(PolyaPart { source, alphas, totals, lengths: self.lengths()? })
    }

    fn count(&self, distribution: Distribution, term: Term) -> Result<Part> {
        Ok(Part::Count(CountPart { distribution, term, lengths: self.lengths()? }))
    }

    fn numbers(&self) -> Result<NumberTerm> {
        let columns = self.number_columns()?;
        let weights = self.record.log_weights(&self.name("weight"), self.times_classes(columns.len())?)?;
        Ok(NumberTerm { centre: vec![0.0; columns.len()], base: vec![0.0; weights.len()], columns, weights })
    }

    fn flags(&self, threshold: f64) -> Result<FlagTerm> {
        let columns = self.number_columns()?;
        let cells = self.times_classes(columns.len())?;
        let (absent, present) = (self.record.logs(&self.name("absent"), cells)?, self.record.logs(&self.name("present"), cells)?);
        Ok(FlagTerm { columns, threshold, absent, present })
    }

    fn levels(&self) -> Result<LevelTerm> {
        let counts = self.layout.level_counts();
        let columns = self.columns(counts.len())?;
        let mut offsets = vec![0];
        columns.iter().for_each(|&j| offsets.push(offsets[offsets.len() - 1] + counts[j]));
        let table = self.record.logs(&self.name("table"), self.times_classes(offsets[columns.len()])?)?;
        Ok(LevelTerm { columns, offsets, table, kernel: Prepared::default() })
    }

    fn words(&self, block: usize, presence: bool, required: &[u32]) -> Result<WordTerm> {
        let width = self.width_of(block)?;
        if required.len() != self.classes() {
            return Err(fault(format!("part {} does not fit the classes", self.at)));
        }
        let base = self.record.logs(&self.name("base"), self.classes())?;
        let table = self.record.log_weights(&self.name("table"), self.times_classes(width)?)?;
        Ok(WordTerm { block, presence, base, required: required.to_vec(), table, kernel: Prepared::default() })
    }
}
