//! The Cochran–Armitage test: do proportions rise or fall with a score?
//!
//! ```text
//! χ² = [Σ t_i (x_i − n_i p)]² / (p (1 − p) [Σ n_i t_i² − (Σ n_i t_i)²/N]),   p = Σ x_i / N,   df 1
//! slope = Σ n_i (t_i − t̄)(x_i/n_i − p) / Σ n_i (t_i − t̄)²     what remains of Pearson's χ² is departure from a line
//! ```

use super::super::estimate::ChiSquared;
use super::independence::independence;

/// The test, the slope of the line of proportions, and what the line leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// The test of a trend.
    pub trend: ChiSquared,
    /// The test of departure from a line.
    pub departure: ChiSquared,
    /// Rise of the proportion per unit of the score.
    pub slope: f64,
}

/// The test of cases and others at scores.
pub fn cochran_armitage(scores: &[f64], cases: &[f64], others: &[f64]) -> Trend {
    let sizes: Vec<f64> = cases.iter().zip(others).map(|(x, y)| x + y).collect();
    let (total, all_cases) = (sizes.iter().sum::<f64>(), cases.iter().sum::<f64>());
    let p = all_cases / total;
    let mean = sizes.iter().zip(scores).map(|(n, t)| n * t).sum::<f64>() / total;
    let (mut covariance, mut spread) = (0.0, 0.0);
    for ((n, t), x) in sizes.iter().zip(scores).zip(cases) {
        covariance += (t - mean) * (x - n * p);
        spread += n * (t - mean) * (t - mean);
    }
    let df = usize::from(spread > 0.0 && p > 0.0 && p < 1.0);
    let trend = ChiSquared::new(covariance * covariance / (p * (1.0 - p) * spread), df);
    let counts: Vec<f64> = cases.iter().zip(others).flat_map(|(x, y)| [*x, *y]).collect();
    let pearson = independence(&counts, 2).pearson;
    let rest = pearson.df.saturating_sub(1);
    Trend { trend, departure: ChiSquared::new((pearson.statistic - trend.statistic).max(0.0), rest), slope: covariance / spread }
}
