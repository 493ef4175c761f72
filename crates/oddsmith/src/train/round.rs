//! A fit that goes from place to place: one file asks, every place answers with its sums, and the answers lead to the next question.
//!
//! A round holds the study, the columns that the places agreed upon, who the places are, and the merged sums of all passes so far. What is
//! asked next follows from them: a procedure is a function of its sums, so whoever has the round can repeat its steps, which cost no pass.
//! Nothing else has to be stored, and the file is a full account of all that left the places. What the places need of it is a [`Question`].
//!
//! The first question is which columns, classes and levels there are; then come the passes of the procedure.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer::{self, Answer};
use super::question::{Question, check_program};
use super::sites::{Site, Sites, mismatch};
use super::study::{FirstStudy, Study};
use crate::codec::Codec;
use crate::data::{Classes, Layout};
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
        if answers.is_empty() {
            return Err(Error::data("there is no answer to go on from"));
        }
        let name = self.question()?.name()?;
        let is_ours =
            |answer: &Answer| answer.round == name || (answer.question.is_none() && Some(&answer.round) == self.first_name.as_ref());
        if let Some((place, other)) = answers.iter().find(|(_, answer)| !is_ours(answer)) {
            let what = match other.number == self.number() {
                true => "it answers the same question of another study".to_owned(),
                false => format!("it answers question {}, and this is question {}", other.number, self.number()),
            };
            return Err(mismatch("the round", place, what));
        }
        refuse_copies(answers)?;
        let sites = answer::joined_sites(answers)?;
        // Nobody is known before the first answers; rounds of the first version never knew who answered.
        if !self.sites.0.is_empty() {
            self.sites.check(&sites)?;
        }
        let known = Round { sites, ..self.clone() };
        match &self.layout {
            None => known.agree(answers),
            Some(layout) => known.merge(layout, answers),
        }
    }

    /// Agrees upon columns, levels and classes.
    fn agree(&self, answers: &[(&str, &Answer)]) -> Result<Advance> {
        let (mut layout, notices) = answer::agreed(answers)?;
        if let Some(first) = &self.study.first_class {
            let at = layout.classes().index(first)?;
            let mut labels = layout.classes().labels().to_vec();
            labels[..=at].rotate_right(1);
            layout = Layout::new(layout.target(), layout.features().to_vec(), Classes::new(labels)?, layout.weighting())?;
        }
        if !self.study.order.is_empty() {
            layout = self.study.order.applied(&layout)?;
        }
        let next = Round { layout: Some(Arc::new(layout)), first_name: None, ..self.clone() };
        // Whatever stands in the way of the fit is said now.
        next.question()?;
        Ok(Advance::Again(Box::new(next), notices))
    }

    fn merge(&self, layout: &Arc<Layout>, answers: &[(&str, &Answer)]) -> Result<Advance> {
        let procedure = self.study.procedure()?;
        let mut total = answer::total(&self.empty(&*procedure, layout)?, answers)?;
        let mut next = Round { first_name: None, ..self.clone() };
        Codec::out(&mut next.sums, "").part(&pass_name(self.passes), &mut total)?;
        next.passes += 1;
        Ok(match (*procedure).conclude_any(&total)? {
            Step::Again(_) => Advance::Again(Box::new(next), Vec::new()),
            Step::Done(conclusion) => Advance::Done(conclusion),
        })
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

/// Answers of the first version do not say whose they are; the same sums twice are the same answer.
fn refuse_copies(answers: &[(&str, &Answer)]) -> Result<()> {
    let first: Vec<_> = answers.iter().filter(|(_, answer)| answer.question.is_none() && answer.number > 1).collect();
    for (at, (name, answer)) in first.iter().enumerate() {
        if let Some((earlier, _)) = first[..at].iter().find(|(_, earlier)| earlier.content == answer.content) {
            return Err(mismatch(earlier, name, "they are the same answer, which would count twice".into()));
        }
    }
    Ok(())
}
