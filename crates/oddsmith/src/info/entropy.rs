//! Entropy of counts: H = −Σ (w_i/W) log (w_i/W), in nats, with 0·log 0 = 0.

use crate::num::logspace::NeumaierSum;

/// Entropy, in nats, of the distribution that the weights are proportional to; 0 when there is no weight.
pub fn entropy(weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let mut sum = NeumaierSum::default();
    weights.iter().filter(|weight| **weight > 0.0).for_each(|weight| sum.add(-weight / total * (weight / total).ln()));
    sum.value().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fair_choices_have_the_logarithm_of_their_number() {
        assert_eq!(entropy(&[]), 0.0);
        assert_eq!(entropy(&[5.0, 0.0]), 0.0);
        assert!((entropy(&[2.0, 2.0, 2.0, 2.0]) - 4f64.ln()).abs() < 1e-15);
        assert!((entropy(&[1.0, 3.0]) - (2.0 * 2f64.ln() - 0.75 * 3f64.ln())).abs() < 1e-15);
    }
}
