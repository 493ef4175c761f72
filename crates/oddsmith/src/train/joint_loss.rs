//! The negative log likelihood of rows and classes together, for models of both: −Σ w log p(x, y) / Σ w.
//!
//! Time: one prediction per row; memory: one batch.

use crate::codec::{Codec, Encode};
use crate::data::{Rows, SKIP};
use crate::error::Result;
use crate::model::{Classifier, Scale, Scores};
use crate::num::logspace::NeumaierSum;
use crate::stats::Statistics;

/// Loss of a model of the joint distribution over labelled rows.
pub struct JointLoss<'a> {
    model: &'a dyn Classifier,
    weight: NeumaierSum,
    nats: NeumaierSum,
}

impl<'a> JointLoss<'a> {
    /// Nothing seen; `None` for a model that has no joint distribution.
    pub fn new(model: &'a dyn Classifier) -> Option<Self> {
        let empty = NeumaierSum::default();
        (model.scale() == Scale::LogJoint).then_some(JointLoss { model, weight: empty, nats: empty })
    }

    /// −log p(x, y) per row, in nats; `None` without rows.
    pub fn nats(&self) -> Option<f64> {
        let weight = self.weight.value();
        (weight > 0.0).then(|| self.nats.value() / weight)
    }
}

impl Clone for JointLoss<'_> {
    fn clone(&self) -> Self {
        JointLoss { model: self.model, weight: self.weight, nats: self.nats }
    }
}

impl Encode for JointLoss<'_> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("weight", &mut self.weight)?;
        codec.part("nats", &mut self.nats)
    }
}

impl Statistics for JointLoss<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        let mut scores = Scores::new();
        self.model.score(&rows.features, &mut scores)?;
        // A row that the model says nothing about is not charged for.
        for (i, &label) in labels.iter().enumerate().filter(|(i, label)| **label != SKIP && !scores.row(*i)[0].is_nan()) {
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            self.weight.add(weight);
            self.nats.add(-weight * scores.row(i)[label as usize]);
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight.merge(&other.weight);
        self.nats.merge(&other.nats);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight.value()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}
