//! Scores and truth of judged rows, kept whole within a budget of memory and in bins beyond it.
//!
//! Which of the two depends on the rows alone, never on how they were shared out. With two classes one score per row is
//! kept, else K probabilities.

use super::metric::Metric;
use super::ranking::{Ranking, ScoreScale};
use super::score_histogram::ScoreHistogram;
use super::scored_batch::ScoredBatch;
use crate::codec::{Codec, Encode};
use crate::data::SKIP;
use crate::error::{Error, Result};
use crate::record::fault;
use crate::stats::Statistics;

/// Scores and truth.
#[derive(Debug, Clone)]
pub struct Kept {
    classes: usize,
    scale: ScoreScale,
    budget: usize,
    weight: f64,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Rows(KeptRows),
    /// One histogram per class, or the event's alone.
    Bins(Vec<ScoreHistogram>),
}

/// Rows as they came.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptRows {
    pub(super) scores: Vec<f64>,
    pub(super) labels: Vec<u32>,
    /// Weights; all 1 when it is empty.
    pub(super) weights: Vec<f64>,
}

impl KeptRows {
    fn bytes(&self) -> usize {
        8 * self.scores.len() + 4 * self.labels.len() + 8 * self.weights.len()
    }

    fn append(&mut self, scores: &[f64], labels: &[u32], weights: Option<&[f64]>) {
        if weights.is_some() && self.weights.len() < self.labels.len() {
            self.weights.resize(self.labels.len(), 1.0);
        }
        match weights {
            Some(weights) => self.weights.extend_from_slice(weights),
            None if !self.weights.is_empty() => self.weights.resize(self.labels.len() + labels.len(), 1.0),
            None => {}
        }
        self.scores.extend_from_slice(scores);
        self.labels.extend_from_slice(labels);
    }

    fn enter(&mut self, codec: &mut Codec<'_>, classes: usize, width: usize) -> Result<()> {
        codec.labels("labels", &mut self.labels, classes)?;
        codec.cells("scores", self.labels.len() * width, &mut self.scores)?;
        codec.list("weights", 1, &mut self.weights)?;
        codec.accept("weights", &self.weights, |v| v.is_finite() && v >= 0.0, "a number that is not finite or below zero")?;
        match self.weights.is_empty() || self.weights.len() == self.labels.len() {
            true => Ok(()),
            false => Err(fault(format!("{} labels come with {} weights", self.labels.len(), self.weights.len()))),
        }
    }

    pub(super) fn weights(&self) -> Option<&[f64]> {
        (!self.weights.is_empty()).then_some(&self.weights[..])
    }

    /// Rows of plane `at` among `width` as score, whether it has class `event`, and weight.
    fn rows(&self, at: usize, width: usize, event: u32) -> impl Iterator<Item = (f64, bool, f64)> + '_ {
        let counted = (0..self.labels.len()).filter(|&i| self.labels[i] != SKIP);
        counted.map(move |i| (self.scores[i * width + at], self.labels[i] == event, self.weights.get(i).copied().unwrap_or(1.0)))
    }
}

impl Kept {
    /// Nothing seen. `scale` says what the scores of two classes are; with more classes they are probabilities.
    pub fn new(classes: usize, scale: ScoreScale, budget: usize) -> Self {
        let scale = if classes == 2 { scale } else { ScoreScale::Probability };
        Kept { classes, scale, budget, weight: 0.0, content: Content::Rows(KeptRows::default()) }
    }

    /// Makes room for so many rows, where they fit the budget.
    pub fn reserve(&mut self, rows: usize) {
        let width = self.width();
        if let Content::Rows(kept) = &mut self.content
            && kept.bytes() + rows.saturating_mul(8 * width + 4) <= self.budget
        {
            kept.scores.reserve(rows * width);
            kept.labels.reserve(rows);
        }
    }

    /// Whether all scores are there.
    pub fn exact(&self) -> bool {
        matches!(self.content, Content::Rows(_))
    }

    /// Class `k` against all others; with two classes only the second, the event.
    pub fn ranking(&self, k: usize) -> Ranking {
        let at = if self.classes == 2 { 0 } else { k };
        match &self.content {
            Content::Rows(rows) if self.width() == 1 => {
                Ranking::of_labels(&rows.scores, &rows.labels, rows.weights(), k as u32, self.scale)
            }
            Content::Rows(rows) => Ranking::new(rows.rows(at, self.width(), k as u32), self.scale),
            Content::Bins(bins) => bins[at].ranking(self.scale),
        }
    }

    /// The rows, where all are kept.
    pub(super) fn rows(&self) -> Metric<&KeptRows> {
        match &self.content {
            Content::Rows(rows) => Ok(rows),
            Content::Bins(_) => Err("the scores do not fit the memory budget".into()),
        }
    }

    fn width(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// Adds rows that were checked, with the labels of those that count.
    pub(super) fn add(&mut self, rows: &ScoredBatch<'_>, labels: &[u32]) -> Result<()> {
        let classes = self.classes;
        let log_odds = match self.scale {
            ScoreScale::LogOdds => Some(rows.log_odds.ok_or_else(|| Error::internal("rows are judged without log odds"))?),
            _ => None,
        };
        let score = |i: usize, at: usize| match log_odds {
            Some(odds) => odds[i],
            None => rows.probabilities[i * classes + if classes == 2 { 1 } else { at }],
        };
        self.weight += (0..labels.len()).filter(|&i| labels[i] != SKIP).map(|i| rows.weight(i)).sum::<f64>();
        match &mut self.content {
            Content::Rows(kept) => {
                // The event's probabilities of two classes are the only scores that do not lie side by side.
                let events: Vec<f64> = match (log_odds, classes) {
                    (None, 2) => rows.probabilities.iter().skip(1).step_by(2).copied().collect(),
                    _ => Vec::new(),
                };
                let scores = log_odds.unwrap_or(if classes == 2 { &events } else { rows.probabilities });
                kept.append(scores, labels, rows.weights);
            }
            Content::Bins(bins) => {
                for (at, bins) in bins.iter_mut().enumerate() {
                    let event = if classes == 2 { 1 } else { at as u32 };
                    let counted = (0..labels.len()).filter(|&i| labels[i] != SKIP);
                    bins.add(counted.map(|i| (score(i, at), labels[i] == event, rows.weight(i))));
                }
            }
        }
        self.settle();
        Ok(())
    }

    /// Turns rows into bins once they are more than the budget allows.
    fn settle(&mut self) {
        if let Content::Rows(rows) = &self.content
            && rows.bytes() > self.budget
        {
            let histogram = |at: usize| {
                let mut histogram = ScoreHistogram::default();
                let event = if self.classes == 2 { 1 } else { at as u32 };
                histogram.add(rows.rows(at, self.width(), event));
                histogram
            };
            self.content = Content::Bins((0..self.width()).map(histogram).collect());
        }
    }
}

impl Encode for Kept {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("weight", &mut self.weight)?;
        let mut binned = !self.exact();
        codec.flag("binned", &mut binned)?;
        let (classes, width) = (self.classes, self.width());
        if codec.is_reading() {
            self.content = match binned {
                true => Content::Bins(vec![ScoreHistogram::default(); width]),
                false => Content::Rows(KeptRows::default()),
            };
        }
        match &mut self.content {
            Content::Rows(rows) => rows.enter(codec, classes, width)?,
            Content::Bins(bins) => {
                bins.iter_mut().enumerate().try_for_each(|(at, bins)| codec.part(&format!("bins{at}"), bins))?;
            }
        }
        // A smaller budget than the writer's must hold here, too.
        self.settle();
        Ok(())
    }
}

impl Statistics for Kept {
    type Input<'a> = ScoredBatch<'a>;

    fn observe(&mut self, rows: ScoredBatch<'_>) -> Result<()> {
        self.add(&rows, &rows.counted_labels(self.classes)?)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        if (self.classes, self.scale) != (other.classes, other.scale) {
            return Err(Error::internal("scores of different problems were merged"));
        }
        self.weight += other.weight;
        if let (Content::Rows(mine), Content::Rows(theirs)) = (&mut self.content, &other.content) {
            mine.append(&theirs.scores, &theirs.labels, theirs.weights());
            self.settle();
            return Ok(());
        }
        let mut theirs = other.clone();
        for side in [&mut *self, &mut theirs] {
            side.budget = 0;
            side.settle();
            side.budget = other.budget;
        }
        match (&mut self.content, &theirs.content) {
            (Content::Bins(mine), Content::Bins(theirs)) => mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| mine.merge(theirs)),
            // Only a summary without a single row is not binned by an empty budget.
            (content @ Content::Rows(_), _) => *content = theirs.content,
            _ => {}
        }
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn discloses(&self) -> Option<String> {
        self.exact().then(|| "the score and the class of every row".into())
    }

    fn bytes(&self) -> usize {
        match &self.content {
            Content::Rows(rows) => rows.bytes(),
            Content::Bins(bins) => bins.iter().map(ScoreHistogram::bytes).sum(),
        }
    }
}
