//! The log odds of every row, as rounds have left them, and what follows from them.

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
    /// Of no row.
    pub(super) const NONE: Loss = Loss { sum: 0, weight: 0 };
    /// More than any.
    pub(super) const MOST: Loss = Loss { sum: i128::MAX, weight: 1 };

    /// Adds the losses of other rows.
    pub(super) fn add(&mut self, other: Loss) {
        self.sum = self.sum.wrapping_add(other.sum);
        self.weight = self.weight.wrapping_add(other.weight);
    }

    /// Its words, to be stored.
    pub(super) fn words(self) -> [u64; 4] {
        [self.sum as u64, (self.sum >> 64) as u64, self.weight as u64, (self.weight >> 64) as u64]
    }

    /// From words that were stored.
    pub(super) fn from_words([low, high, weight_low, weight_high]: [u64; 4]) -> Self {
        let joined = |low: u64, high: u64| (i128::from(high as i64) << 64) | i128::from(low);
        Loss { sum: joined(low, high), weight: joined(weight_low, weight_high) }
    }

    /// Per unit of weight, in nats.
    pub(super) fn mean(self) -> f64 {
        if self.weight == 0 { f64::NAN } else { self.sum as f64 / self.weight as f64 / PARTS }
    }
}

/// Where every row starts, by the units of classes: the log odds of the second of two, or the log proportions of more.
pub(super) fn start(units: &[u64]) -> Vec<f64> {
    let total: u64 = units.iter().sum();
    match units {
        [first, second] => vec![(*second as f64 / *first as f64).ln()],
        _ => units.iter().map(|own| (*own as f64 / total as f64).ln()).collect(),
    }
}

/// Margins F of rows: one number for two classes, the log odds of the second; one per class otherwise.
pub(super) struct Margins<'a> {
    width: usize,
    margins: Vec<f64>,
    /// Probabilities by row, as wide as the margins.
    probabilities: Vec<f64>,
    /// Log loss by row.
    losses: Vec<f64>,
    labels: Vec<u8>,
    /// Weights in units; empty where every row weighs one unit.
    units: &'a [u64],
    /// The largest weight, where weights are rounded with the gradients.
    heaviest: Option<u64>,
}

impl<'a> Margins<'a> {
    /// Rows of some classes, all at the start; probabilities and losses are not there before they are refreshed.
    pub(super) fn new(labels: Vec<u8>, units: &'a [u64], start: &[f64], heaviest: Option<u64>) -> Self {
        let margins: Vec<f64> = start.iter().copied().cycle().take(labels.len() * start.len()).collect();
        Margins {
            width: start.len(),
            probabilities: vec![0.0; margins.len()],
            losses: vec![0.0; labels.len()],
            labels,
            margins,
            units,
            heaviest,
        }
    }

    /// Adds to a margin.
    #[inline]
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
    #[inline]
    pub(super) fn gradient(&self, i: usize, k: usize) -> (f64, f64, f64) {
        let class = usize::from(self.labels[i]);
        let hit = if self.width == 1 { class == 1 } else { class == k };
        let p = self.probabilities[i * self.width + k];
        let share = match (self.heaviest, self.units.get(i)) {
            (Some(heaviest), Some(units)) => *units as f64 / heaviest as f64,
            _ => 1.0,
        };
        (if hit { 1.0 - p } else { -p }, p * (1.0 - p), share)
    }

    /// Log loss of some rows.
    pub(super) fn loss(&self, places: &[u32]) -> Loss {
        let parts = |place: &u32| (self.losses[*place as usize] * PARTS).round() as i64;
        if self.units.is_empty() {
            return Loss { sum: places.iter().map(|place| i128::from(parts(place))).sum(), weight: places.len() as i128 };
        }
        places.iter().fold(Loss::NONE, |mut loss, place| {
            let units = i128::from(self.units[*place as usize]);
            loss.add(Loss { sum: units * i128::from(parts(place)), weight: units });
            loss
        })
    }
}
