//! Everything that a report tells about a model and the rows it is held against, as plain data: no model in it, and nothing that is not drawn or said.
//!
//! Two passes over the rows (a digest of columns, and the judging that the caller has done), one more for the influence of rows where the model knows it.

use std::num::NonZeroUsize;

use super::driver::pass;
use super::pictures::{
    Dealt, Influence, Nomogram, ProbeRows, RowDigest, Waterfall, densities, map, number_place, residuals, sigmoid, tree_picture,
};
use crate::card::{Card, Cell};
use crate::control::Control;
use crate::data::{Classes, Rows, Source};
use crate::error::{Error, Result, visible};
use crate::eval::Evaluation;
use crate::eval::pictures::ROWS_TOGETHER;
use crate::model::{Classifier, Contributions, Predictions, Predictor, Scale};
use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};
use crate::stats::Statistics;

/// A column with no more values than this is drawn along only where there is no other.
const FEW_VALUES: usize = 4;
/// Words that are drawn for each of two classes.
const MOST_WORDS: usize = 14;

/// Rows with labels that can be summed up again and again.
pub trait SumRows {
    /// Sums all rows up.
    fn sum<S>(&self, empty: &S) -> Result<S>
    where
        S: for<'b> Statistics<Input<'b> = Rows<'b>>;
}

/// The rows of a source.
pub struct SourceRows<'a> {
    /// The rows, in the layout of the model.
    pub source: &'a dyn Source,
    /// Threads; those of the machine by default.
    pub threads: Option<NonZeroUsize>,
    /// Progress and stop.
    pub control: &'a Control,
}

impl SumRows for SourceRows<'_> {
    fn sum<S>(&self, empty: &S) -> Result<S>
    where
        S: for<'b> Statistics<Input<'b> = Rows<'b>>,
    {
        pass(self.source, empty, self.threads, self.control)
    }
}

/// No rows at all.
pub struct NoRows;

impl SumRows for NoRows {
    fn sum<S>(&self, empty: &S) -> Result<S>
    where
        S: for<'b> Statistics<Input<'b> = Rows<'b>>,
    {
        Ok(empty.clone())
    }
}

/// Which rows a model was judged on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgedOn {
    /// Rows that it did not learn from, by cross-validation.
    Folds {
        /// Number of folds.
        folds: usize,
        /// Start of the random numbers.
        seed: u64,
    },
    /// Rows of a table that was given.
    Table(String),
    /// The rows that it learned from.
    OwnRows,
}

/// Rows that were judged.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The figures.
    pub evaluation: Evaluation,
    /// Which rows.
    pub on: JudgedOn,
    /// How many of them, where a sample stands for all.
    pub sampled: Option<u64>,
}

/// What there is to tell. A part that a model does not have says why.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The model's card.
    pub card: Card,
    /// The target.
    pub target: String,
    /// The classes; the event is the second of two.
    pub classes: Classes,
    /// Whether scores are margins and no probabilities.
    pub margins: bool,
    /// How many numbers tell the model from others of its kind.
    pub free_parameters: usize,
    /// Columns by class, and some rows.
    pub digest: RowDigest,
    /// The figures, where rows were judged.
    pub judged: Option<Judged>,
    /// The nomogram.
    pub nomogram: std::result::Result<Picture, String>,
    /// One row taken apart.
    pub row: std::result::Result<Waterfall, String>,
    /// The probability of the row that is taken apart.
    pub row_probability: f64,
    /// Maps, densities, trees, words.
    pub shape: Vec<Picture>,
    /// How far the model leans on each column.
    pub columns: std::result::Result<Picture, String>,
    /// Residuals over the predicted probability.
    pub residuals: std::result::Result<Picture, String>,
    /// The influence of rows, and the largest of Cook's distances.
    pub influence: std::result::Result<(Picture, f64), String>,
}

impl Findings {
    /// The figures, where rows were judged.
    pub fn evaluation(&self) -> Option<&Evaluation> {
        self.judged.as_ref().map(|judged| &judged.evaluation)
    }

    /// Gathers what a model says about rows. With `no_rows` nothing is kept that shows a single one.
    pub fn gather(model: &dyn Classifier, rows: &impl SumRows, judged: Option<Judged>, no_rows: bool) -> Result<Self> {
        let layout = model.layout();
        let digest = rows.sum(&RowDigest::new(layout))?.with_rows_together(if no_rows { ROWS_TOGETHER } else { 1 });
        let card = model.card();
        let known = digest.class_rows.iter().any(|rows| *rows > 0);
        let told = |error: Error| error.to_string();
        let dealt = match known {
            true => Dealt::of(model, &digest).map_err(told),
            false => Err("it takes rows, and none were given".into()),
        };
        let mut columns = telling_columns(model, &digest, &card, dealt.as_ref().ok());
        // A column of two or three values makes no picture while there is one of many.
        columns.sort_by_key(|j| number_place(layout, *j).is_none_or(|at| digest.distinct(at, FEW_VALUES).is_some()));
        let mut shape = if known { shapes(model, &digest, &columns) } else { Vec::new() };
        shape.extend(tree_picture(&card.title, &card.tidy));
        shape.extend(words(model));
        if no_rows {
            shape.iter_mut().for_each(without_points);
        }
        let hidden = || match known {
            true => "left out, because it shows single rows".to_owned(),
            false => "it takes rows, and none were given".to_owned(),
        };
        let picked = if no_rows || !known { Err(hidden()) } else { pick_row(model, &digest).map_err(told) };
        let (row, row_probability) = match picked {
            Ok((row, p)) => (Ok(row), p),
            Err(reason) => (Err(reason), f64::NAN),
        };
        Ok(Findings {
            target: layout.target().to_owned(),
            classes: layout.classes().clone(),
            margins: model.scale() == Scale::Margin,
            free_parameters: model.free_parameters(),
            judged,
            nomogram: match known {
                true => Nomogram::of(model, &digest).map(|nomogram| nomogram.picture()).map_err(told),
                false => Err("its rulers take the range of the columns, and no rows were given".into()),
            },
            columns: dealt.map(|dealt| dealt.picture(model)),
            row,
            row_probability,
            shape,
            residuals: if no_rows || !known { Err(hidden()) } else { residuals(model, &digest).map_err(told) },
            influence: if no_rows || !known { Err(hidden()) } else { influence(model, rows).map_err(told) },
            card,
            digest,
        })
    }
}

fn influence(model: &dyn Classifier, rows: &impl SumRows) -> Result<(Picture, f64)> {
    let unknown = || Error::data("only regressions know the influence of their rows");
    let metrics = model.inference().ok_or_else(unknown)?.row_metrics(&|_| false)?;
    let found = rows.sum(&Influence::new(model, &*metrics)?)?.known()?;
    let largest = found.largest().first().map_or(f64::NAN, |(.., distance)| *distance);
    Ok((found.picture(), largest))
}

/// Number columns, those that tell most first: by the spread of what they add to the scores of the sample, or by what is lost when they are dealt, or as
/// the card names them, or as they come.
fn telling_columns(model: &dyn Classifier, digest: &RowDigest, card: &Card, dealt: Option<&Dealt>) -> Vec<usize> {
    let layout = model.layout();
    let numbers = layout.numbers().to_vec();
    if let Ok(spread) = spreads(model, digest) {
        let mut ranked = numbers;
        ranked.sort_by(|a, b| spread[*b].total_cmp(&spread[*a]));
        return ranked;
    }
    if let Some(dealt) = dealt {
        let mut ranked = numbers;
        ranked.sort_by(|a, b| dealt.bits[*b].total_cmp(&dealt.bits[*a]));
        return ranked;
    }
    let mut asked: Vec<usize> = Vec::new();
    for cell in card.tidy.column("column").into_iter().flatten() {
        if let Cell::Text(name) = cell
            && let Ok(j) = layout.index(name)
            && numbers.contains(&j)
            && !asked.contains(&j)
        {
            asked.push(j);
        }
    }
    asked.extend(numbers.into_iter().filter(|j| !asked.contains(j)).collect::<Vec<_>>());
    asked
}

/// The sample as rows that a model reads.
fn sampled<'a>(model: &'a dyn Classifier, digest: &RowDigest) -> ProbeRows<'a> {
    let mut rows = ProbeRows::new(model, digest);
    digest.rows().iter().for_each(|row| rows.push_whole(&row.numbers, &row.codes));
    rows
}

/// Variance over the sample of what each feature adds to the score of the last class against the first.
fn spreads(model: &dyn Classifier, digest: &RowDigest) -> Result<Vec<f64>> {
    let additive = model.contributions()?;
    let (features, last) = (model.layout().features().len(), model.layout().classes().len() - 1);
    let count = digest.rows().len();
    sampled(model, digest).with(|rows| {
        let mut out = Contributions::new();
        additive.contribute(rows, &mut out)?;
        let variance = |j: usize| {
            let values = (0..count).map(|i| out.addends(i, j)).map(|of| of[last] - of[0]).filter(|value| value.is_finite());
            let (mut n, mut mean, mut squares) = (0.0, 0.0, 0.0);
            for value in values {
                n += 1.0;
                let from = value - mean;
                mean += from / n;
                squares += from * (value - mean);
            }
            squares / f64::max(n, 1.0)
        };
        Ok((0..features).map(variance).collect())
    })
}

/// Pictures along the most telling number columns.
fn shapes(model: &dyn Classifier, digest: &RowDigest, columns: &[usize]) -> Vec<Picture> {
    let mut found: Vec<Result<Picture>> = Vec::new();
    if let [a, b, ..] = columns {
        found.push(map(model, digest, [*a, *b]));
    }
    if let Some(first) = columns.first()
        && model.scale() != Scale::Margin
    {
        found.push(sigmoid(model, digest, *first));
    }
    // Only a model of rows and classes together has curves to hold beside the rows; how these are spread, the table of columns shows anyway.
    if model.scale() == Scale::LogJoint {
        let named = |(at, column): (usize, &usize)| -> Result<Picture> {
            let picture = densities(model, digest, *column)?;
            Ok(Picture { name: format!("{}-{}", picture.name, at + 1), ..picture })
        };
        found.extend(columns.iter().take(2).enumerate().map(named));
    }
    found.into_iter().flatten().collect()
}

/// Takes the rows out of a picture.
fn without_points(picture: &mut Picture) {
    picture.panels.iter_mut().for_each(|panel| panel.marks.retain(|mark| !matches!(mark.still(), Mark::Points { .. })));
}

/// The row of the sample with the highest probability of the event, or of several classes the surest one, taken apart.
fn pick_row(model: &dyn Classifier, digest: &RowDigest) -> Result<(Waterfall, f64)> {
    let layout = model.layout();
    if !layout.words().is_empty() {
        return Err(Error::data("it reads texts; its strongest words are drawn with its shape"));
    }
    model.contributions()?;
    let rows = digest.rows();
    let mut predictions = Predictions::new();
    sampled(model, digest).with(|features| Predictor::new(model).predict(features, &mut predictions))?;
    let sure = |i: usize| match layout.classes().len() {
        2 => predictions.row(i)[1],
        _ => predictions.row(i).iter().copied().fold(f64::NEG_INFINITY, f64::max),
    };
    let known = (0..rows.len()).filter(|i| !predictions.row(*i)[0].is_nan());
    let best = known.fold(None, |best: Option<usize>, i| match best {
        Some(other) if sure(other) >= sure(i) => Some(other),
        _ => Some(i),
    });
    let Some(i) = best else { return Err(Error::data("no row has all the values that the model needs")) };
    let mut one = ProbeRows::new(model, digest).on(rows[i].numbers.clone(), rows[i].codes.clone());
    one.push(&[], &[]);
    let row = one.with(|features| Waterfall::of_row(model, features, rows[i].row + 1))?;
    Ok((row, sure(i)))
}

/// The words with the largest weights for and against the event, where a model of two classes is linear in words.
fn words(model: &dyn Classifier) -> Option<Picture> {
    let layout = model.layout();
    if layout.words().is_empty() || layout.classes().len() != 2 {
        return None;
    }
    let weights = model.linear()?.weights(layout);
    let mut words: Vec<(String, f64)> = weights
        .into_iter()
        .filter(|weight| weight.feature.is_some_and(|j| layout.words().contains(&j)))
        .filter_map(|weight| Some((visible(&weight.level?), weight.values[1])))
        .collect();
    words.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let kept: Vec<(String, f64)> = match words.len() > 2 * MOST_WORDS {
        true => words[..MOST_WORDS].iter().chain(&words[words.len() - MOST_WORDS..]).cloned().collect(),
        false => words,
    };
    let bars = |up: bool| {
        let of = kept.iter().enumerate().filter(|(_, (_, weight))| (*weight > 0.0) == up);
        of.map(|(at, (_, weight))| (at as f64, 0.0, *weight)).collect::<Vec<_>>()
    };
    let marks = vec![
        Mark::Bars { role: Role::Event, bars: bars(true) },
        Mark::Bars { role: Role::Other, bars: bars(false) },
        Mark::Rule { role: Role::Reference, upright: true, at: 0.0 },
    ];
    let labels = [0, 1].map(|k| layout.classes().named(k, layout.target()));
    let cells = kept.iter().map(|(_, weight)| format!("×{:.3}", weight.exp())).collect();
    let x = Axis { label: "Log odds per word".into(), ends: Some((labels[0].clone(), labels[1].clone())), ..Axis::default() };
    let y = Axis {
        scale: AxisScale::Categories,
        categories: kept.iter().map(|(word, _)| word.clone()).collect(),
        columns: vec![Column { title: "odds".into(), cells, optional: false }],
        ..Axis::default()
    };
    let summary = format!("Words that multiply the odds of {} most, in either direction, each time they occur.", labels[1]);
    Some(Picture { name: "words".into(), title: "Strongest words".into(), summary, panels: vec![Panel { x, y, marks }] })
}
