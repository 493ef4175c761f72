//! From scores to probabilities and log odds: the one place where scores are normalised.

use super::{Classifier, Scale, Scores};
use crate::data::Features;
use crate::error::{ErrorKind, Result};
use crate::num::kernel::softmax;

/// Turns scores of rows of so many classes into probabilities, in their place.
pub(crate) fn normalise(scores: &mut [f64], classes: usize) {
    softmax(scores, classes, None);
}

/// What a model says about a batch, in buffers that are used again.
#[derive(Debug, Clone, Default)]
pub struct Predictions {
    scores: Scores,
    probabilities: Vec<f64>,
    normalisers: Vec<f64>,
}

impl Predictions {
    /// Empty buffers.
    pub fn new() -> Self {
        Predictions::default()
    }

    /// Scores as the model gave them: log p(x, y) for generative models.
    pub fn scores(&self) -> &Scores {
        &self.scores
    }

    /// Probabilities, row after row.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The probabilities of row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        let classes = self.scores.classes();
        &self.probabilities[i * classes..(i + 1) * classes]
    }

    /// log Σ_k exp(score): log p(x) for generative models. NaN after [`Predictor::probabilities`], which does not compute it.
    pub fn log_density(&self, i: usize) -> f64 {
        self.normalisers.get(i).copied().unwrap_or(f64::NAN)
    }

    /// Turns the scores into probabilities. Normalisers cost a logarithm per row, so they are left out where nobody asks.
    fn normalise(&mut self, with_normalisers: bool) {
        self.probabilities.clear();
        self.probabilities.extend_from_slice(self.scores.values());
        self.normalisers.resize(if with_normalisers { self.scores.rows() } else { 0 }, 0.0);
        let normalisers = with_normalisers.then_some(&mut self.normalisers[..]);
        softmax(&mut self.probabilities, self.scores.classes(), normalisers);
    }

    /// log p(k|x) − log(1 − p(k|x)), from the scores and therefore right where probabilities round to 0 or 1.
    pub fn log_odds(&self, i: usize, k: usize) -> f64 {
        let scores = self.scores.row(i);
        let others = crate::num::log_sum_exp(scores.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, s)| *s));
        scores[k] - others
    }
}

/// A model together with what turns its scores into probabilities.
#[derive(Clone, Copy)]
pub struct Predictor<'a, M: Classifier + ?Sized> {
    model: &'a M,
}

impl<'a, M: Classifier + ?Sized> Predictor<'a, M> {
    /// Predicts with a model.
    pub fn new(model: &'a M) -> Self {
        Predictor { model }
    }

    /// Refuses to make probabilities of margins.
    fn check(&self) -> Result<()> {
        self.check_for("give probabilities")
    }

    /// Refuses what takes probabilities, in words that complete "cannot", where scores are margins.
    pub fn check_for(&self, what: &str) -> Result<()> {
        match self.model.scale() {
            Scale::LogJoint | Scale::LogPosterior => Ok(()),
            Scale::Margin => Err(ErrorKind::Unsupported {
                model: self.model.card().title,
                what: what.into(),
                advice: "its scores are margins, which rank rows and call classes; calibrate it to have probabilities".into(),
            }
            .into()),
        }
    }

    /// Fills `out` with the scores of a batch, from which probabilities can be made.
    pub fn scores(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.check()?;
        self.model.score(rows, out)
    }

    /// Fills `out` with the scores of a batch, and with its probabilities, or for margins with numbers that have the order of the margins
    /// of a row and mean nothing else: enough to call classes by the largest.
    pub fn ordered(&self, rows: &Features<'_>, out: &mut Predictions) -> Result<()> {
        self.model.score(rows, &mut out.scores)?;
        out.normalise(true);
        Ok(())
    }

    /// Fills `out` with the scores and probabilities of a batch.
    pub fn predict(&self, rows: &Features<'_>, out: &mut Predictions) -> Result<()> {
        self.check()?;
        self.model.score(rows, &mut out.scores)?;
        out.normalise(true);
        Ok(())
    }

    /// Writes the probabilities of a batch to `out`, row after row, where they are computed; `scores` may lack what all classes of
    /// a row share.
    pub fn probabilities_into(&self, rows: &Features<'_>, scores: &mut Scores, out: &mut [f64]) -> Result<()> {
        self.check()?;
        self.model.score_relative(rows, scores)?;
        out.copy_from_slice(scores.values());
        softmax(out, scores.classes(), None);
        Ok(())
    }

    /// Fills `out` with the probabilities of a batch; its scores may lack what all classes of a row share, and it has no log
    /// evidence.
    pub fn probabilities(&self, rows: &Features<'_>, out: &mut Predictions) -> Result<()> {
        self.check()?;
        self.model.score_relative(rows, &mut out.scores)?;
        out.normalise(false);
        Ok(())
    }
}
