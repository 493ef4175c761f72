//! A fit that goes from place to place: one file asks, every place answers with its sums, and the answers lead to the next question.
//!
//! A round holds the study, the columns that the places agreed upon, who the places are, and the merged sums of all passes so far. What is
//! asked next follows from them: a procedure is a function of its sums, so whoever has the round can repeat its steps, which cost no pass.
//! Nothing else has to be stored, and the file is a full account of all that left the places. What the places need of it is a [`Question`].
//!
//! The first question is which columns, classes and levels there are; then come the passes of the procedure.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::answer_total::Content;
use super::question::{Question, check_program};
use super::sites::{Site, Sites, mismatch};
use super::study::{FirstStudy, Study};
use crate::codec::Codec;
use crate::data::Layout;
use crate::error::{Error, Result};
use crate::model::{AnyProcedure, BoxedStats, Conclusion, PassInfo, Step};
use crate::notice::Notice;
use crate::persist::{self, FileKind};
use crate::record::{Record, fault};

/// Tag and version of the stored content.
const ROUND: (&str, u32) = (Round::TAG, 2);
/// Digits of the name of a round of the first version.
const DIGITS: usize = 16;

/// The account of a study under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    study: Study,
    /// `None` while the columns themselves are asked for.
    layout: Option<Arc<Layout>>,
    /// Passes that were answered.
    passes: usize,
    /// Their sums, as arrays.
    sums: Record,
    /// Who answered the first question.
    sites: Sites,
    /// The name by which answers of the first version call a round of the first version.
    first_name: Option<String>,
}

/// What answers lead to.
pub enum Advance {
    /// The next question, and what differed between the places.
    Again(Box<Round>, Vec<Notice>),
    /// What the rows of all places lead to.
    Done(Conclusion),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head<S> {
    program: String,
    passes: usize,
    known_columns: bool,
    study: S,
}

impl Round {
    /// The tag of its records.
    pub const TAG: &'static str = "round";

    /// The first question of a study.
    pub fn begin(study: Study) -> Result<Round> {
        let keys = study.procedure()?.needs_any()?.keys;
        Round::of(Study { keys, ..study })
    }

    fn of(study: Study) -> Result<Round> {
        study.procedure()?;
        Ok(Round { study, layout: None, passes: 0, sums: Round::no_sums()?, sites: Sites::default(), first_name: None })
    }

    /// A study of columns that are known: its first question is the first pass.
    pub fn with_layout(study: Study, layout: Layout) -> Result<Round> {
        let round = Round { layout: Some(Arc::new(layout)), ..Round::begin(study)? };
        round.question()?;
        Ok(round)
    }

    fn no_sums() -> Result<Record> {
        Record::new(ROUND.0, ROUND.1, &serde_json::json!({}))
    }

    /// What is fitted.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// The columns that the places agreed upon; `None` while they are asked for.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_deref()
    }

    /// The places that took part, as far as they have rows.
    pub fn sites(&self) -> &[Site] {
        &self.sites.0
    }

    /// The number of the question, from 1.
    pub fn number(&self) -> usize {
        self.passes + 1 + usize::from(self.layout.is_some())
    }

    /// What is asked, without the sums of earlier passes.
    pub fn question(&self) -> Result<Question> {
        let mut point = Question::no_point()?;
        if let Some(layout) = &self.layout {
            let procedure = self.study.procedure()?;
            (*procedure).write_point_any(&self.empty(&*procedure, layout)?, &mut point)?;
        }
        Ok(Question { study: self.study.clone(), layout: self.layout.clone(), number: self.number(), point })
    }

    /// Puts the answers of all places together, each under the name that messages use for it.
    pub fn advance(&self, answers: &[(&str, &Answer)]) -> Result<Advance> {
        let mut gathered = self.gather()?;
        answers.iter().try_for_each(|(name, answer)| gathered.add(name, answer))?;
        gathered.advance()
    }

    /// Begins to put answers together, one after the other.
    pub fn gather(&self) -> Result<GatheredAnswers<'_>> {
        let mut content = Content::default();
        let procedure = self.study.procedure()?;
        if let Some(layout) = &self.layout {
            content.empty = Some(self.empty(&*procedure, layout)?);
        }
        Ok(GatheredAnswers { round: self, name: self.question()?.name()?, procedure, content, first_version: Vec::new(), count: 0 })
    }

    /// The empty sums of the current pass: the steps of all earlier passes repeated from their sums.
    fn empty(&self, procedure: &dyn AnyProcedure, layout: &Arc<Layout>) -> Result<BoxedStats> {
        let mut empty = procedure.begin_any(&self.study.keyed(layout)?, &PassInfo::default())?;
        for pass in 0..self.passes {
            let mut sums = empty;
            Codec::from(&self.sums, "").part(&pass_name(pass), &mut sums)?;
            empty = match procedure.conclude_any(&sums)? {
                Step::Again(next) => next,
                Step::Done(_) => return Err(fault("it asks for a pass after the last one")),
            };
        }
        Ok(empty)
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        persist::to_bytes(&self.record()?, FileKind::Statistics)
    }

    /// The round in a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Round> {
        let (_, record) = persist::from_bytes(bytes, Some(FileKind::Statistics))?;
        let read = Round::read(&record).map_err(|error| persist::expecting("question to the places of a study", error))?;
        let hash = blake3::hash(bytes).to_hex();
        let first_name = (record.version == 1).then(|| hash[..DIGITS].to_owned());
        Ok(Round { first_name, ..read })
    }

    /// The round as plain data.
    fn record(&self) -> Result<Record> {
        let mut record = self.sums.clone();
        let (program, study) = (env!("CARGO_PKG_VERSION").to_owned(), &self.study);
        record.put_part("round", &Head { program, passes: self.passes, known_columns: self.layout.is_some(), study })?;
        if let Some(layout) = &self.layout {
            layout.write(&mut record, "layout")?;
        }
        self.sites.write(&mut record);
        Ok(record)
    }

    fn read(record: &Record) -> Result<Round> {
        record.expect(ROUND.0, ROUND.1)?;
        let head: Head<Study> = match record.version {
            1 => {
                let Head { program, passes, known_columns, study } = record.part::<Head<FirstStudy>>("round")?;
                Head { program, passes, known_columns, study: study.try_into()? }
            }
            _ => record.part("round")?,
        };
        check_program(&head.program)?;
        let layout = head.known_columns.then(|| Layout::read(record, "layout")).transpose()?.map(Arc::new);
        let sites = if record.version == 1 { Sites::default() } else { Sites::read(record)? };
        let mut sums = Round::no_sums()?;
        let of_passes = record.arrays.iter().filter(|(name, _)| name.starts_with("pass"));
        sums.arrays = of_passes.map(|(name, array)| (name.clone(), array.clone())).collect();
        Ok(Round { layout, passes: head.passes, sums, sites, ..Round::of(head.study)? })
    }
}

fn pass_name(pass: usize) -> String {
    format!("pass{pass}")
}

/// Answers to the question of a round on their way to the next.
pub struct GatheredAnswers<'a> {
    round: &'a Round,
    /// The name of the question.
    name: String,
    procedure: Box<dyn AnyProcedure>,
    content: Content,
    /// Answers of the first version, which do not say whose they are.
    first_version: Vec<(String, Record)>,
    count: usize,
}

impl GatheredAnswers<'_> {
    /// Adds an answer under the name that messages use for it.
    pub fn add(&mut self, place: &str, answer: &Answer) -> Result<()> {
        let of_first_version = answer.question.is_none();
        if answer.round != self.name && !(of_first_version && Some(&answer.round) == self.round.first_name.as_ref()) {
            let number = self.round.number();
            let what = match answer.number == number {
                true => "it answers the same question of another study".to_owned(),
                false => format!("it answers question {}, and this is question {number}", answer.number),
            };
            return Err(mismatch("the round", place, what));
        }
        if of_first_version && answer.number > 1 {
            // The same sums twice are the same answer.
            if let Some((earlier, _)) = self.first_version.iter().find(|(_, content)| *content == answer.content) {
                return Err(mismatch(earlier, place, "they are the same answer, which would count twice".into()));
            }
            self.first_version.push((place.to_owned(), answer.content.clone()));
        }
        self.count += 1;
        self.content.add(place, answer)
    }

    /// What all answers lead to.
    pub fn advance(self) -> Result<Advance> {
        if self.count == 0 {
            return Err(Error::data("there is no answer to go on from"));
        }
        let round = self.round;
        // Nobody is known before the first answers; rounds of the first version never knew who answered.
        if !round.sites.0.is_empty() {
            round.sites.check(&self.content.sites)?;
        }
        let known = Round { sites: self.content.sites.clone(), first_name: None, ..round.clone() };
        if round.layout.is_none() {
            // Columns, levels and classes are agreed upon.
            let (layout, notices) = self.content.agreed()?;
            let next = Round { layout: Some(Arc::new(round.study.settled(layout)?)), ..known };
            // Whatever stands in the way of the fit is said now.
            next.question()?;
            return Ok(Advance::Again(Box::new(next), notices));
        }
        let (mut total, mut next) = (self.content.total()?, known);
        Codec::out(&mut next.sums, "").part(&pass_name(round.passes), &mut total)?;
        next.passes += 1;
        Ok(match (*self.procedure).conclude_any(&total)? {
            Step::Again(_) => Advance::Again(Box::new(next), Vec::new()),
            Step::Done(conclusion) => Advance::Done(conclusion),
        })
    }
}
