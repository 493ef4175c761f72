//! How many bits per row a model needs to name the classes of labelled rows, how many the class shares alone need, and the
//! negative log likelihood of rows and classes together.
//!
//! Model: −Σ w log₂ p(y|x) / Σ w. Base rate: the entropy of the class weights, −Σ (W_k/W) log₂ (W_k/W). Joint: −Σ w log p(x, y).
//! Time: one prediction per row; memory: one batch.

use std::sync::Mutex;
use std::sync::PoisonError;

use crate::data::{Rows, SKIP};
use crate::error::Result;
use crate::model::{Classifier, Predictions, Predictor, Scale};
use crate::stats::{ClassWeights, Statistics};

/// Log loss of a model over labelled rows.
pub struct LogLoss<'a> {
    model: &'a dyn Classifier,
    classes: ClassWeights,
    nats: f64,
    joint_nats: f64,
    /// Buffers of the batch; not part of the sum.
    buffers: Mutex<Predictions>,
}

impl<'a> LogLoss<'a> {
    /// Nothing seen.
    pub fn new(model: &'a dyn Classifier) -> Self {
        let classes = ClassWeights::new(model.layout().classes().len());
        LogLoss { model, classes, nats: 0.0, joint_nats: 0.0, buffers: Mutex::new(Predictions::new()) }
    }

    /// Bits per row that the model needs.
    pub fn bits(&self) -> f64 {
        self.nats / self.classes.total() / std::f64::consts::LN_2
    }

    /// −log p(x, y) per row, in nats, for models of the joint distribution.
    pub fn joint_nats(&self) -> Option<f64> {
        (self.model.scale() == Scale::LogJoint).then(|| self.joint_nats / self.classes.total())
    }

    /// Bits per row that the class shares need.
    pub fn base_rate_bits(&self) -> f64 {
        let total = self.classes.total();
        let shares = self.classes.weight.iter().map(|weight| weight / total).filter(|share| *share > 0.0);
        shares.map(|share| -share * share.log2()).sum()
    }
}

impl Clone for LogLoss<'_> {
    fn clone(&self) -> Self {
        let (nats, joint_nats) = (self.nats, self.joint_nats);
        LogLoss { model: self.model, classes: self.classes.clone(), nats, joint_nats, buffers: Mutex::new(Predictions::new()) }
    }
}

impl Statistics for LogLoss<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let predictions = self.buffers.get_mut().unwrap_or_else(PoisonError::into_inner);
        Predictor::new(self.model).predict(&rows.features, predictions)?;
        // A row that the model says nothing about is not charged for.
        let told = |(i, label): (usize, &u32)| if predictions.scores().row(i)[0].is_nan() { SKIP } else { *label };
        let labels: Vec<u32> = rows.labels.iter().enumerate().map(told).collect();
        self.classes.observe(&labels, rows.weights)?;
        for (i, &label) in labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            // From the scores and not from the probability, which rounds to zero long before its logarithm overflows.
            let score = predictions.scores().row(i)[label as usize];
            self.nats += weight * (predictions.log_evidence(i) - score);
            self.joint_nats -= weight * score;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.classes.merge(&other.classes);
        self.nats += other.nats;
        self.joint_nats += other.joint_nats;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.classes.total()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + 24 * self.classes.weight.len()
    }
}
