//! Sums of probabilities kept as logarithms.

/// log Σ exp(x), shifted by the largest term; minus infinity for no terms or only impossible ones.
pub fn log_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    largest + terms.map(|x| (x - largest).exp()).sum::<f64>().ln()
}

/// Writes exp(x − log Σ exp) and gives the log of the sum.
pub fn softmax(scores: &[f64], out: &mut [f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for (p, score) in out.iter_mut().zip(scores) {
        *p = (score - largest).exp();
        sum += *p;
    }
    out.iter_mut().for_each(|p| *p /= sum);
    largest + sum.ln()
}
