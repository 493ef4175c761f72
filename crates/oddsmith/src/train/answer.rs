//! The sums of one place, or of several together: answers to the same question merge with each other in any order.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::question::Question;
use super::sites::{Site, Sites, mismatch};
use crate::codec::Codec;
use crate::data::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::model::BoxedStats;
use crate::notice::Notice;
use crate::persist::{self, FileKind};
use crate::record::{Record, fault};
use crate::stats::{Named, Parts, Statistics, TableStats, unite};

/// Tag and version of the stored content.
const ANSWER: (&str, u32) = (Answer::TAG, 2);
/// What people call such a file.
const FILE: &str = "answer of a place of a study";

/// The sums of one or more places.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The question; answers of the first version do not hold it.
    pub(super) question: Option<Box<Question>>,
    /// The name of the question.
    pub(super) round: String,
    /// Its number, from 1.
    pub(super) number: usize,
    /// Who answered.
    pub(super) sites: Sites,
    /// A layout, or sums.
    pub(super) content: Record,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    round: String,
    question: usize,
}

impl Answer {
    /// The tag of its records.
    pub const TAG: &'static str = "answer";

    pub(super) fn no_content() -> Result<Record> {
        Record::new(ANSWER.0, ANSWER.1, &serde_json::json!({}))
    }

    /// The number of the question that it answers, from 1.
    pub fn question(&self) -> usize {
        self.number
    }

    /// The places whose rows it sums up, as far as they have rows.
    pub fn sites(&self) -> &[Site] {
        &self.sites.0
    }

    /// Rows that it sums up.
    pub fn rows(&self) -> u64 {
        self.sites.0.iter().map(|site| site.rows).sum()
    }

    /// Their weight.
    pub fn weight(&self) -> f64 {
        self.sites.0.iter().map(|site| site.weight).sum()
    }

    /// This answer and another to the same question as one.
    pub fn merge(&self, other: &Answer) -> Result<Answer> {
        Answer::merged(&[("the first answer", self), ("the second answer", other)])
    }

    /// Answers to the same question as one, each under the name that messages use for it.
    pub fn merged(answers: &[(&str, &Answer)]) -> Result<Answer> {
        let (name, first) = answers.first().ok_or_else(|| Error::data("there is no answer to merge"))?;
        if let Some((other, answer)) = answers.iter().find(|(_, answer)| answer.round != first.round) {
            let what = match answer.number == first.number {
                true => "they answer questions of different studies".to_owned(),
                false => format!("they answer questions {} and {}", first.number, answer.number),
            };
            return Err(mismatch(name, other, what));
        }
        let Some(question) = &first.question else {
            let what = "it was written by an earlier version, whose answers do not merge; advance the round with all of them";
            return Err(refused(name, fault(what)));
        };
        let sites = joined_sites(answers)?;
        let mut content = Answer::no_content()?;
        match question.empty()? {
            Some(empty) => Codec::out(&mut content, "").part("sums", &mut total(&empty, answers)?)?,
            None => agreed(answers)?.0.write(&mut content, "layout")?,
        }
        Ok(Answer { question: Some(question.clone()), round: first.round.clone(), number: first.number, sites, content })
    }

    /// The sums of the answer, read into the empty ones of its pass.
    fn sums(&self, empty: &BoxedStats) -> Result<BoxedStats> {
        let mut sums = empty.clone();
        Codec::from(&self.content, "").part("sums", &mut sums)?;
        Ok(sums)
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        persist::to_bytes(&self.record()?, FileKind::Statistics)
    }

    /// The answer in a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Answer> {
        let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
        Answer::read(&record).map_err(|error| persist::expecting(FILE, error))
    }

    /// The answer as plain data.
    fn record(&self) -> Result<Record> {
        let mut record = self.content.clone();
        record.put_part("answer", &Head { round: self.round.clone(), question: self.number })?;
        if let Some(question) = &self.question {
            record.put_nested("question", "question:", question.record()?)?;
            self.sites.write(&mut record);
        }
        Ok(record)
    }

    fn read(record: &Record) -> Result<Answer> {
        record.expect(ANSWER.0, ANSWER.1)?;
        let head: Head = record.part("answer")?;
        let mut content = record.clone();
        if let Some(parts) = content.head.as_object_mut() {
            parts.remove("answer");
            parts.remove("question");
        }
        content.arrays.retain(|name, _| !Sites::owns(name) && !name.starts_with("question:"));
        if record.version < ANSWER.1 {
            return Ok(Answer { question: None, round: head.round, number: head.question, sites: Sites::default(), content });
        }
        let question = Question::read(&record.nested("question", "question:")?)?;
        if question.name()? != head.round || question.number != head.question {
            return Err(fault("it names another question than the one it holds"));
        }
        let sites = Sites::read(record)?;
        Ok(Answer { question: Some(Box::new(question)), round: head.round, number: head.question, sites, content })
    }
}

/// The places of several answers.
pub(super) fn joined_sites(answers: &[(&str, &Answer)]) -> Result<Sites> {
    Sites::joined(&answers.iter().map(|(name, answer)| (*name, &answer.sites)).collect::<Vec<_>>())
}

/// The sums of all answers.
pub(super) fn total(empty: &BoxedStats, answers: &[(&str, &Answer)]) -> Result<BoxedStats> {
    let mut total: Option<BoxedStats> = None;
    for (name, answer) in answers {
        let sums = answer.sums(empty).map_err(|error| refused(name, error))?;
        match &mut total {
            Some(total) => total.merge(&sums)?,
            none => *none = Some(sums),
        }
    }
    Ok(total.unwrap_or_else(|| empty.clone()))
}

/// The columns of all answers, which must have the same, and what differs between them.
pub(super) fn agreed(answers: &[(&str, &Answer)]) -> Result<(Layout, Vec<Notice>)> {
    let read = |(name, answer): &(&str, &Answer)| Layout::read(&answer.content, "layout").map_err(|error| refused(name, error));
    let layouts = answers.iter().map(read).collect::<Result<Vec<_>>>()?;
    let empty: Vec<TableStats> = layouts.into_iter().map(|layout| TableStats::new(Arc::new(layout), Parts::default())).collect();
    let members: Vec<Named<'_>> = answers.iter().zip(&empty).map(|((name, _), stats)| Named { name, stats }).collect();
    let (united, notices) = unite(&members)?;
    let layout = (**united.layout()).clone();
    match lacking(&layout, &members) {
        None => Ok((layout, notices)),
        Some((place, lacking)) => Err(mismatch("the others", place, format!("it has no column `{lacking}`"))),
    }
}

/// The first place that lacks a column of the union, and the column.
fn lacking<'a>(union: &Layout, members: &[Named<'a>]) -> Option<(&'a str, String)> {
    members.iter().find_map(|member| {
        let own = member.stats.layout().names();
        union.names().into_iter().find(|name| !own.contains(name)).map(|name| (member.name, name))
    })
}

/// A fault of an answer, with the name that messages use for it.
fn refused(name: &str, error: Error) -> Error {
    let what = match error.into_kind() {
        ErrorKind::Format { what, .. } => what,
        other => Error::from(other).to_string(),
    };
    ErrorKind::Format { expected: FILE, what: format!("{name}: {what}") }.into()
}
