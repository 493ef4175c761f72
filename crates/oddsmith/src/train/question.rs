//! A question to the places of a study: what to sum up, and at which point. It holds no sums of earlier passes and is answered without
//! repeating them.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::driver::pass;
use super::sites::{Site, Sites};
use super::study::Study;
use super::tally::{Nothing, Tallied};
use crate::codec::Codec;
use crate::control::Control;
use crate::data::{AlignedSource, Kind, Layout, Source};
use crate::error::Result;
use crate::model::{BoxedStats, TableNeeds};
use crate::persist::{self, FileKind};
use crate::record::{Record, fault};
use crate::stats::Statistics;

/// Version of the stored content.
const VERSION: u32 = 1;
/// Digits of the name of a question.
const DIGITS: usize = 16;

/// What every place is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub(super) study: Study,
    /// `None` while the columns themselves are asked for.
    pub(super) layout: Option<Arc<Layout>>,
    /// From 1.
    pub(super) number: usize,
    /// The point of the pass.
    pub(super) point: Record,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    program: String,
    number: usize,
    known_columns: bool,
    study: Study,
}

impl Question {
    /// The tag of its records.
    pub const TAG: &'static str = "question";

    /// An empty point.
    pub(super) fn no_point() -> Result<Record> {
        Record::new("point", 1, &serde_json::json!({}))
    }

    /// What is fitted.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// The columns that the places agreed upon; `None` while they are asked for.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_deref()
    }

    /// The number of the question, from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// What is summed up, in words.
    pub fn purpose(&self) -> Result<String> {
        Ok(self.empty()?.map_or_else(|| "the columns, their levels and the classes".into(), |empty| empty.purpose()))
    }

    /// What an answer tells of single rows, and not only of all together.
    pub fn discloses(&self) -> Result<Option<String>> {
        if let Some(empty) = self.empty()? {
            return Ok(empty.discloses());
        }
        let texts: Vec<String> =
            self.study.kinds.iter().filter(|(_, kind)| **kind == Kind::Text).map(|(name, _)| format!("`{name}`")).collect();
        let words = (!texts.is_empty()).then(|| format!("the words of {}, unless they are hashed", texts.join(", ")));
        let keys = self.study.keys.iter().map(|(name, role)| format!("every {} that occurs in `{name}`", role.name()));
        let told: Vec<String> = keys.chain(words).collect();
        Ok((!told.is_empty()).then(|| told.join("; ")))
    }

    /// What its study needs of a table before it is read.
    pub fn needs(&self) -> Result<TableNeeds> {
        Ok(TableNeeds { keys: self.study.keys.clone(), ..self.study.procedure()?.needs_any()? })
    }

    /// The empty sums that are asked for; `None` while the columns are.
    pub(super) fn empty(&self) -> Result<Option<BoxedStats>> {
        let Some(layout) = &self.layout else { return Ok(None) };
        let procedure = self.study.procedure()?;
        (*procedure).at_point_any(&self.study.keyed(layout)?, &self.point).map(Some)
    }

    /// The answer of the place that has these rows. A place that gives itself a `site` name is known by it; one that does not is known by
    /// its rows.
    pub fn answer(&self, source: &dyn Source, site: Option<&str>, threads: Option<NonZeroUsize>, control: &Control) -> Result<Answer> {
        let mut content = Answer::no_content()?;
        let tally = match (&self.layout, self.empty()?) {
            (Some(layout), Some(empty)) => {
                let layout = self.study.keyed(layout)?;
                let rows = AlignedSource::new(source, &layout)?;
                let mut seen = pass(&rows, &Tallied::new(&layout, empty), threads, control)?;
                Codec::out(&mut content, "").part("sums", &mut seen.sums)?;
                seen.tally
            }
            _ => {
                source.layout().unkeyed()?.write(&mut content, "layout")?;
                pass(source, &Tallied::new(source.layout(), Nothing), threads, control)?.tally
            }
        };
        // A place without rows has nothing that could be forgotten or count twice.
        let sites = Sites((tally.rows > 0).then(|| Site::new(site, &tally)).into_iter().collect());
        Ok(Answer { question: Some(Box::new(self.clone())), round: self.name()?, number: self.number, sites, content })
    }

    /// A name that no other question has: digits of the hash of its bytes.
    pub(super) fn name(&self) -> Result<String> {
        let hash = blake3::hash(&self.to_bytes()?).to_hex();
        Ok(hash[..DIGITS].to_owned())
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        persist::to_bytes(&self.record()?, FileKind::Statistics)
    }

    /// The question in a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Question> {
        let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
        Question::read(&record).map_err(|error| persist::expecting("question to the places of a study", error))
    }

    /// The question as plain data.
    pub(super) fn record(&self) -> Result<Record> {
        let mut record = Record::new(Question::TAG, VERSION, &serde_json::json!({}))?;
        let head = Head {
            program: env!("CARGO_PKG_VERSION").into(),
            number: self.number,
            known_columns: self.layout.is_some(),
            study: self.study.clone(),
        };
        record.put_part("question", &head)?;
        record.put_nested("point", "point:", self.point.clone())?;
        if let Some(layout) = &self.layout {
            layout.write(&mut record, "layout")?;
        }
        Ok(record)
    }

    pub(super) fn read(record: &Record) -> Result<Question> {
        record.expect(Question::TAG, VERSION)?;
        let head: Head = record.part("question")?;
        check_program(&head.program)?;
        let layout = head.known_columns.then(|| Layout::read(record, "layout")).transpose()?.map(Arc::new);
        let question = Question { study: head.study, layout, number: head.number, point: record.nested("point", "point:")? };
        // Whatever is wrong with the point is said before any row is read.
        question.empty()?;
        Ok(question)
    }
}

/// All places of a study use the same version: their sums must mean the same.
pub(super) fn check_program(program: &str) -> Result<()> {
    let ours = env!("CARGO_PKG_VERSION");
    match program == ours {
        true => Ok(()),
        false => {
            let theirs = crate::error::visible(program);
            Err(fault(format!("it was begun by version {theirs}, and this is {ours}; all places of a study use the same one")))
        }
    }
}
