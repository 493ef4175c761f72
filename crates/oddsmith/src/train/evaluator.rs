//! A model in front of a statistic over judged rows: every batch is predicted, then judged.

use std::sync::{Mutex, PoisonError};

use super::judged_scores::{JudgedScores, ScoredTruth};
use crate::codec::{Codec, Encode};
use crate::data::{Rows, SKIP};
use crate::error::Result;
use crate::eval::{ScoreScale, ScoredBatch};
use crate::model::{Classifier, Scores};
use crate::stats::Statistics;

/// Judges what a model, or whatever points at one, says about labelled rows.
pub struct Evaluator<M, S> {
    model: M,
    sums: S,
    silent: u64,
    /// Buffers of the batch; not part of the sums.
    buffers: Mutex<Buffers>,
}

#[derive(Default)]
struct Buffers {
    scores: Scores,
    judged: JudgedScores,
    labels: Vec<u32>,
}

impl<M: Classifier, S> Evaluator<M, S> {
    /// Judges with an empty statistic.
    pub fn new(model: M, empty: S) -> Self {
        Evaluator { model, sums: empty, silent: 0, buffers: Mutex::default() }
    }

    /// How many rows with a class the model said nothing about, so that they could not be judged.
    pub fn silent(&self) -> u64 {
        self.silent
    }

    /// Who is judged.
    pub(super) fn model(&self) -> &M {
        &self.model
    }

    /// What the statistic has seen so far.
    pub(super) fn sums(&self) -> &S {
        &self.sums
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

/// Scores a batch and gives it, judged, to `sink`; comes back with the number of rows that could not be judged.
fn judge(model: &dyn Classifier, buffers: &mut Buffers, rows: Rows<'_>, sink: impl FnOnce(ScoredBatch<'_>) -> Result<()>) -> Result<u64> {
    let Buffers { scores, judged, labels } = buffers;
    // Whoever reads the sums of margins knows that they are no probabilities: `EvalSettings::margins`.
    model.score(&rows.features, scores)?;
    labels.clear();
    let mut silent = 0;
    for (i, &label) in rows.labels.iter().enumerate() {
        // A row that the model says nothing about cannot be judged.
        let says_nothing = scores.row(i)[0].is_nan();
        silent += u64::from(says_nothing && label != SKIP && rows.weights.is_none_or(|weights| weights[i] > 0.0));
        labels.push(if says_nothing { SKIP } else { label });
    }
    let classes = model.layout().classes().len();
    judged.judge(ScoredTruth { classes, scores: scores.values(), labels, weights: rows.weights, first_row: rows.first_row }, sink)?;
    Ok(silent)
}

impl<M: Clone, S: Clone> Clone for Evaluator<M, S> {
    fn clone(&self) -> Self {
        Evaluator { model: self.model.clone(), sums: self.sums.clone(), silent: self.silent, buffers: Mutex::default() }
    }
}

impl<M, S: Encode> Encode for Evaluator<M, S> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("silent", &mut self.silent)?;
        self.sums.encode(codec)
    }
}

impl<M, S> Statistics for Evaluator<M, S>
where
    M: Classifier + Clone,
    S: for<'b> Statistics<Input<'b> = ScoredBatch<'b>>,
{
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let buffers = self.buffers.get_mut().unwrap_or_else(PoisonError::into_inner);
        let sums = &mut self.sums;
        self.silent += judge(&self.model, buffers, rows, |judged| sums.observe(judged))?;
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
