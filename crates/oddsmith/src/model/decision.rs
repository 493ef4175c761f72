//! From probabilities to a decision: the most probable class, a threshold, or the least expected cost.
//!
//! Calling class j when the truth is k costs C[k][j]; the expected cost of a call is Σ_k p_k C[k][j], and the cheapest call
//! is made. With two classes, no cost for right calls, f for a false alarm and m for a miss, that is a threshold of
//! f/(f + m). A reject option leaves the row undecided when even the cheapest call costs more than leaving it.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// How a class is chosen from probabilities.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The most probable class; the first of several equals.
    #[default]
    MostProbable,
    /// With two classes: the second one if and only if its probability is at least this.
    Threshold(f64),
    /// The call with the least expected cost.
    Costs(Costs),
}

/// What calls cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// Cost of calling class j when the truth is k, row k after row k.
    matrix: Vec<f64>,
    /// Cost of leaving a row undecided; `None` when every row must be decided.
    reject: Option<f64>,
}

impl Costs {
    /// Costs of K × K calls, true class after true class, finite and not negative.
    pub fn new(matrix: Vec<f64>, reject: Option<f64>, classes: usize) -> Result<Self> {
        if matrix.len() != classes * classes {
            return Err(Error::option("costs", format!("{} numbers", matrix.len()), format!("{classes} × {classes} costs")));
        }
        match matrix.iter().chain(&reject).find(|cost| !(0.0..f64::INFINITY).contains(*cost)) {
            Some(cost) => Err(Error::option("costs", cost, "finite numbers from 0 up")),
            None => Ok(Costs { matrix, reject }),
        }
    }

    /// Every wrong call costs 1, and leaving a row undecided costs `reject`: a row is left when the most probable class is less
    /// probable than 1 − `reject`.
    pub fn equal(classes: usize, reject: Option<f64>) -> Result<Self> {
        let wrong = |cell: usize| f64::from(u8::from(cell / classes != cell % classes));
        Costs::new((0..classes * classes).map(wrong).collect(), reject, classes)
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.matrix.len().isqrt()
    }

    /// Cost of leaving a row undecided.
    pub fn reject(&self) -> Option<f64> {
        self.reject
    }

    /// Cost of calling class `called` when the truth is `truth`.
    pub fn cost(&self, truth: usize, called: usize) -> f64 {
        self.matrix[truth * self.classes() + called]
    }

    /// The cheapest call and what it costs on average.
    fn cheapest(&self, probabilities: &[f64]) -> (usize, f64) {
        let expected = |called: usize| probabilities.iter().enumerate().map(|(k, p)| p * self.cost(k, called)).sum::<f64>();
        (1..probabilities.len()).fold((0, expected(0)), |best, k| if expected(k) < best.1 { (k, expected(k)) } else { best })
    }
}

impl Decision {
    /// A threshold for a problem with `classes` classes.
    pub fn threshold(threshold: f64, classes: usize) -> Result<Self> {
        if classes != 2 {
            return Err(Error::option("threshold", threshold, format!("a threshold needs two classes; this model has {classes}")));
        }
        match (0.0..=1.0).contains(&threshold) {
            true => Ok(Decision::Threshold(threshold)),
            false => Err(Error::option("threshold", threshold, "a probability from 0 to 1")),
        }
    }

    /// Whether the rule suits a problem with `classes` classes.
    pub fn suits(&self, classes: usize) -> bool {
        match self {
            Decision::MostProbable => true,
            Decision::Threshold(threshold) => classes == 2 && (0.0..=1.0).contains(threshold),
            Decision::Costs(costs) => Costs::new(costs.matrix.clone(), costs.reject, classes).is_ok(),
        }
    }

    /// The chosen class, with every row decided.
    pub fn choose(&self, probabilities: &[f64]) -> usize {
        match self {
            Decision::Threshold(t) => usize::from(probabilities[1] >= *t),
            Decision::MostProbable => {
                (1..probabilities.len()).fold(0, |best, k| if probabilities[k] > probabilities[best] { k } else { best })
            }
            Decision::Costs(costs) => costs.cheapest(probabilities).0,
        }
    }

    /// The chosen class, or `None` for a row that is better left undecided.
    pub fn decide(&self, probabilities: &[f64]) -> Option<usize> {
        match self {
            Decision::Costs(costs) => {
                let (called, cost) = costs.cheapest(probabilities);
                costs.reject.is_none_or(|reject| cost <= reject).then_some(called)
            }
            _ => Some(self.choose(probabilities)),
        }
    }

    /// The rule in words.
    pub fn describe(&self) -> String {
        match self {
            Decision::MostProbable => "the most probable".into(),
            Decision::Threshold(threshold) => format!("the event from {} up", four_digits(*threshold)),
            Decision::Costs(costs) => {
                let rest = costs.reject.map_or_else(String::new, |reject| format!(", undecided above {}", four_digits(reject)));
                format!("the least expected cost{rest}")
            }
        }
    }
}

/// A probability as people read it.
fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_two_classes_are_a_threshold() {
        // A false alarm costs 1 and a miss 4: the event is called from 1/5 up.
        let costs = Decision::Costs(Costs::new(vec![0.0, 1.0, 4.0, 0.0], None, 2).unwrap());
        for p in [0.0, 0.1, 0.199, 0.201, 0.5, 1.0] {
            assert_eq!(costs.choose(&[1.0 - p, p]), Decision::Threshold(0.2).choose(&[1.0 - p, p]), "{p}");
        }
    }

    #[test]
    fn doubtful_rows_are_left_undecided() {
        let chow = Decision::Costs(Costs::equal(3, Some(0.3)).unwrap());
        assert_eq!(chow.decide(&[0.2, 0.75, 0.05]), Some(1));
        assert_eq!(chow.decide(&[0.4, 0.6, 0.0]), None);
        assert_eq!(chow.choose(&[0.4, 0.6, 0.0]), 1);
        assert_eq!(chow.describe(), "the least expected cost, undecided above 0.3");
    }

    #[test]
    fn costs_must_be_a_square_of_sensible_numbers() {
        assert!(Costs::new(vec![0.0; 3], None, 2).is_err());
        assert!(Costs::new(vec![0.0, -1.0, 1.0, 0.0], None, 2).is_err());
        assert!(Costs::new(vec![0.0, 1.0, 1.0, 0.0], Some(f64::NAN), 2).is_err());
        assert!(!Decision::Threshold(0.5).suits(3) && Decision::MostProbable.suits(3));
    }
}
