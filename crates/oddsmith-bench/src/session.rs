//! One request after the other against one set of arrays and one model.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use oddsmith::card::{Card, Cell};
use oddsmith::control::Control;
use oddsmith::data::{FeatureBlocks, Kind, Source, Weighting};
use oddsmith::error::{Error, Result};
use oddsmith::eval::{Auc, EvalSettings, Ranking, ScoreScale};
use oddsmith::model::Classifier;
use oddsmith::{registry, train};

use crate::arrays::{Arrays, Features};
use crate::memory::Watermark;
use crate::source::{ArraySource, Plane};
use crate::{cpu, limits, npy, params};

/// Rows in which the levels of codes are looked for first: all rows are searched only when the pass meets another one.
const SAMPLE_ROWS: usize = 1 << 16;

/// What the worker holds between requests.
#[derive(Default)]
pub(crate) struct Session {
    arrays: Option<Arrays>,
    fitted: Option<Fitted>,
    answer: Option<Answer>,
    /// All cores when not given.
    threads: Option<NonZeroUsize>,
    /// Leaves the clocks alone: an emulator that counts instructions cannot read all of them.
    untimed: bool,
}

struct Fitted {
    model: Box<dyn Classifier>,
    /// The labels of the classes.
    values: Vec<i64>,
}

enum Answer {
    Probabilities(Vec<f64>, usize),
    Labels(Vec<i64>),
}

impl Answer {
    fn bytes(&self) -> u64 {
        let numbers = match self {
            Answer::Probabilities(values, _) => values.len(),
            Answer::Labels(values) => values.len(),
        };
        numbers as u64 * 8
    }
}

impl Session {
    /// A session with these arrays loaded that does not look at any clock.
    pub(crate) fn untimed(arrays: Arrays) -> Self {
        Session { arrays: Some(arrays), untimed: true, ..Session::default() }
    }

    /// Answers one line.
    pub(crate) fn handle(&mut self, line: &str) -> Result<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["load", folder] => {
                self.arrays = Some(Arrays::load(Path::new(folder)).map_err(stored)?);
                Ok("ok".into())
            }
            ["threads", count] => {
                self.threads = Some(count.parse().map_err(|_| Error::data(format!("{count} is no number of threads")))?);
                Ok("ok".into())
            }
            ["limit", what, bytes, threads] => {
                let number = |text: &str| text.parse::<usize>().map_err(|_| Error::data(format!("{text} is no whole number")));
                let rate = match what {
                    "read" => limits::read_rate,
                    "lines" => limits::line_rate,
                    _ => return Err(Error::data(format!("no such limit: {what}"))),
                };
                Ok(format!("ok {}", rate(number(bytes)?, number(threads)?)))
            }
            ["fit", model, ref words @ ..] => {
                let learner = (registry::find(model)?.build)(&params::read(model, words)?)?;
                self.fitted = None;
                let threads = self.threads;
                let arrays = self.arrays.as_ref().ok_or_else(|| Error::data("nothing is loaded"))?;
                let (fitted, reply) = self.timed(
                    || {
                        let presence = model.starts_with("bernoulli");
                        let mut source = ArraySource::new(arrays, presence, SAMPLE_ROWS)?;
                        let mut fitted = train::fit(&learner, &source, threads, &Control::new());
                        if source.was_surprised() {
                            source = ArraySource::new(arrays, presence, usize::MAX)?;
                            fitted = train::fit(&learner, &source, threads, &Control::new());
                        }
                        Ok(Fitted { model: fitted?.model, values: source.into_label_values() })
                    },
                    |_| 0,
                )?;
                self.fitted = Some(fitted);
                Ok(reply)
            }
            ["auc"] => {
                self.answer = None;
                let arrays = self.arrays.as_ref().ok_or_else(|| Error::data("nothing is loaded"))?;
                let (answer, reply) = self.timed(|| area(arrays), |_| 0)?;
                self.answer = Some(answer);
                Ok(reply)
            }
            ["folds", count, ref models @ ..] => {
                let arrays = self.arrays.as_ref().ok_or_else(|| Error::data("nothing is loaded"))?;
                let count = count.parse().map_err(|_| Error::data(format!("{count} is no number of folds")))?;
                Ok(self.timed(|| cross_validate(arrays, count, models), |_| 0)?.1)
            }
            ["proba"] => self.answer(probabilities),
            ["predict"] => self.answer(labels),
            ["answer", file] => {
                match self.answer.as_ref().ok_or_else(|| Error::data("nothing is answered"))? {
                    Answer::Probabilities(values, classes) => npy::write(Path::new(file), values, &[values.len() / classes, *classes]),
                    Answer::Labels(values) => npy::write(Path::new(file), values, &[values.len()]),
                }
                .map_err(stored)?;
                Ok("ok".into())
            }
            ["parameters", file] => {
                let estimates = estimates(self.fitted()?)?;
                npy::write(Path::new(file), &estimates, &[estimates.len()]).map_err(stored)?;
                Ok("ok".into())
            }
            ["errors", file] => {
                let known = self.fitted()?.model.inference().and_then(|inference| inference.standard_errors());
                let Some(errors) = known else { return Ok("none".into()) };
                npy::write(Path::new(file), &errors, &[errors.len()]).map_err(stored)?;
                Ok("ok".into())
            }
            _ => Err(Error::data(format!("no such request: {line}"))),
        }
    }

    fn fitted(&self) -> Result<&Fitted> {
        self.fitted.as_ref().ok_or_else(|| Error::data("nothing is fitted"))
    }

    fn answer(&mut self, work: fn(&Arrays, &Fitted, Option<NonZeroUsize>) -> Result<Answer>) -> Result<String> {
        self.answer = None;
        let arrays = self.arrays.as_ref().ok_or_else(|| Error::data("nothing is loaded"))?;
        let fitted = self.fitted()?;
        let (answer, reply) = self.timed(|| work(arrays, fitted, self.threads), Answer::bytes)?;
        self.answer = Some(answer);
        Ok(reply)
    }

    /// Does a piece of work and reports its seconds, its processor time and the peak of memory beyond what it gives.
    fn timed<T>(&self, work: impl FnOnce() -> Result<T>, size: impl Fn(&T) -> u64) -> Result<(T, String)> {
        if self.untimed {
            return Ok((work()?, "ok".into()));
        }
        let memory = Watermark::start();
        let (start, cpu) = (Instant::now(), cpu::seconds());
        let done = work()?;
        let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu::seconds().zip(cpu).map(|(after, before)| after - before));
        let extra = memory.extra().map(|extra| extra.saturating_sub(size(&done)));
        Ok((done, format!("ok {seconds} {} {}", told(cpu), told(extra))))
    }
}

/// The estimates of a model: a regression's class after class with the intercept first and words last, others in the order of
/// their own table, in which the words of a class stand by their columns.
fn estimates(fitted: &Fitted) -> Result<Vec<f64>> {
    if let Some(inference) = fitted.model.inference() {
        return Ok(inference.estimates());
    }
    let card = fitted.model.card();
    let cells = card.tidy.column("estimate").ok_or_else(|| Error::data("the model lists no estimates"))?;
    let number = |cell: &Cell| if let Cell::Number(value) = cell { *value } else { f64::NAN };
    let mut estimates: Vec<f64> = cells.map(number).collect();
    if fitted.model.layout().features().iter().any(|feature| feature.kind() == Kind::Text) {
        by_columns(&card, &mut estimates);
    }
    Ok(estimates)
}

/// Puts estimates of words, which a card lists by what they tell, in the order of the classes and of the words' columns.
fn by_columns(card: &Card, estimates: &mut [f64]) {
    let text = |cell: &Cell| if let Cell::Text(text) = cell { text.to_string() } else { String::new() };
    let texts = |name: &str| -> Vec<String> { card.tidy.column(name).map_or_else(Vec::new, |cells| cells.map(text).collect()) };
    let (mut classes, mut places): (Vec<String>, Vec<(usize, u64)>) = (Vec::new(), Vec::new());
    for (class, level) in texts("class").into_iter().zip(texts("level")) {
        if classes.last() != Some(&class) {
            classes.push(class);
        }
        // What stands before the words of a class, its prior, has no level.
        let word: String = level.chars().filter(char::is_ascii_digit).collect();
        places.push((classes.len(), word.parse::<u64>().map_or(0, |word| word + 1)));
    }
    let mut order: Vec<usize> = (0..estimates.len()).collect();
    order.sort_by_key(|at| places[*at]);
    let sorted: Vec<f64> = order.iter().map(|at| estimates[*at]).collect();
    estimates.copy_from_slice(&sorted);
}

/// Cross-validates models on the same folds and judges all of them, as `compare` does.
fn cross_validate(arrays: &Arrays, count: usize, models: &[&str]) -> Result<()> {
    let source = ArraySource::new(arrays, false, SAMPLE_ROWS)?;
    let control = Control::new();
    let learners = models.iter().map(|model| registry::find(model)?.learner()).collect::<Result<Vec<_>>>()?;
    let folds = train::CrossValidation::new(&source, train::FoldSpec { folds: count, seed: 1, groups: None }, None, &control)?;
    let tables = folds.gather(&learners.iter().map(|learner| &**learner).collect::<Vec<_>>())?;
    let fitted = learners.iter().map(|learner| folds.models(&**learner, tables.as_ref())).collect::<Result<Vec<_>>>()?;
    let scored = folds.out_of_fold(&fitted)?;
    let classes = source.layout().classes().len();
    train::metrics_of(&scored, classes, &EvalSettings { memory: usize::MAX, ..EvalSettings::default() }, None).map(drop)
}

/// The area under the ROC curve of the first column, with its variance.
fn area(arrays: &Arrays) -> Result<Answer> {
    let Features::Numbers(scores) = &arrays.features else { return Err(Error::data("scores are numbers")) };
    let width = scores.shape[1];
    let rows = arrays.labels.iter().enumerate().map(|(i, label)| (scores.data[i * width], *label == 1, 1.0));
    let auc = Auc::of(&Ranking::new(rows, ScoreScale::Order), Weighting::None).map_err(|reason| Error::data(reason.to_string()))?;
    auc.variance.ok_or_else(|| Error::data("the area has no variance"))?;
    Ok(Answer::Probabilities(vec![auc.area], 1))
}

fn probabilities(arrays: &Arrays, fitted: &Fitted, threads: Option<NonZeroUsize>) -> Result<Answer> {
    let plane = Plane::new(&arrays.features)?;
    let classes = fitted.values.len();
    let mut out = vec![0.0; plane.rows() * classes];
    train::predict_into(&fitted.model, &plane, threads, &Control::new(), &mut out)?;
    Ok(Answer::Probabilities(out, classes))
}

fn labels(arrays: &Arrays, fitted: &Fitted, threads: Option<NonZeroUsize>) -> Result<Answer> {
    let plane = Plane::new(&arrays.features)?;
    let mut out = vec![0; plane.rows()];
    train::classify_into(&fitted.model, &plane, threads, &Control::new(), &mut out)?;
    Ok(Answer::Labels(out.iter().map(|&class| fitted.values[class as usize]).collect()))
}

fn told(figure: Option<impl ToString>) -> String {
    figure.map_or("-".to_owned(), |figure| figure.to_string())
}

fn stored(error: std::io::Error) -> Error {
    Error::data(error.to_string())
}
