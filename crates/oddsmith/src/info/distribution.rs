//! Probabilities of finitely many outcomes, and what two such lists say of each other.
//!
//! ```text
//! H(p)    = −Σ p ln p                          entropy, 0 ln 0 = 0
//! H(p, q) = −Σ p ln q                          cross-entropy; infinite where q = 0 < p
//! D(p‖q)  = Σ q φ(p/q),  φ(t) = t ln t − t + 1 relative entropy: a sum of addends that are never negative
//! J(p, q) = ½ D(p‖m) + ½ D(q‖m),  m = (p + q)/2
//! ```
//!
//! H(p, q) = H(p) + D(p‖q). All in nats; divide by ln b for base b. The form with φ loses no digits when p and q are almost equal, where
//! Σ p ln(p/q) would be the small difference of large addends. Cost: a logarithm per outcome.

use super::entropy;
use crate::error::{Advice, DataFault, Result};
use crate::num::logspace::NeumaierSum;

/// How far from 1 a sum of probabilities may lie and still be taken for rounding of its addends.
pub(super) const ROUNDING: f64 = 1e-6;

/// Probabilities that are not negative and add up to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution(Vec<f64>);

impl Distribution {
    /// Probabilities as they are given. A sum further from 1 than 10⁻⁶ is an error and never scaled away; what is left of a smaller
    /// difference is.
    pub fn new(probabilities: &[f64]) -> Result<Self> {
        let total = checked_sum(probabilities, "a probability")?;
        if (total - 1.0).abs() > ROUNDING {
            let fault = DataFault::new("the probabilities do not add up to 1, but to").value(total.to_string());
            return Err(fault.accepted(Advice::Set { option: "counts", value: "", to: "mend them, or say that they are counts" }).into());
        }
        Ok(Distribution(probabilities.iter().map(|p| p / total).collect()))
    }

    /// Shares of counts or weights.
    pub fn of_counts(counts: &[f64]) -> Result<Self> {
        let total = checked_sum(counts, "a count")?;
        Ok(Distribution(counts.iter().map(|count| count / total).collect()))
    }

    /// The probabilities.
    pub fn probabilities(&self) -> &[f64] {
        &self.0
    }

    /// Entropy in nats.
    pub fn entropy(&self) -> f64 {
        entropy(&self.0)
    }

    /// Cross-entropy H(p, q) in nats of this distribution p coded as if it were `q`.
    pub fn cross_entropy(&self, q: &Self) -> Result<f64> {
        self.same_length(q)?;
        let mut sum = NeumaierSum::default();
        for (p, q) in self.0.iter().zip(&q.0).filter(|(p, _)| **p > 0.0) {
            sum.add(-p * libm::log(*q));
        }
        Ok(sum.value())
    }

    /// Relative entropy (Kullback–Leibler divergence) D(p‖q) in nats of this distribution p from `q`.
    pub fn relative_entropy(&self, q: &Self) -> Result<f64> {
        self.same_length(q)?;
        let mut sum = NeumaierSum::default();
        for (&p, &q) in self.0.iter().zip(&q.0) {
            match q > 0.0 {
                true => sum.add(q * phi((p - q) / q)),
                false if p > 0.0 => return Ok(f64::INFINITY),
                false => {}
            }
        }
        Ok(sum.value())
    }

    /// Jensen–Shannon divergence in nats, from 0 to ln 2.
    pub fn jensen_shannon(&self, other: &Self) -> Result<f64> {
        self.same_length(other)?;
        let middle = Distribution(self.0.iter().zip(&other.0).map(|(p, q)| 0.5 * (p + q)).collect());
        Ok(0.5 * (self.relative_entropy(&middle)? + other.relative_entropy(&middle)?))
    }

    fn same_length(&self, other: &Self) -> Result<()> {
        match self.0.len() == other.0.len() {
            true => Ok(()),
            false => {
                let what = format!("one distribution has {} outcomes, the other {}", self.0.len(), other.0.len());
                Err(DataFault::new(what).accepted("write a 0 for what one of them never shows").into())
            }
        }
    }
}

/// φ(1 + u) = (1 + u) ln(1 + u) − u ≥ 0, to the last digits also near its double zero at u = 0.
pub(crate) fn phi(u: f64) -> f64 {
    const SERIES_BELOW: f64 = 0.05;
    if u <= -1.0 {
        return 1.0;
    }
    if u.abs() >= SERIES_BELOW {
        return (1.0 + u) * libm::log1p(u) - u;
    }
    // Σ_{k≥2} (−u)^k / (k (k − 1)), from its smallest addend down.
    let sum = (2..=14u32).rev().fold(0.0, |sum, k| 1.0 / f64::from(k * (k - 1)) - u * sum);
    u * u * sum
}

/// The sum of numbers from 0 up, of which one at least is above 0.
fn checked_sum(values: &[f64], noun: &str) -> Result<f64> {
    if let Some(at) = values.iter().position(|value| !(0.0..f64::INFINITY).contains(value)) {
        let fault = DataFault::new(format!("{noun} cannot be")).row(at as u64 + 1).value(values[at].to_string());
        return Err(fault.accepted("give finite numbers from 0 up").into());
    }
    let mut sum = NeumaierSum::default();
    values.iter().for_each(|value| sum.add(*value));
    match sum.value() {
        total if total > 0.0 && total.is_finite() => Ok(total),
        total => {
            let what =
                format!("there is no distribution in {}, whose sum is {total}", crate::notice::counted(values.len() as u64, "number"));
            Err(DataFault::new(what).accepted("one number at least must be above 0").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[f64]) -> Distribution {
        Distribution::of_counts(values).unwrap()
    }

    #[test]
    fn phi_keeps_its_digits_near_its_zero() {
        // From 50 digits, for the numbers as they are stored.
        for (u, expected) in [
            (1e-8, 4.999_999_983_333_334e-17),
            (-1e-3, 5.001_667_500_500_334e-7),
            (0.049, 0.001_181_358_555_453_969_2),
            (0.051, 0.001_278_938_581_449_591),
            (-1.0, 1.0),
        ] {
            assert!((phi(u) / expected - 1.0).abs() < 1e-14, "{u}: {} {expected}", phi(u));
        }
    }

    #[test]
    fn what_is_impossible_costs_without_end() {
        let (p, q) = (of(&[1.0, 1.0]), of(&[1.0, 0.0]));
        assert_eq!(p.relative_entropy(&q).unwrap(), f64::INFINITY);
        assert_eq!(p.cross_entropy(&q).unwrap(), f64::INFINITY);
        assert!((q.relative_entropy(&p).unwrap() - 2f64.ln()).abs() < 1e-16);
        assert!((q.jensen_shannon(&of(&[0.0, 1.0])).unwrap() - 2f64.ln()).abs() < 1e-16);
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        let refused = |values: &[f64]| Distribution::new(values).unwrap_err().to_string();
        assert!(refused(&[0.5, 0.4]).starts_with("the probabilities do not add up to 1, but to `0.9`"));
        assert_eq!(refused(&[0.5, -0.5, 1.0]), "row 2: a probability cannot be `-0.5`; give finite numbers from 0 up");
        assert!(refused(&[]).contains("no distribution in 0 numbers"));
        assert!(refused(&[0.0]).contains("one number at least must be above 0"));
        assert!(of(&[1.0]).cross_entropy(&of(&[1.0, 2.0])).unwrap_err().to_string().contains("1 outcomes, the other 2"));
    }

    proptest! {
        #[test]
        fn a_cross_entropy_is_an_entropy_and_a_divergence(pairs in prop::collection::vec((0.0..1.0f64, 1e-9..1.0f64), 1..20)) {
            prop_assume!(pairs.iter().any(|(p, _)| *p > 0.0));
            let p = of(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
            let q = of(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
            let (entropy, divergence) = (p.entropy(), p.relative_entropy(&q).unwrap());
            prop_assert!(divergence >= 0.0 && entropy <= (pairs.len() as f64).ln() + 1e-15);
            let cross = p.cross_entropy(&q).unwrap();
            prop_assert!((cross - entropy - divergence).abs() <= 1e-13 * (1.0 + cross), "{cross} {entropy} {divergence}");
            prop_assert!(p.relative_entropy(&p).unwrap() == 0.0);
            let (there, back) = (p.jensen_shannon(&q).unwrap(), q.jensen_shannon(&p).unwrap());
            prop_assert!((there - back).abs() <= 1e-16 && there <= 2f64.ln() + 1e-15);
        }

        #[test]
        fn processing_never_adds_information(pairs in prop::collection::vec((0.0..1.0f64, 1e-3..1.0f64), 3..12), join in 1usize..3) {
            prop_assume!(pairs.iter().any(|(p, _)| *p > 0.0));
            let coarse = |values: Vec<f64>| of(&values.chunks(join + 1).map(|chunk| chunk.iter().sum()).collect::<Vec<f64>>());
            let fine = |pick: fn(&(f64, f64)) -> f64| pairs.iter().map(pick).collect::<Vec<f64>>();
            let (p, q) = (fine(|pair| pair.0), fine(|pair| pair.1));
            let whole = of(&p).relative_entropy(&of(&q)).unwrap();
            prop_assert!(coarse(p).relative_entropy(&coarse(q)).unwrap() <= whole + 1e-14);
        }
    }
}
