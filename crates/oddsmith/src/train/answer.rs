//! The sums of one place, or of several together: answers to the same question merge with each other in any order.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer_total::AnswerTotal;
use super::question::Question;
use super::sites::{Site, Sites, mismatch};
use crate::codec::Codec;
use crate::data::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::model::BoxedStats;
use crate::notice::Notice;
use crate::persist::{self, FileKind};
use crate::record::{Record, fault};
use crate::stats::{Named, Parts, TableStats, unite};

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
        let mut total = AnswerTotal::default();
        answers.iter().try_for_each(|(name, answer)| total.add(name, answer))?;
        total.into_answer()
    }

    /// The sums of the answer, read into the empty ones of its pass.
    pub(super) fn sums(&self, empty: &BoxedStats) -> Result<BoxedStats> {
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

/// The layout of several tables that must have the same columns, over the union of their levels, words and classes, and what differs
/// between them. Each has the name that messages use for it.
pub fn common_layout(tables: &[(&str, &Layout)]) -> Result<(Layout, Vec<Notice>)> {
    let empty = |layout: &Layout| TableStats::new(Arc::new(layout.clone()), Parts::default());
    let empty: Vec<TableStats> = tables.iter().map(|(_, layout)| empty(layout)).collect();
    let members: Vec<Named<'_>> = tables.iter().zip(&empty).map(|((name, _), stats)| Named { name, stats }).collect();
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

/// The columns that a place answered with.
pub(super) fn own_layout(name: &str, answer: &Answer) -> Result<Layout> {
    Layout::read(&answer.content, "layout").map_err(|error| refused(name, error))
}

/// A fault of an answer, with the name that messages use for it.
pub(super) fn refused(name: &str, error: Error) -> Error {
    let what = match error.into_kind() {
        ErrorKind::Format { what, .. } => what,
        other => Error::from(other).to_string(),
    };
    ErrorKind::Format { expected: FILE, what: format!("{name}: {what}") }.into()
}
