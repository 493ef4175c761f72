//! From the class proportions of the sample to those of the population.
//!
//! Where sampling depends on the class only, p'(k|x) ∝ p(k|x) π'_k/π_k: every log odds moves by a constant, slopes stay. With
//! fractions f_k of the classes kept (case–control sampling, undersampling) or weighted by them, the log odds of the sample
//! are those of the population plus log(f_1/f_0), so the offsets are −log f_k.
//!
//! The mix of unlabelled rows is estimated by expectation maximisation (Saerens, Latinne and Decaestecker): π'_k becomes the mean
//! of p'(k|x) under the current π', until it stands. The likelihood is concave in π', so the maximum is global. Time O(n K) per
//! step.

use crate::error::{Error, Result};

/// Most steps of the estimate of class proportions.
const MOST_STEPS: usize = 10_000;
/// Change of a share at which the estimate stands.
const PRECISION: f64 = 1e-12;

/// Offsets that move probabilities from some class proportions to others.
pub fn shift(from: &[f64], to: &[f64]) -> Result<Vec<f64>> {
    let positive = |proportions: &[f64]| proportions.iter().all(|share| *share > 0.0 && *share <= 1.0);
    match from.len() == to.len() && positive(from) && positive(to) {
        true => Ok(from.iter().zip(to).map(|(from, to)| (to / from).ln()).collect()),
        false => {
            Err(Error::option("prevalence", format!("{from:?} to {to:?}"), "every class has a proportion above 0 and at most 1 in both"))
        }
    }
}

/// Offsets that undo sampling fractions or class weights.
pub fn undo_fractions(fractions: &[f64]) -> Result<Vec<f64>> {
    match fractions.iter().find(|f| !(**f > 0.0 && f.is_finite())) {
        Some(f) => Err(Error::option("kept", f, "fractions and class weights are finite numbers above 0")),
        None => Ok(fractions.iter().map(|f| -f.ln()).collect()),
    }
}

/// Estimated class proportions.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassProportions {
    /// Proportion of each class.
    pub proportions: Vec<f64>,
    /// Standard error of the proportion of the event, with two classes; it takes the model for right.
    pub standard_error: Option<f64>,
    /// Steps that were taken.
    pub steps: usize,
}

/// The class proportions of unlabelled rows, from probabilities (K per row) of a model whose own class proportions are `from`.
pub fn estimate_proportions(probabilities: &[f64], from: &[f64]) -> Result<ClassProportions> {
    let classes = from.len();
    if probabilities.is_empty() {
        return Err(Error::data("there are no rows to estimate the class proportions from"));
    }
    let rows = (probabilities.len() / classes) as f64;
    let mut proportions = from.to_vec();
    for steps in 1..=MOST_STEPS {
        let ratios: Vec<f64> = proportions.iter().zip(from).map(|(to, from)| to / from).collect();
        let mut sums = vec![0.0; classes];
        for row in probabilities.chunks_exact(classes) {
            let total: f64 = row.iter().zip(&ratios).map(|(p, ratio)| p * ratio).sum();
            sums.iter_mut().zip(row.iter().zip(&ratios)).for_each(|(sum, (p, ratio))| *sum += p * ratio / total);
        }
        let next: Vec<f64> = sums.iter().map(|sum| sum / rows).collect();
        let moved = next.iter().zip(&proportions).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        proportions = next;
        if moved <= PRECISION {
            return Ok(ClassProportions { standard_error: standard_error(probabilities, from, &proportions), proportions, steps });
        }
    }
    Err(crate::error::ErrorKind::NoEstimate {
        what: format!("the class proportions did not settle within {MOST_STEPS} steps"),
        advice: "the model hardly tells the classes apart; give the prevalence yourself".into(),
    }
    .into())
}

/// 1/√ of the observed information of the event's proportion: Σ ((f_1 − f_0)/(π f_1 + (1 − π) f_0))², with f_k ∝ p_k/π_k.
fn standard_error(probabilities: &[f64], from: &[f64], proportions: &[f64]) -> Option<f64> {
    let &[to_other, to_event] = proportions else { return None };
    let information: f64 = probabilities
        .chunks_exact(2)
        .map(|row| {
            let (other, event) = (row[0] / from[0], row[1] / from[1]);
            ((event - other) / (to_event * event + to_other * other)).powi(2)
        })
        .sum();
    (information > 0.0).then(|| information.sqrt().recip())
}
