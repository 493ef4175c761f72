//! A map from a model's scores to adjusted ones: calibration, other class proportions, or both.

use super::curve::Curve;
use super::held_out::log_odds;
use crate::num::logspace::ln_1p_exp;

/// What happens to the scores of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum CalibrationMap {
    /// Nothing.
    Identity,
    /// score_k becomes slope · score_k + offset_k: temperature, Platt's sigmoid of two classes, other class proportions. Log odds
    /// stay linear where they were, and weights of evidence stay sums.
    Affine {
        /// The slope, above zero.
        slope: f64,
        /// One offset per class.
        offsets: Vec<f64>,
    },
    /// One curve for the event of two classes, or one per class against the rest, normalised.
    Curves(Vec<Curve>),
}

impl CalibrationMap {
    /// Turns the scores of one row into adjusted log probabilities, up to a constant for affine maps.
    pub fn apply(&self, scores: &mut [f64]) {
        match self {
            CalibrationMap::Identity => {}
            CalibrationMap::Affine { slope, offsets } => {
                scores.iter_mut().zip(offsets).for_each(|(score, offset)| *score = slope * *score + offset);
            }
            CalibrationMap::Curves(curves) => match (&curves[..], scores) {
                ([curve], [first, second]) => {
                    let h = curve.apply(*second - *first);
                    // log(1 − p) and log p of the event.
                    (*first, *second) = (-ln_1p_exp(h), -ln_1p_exp(-h));
                }
                (curves, scores) => {
                    let calibrated: Vec<f64> =
                        curves.iter().enumerate().map(|(k, curve)| -ln_1p_exp(-curve.apply(log_odds(scores, k)))).collect();
                    scores.copy_from_slice(&calibrated);
                }
            },
        }
    }

    /// Numbers that tell the map from others of its kind.
    pub(super) fn free_parameters(&self) -> usize {
        match self {
            CalibrationMap::Identity => 0,
            // A temperature moves no class against another, other class proportions stretch nothing.
            CalibrationMap::Affine { slope, offsets } => {
                let moved = offsets.iter().any(|offset| *offset != offsets[0]);
                usize::from(*slope != 1.0) + if moved { offsets.len() - 1 } else { 0 }
            }
            CalibrationMap::Curves(curves) => curves.iter().map(Curve::free_parameters).sum(),
        }
    }

    /// The map in words.
    pub fn describe(&self) -> String {
        match self {
            CalibrationMap::Identity => "none".into(),
            CalibrationMap::Affine { slope, offsets } => match &offsets[..] {
                [first, second] => Curve::Line { intercept: second - first, slope: *slope }.describe(),
                _ => format!("scores × {slope:.4}"),
            },
            CalibrationMap::Curves(curves) => match &curves[..] {
                [only] => only.describe(),
                curves => format!("{} curves, one per class against the rest", curves.len()),
            },
        }
    }
}
