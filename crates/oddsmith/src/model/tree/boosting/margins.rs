//! The log odds of every row, as rounds have left them, and what follows from them.

use crate::model::tree::coded_rows::CodedRows;
use crate::num::kernel::{exp_all, softplus_all};

/// Parts of one nat in which losses are added.
const PARTS: f64 = (1u64 << 40) as f64;

/// A sum of losses and weights as whole numbers, so that the order of rows does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Loss {
    sum: i128,
    weight: i128,
}

impl Loss {
    /// More than any.
    pub(super) const MOST: Loss = Loss { sum: i128::MAX, weight: 1 };

    /// Per unit of weight, in nats.
    pub(super) fn mean(self) -> f64 {
        if self.weight == 0 { f64::NAN } else { self.sum as f64 / self.weight as f64 / PARTS }
    }
}

/// Margins F of all rows: one number for two classes, the log odds of the second; one per class otherwise.
pub(super) struct Margins {
    width: usize,
    start: Vec<f64>,
    margins: Vec<f64>,
    /// Probabilities by row, as wide as the margins.
    probabilities: Vec<f64>,
    /// Log loss by row.
    losses: Vec<f64>,
    labels: Vec<u8>,
    /// The largest weight, where weights are rounded with the gradients.
    heaviest: Option<u64>,
}

impl Margins {
    /// Margins of the class proportions.
    pub(super) fn new(rows: &CodedRows, heaviest: Option<u64>) -> Self {
        let (classes, stride) = (rows.book.class_count(), rows.book.stride());
        let mut units = vec![0u64; classes];
        for (i, row) in rows.codes.chunks_exact(stride).enumerate() {
            units[usize::from(row[stride - 1])] += rows.weights.get(i).copied().unwrap_or(1);
        }
        let total: u64 = units.iter().sum();
        let log = |k: usize| (units[k] as f64 / total as f64).ln();
        let start: Vec<f64> = if classes == 2 { vec![(units[1] as f64 / units[0] as f64).ln()] } else { (0..classes).map(log).collect() };
        let margins: Vec<f64> = start.iter().copied().cycle().take(rows.len() * start.len()).collect();
        let labels: Vec<u8> = rows.codes.chunks_exact(stride).map(|row| row[stride - 1]).collect();
        let mut all = Margins {
            width: start.len(),
            probabilities: vec![0.0; margins.len()],
            losses: vec![0.0; labels.len()],
            start,
            margins,
            labels,
            heaviest,
        };
        all.refresh();
        all
    }

    /// Numbers per row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Where every row starts.
    pub(super) fn start(&self) -> &[f64] {
        &self.start
    }

    /// Adds to a margin.
    pub(super) fn add(&mut self, i: usize, k: usize, value: f64) {
        self.margins[i * self.width + k] += value;
    }

    /// Computes probabilities and losses from margins.
    pub(super) fn refresh(&mut self) {
        let Margins { width, margins, probabilities, losses, labels, .. } = self;
        if *width == 1 {
            probabilities.iter_mut().zip(&*margins).for_each(|(p, margin)| *p = -margin);
            exp_all(probabilities);
            probabilities.iter_mut().for_each(|p| *p = 1.0 / (1.0 + *p));
            let signed = |(class, margin): (&u8, &f64)| if *class == 1 { -margin } else { *margin };
            losses.iter_mut().zip(labels.iter().zip(&*margins).map(signed)).for_each(|(loss, margin)| *loss = margin);
            softplus_all(losses);
            return;
        }
        for (i, (p, margins)) in probabilities.chunks_exact_mut(*width).zip(margins.chunks_exact(*width)).enumerate() {
            let most = margins.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            p.iter_mut().zip(margins).for_each(|(p, margin)| *p = (margin - most).exp());
            let sum: f64 = p.iter().sum();
            p.iter_mut().for_each(|p| *p /= sum);
            losses[i] = sum.ln() + most - margins[usize::from(labels[i])];
        }
    }

    /// Gradient and curvature of a row for log odds `k`, and its weight as a share of the heaviest, where that is to be rounded with them.
    pub(super) fn gradient(&self, rows: &CodedRows, i: usize, k: usize) -> (f64, f64, f64) {
        let class = usize::from(self.labels[i]);
        let hit = if self.width == 1 { class == 1 } else { class == k };
        let p = self.probabilities[i * self.width + k];
        let share = match (self.heaviest, rows.weights.get(i)) {
            (Some(heaviest), Some(units)) => *units as f64 / heaviest as f64,
            _ => 1.0,
        };
        (if hit { 1.0 - p } else { -p }, p * (1.0 - p), share)
    }

    /// Log loss of some rows.
    pub(super) fn loss(&self, rows: &CodedRows, wanted: impl Fn(usize) -> bool) -> Loss {
        let mut loss = Loss { sum: 0, weight: 0 };
        for (i, nats) in self.losses.iter().enumerate().filter(|(i, _)| wanted(*i)) {
            let units = i128::from(rows.weights.get(i).copied().unwrap_or(1));
            loss.sum += units * i128::from((nats * PARTS).round() as i64);
            loss.weight += units;
        }
        loss
    }
}
