//! Lengths of descriptions, in bits: how short a message tells the data, the model that helps to tell them included.
//!
//! ```text
//! two parts         −log2 L + (k/2) log2 n + log2 (candidates)          any fitted model with k free parameters
//! least squares     (n/2) log2 (2πe RSS/n) + ((k+1)/2) log2 n           k coefficients and the variance
//! Krichevsky–Trofimov  −log2 [ Γ(K/2)/Γ(n+K/2) Π Γ(n_k+½)/Γ(½) ]        one label after the other, by (n_k+½)/(n+K/2)
//! normalised maximum likelihood  n H(n_k/n) + log2 C(K, n)              the shortest in the worst case
//! C(2, n) = Σ_h (n choose h) (h/n)^h (1−h/n)^(n−h),   C(K, n) = C(K−1, n) + n/(K−2) · C(K−2, n)
//! ```
//!
//! Differences of lengths compare models; the precision to which numbers are written down shifts all least-squares lengths alike.
//! Cost O(K), but O(n) for C(2, n) up to a million rows, where its expansion in 1/√n takes over.

use crate::error::{Error, Result};
use crate::info::entropy;
use crate::num::logspace::NeumaierSum;
use crate::num::special::{ln_gamma, ln_gamma_ratio};

const BITS: f64 = std::f64::consts::LOG2_E;

/// Rows from which on the expansion of C(2, n) has all its digits.
const MANY: u64 = 1_000_000;

/// A description in two parts, in bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoPart {
    /// The data, given the model.
    pub data: f64,
    /// The model.
    pub model: f64,
}

impl TwoPart {
    /// The length of a fitted model: its log likelihood in nats, its free parameters, the rows that it was fitted to and among how many
    /// candidates it was chosen.
    pub fn of_likelihood(log_likelihood: f64, parameters: f64, rows: f64, candidates: usize) -> Self {
        let model = 0.5 * parameters * libm::log2(rows) + libm::log2(candidates.max(1) as f64);
        TwoPart { data: -log_likelihood * BITS, model }
    }

    /// The length of a least-squares fit of `coefficients` coefficients; minus infinity for the data where it leaves no residual.
    pub fn of_least_squares(residual_squares: f64, coefficients: usize, rows: f64) -> Self {
        let variance = residual_squares / rows;
        let data = 0.5 * rows * libm::log2(std::f64::consts::TAU * std::f64::consts::E * variance);
        TwoPart { data, model: 0.5 * (coefficients + 1) as f64 * libm::log2(rows) }
    }

    /// Both parts.
    pub fn total(&self) -> f64 {
        self.data + self.model
    }
}

/// Bits of labels with these counts by the code of Krichevsky and Trofimov, which knows nothing but the number of classes.
pub fn krichevsky_trofimov_bits(counts: &[f64]) -> f64 {
    let (classes, total) = (counts.len() as f64, counts.iter().sum::<f64>());
    if counts.len() < 2 {
        return 0.0;
    }
    let mut nats = NeumaierSum::default();
    nats.add(ln_gamma_ratio(0.5 * classes, total));
    counts.iter().for_each(|count| nats.add(-ln_gamma_ratio(0.5, *count)));
    nats.value() * BITS
}

/// Bits of labels with these counts by normalised maximum likelihood.
pub fn normalized_likelihood_bits(counts: &[u64]) -> Result<f64> {
    let rows = counts.iter().sum::<u64>();
    let weights: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
    Ok(rows as f64 * entropy(&weights) * BITS + libm::log2(multinomial_complexity(counts.len(), rows)?))
}

/// C(K, n), the sum over all samples of n labels of K classes of their largest likelihoods: what it costs not to know the proportions.
pub fn multinomial_complexity(classes: usize, rows: u64) -> Result<f64> {
    if classes == 0 {
        return Err(Error::option("classes", classes, "a whole number from 1 up"));
    }
    let (mut before, mut now) = (1.0, if classes > 1 { bernoulli_complexity(rows) } else { 1.0 });
    for k in 3..=classes {
        (before, now) = (now, now + rows as f64 / (k - 2) as f64 * before);
    }
    Ok(now)
}

/// C(2, n).
fn bernoulli_complexity(rows: u64) -> f64 {
    let n = rows as f64;
    match rows {
        0 => return 1.0,
        MANY.. => {
            // Szpankowski's expansion; the next addend is below 10⁻¹² of the sum.
            let root = n.sqrt();
            let pi = std::f64::consts::PI;
            return (0.5 * pi * n).sqrt() + 2.0 / 3.0 + (2.0 * pi).sqrt() / (24.0 * root) - 4.0 / (135.0 * n);
        }
        _ => {}
    }
    let n_ln_n = |x: f64| if x > 0.0 { x * libm::log(x / n) } else { 0.0 };
    let whole = ln_gamma(n + 1.0);
    let mut sum = NeumaierSum::default();
    for h in 0..=rows {
        let h = h as f64;
        let binomial = whole - ln_gamma(h + 1.0) - ln_gamma(n - h + 1.0);
        sum.add(libm::exp(binomial + n_ln_n(h) + n_ln_n(n - h)));
    }
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} {expected}");
    }

    #[test]
    fn eight_heads_and_four_tails() {
        near(krichevsky_trofimov_bits(&[8.0, 4.0]), 13.170_277_264_9, 5e-11);
        near(libm::exp2(-krichevsky_trofimov_bits(&[8.0, 4.0])), 1.084_804_534_91e-4, 5e-16);
        near(normalized_likelihood_bits(&[8, 4]).unwrap(), 13.351_849_397_7, 5e-11);
        assert_eq!(krichevsky_trofimov_bits(&[5.0]), 0.0);
    }

    #[test]
    fn the_code_of_one_label_after_the_other_is_its_closed_form() {
        let (mut seen, mut bits) = ([0.0; 3], 0.0);
        for label in [0, 2, 2, 1, 2, 0, 2, 2] {
            bits -= ((seen[label] + 0.5) / (seen.iter().sum::<f64>() + 1.5)).log2();
            seen[label] += 1.0;
        }
        near(krichevsky_trofimov_bits(&seen), bits, 1e-12);
    }

    #[test]
    fn complexities_of_known_sizes() {
        for (classes, rows, known) in
            [(2, 1, 2.0), (2, 2, 2.5), (2, 12, 5.036_073_675_1), (2, 100, 13.209_960_630_2), (3, 12, 17.036_073_675_1), (1, 9, 1.0)]
        {
            near(multinomial_complexity(classes, rows).unwrap(), known, 5e-11);
        }
        // The expansion meets the sum.
        let (sum, expansion) = (bernoulli_complexity(MANY - 1), bernoulli_complexity(MANY));
        let slope = 0.25 * (std::f64::consts::TAU / MANY as f64).sqrt();
        near(expansion - sum, slope, 1e-6 * slope.max(1.0) + 1e-8);
        assert!(multinomial_complexity(0, 3).is_err());
    }

    #[test]
    fn a_likelihood_in_two_parts() {
        let parts = TwoPart::of_likelihood(-10.0 * 2f64.ln(), 3.0, 16.0, 4);
        near(parts.data, 10.0, 1e-14);
        assert_eq!(parts.model, 8.0);
        assert_eq!(TwoPart::of_least_squares(0.0, 2, 5.0).total(), f64::NEG_INFINITY);
    }
}
