//! The scores of a batch: one number per row and class, in a buffer that is used again.

use crate::num::kernel::{Panel, QuadraticScratch, widest};

/// Buffers that scoring kernels reuse from batch to batch.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// One score per row and class, before it is added to the others.
    pub block: Vec<f64>,
    /// Rows brought together.
    pub panel: Panel,
    /// Codes brought together.
    pub codes: Vec<u32>,
    /// Buffers of quadratic scores.
    pub quadratic: QuadraticScratch,
}

/// Scores of a batch, row after row.
#[derive(Debug, Clone, Default)]
pub struct Scores {
    classes: usize,
    values: Vec<f64>,
    impossible: Vec<usize>,
    doubtful: bool,
    scratch: Scratch,
}

impl Scores {
    /// An empty buffer.
    pub fn new() -> Self {
        Scores::default()
    }

    /// Makes room for `rows` × `classes` scores and sets every row to `start` (one value per class).
    pub fn reset(&mut self, rows: usize, start: &[f64]) {
        self.classes = start.len();
        self.impossible.clear();
        self.doubtful = false;
        // What is there is doubled: a few long copies in place of one short copy for every row.
        let wanted = rows * self.classes;
        self.values.clear();
        self.values.reserve(wanted);
        self.values.extend_from_slice(&start[..wanted.min(self.classes)]);
        while self.values.len() < wanted {
            self.values.extend_from_within(..self.values.len().min(wanted - self.values.len()));
        }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.classes.max(1)
    }

    /// The scores of row `i`, class by class.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.classes..(i + 1) * self.classes]
    }

    /// All scores, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All scores, to be added to, and buffers for the work.
    pub fn parts_mut(&mut self) -> (&mut [f64], &mut Scratch) {
        (&mut self.values, &mut self.scratch)
    }

    /// Remembers that some rows have gaps or lie far out.
    pub fn doubt(&mut self) {
        self.doubtful = true;
    }

    /// Whether the cells of some rows may be no finite numbers: scores are not, or the model had to look at the gaps.
    pub fn are_doubtful(&self) -> bool {
        self.doubtful
            || !widest(
                #[inline(always)]
                || self.values.iter().fold(true, |all, score| all & score.is_finite()),
            )
    }

    /// Rows that every class calls impossible. Their scores were replaced by the prior.
    pub fn impossible(&self) -> &[usize] {
        &self.impossible
    }

    /// Replaces rows in which every class has probability zero by the log prior, and remembers them: such a row
    /// says nothing, so the prior is all that is known, and the caller must be told.
    pub fn rescue_impossible(&mut self, log_prior: &[f64]) {
        let classes = self.classes;
        for (i, row) in self.values.chunks_exact_mut(classes.max(1)).enumerate() {
            if row.iter().all(|&score| score == f64::NEG_INFINITY) {
                row.copy_from_slice(log_prior);
                self.impossible.push(i);
            }
        }
    }
}
