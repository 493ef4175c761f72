//! How mixed the classes of a node are, times its weight.
//!
//! With m_k the weight of class k and m their sum: information m ln m − Σ m_k ln m_k (nats), Gini Σ m_k (m − m_k) / m. Both are exactly
//! zero for one class. The gain of a split is what the node has more than its two children together. m ln m is tabulated for whole m.

use super::fixed_point::FixedPoint;
use crate::error::Error;

/// What a split should lessen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Criterion {
    /// Entropy of the classes.
    #[default]
    Information,
    /// Gini's index: the chance that two rows differ.
    Gini,
}

impl Criterion {
    /// Its name as an option.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Information => "information",
            Criterion::Gini => "gini",
        }
    }

    /// What a gain is divided by for people: entropies are told in bits.
    pub(super) fn unit(self) -> f64 {
        match self {
            Criterion::Information => std::f64::consts::LN_2,
            Criterion::Gini => 1.0,
        }
    }
}

impl std::str::FromStr for Criterion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "information" | "entropy" | "log_loss" => Ok(Criterion::Information),
            "gini" => Ok(Criterion::Gini),
            _ => Err(Error::option("criterion", text, "one of: information, gini")),
        }
    }
}

/// Entries of the table of m ln m at most.
const TABLE: u64 = 1 << 20;

/// Computes impurities of weights in units.
#[derive(Debug, Clone)]
pub(super) struct Impurity {
    criterion: Criterion,
    fixed: FixedPoint,
    /// m ln m of whole weights from 0 up.
    table: Vec<f64>,
}

impl Impurity {
    /// For nodes of up to `total` units.
    pub(super) fn new(criterion: Criterion, fixed: FixedPoint, total: u64) -> Self {
        let entries = if fixed.shift() == 0 && criterion == Criterion::Information { total.min(TABLE) + 1 } else { 0 };
        Impurity { criterion, fixed, table: (0..entries).map(|m| x_ln_x(m as f64)).collect() }
    }

    #[inline]
    fn m_ln_m(&self, units: u64) -> f64 {
        match self.table.get(units as usize) {
            Some(value) => *value,
            None => x_ln_x(self.fixed.weight(units)),
        }
    }

    /// m ln m of whole weights from 0 to `total`, where that is tabulated and all that is needed.
    pub(super) fn m_ln_m_up_to(&self, total: u64) -> Option<&[f64]> {
        self.table.get(..=total as usize)
    }

    /// The impurity of the classes' weights, times their sum.
    #[inline]
    pub(super) fn of(&self, counts: &[u64]) -> f64 {
        let sum: u64 = counts.iter().sum();
        match self.criterion {
            Criterion::Information => self.m_ln_m(sum) - counts.iter().map(|count| self.m_ln_m(*count)).sum::<f64>(),
            Criterion::Gini if sum == 0 => 0.0,
            Criterion::Gini => {
                let whole = self.fixed.weight(sum);
                counts.iter().map(|count| self.fixed.weight(*count) * (self.fixed.weight(sum - count) / whole)).sum()
            }
        }
    }
}

fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_is_pure_and_halves_are_one_bit() {
        let fixed = FixedPoint::new(10, 1.0, true);
        for criterion in [Criterion::Information, Criterion::Gini] {
            assert_eq!(Impurity::new(criterion, fixed, 30).of(&[0, 17, 0]), 0.0);
        }
        let bits = Impurity::new(Criterion::Information, fixed, 8).of(&[4, 4]) / std::f64::consts::LN_2;
        assert!((bits - 8.0).abs() < 1e-12, "{bits}");
        assert_eq!(Impurity::new(Criterion::Gini, fixed, 8).of(&[4, 4]), 4.0);
    }
}
