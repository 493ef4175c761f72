//! How many bits the probabilities need to name the classes, and how many the class proportions alone need.
//!
//! Loss: −Σ w log p(y|x) / Σ w, in nats or, divided by log 2, in bits. Base rate: the entropy of the class weights,
//! −Σ_k (W_k/W) log (W_k/W). Saved: base rate minus loss. Per class, Σ w l and Σ w l² are kept, which also give the
//! variance of each. Time O(rows), memory O(K).

use std::f64::consts::LN_2;

use super::metric::{Estimate, Metric, ONE_ROW, Undefined};
use super::scored_batch::{BLOCK_ROWS, ScoredBatch};
use crate::codec::{Codec, Encode};
use crate::data::{SKIP, Weighting};
use crate::error::Result;
use crate::info::entropy;
use crate::num::logspace::NeumaierSum;
use crate::stats::{ClassWeights, Statistics};

/// Log loss of judged rows.
#[derive(Debug, Clone, PartialEq)]
pub struct LogLoss {
    classes: ClassWeights,
    weighting: Weighting,
    nats: Vec<NeumaierSum>,
    squares: Vec<NeumaierSum>,
    impossible: u64,
}

impl LogLoss {
    /// Nothing seen of `classes` classes, and what weights will mean.
    pub fn new(classes: usize, weighting: Weighting) -> Self {
        let empty = vec![NeumaierSum::default(); classes];
        LogLoss { classes: ClassWeights::new(classes), weighting, nats: empty.clone(), squares: empty, impossible: 0 }
    }

    /// Rows and weights per class.
    pub fn class_weights(&self) -> &ClassWeights {
        &self.classes
    }

    /// Nats per row.
    pub fn nats(&self) -> Metric {
        self.possible()?;
        let shift = vec![0.0; self.nats.len()];
        Ok(self.mean(&shift, 1.0))
    }

    /// Bits per row.
    pub fn bits(&self) -> Metric {
        self.possible()?;
        let shift = vec![0.0; self.nats.len()];
        Ok(self.mean(&shift, 1.0 / LN_2))
    }

    /// Bits per row that the class proportions need.
    pub fn base_rate_bits(&self) -> Metric<f64> {
        if self.classes.total() > 0.0 { Ok(entropy(&self.classes.weight) / LN_2) } else { Err(Undefined::no_rows()) }
    }

    /// Bits per row that the probabilities save against the class proportions; negative when they are worse. The interval
    /// takes the shares as known.
    pub fn bits_saved(&self) -> Metric {
        self.possible()?;
        let total = self.classes.total();
        let base = |weight: &f64| if *weight > 0.0 { -(weight / total).ln() } else { 0.0 };
        let shift: Vec<f64> = self.classes.weight.iter().map(base).collect();
        Ok(self.mean(&shift, -1.0 / LN_2))
    }

    /// Adds rows that were checked, with the labels of those that count.
    pub(super) fn add(&mut self, rows: &ScoredBatch<'_>, labels: &[u32]) -> Result<()> {
        let classes = self.nats.len();
        self.classes.observe(labels, rows.weights)?;
        let mut sums = vec![[0.0; 2]; classes];
        for (block, labels) in labels.chunks(BLOCK_ROWS).enumerate() {
            for (i, &label) in (block * BLOCK_ROWS..).zip(labels).filter(|(_, label)| **label != SKIP) {
                let k = label as usize;
                let loss = -rows.log_true.map_or_else(|| rows.probabilities[i * classes + k].ln(), |log_true| log_true[i]);
                if loss == f64::INFINITY {
                    self.impossible += 1;
                    continue;
                }
                let nats = rows.weight(i) * loss;
                sums[k][0] += nats;
                sums[k][1] += nats * loss;
            }
            for (k, sum) in sums.iter_mut().enumerate() {
                self.nats[k].add(sum[0]);
                self.squares[k].add(sum[1]);
                *sum = [0.0; 2];
            }
        }
        Ok(())
    }

    fn possible(&self) -> Metric<()> {
        match (self.classes.total() > 0.0, self.impossible) {
            (false, _) => Err(Undefined::no_rows()),
            (true, 0) => Ok(()),
            (true, 1) => Err(Undefined("1 row is impossible in its class, so the loss is infinite".into())),
            (true, rows) => Err(Undefined(format!("{rows} rows are impossible in their class, so the loss is infinite"))),
        }
    }

    /// Mean of the losses minus a shift per class, times a unit.
    fn mean(&self, shift: &[f64], unit: f64) -> Estimate {
        let (mut sum, mut squares) = (NeumaierSum::default(), NeumaierSum::default());
        for (k, c) in shift.iter().enumerate() {
            let (nats, weight) = (self.nats[k].value(), self.classes.weight[k]);
            sum.add(nats - c * weight);
            squares.add(self.squares[k].value() - 2.0 * c * nats + c * c * weight);
        }
        let total = self.classes.total();
        let mean = sum.value() / total;
        // Adding zero turns −0 into 0.
        let value = unit * mean + 0.0;
        let rows = self.classes.effective_rows(self.weighting);
        if rows <= 1.0 {
            return Estimate::unsure(value, ONE_ROW);
        }
        let variance = (squares.value() / total - mean * mean).max(0.0) / rows;
        Estimate::normal(value, unit * unit * variance, (f64::NEG_INFINITY, f64::INFINITY))
    }
}

impl Encode for LogLoss {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("classes", &mut self.classes)?;
        codec.part("nats", &mut self.nats[..])?;
        codec.part("squares", &mut self.squares[..])?;
        codec.count("impossible", &mut self.impossible)
    }
}

impl Statistics for LogLoss {
    type Input<'a> = ScoredBatch<'a>;

    fn observe(&mut self, rows: ScoredBatch<'_>) -> Result<()> {
        self.add(&rows, &rows.counted_labels(self.nats.len())?)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.classes.merge(&other.classes);
        self.nats.iter_mut().zip(&other.nats).for_each(|(mine, theirs)| mine.merge(theirs));
        self.squares.iter_mut().zip(&other.squares).for_each(|(mine, theirs)| mine.merge(theirs));
        self.impossible += other.impossible;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.classes.total()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + 56 * self.nats.len()
    }
}
