//! Whether lines tell classes apart, asked where mistakes remain.
//!
//! A logistic regression of the same columns answers: its likelihood has a maximum exactly when no line tells its two classes apart. Two classes
//! are one question. Of more, every class that still errs is asked for against all others together, and the questions share every pass over the
//! rows. Time and memory: those of the regressions.

use std::sync::Arc;

use super::perceptron_model::Verdict;
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows, SKIP};
use crate::error::{Error, ErrorKind, Result};
use crate::model::linear::{LinearStats, Logistic, against_rest};
use crate::model::{Learner, PassInfo, Step};
use crate::record::Record;
use crate::stats::Statistics;

/// The passes of the questions that are still open.
#[derive(Debug, Clone)]
pub struct VerdictSums {
    questions: Vec<Question>,
    /// Labels of a batch as one question sees them.
    labels: Vec<u32>,
}

#[derive(Debug, Clone)]
enum Question {
    Asking(Box<LinearStats>),
    /// `None` where the search came to no end, which proves nothing.
    Answered(Option<Verdict>),
    /// By whoever asked for the pass.
    Elsewhere,
}

/// What a pass of the questions came to.
pub(super) enum Asked {
    /// Another pass is wanted.
    Again(VerdictSums),
    /// Every output has its answer.
    Answers(Vec<Option<Verdict>>),
}

impl VerdictSums {
    /// The first pass. `settled` says of every output whether it made no mistake any more.
    pub(super) fn begin(regression: &Logistic, layout: &Arc<Layout>, settled: &[bool]) -> Result<Self> {
        let question = |(output, settled): (usize, &bool)| match settled {
            true => Ok(Question::Answered(Some(Verdict::Separable))),
            false => {
                let stats = regression.begin(&layout_of(layout, output)?, &PassInfo::default())?;
                Ok(Question::Asking(Box::new(stats)))
            }
        };
        let questions = settled.iter().enumerate().map(question).collect::<Result<_>>()?;
        Ok(VerdictSums { questions, labels: Vec::new() })
    }

    /// What the sums of a pass come to.
    pub(super) fn finish(&self, regression: &Logistic) -> Result<Asked> {
        let mut questions = Vec::new();
        for question in &self.questions {
            questions.push(match question {
                Question::Answered(verdict) => Question::Answered(*verdict),
                Question::Elsewhere => return Err(Error::internal("a question is finished where its earlier passes are not known")),
                Question::Asking(stats) => match regression.finish(stats) {
                    Ok(Step::Again(next)) => Question::Asking(Box::new(next)),
                    Ok(Step::Done(_)) => Question::Answered(Some(Verdict::Overlapping)),
                    Err(error) => Question::Answered(proved(error)?),
                },
            });
        }
        let answer = |question: &Question| if let Question::Answered(verdict) = question { Some(*verdict) } else { None };
        Ok(match questions.iter().map(answer).collect() {
            Some(answers) => Asked::Answers(answers),
            None => Asked::Again(VerdictSums { questions, labels: Vec::new() }),
        })
    }

    /// Writes down where the questions stand.
    pub(super) fn write_point(&self, regression: &Logistic, point: &mut Record) -> Result<()> {
        point.put_counts("verdict", &[self.questions.len() as u64]);
        for (output, question) in self.questions.iter().enumerate() {
            if let Question::Asking(stats) = question {
                let mut inner = Record::new("verdict", 1, &serde_json::json!({}))?;
                regression.write_point(stats, &mut inner)?;
                let (key, prefix) = nest(output);
                point.put_nested(&key, &prefix, inner)?;
            }
        }
        Ok(())
    }

    /// The pass that is asked for at a point.
    pub(super) fn at_point(regression: &Logistic, layout: &Arc<Layout>, point: &Record) -> Result<Self> {
        let classes = layout.classes().len();
        let outputs = if classes == 2 { 1 } else { classes };
        let question = |output: usize| {
            let (key, prefix) = nest(output);
            if point.head.get(&key).is_none() {
                return Ok(Question::Elsewhere);
            }
            let stats = regression.at_point(&layout_of(layout, output)?, &point.nested(&key, &prefix)?)?;
            Ok(Question::Asking(Box::new(stats)))
        };
        let questions = (0..outputs).map(question).collect::<Result<_>>()?;
        Ok(VerdictSums { questions, labels: Vec::new() })
    }

    fn asking(&self) -> impl Iterator<Item = &LinearStats> {
        self.questions.iter().filter_map(|question| if let Question::Asking(stats) = question { Some(&**stats) } else { None })
    }
}

/// What the end of a regression proves.
fn proved(error: Error) -> Result<Option<Verdict>> {
    match error.kind() {
        ErrorKind::Separation { extent: "complete", .. } => Ok(Some(Verdict::Separable)),
        ErrorKind::Separation { .. } => Ok(Some(Verdict::Touching)),
        ErrorKind::Interrupted | ErrorKind::Internal(_) => Err(error),
        _ => Ok(None),
    }
}

/// The layout in which an output is asked for: two classes as they are, one of more against the others.
fn layout_of(layout: &Arc<Layout>, output: usize) -> Result<Arc<Layout>> {
    match layout.classes().len() {
        2 => Ok(Arc::clone(layout)),
        _ => against_rest(layout, layout.classes().label(output)),
    }
}

/// The key and the prefix of what is stored of an output.
fn nest(output: usize) -> (String, String) {
    (format!("question {output}"), format!("{output}:"))
}

impl Statistics for VerdictSums {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let single = self.questions.len() == 1;
        for (output, question) in self.questions.iter_mut().enumerate() {
            let Question::Asking(stats) = question else { continue };
            if single {
                stats.observe(rows)?;
                continue;
            }
            let own = |label: &u32| if *label == SKIP { SKIP } else { u32::from(*label as usize == output) };
            self.labels.clear();
            self.labels.extend(rows.labels.iter().map(own));
            stats.observe(Rows { labels: &self.labels, ..rows })?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        for (mine, theirs) in self.questions.iter_mut().zip(&other.questions) {
            if let (Question::Asking(mine), Question::Asking(theirs)) = (mine, theirs) {
                mine.merge(theirs)?;
            }
        }
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.asking().next().map_or(0.0, Statistics::weight)
    }

    fn purpose(&self) -> String {
        match self.questions.len() {
            1 => "whether any line tells the classes apart".into(),
            _ => "whether any line tells a class from the others".into(),
        }
    }

    fn discloses(&self) -> Option<String> {
        self.asking().find_map(Statistics::discloses)
    }

    fn bytes(&self) -> usize {
        self.asking().map(Statistics::bytes).sum()
    }
}

impl Encode for VerdictSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        for (output, question) in self.questions.iter_mut().enumerate() {
            if let Question::Asking(stats) = question {
                codec.part(&format!("question{output}"), &mut **stats)?;
            }
        }
        Ok(())
    }
}
