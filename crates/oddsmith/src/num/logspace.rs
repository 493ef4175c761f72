//! Sums of probabilities kept as logarithms.

/// log Σ exp(x), shifted by the largest term; minus infinity for no terms or only impossible ones.
pub fn log_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    largest + terms.map(|x| (x - largest).exp()).sum::<f64>().ln()
}
