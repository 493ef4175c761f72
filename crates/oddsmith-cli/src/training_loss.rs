//! How many bits per row a model needs to name the classes of the rows it learned from, and how many the class shares alone
//! need.
//!
//! Model: −Σ w log₂ p(y|x) / Σ w. Base rate: the entropy of the class weights, −Σ (W_k/W) log₂ (W_k/W).
//! Time: one prediction per row; memory: one batch.

use std::sync::Mutex;
use std::sync::PoisonError;

use oddsmith::Result;
use oddsmith::data::{Rows, SKIP};
use oddsmith::model::{Classifier, Predictions, Predictor};
use oddsmith::stats::{ClassWeights, Statistics};

/// Log loss of a model over labelled rows.
pub(crate) struct TrainingLoss<'a> {
    model: &'a dyn Classifier,
    classes: ClassWeights,
    nats: f64,
    /// Buffers of the batch; not part of the sum.
    buffers: Mutex<Predictions>,
}

impl<'a> TrainingLoss<'a> {
    /// Nothing seen.
    pub(crate) fn new(model: &'a dyn Classifier) -> Self {
        let classes = ClassWeights::new(model.layout().classes().len());
        TrainingLoss { model, classes, nats: 0.0, buffers: Mutex::new(Predictions::new()) }
    }

    /// Bits per row that the model needs.
    pub(crate) fn bits(&self) -> f64 {
        self.nats / self.classes.total() / std::f64::consts::LN_2
    }

    /// Bits per row that the class shares need.
    pub(crate) fn base_rate_bits(&self) -> f64 {
        let total = self.classes.total();
        let shares = self.classes.weight.iter().map(|weight| weight / total).filter(|share| *share > 0.0);
        shares.map(|share| -share * share.log2()).sum()
    }
}

impl Clone for TrainingLoss<'_> {
    fn clone(&self) -> Self {
        TrainingLoss { model: self.model, classes: self.classes.clone(), nats: self.nats, buffers: Mutex::new(Predictions::new()) }
    }
}

impl Statistics for TrainingLoss<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.classes.observe(rows.labels, rows.weights)?;
        let predictions = self.buffers.get_mut().unwrap_or_else(PoisonError::into_inner);
        Predictor::new(self.model).predict(&rows.features, predictions)?;
        for (i, &label) in rows.labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            // From the scores and not from the probability, which rounds to zero long before its logarithm overflows.
            self.nats += weight * (predictions.log_evidence(i) - predictions.scores().row(i)[label as usize]);
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.classes.merge(&other.classes);
        self.nats += other.nats;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.classes.total()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + 24 * self.classes.weight.len()
    }
}
