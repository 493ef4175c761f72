//! A model in front of a statistic over judged rows: every batch is predicted, then judged.

use std::sync::{Mutex, PoisonError};

use crate::codec::{Codec, Encode};
use crate::data::{Rows, SKIP};
use crate::error::Result;
use crate::eval::{ScoreScale, ScoredBatch};
use crate::model::{Classifier, Predictions, Predictor};
use crate::stats::Statistics;

/// Judges what a model says about labelled rows.
pub struct Evaluator<'a, S> {
    model: &'a dyn Classifier,
    sums: S,
    silent: u64,
    /// Buffers of the batch; not part of the sums.
    buffers: Mutex<Buffers>,
}

#[derive(Default)]
struct Buffers {
    predictions: Predictions,
    log_odds: Vec<f64>,
    log_true: Vec<f64>,
    labels: Vec<u32>,
}

impl<'a, S> Evaluator<'a, S> {
    /// Judges with an empty statistic.
    pub fn new(model: &'a dyn Classifier, empty: S) -> Self {
        Evaluator { model, sums: empty, silent: 0, buffers: Mutex::default() }
    }

    /// How many rows with a class the model said nothing about, so that they could not be judged.
    pub fn silent(&self) -> u64 {
        self.silent
    }

    /// What the statistic has seen.
    pub fn into_sums(self) -> S {
        self.sums
    }
}

/// What rows of a model with so many classes are ranked by.
pub fn score_scale(classes: usize) -> ScoreScale {
    if classes == 2 { ScoreScale::LogOdds } else { ScoreScale::Probability }
}

/// Predicts a batch and gives it, judged, to `sink`; comes back with the number of rows that could not be judged.
fn judge(model: &dyn Classifier, buffers: &mut Buffers, rows: Rows<'_>, sink: impl FnOnce(ScoredBatch<'_>) -> Result<()>) -> Result<u64> {
    let Buffers { predictions, log_odds, log_true, labels } = buffers;
    Predictor::new(model).predict(&rows.features, predictions)?;
    let two = model.layout().classes().len() == 2;
    log_odds.clear();
    log_true.clear();
    labels.clear();
    let mut silent = 0;
    for (i, &label) in rows.labels.iter().enumerate() {
        let scores = predictions.scores().row(i);
        // A row that the model says nothing about cannot be judged.
        silent += u64::from(scores[0].is_nan() && label != SKIP && rows.weights.is_none_or(|weights| weights[i] > 0.0));
        let label = if scores[0].is_nan() { SKIP } else { label };
        labels.push(label);
        // From the scores and not from the probability, which rounds to zero long before its logarithm overflows.
        log_true.push(if label == SKIP { 0.0 } else { scores[label as usize] - predictions.log_density(i) });
        if two {
            log_odds.push(scores[1] - scores[0]);
        }
    }
    sink(ScoredBatch {
        probabilities: predictions.probabilities(),
        log_odds: two.then_some(&log_odds[..]),
        log_true: Some(log_true),
        labels,
        weights: rows.weights,
        first_row: rows.first_row,
    })?;
    Ok(silent)
}

impl<S: Clone> Clone for Evaluator<'_, S> {
    fn clone(&self) -> Self {
        Evaluator { model: self.model, sums: self.sums.clone(), silent: self.silent, buffers: Mutex::default() }
    }
}

impl<S: Encode> Encode for Evaluator<'_, S> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("silent", &mut self.silent)?;
        self.sums.encode(codec)
    }
}

impl<S> Statistics for Evaluator<'_, S>
where
    S: for<'b> Statistics<Input<'b> = ScoredBatch<'b>>,
{
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let buffers = self.buffers.get_mut().unwrap_or_else(PoisonError::into_inner);
        let sums = &mut self.sums;
        self.silent += judge(self.model, buffers, rows, |judged| sums.observe(judged))?;
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.silent += other.silent;
        self.sums.merge(&other.sums)
    }

    fn weight(&self) -> f64 {
        self.sums.weight()
    }

    fn purpose(&self) -> String {
        self.sums.purpose()
    }

    fn discloses(&self) -> Option<String> {
        self.sums.discloses()
    }

    fn bytes(&self) -> usize {
        self.sums.bytes()
    }
}
