//! The loss of scores, its slopes and its curvatures, for every model that is fitted by them: regressions and the maps that calibrate.
//!
//! With two classes, and for one-vs-rest, every output is a logistic regression of its own. With more classes the outputs
//! are log odds against the first class: loss w (ln(1 + Σ e^η_l) − Σ y_m η_m), slope w (p_m − y_m), curvature
//! w (p_m [m = l] − p_m p_l) for every pair m ≤ l of outputs.

use crate::num::kernel::{logistic, softmax};

/// How outputs become probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// One output: log odds of the second class.
    Logistic,
    /// Several outputs: log odds against the first class.
    Softmax,
}

/// What a block adds to the value of the objective.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Loss {
    pub(crate) loss: f64,
    /// Largest |η| among rows that count.
    pub(crate) max_abs_eta: f64,
}

impl Link {
    /// The link for a number of outputs.
    pub(crate) fn of(outputs: usize) -> Self {
        if outputs == 1 { Link::Logistic } else { Link::Softmax }
    }

    /// Pairs m ≤ l of outputs that share a curvature, in the order of their blocks.
    pub(crate) fn pairs(outputs: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..outputs).flat_map(move |m| (m..outputs).map(move |l| (m, l)))
    }

    /// Turns the scores η (n × outputs) into slopes and writes the curvatures of all pairs, pair after pair when `curvatures`
    /// has room for them (n numbers per pair).
    pub(crate) fn apply(self, scores: &mut [f64], proportions: &[f64], weights: &[f64], work: &mut Work, with_curvature: bool) -> Loss {
        let (rows, outputs) = (weights.len(), scores.len() / weights.len().max(1));
        match self {
            Link::Logistic => {
                work.curvatures.resize(rows, 0.0);
                let loss = logistic(scores, proportions, weights, &mut work.curvatures);
                Loss { loss: loss.loss, max_abs_eta: loss.max_abs_eta }
            }
            Link::Softmax => {
                let loss = work.softmax(scores, proportions, weights, outputs);
                if with_curvature {
                    work.pair_curvatures(weights, outputs);
                }
                loss
            }
        }
    }
}

/// Buffers of a block.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Probabilities of all classes, the first included, row after row.
    pub(crate) probabilities: Vec<f64>,
    normalisers: Vec<f64>,
    /// Curvatures of every pair of outputs, pair after pair.
    pub(crate) curvatures: Vec<f64>,
}

impl Work {
    fn softmax(&mut self, scores: &mut [f64], proportions: &[f64], weights: &[f64], outputs: usize) -> Loss {
        let classes = outputs + 1;
        self.probabilities.clear();
        for row in scores.chunks_exact(outputs) {
            self.probabilities.push(0.0);
            self.probabilities.extend_from_slice(row);
        }
        self.normalisers.resize(weights.len(), 0.0);
        softmax(&mut self.probabilities, classes, Some(&mut self.normalisers));
        let (mut total, mut max_abs_eta) = (0.0, 0.0f64);
        let rows = scores.chunks_exact_mut(outputs).zip(proportions.chunks_exact(outputs)).zip(self.probabilities.chunks_exact(classes));
        for ((((scores, proportions), p), weight), normaliser) in rows.zip(weights).zip(&self.normalisers) {
            if *weight == 0.0 {
                scores.fill(0.0);
                continue;
            }
            let mut inner = *normaliser;
            for (m, (score, share)) in scores.iter_mut().zip(proportions).enumerate() {
                inner -= share * *score;
                max_abs_eta = max_abs_eta.max(score.abs());
                // 1 − p loses the digits that the sum of the other probabilities keeps.
                *score = match *share == 1.0 {
                    true => -weight * p.iter().enumerate().filter(|(k, _)| *k != m + 1).map(|(_, p)| p).sum::<f64>(),
                    false => weight * (p[m + 1] - share),
                };
            }
            total += weight * inner;
        }
        Loss { loss: total, max_abs_eta }
    }

    fn pair_curvatures(&mut self, weights: &[f64], outputs: usize) {
        let (rows, classes) = (weights.len(), outputs + 1);
        self.curvatures.clear();
        self.curvatures.reserve(rows * outputs * classes / 2);
        for (m, l) in Link::pairs(outputs) {
            let rows = self.probabilities.chunks_exact(classes).zip(weights);
            self.curvatures.extend(rows.map(|(p, weight)| match m == l {
                // As with slopes: near 1 the other probabilities know what 1 − p has lost.
                true if p[m + 1] > 0.5 => weight * (p[m + 1] * (p[..=m].iter().sum::<f64>() + p[m + 2..].iter().sum::<f64>())),
                true => weight * (p[m + 1] * (1.0 - p[m + 1])),
                false => -weight * (p[m + 1] * p[l + 1]),
            }));
        }
    }
}
