//! A rising map from the log odds of a class to calibrated log odds.

use serde::{Deserialize, Serialize};

use crate::num::logspace::{ln_1p_exp, logit};

/// A map of log odds.
#[derive(Debug, Clone, PartialEq)]
pub enum Curve {
    /// a + b·h: Platt's sigmoid.
    Line {
        /// a.
        intercept: f64,
        /// b > 0.
        slope: f64,
    },
    /// c + a·log p − b·log(1 − p): the beta calibration of Kull, Silva Filho and Flach.
    Beta {
        /// a, b ≥ 0 and c.
        parameters: [f64; 3],
    },
    /// Probabilities at rising log odds, straight between them and level beyond: isotonic regression.
    Steps {
        /// Log odds, strictly rising.
        at: Vec<f64>,
        /// Probabilities, never falling, above 0 and below 1.
        probabilities: Vec<f64>,
    },
}

/// The kind of a curve, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CurveKind {
    Line,
    Beta,
    Steps,
}

impl Curve {
    /// The calibrated log odds; NaN, which a row without a prediction has, stays NaN.
    pub fn apply(&self, log_odds: f64) -> f64 {
        if log_odds.is_nan() {
            return f64::NAN;
        }
        match self {
            Curve::Line { intercept, slope } => intercept + slope * log_odds,
            Curve::Beta { parameters: [a, b, c] } => {
                let term = |factor: f64, value: f64| if factor == 0.0 { 0.0 } else { factor * value };
                // log p = −log(1 + e^−h), log(1 − p) = −log(1 + e^h).
                c - term(*a, ln_1p_exp(-log_odds)) + term(*b, ln_1p_exp(log_odds))
            }
            Curve::Steps { at, probabilities } => {
                let next = at.partition_point(|knot| *knot <= log_odds);
                match (next.checked_sub(1), at.get(next)) {
                    (None, _) => logit(probabilities[0]),
                    (Some(last), None) => logit(probabilities[last]),
                    (Some(before), Some(after)) => {
                        let share = (log_odds - at[before]) / (after - at[before]);
                        logit(probabilities[before] + share * (probabilities[next] - probabilities[before]))
                    }
                }
            }
        }
    }

    pub(super) fn kind(&self) -> CurveKind {
        match self {
            Curve::Line { .. } => CurveKind::Line,
            Curve::Beta { .. } => CurveKind::Beta,
            Curve::Steps { .. } => CurveKind::Steps,
        }
    }

    /// All its numbers, in order.
    pub(super) fn numbers(&self) -> Vec<f64> {
        match self {
            Curve::Line { intercept, slope } => vec![*intercept, *slope],
            Curve::Beta { parameters } => parameters.to_vec(),
            Curve::Steps { at, probabilities } => [&at[..], probabilities].concat(),
        }
    }

    /// The curve of a kind and its numbers; `None` when they do not make one.
    pub(super) fn from_numbers(kind: CurveKind, numbers: &[f64]) -> Option<Self> {
        match (kind, numbers) {
            (CurveKind::Line, &[intercept, slope]) => (slope > 0.0).then_some(Curve::Line { intercept, slope }),
            (CurveKind::Beta, &[a, b, c]) => (a >= 0.0 && b >= 0.0).then_some(Curve::Beta { parameters: [a, b, c] }),
            (CurveKind::Steps, numbers) if numbers.len() >= 2 && numbers.len() % 2 == 0 => {
                let (at, probabilities) = numbers.split_at(numbers.len() / 2);
                let rising = at.windows(2).all(|pair| pair[0] < pair[1]) && probabilities.windows(2).all(|pair| pair[0] <= pair[1]);
                let inside = probabilities.iter().all(|p| *p > 0.0 && *p < 1.0);
                (rising && inside).then(|| Curve::Steps { at: at.to_vec(), probabilities: probabilities.to_vec() })
            }
            _ => None,
        }
    }

    /// Two of a line, three of a beta curve; isotonic regression has as many as it has different probabilities.
    pub(super) fn free_parameters(&self) -> usize {
        match self {
            Curve::Line { .. } => 2,
            Curve::Beta { .. } => 3,
            Curve::Steps { probabilities, .. } => probabilities.chunk_by(|a, b| a == b).count(),
        }
    }

    /// The curve in words.
    pub fn describe(&self) -> String {
        match self {
            Curve::Line { intercept, slope } => format!("log odds = {intercept:.4} + {slope:.4} × log odds"),
            Curve::Beta { parameters: [a, b, c] } => format!("log odds = {c:.4} + {a:.4} × log p − {b:.4} × log(1 − p)"),
            Curve::Steps { at, .. } => format!("{} points of a rising curve", at.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_a_prediction_gets_none_by_calibration() {
        let curves = [
            Curve::Line { intercept: 0.5, slope: 2.0 },
            Curve::Beta { parameters: [1.0, 0.5, 0.1] },
            Curve::Beta { parameters: [0.0, 0.0, 0.1] },
            Curve::Steps { at: vec![-1.0, 2.0], probabilities: vec![0.2, 0.9] },
        ];
        for curve in curves {
            assert!(curve.apply(f64::NAN).is_nan(), "{curve:?}");
            assert!(curve.apply(0.25).is_finite(), "{curve:?}");
        }
    }
}
