//! The loss of rows that are held, Σ_i w_i [ln(1 + e^{η_i}) − y_i η_i], with its two derivatives by the score of every row.
//!
//! Where a row is called wrongly with a large score its second derivative is next to nothing though its slope is not, and Newton's step goes
//! far too far. The curvature w tanh(|η|/2) / (2 |η|) of the parabola that touches the loss at η and never lies below it (Jaakkola and Jordan, 2000) is safe there.

/// Proportions of the second class, weights and offsets, by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowLosses<'a> {
    pub(super) proportions: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) offsets: &'a [f64],
}

/// Derivatives by the score of every row.
#[derive(Debug, Clone, Default)]
pub(super) struct RowSlopes {
    /// w (p − y).
    pub(super) first: Vec<f64>,
    /// w p (1 − p).
    pub(super) second: Vec<f64>,
}

impl RowLosses<'_> {
    /// The loss at some scores, and its derivatives.
    pub(super) fn at(&self, scores: &[f64]) -> (f64, RowSlopes) {
        let (mut value, mut first, mut second) = (0.0, Vec::with_capacity(scores.len()), Vec::with_capacity(scores.len()));
        for ((&score, share), weight) in scores.iter().zip(self.proportions).zip(self.weights) {
            let small = (-score.abs()).exp();
            let large = 1.0 / (1.0 + small);
            let p = if score >= 0.0 { large } else { small * large };
            value += weight * (score.max(0.0) - share * score + small.ln_1p());
            first.push(weight * (p - share));
            second.push(weight * small * large * large);
        }
        (value, RowSlopes { first, second })
    }
}

/// Scores from which on a second derivative is not trusted where the row is called wrongly.
const TRUSTED: f64 = 1.0;

impl RowLosses<'_> {
    /// Second derivatives, and safe curvatures for the rows that are called wrongly.
    pub(super) fn cautious(&self, scores: &[f64], slopes: &RowSlopes) -> Vec<f64> {
        let mut curvatures = slopes.second.clone();
        for ((curvature, score), (slope, weight)) in curvatures.iter_mut().zip(scores).zip(slopes.first.iter().zip(self.weights)) {
            if slope * score > 0.0 && score.abs() > TRUSTED {
                *curvature = weight * (0.5 * score.abs()).tanh() / (2.0 * score.abs());
            }
        }
        curvatures
    }
}

/// v + t d.
pub(super) fn along(v: &[f64], t: f64, d: &[f64]) -> Vec<f64> {
    v.iter().zip(d).map(|(v, d)| v + t * d).collect()
}
