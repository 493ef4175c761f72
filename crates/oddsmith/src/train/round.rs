//! A fit that goes from place to place: one file asks, every place answers with its sums, and the answers lead to the next question.
//!
//! A round holds the study, the columns that the places agreed upon and the merged sums of all passes so far. What is asked next
//! follows from them: a learner is a function of its sums, so whoever has the round can repeat its steps, which cost no pass.
//! Nothing else has to be stored, and the file is a full account of all that left the places.
//!
//! The first question is which columns, classes and levels there are; then come the passes of the learner.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::driver::pass;
use super::study::Study;
use crate::codec::Codec;
use crate::control::Control;
use crate::data::{AlignedSource, Classes, Layout, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::model::linear::{Logistic, OneVsRest, PassSummary};
use crate::model::{Classifier, Learner, Step};
use crate::notice::Notice;
use crate::persist::{self, FileKind};
use crate::record::{Record, fault};
use crate::stats::{Named, Parts, Statistics, TableStats, unite};

/// Tags and versions of the stored content.
const ROUND: (&str, u32) = (Round::TAG, 1);
const ANSWER: (&str, u32) = (Answer::TAG, 1);
/// Digits of the name of a round.
const DIGITS: usize = 16;

/// A question to all places of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    study: Study,
    /// `None` while the columns themselves are asked for.
    layout: Option<Arc<Layout>>,
    /// Passes that were answered.
    passes: usize,
    /// Their sums, as arrays.
    sums: Record,
}

/// The sums of one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The name of the round that asked.
    round: String,
    /// The question, from 0.
    question: usize,
    content: Record,
}

/// What answers lead to.
pub enum Advance {
    /// The next question, and what differed between the places.
    Again(Box<Round>, Vec<Notice>),
    /// The model of the rows of all places.
    Done(Box<dyn Classifier>),
}

/// What a round is about to ask, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is summed up.
    pub purpose: String,
    /// What the answer tells of single rows, and not only of all together.
    pub discloses: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundHead {
    program: String,
    passes: usize,
    known_columns: bool,
    study: Study,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerHead {
    round: String,
    question: usize,
}

impl Round {
    /// The tag of its records.
    pub const TAG: &'static str = "round";

    /// The first question of a study.
    pub fn begin(study: Study) -> Result<Round> {
        let study = Study { learner: Logistic { sampling: false, ..study.learner }, ..study };
        study.learner.check()?;
        Ok(Round { study, layout: None, passes: 0, sums: Record::new(ROUND.0, ROUND.1, &serde_json::json!({}))? })
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
        self.passes + 1 + usize::from(self.layout.is_some())
    }

    /// What is asked.
    pub fn question(&self) -> Result<Question> {
        match &self.layout {
            None => Ok(Question { purpose: "the columns, their levels and the classes".into(), discloses: None }),
            Some(layout) if self.study.one_vs_rest => self.question_of(&self.one_vs_rest(), layout),
            Some(layout) => self.question_of(&self.study.learner, layout),
        }
    }

    fn question_of<L: Learner<Stats: PassSummary>>(&self, learner: &L, layout: &Arc<Layout>) -> Result<Question> {
        let empty = self.empty(learner, layout)?;
        Ok(Question { purpose: empty.purpose(), discloses: empty.discloses() })
    }

    /// The answer of the place that has these rows.
    pub fn answer(&self, source: &dyn Source, threads: Option<NonZeroUsize>, control: &Control) -> Result<Answer> {
        let mut content = Record::new(ANSWER.0, ANSWER.1, &serde_json::json!({}))?;
        match &self.layout {
            None => source.layout().write(&mut content, "layout")?,
            Some(layout) => {
                let rows = AlignedSource::new(source, layout)?;
                match self.study.one_vs_rest {
                    true => write_sums(&self.empty(&self.one_vs_rest(), layout)?, &rows, threads, control, &mut content)?,
                    false => write_sums(&self.empty(&self.study.learner, layout)?, &rows, threads, control, &mut content)?,
                }
            }
        }
        Ok(Answer { round: self.name()?, question: self.number(), content })
    }

    /// Puts the answers of all places together, each under the name that messages use for it.
    pub fn advance(&self, answers: &[(&str, &Answer)]) -> Result<Advance> {
        let name = self.name()?;
        if answers.is_empty() {
            return Err(Error::data("there is no answer to go on from"));
        }
        if let Some((place, other)) = answers.iter().find(|(_, answer)| answer.round != name) {
            let what = match other.question == self.number() {
                true => "it answers the same question of another study".to_owned(),
                false => format!("it answers question {}, and this is question {}", other.question, self.number()),
            };
            return Err(mismatch("the round", place, what));
        }
        match &self.layout {
            None => self.agree(answers),
            Some(layout) if self.study.one_vs_rest => self.merge(&self.one_vs_rest(), layout, answers),
            Some(layout) => self.merge(&self.study.learner, layout, answers),
        }
    }

    /// Agrees upon columns, levels and classes.
    fn agree(&self, answers: &[(&str, &Answer)]) -> Result<Advance> {
        let layouts = answers.iter().map(|(_, answer)| Layout::read(&answer.content, "layout")).collect::<Result<Vec<_>>>()?;
        let empty: Vec<TableStats> = layouts.into_iter().map(|layout| TableStats::new(Arc::new(layout), Parts::default())).collect();
        let members: Vec<Named<'_>> = answers.iter().zip(&empty).map(|((name, _), stats)| Named { name, stats }).collect();
        let (united, notices) = unite(&members)?;
        let mut layout = (**united.layout()).clone();
        if let Some((place, lacking)) = lacking(&layout, &members) {
            return Err(mismatch("the others", place, format!("it has no column `{lacking}`")));
        }
        if let Some(first) = &self.study.first_class {
            let at = layout.classes().index(first)?;
            let mut labels = layout.classes().labels().to_vec();
            labels[..=at].rotate_right(1);
            layout = Layout::new(layout.target(), layout.features().to_vec(), Classes::new(labels)?, layout.weighting())?;
        }
        let next = Round { layout: Some(Arc::new(layout)), ..self.clone() };
        // Whatever stands in the way of the fit is said now.
        next.question()?;
        Ok(Advance::Again(Box::new(next), notices))
    }

    fn merge<L>(&self, learner: &L, layout: &Arc<Layout>, answers: &[(&str, &Answer)]) -> Result<Advance>
    where
        L: Learner<Stats: PassSummary, Model: 'static>,
    {
        let empty = self.empty(learner, layout)?;
        let mut total: Option<L::Stats> = None;
        for (place, answer) in answers {
            let mut sums = empty.clone();
            let read = Codec::from(&answer.content, "").part("sums", &mut sums);
            read.map_err(|error| mismatch("the round", place, error.to_string()))?;
            match &mut total {
                Some(total) => total.merge(&sums)?,
                none => *none = Some(sums),
            }
        }
        let mut total = total.unwrap_or(empty);
        let mut next = self.clone();
        Codec::out(&mut next.sums, "").part(&pass_name(self.passes), &mut total)?;
        next.passes += 1;
        Ok(match learner.finish(&total)? {
            Step::Again(_) => Advance::Again(Box::new(next), Vec::new()),
            Step::Done(model) => Advance::Done(Box::new(model)),
        })
    }

    /// The empty sums of the current pass: the steps of all earlier passes repeated from their sums.
    fn empty<L: Learner<Stats: PassSummary>>(&self, learner: &L, layout: &Arc<Layout>) -> Result<L::Stats> {
        let mut empty = learner.begin(layout)?;
        for pass in 0..self.passes {
            let mut sums = empty;
            Codec::from(&self.sums, "").part(&pass_name(pass), &mut sums)?;
            empty = match learner.finish(&sums)? {
                Step::Again(next) => next,
                Step::Done(_) => return Err(fault("it asks for a pass after the last one")),
            };
        }
        Ok(empty)
    }

    fn one_vs_rest(&self) -> OneVsRest {
        OneVsRest { each: self.study.learner.clone() }
    }

    /// A name that no other round has: digits of the hash of its bytes.
    fn name(&self) -> Result<String> {
        let hash = blake3::hash(&self.to_bytes()?).to_hex();
        Ok(hash[..DIGITS].to_owned())
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        persist::to_bytes(&self.record()?, FileKind::Statistics)
    }

    /// The round in a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Round> {
        let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
        Round::read(&record).map_err(|error| persist::expecting("question to the places of a study", error))
    }

    /// The round as plain data.
    fn record(&self) -> Result<Record> {
        let mut record = self.sums.clone();
        let head = RoundHead {
            program: env!("CARGO_PKG_VERSION").into(),
            passes: self.passes,
            known_columns: self.layout.is_some(),
            study: self.study.clone(),
        };
        record.put_part("round", &head)?;
        if let Some(layout) = &self.layout {
            layout.write(&mut record, "layout")?;
        }
        Ok(record)
    }

    fn read(record: &Record) -> Result<Round> {
        record.expect(ROUND.0, ROUND.1)?;
        let head: RoundHead = record.part("round")?;
        let ours = env!("CARGO_PKG_VERSION");
        if head.program != ours {
            let theirs = crate::error::visible(&head.program);
            return Err(fault(format!("it was begun by version {theirs}, and this is {ours}; all places of a study use the same one")));
        }
        let layout = head.known_columns.then(|| Layout::read(record, "layout")).transpose()?.map(Arc::new);
        let begun = Round::begin(head.study)?;
        let mut sums = begun.sums;
        let of_passes = record.arrays.iter().filter(|(name, _)| name.starts_with("pass"));
        sums.arrays = of_passes.map(|(name, array)| (name.clone(), array.clone())).collect();
        Ok(Round { study: begun.study, layout, passes: head.passes, sums })
    }
}

impl Answer {
    /// The tag of its records.
    pub const TAG: &'static str = "answer";

    /// The number of the question that it answers, from 1.
    pub fn question(&self) -> usize {
        self.question
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        persist::to_bytes(&self.record()?, FileKind::Statistics)
    }

    /// The answer in a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Answer> {
        let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
        Answer::read(&record).map_err(|error| persist::expecting("answer of a place of a study", error))
    }

    /// The answer as plain data.
    fn record(&self) -> Result<Record> {
        let mut record = self.content.clone();
        record.put_part("answer", &AnswerHead { round: self.round.clone(), question: self.question })?;
        Ok(record)
    }

    fn read(record: &Record) -> Result<Answer> {
        record.expect(ANSWER.0, ANSWER.1)?;
        let head: AnswerHead = record.part("answer")?;
        let mut content = record.clone();
        if let Some(parts) = content.head.as_object_mut() {
            parts.remove("answer");
        }
        Ok(Answer { round: head.round, question: head.question, content })
    }
}

fn pass_name(pass: usize) -> String {
    format!("pass{pass}")
}

/// A pass over the rows, written down.
fn write_sums<S>(empty: &S, rows: &dyn Source, threads: Option<NonZeroUsize>, control: &Control, content: &mut Record) -> Result<()>
where
    S: PassSummary + for<'a> Statistics<Input<'a> = crate::data::Rows<'a>>,
{
    let mut sums = pass(rows, empty, threads, control)?;
    Codec::out(content, "").part("sums", &mut sums)
}

/// The first place that lacks a column of the union, and the column.
fn lacking<'a>(union: &Layout, members: &[Named<'a>]) -> Option<(&'a str, String)> {
    members.iter().find_map(|member| {
        let own = member.stats.layout().names();
        union.names().into_iter().find(|name| !own.contains(name)).map(|name| (member.name, name))
    })
}

fn mismatch(left: &str, right: &str, what: String) -> Error {
    ErrorKind::Mismatch { left_name: left.into(), right_name: right.into(), what }.into()
}
