//! How alike two rows are, in units of the columns.

use serde::{Deserialize, Serialize};

/// A kernel with its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Kernel {
    /// exp(−γ |x − y|²).
    Rbf {
        /// γ.
        gamma: f64,
    },
    /// (1 + γ x·y)^degree.
    Polynomial {
        /// γ.
        gamma: f64,
        /// The degree.
        degree: u32,
    },
    /// x·y.
    Linear,
}

impl Kernel {
    /// Its value at two rows.
    pub(super) fn value(self, x: &[f64], y: &[f64]) -> f64 {
        let dot = || x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        match self {
            Kernel::Rbf { gamma } => (-gamma * x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>()).exp(),
            Kernel::Polynomial { gamma, degree } => (1.0 + gamma * dot()).powi(degree as i32),
            Kernel::Linear => dot(),
        }
    }

    /// In words.
    pub(super) fn describe(self) -> String {
        match self {
            Kernel::Rbf { gamma } => format!("exp(−{gamma:.4} |x − y|²)"),
            Kernel::Polynomial { gamma, degree } => format!("(1 + {gamma:.4} x·y)^{degree}"),
            Kernel::Linear => "x·y".into(),
        }
    }

    /// Whether its numbers are in range.
    pub(super) fn is_sound(self) -> bool {
        let positive = |gamma: f64| gamma > 0.0 && gamma.is_finite();
        match self {
            Kernel::Rbf { gamma } => positive(gamma),
            Kernel::Polynomial { gamma, degree } => positive(gamma) && (1..=10).contains(&degree),
            Kernel::Linear => true,
        }
    }
}
