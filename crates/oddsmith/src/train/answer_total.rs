//! Answers put together one after the other, so that one of them is in memory at a time beside their sum.

use super::answer::{Answer, common_layout, own_layout, refused};
use super::question::Question;
use super::sites::{Sites, mismatch};
use crate::codec::Codec;
use crate::data::Layout;
use crate::error::{Error, Result};
use crate::model::BoxedStats;
use crate::notice::Notice;
use crate::record::fault;
use crate::stats::Statistics;

/// What answers to one question come to.
#[derive(Default)]
pub struct AnswerTotal {
    /// The question, with the name of the first answer to it.
    first: Option<First>,
    pub(super) content: Content,
}

struct First {
    name: String,
    question: Option<Box<Question>>,
    round: String,
    number: usize,
}

/// Columns or sums, and who brought them.
#[derive(Default)]
pub(super) struct Content {
    pub(super) sites: Sites,
    /// The empty sums of the pass; `None` while columns are asked for.
    pub(super) empty: Option<BoxedStats>,
    total: Option<BoxedStats>,
    layouts: Vec<(String, Layout)>,
}

impl Content {
    /// Adds an answer under the name that messages use for it.
    pub(super) fn add(&mut self, name: &str, answer: &Answer) -> Result<()> {
        self.sites.join(name, &answer.sites)?;
        let Some(empty) = &self.empty else {
            self.layouts.push((name.to_owned(), own_layout(name, answer)?));
            return Ok(());
        };
        let sums = answer.sums(empty).map_err(|error| refused(name, error))?;
        match &mut self.total {
            Some(total) => total.merge(&sums)?,
            none => *none = Some(sums),
        }
        Ok(())
    }

    /// The columns of all answers, which must have the same, and what differs between them.
    pub(super) fn agreed(&self) -> Result<(Layout, Vec<Notice>)> {
        common_layout(&self.layouts.iter().map(|(name, layout)| (name.as_str(), layout)).collect::<Vec<_>>())
    }

    /// The sums of all answers.
    pub(super) fn total(self) -> Result<BoxedStats> {
        self.total.or(self.empty).ok_or_else(|| Error::internal("columns were asked for, and no sums"))
    }
}

impl AnswerTotal {
    /// Adds an answer under the name that messages use for it. A place that is there twice is refused.
    pub fn add(&mut self, name: &str, answer: &Answer) -> Result<()> {
        match &self.first {
            None => {
                let Some(question) = &answer.question else {
                    let what = "it was written by an earlier version, whose answers do not merge; advance the round with all of them";
                    return Err(refused(name, fault(what)));
                };
                self.content.empty = question.empty()?;
                let question = Some(question.clone());
                self.first = Some(First { name: name.to_owned(), question, round: answer.round.clone(), number: answer.number });
            }
            Some(first) if first.round != answer.round => {
                let what = match first.number == answer.number {
                    true => "they answer questions of different studies".to_owned(),
                    false => format!("they answer questions {} and {}", first.number, answer.number),
                };
                return Err(mismatch(&first.name, name, what));
            }
            Some(_) => {}
        }
        self.content.add(name, answer)
    }

    /// The answer that stands for all of them.
    pub fn into_answer(self) -> Result<Answer> {
        let First { question, round, number, .. } = self.first.ok_or_else(|| Error::data("there is no answer to merge"))?;
        let mut content = Answer::no_content()?;
        let sites = self.content.sites.clone();
        match self.content.empty.is_some() {
            true => Codec::out(&mut content, "").part("sums", &mut self.content.total()?)?,
            false => self.content.agreed()?.0.write(&mut content, "layout")?,
        }
        Ok(Answer { question, round, number, sites, content })
    }
}
