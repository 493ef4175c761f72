//! Which of finitely many models, and how sure: prior times evidence over their sum, in logarithms.
//!
//! ```text
//! ln Z = ln Σ e^(ln π_m + ln P(D|m)),   P(m|D) = e^(ln π_m + ln P(D|m) − ln Z)
//! Bayes factor of a over b = P(D|a)/P(D|b): as odds, log2 in bits, 10 log10 in decibans
//! P(next|D) = Σ P(m|D) P(next|m);       bits to say model and data: −log2 π_m − log2 P(D|m), least where the posterior is largest
//! ```
//!
//! Cost O(models).

use super::Distribution;
use crate::error::{DataFault, Error, Result};
use crate::num::log_sum_exp;

/// A model in the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// How likely it was before the data, in proportion to the others.
    pub prior: f64,
    /// ln P(data | model).
    pub log_evidence: f64,
}

/// Models with their posterior probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelPosterior {
    candidates: Vec<Candidate>,
    posterior: Vec<f64>,
    log_evidence: f64,
}

/// How much more likely one model makes the data than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BayesFactor {
    /// Its natural logarithm.
    pub ln: f64,
}

impl BayesFactor {
    /// As odds.
    pub fn odds(self) -> f64 {
        libm::exp(self.ln)
    }

    /// In bits.
    pub fn bits(self) -> f64 {
        self.ln * std::f64::consts::LOG2_E
    }

    /// In decibans, ten to a factor of ten.
    pub fn decibans(self) -> f64 {
        10.0 * self.ln * std::f64::consts::LOG10_E
    }
}

impl ModelPosterior {
    /// Compares models. Priors are scaled to add up to 1.
    pub fn new(mut candidates: Vec<Candidate>) -> Result<Self> {
        let priors: Vec<f64> = candidates.iter().map(|candidate| candidate.prior).collect();
        let priors = Distribution::of_counts(&priors)?;
        if let Some(bad) = candidates.iter().find(|c| c.log_evidence.is_nan() || c.log_evidence == f64::INFINITY) {
            let what = format!("the model `{}` has no evidence that could be compared:", crate::error::visible(&bad.name));
            return Err(DataFault::new(what)
                .value(bad.log_evidence.to_string())
                .accepted("priors must be proper, likelihoods finite")
                .into());
        }
        candidates.iter_mut().zip(priors.probabilities()).for_each(|(candidate, prior)| candidate.prior = *prior);
        let joint: Vec<f64> = candidates.iter().map(|c| libm::log(c.prior) + c.log_evidence).collect();
        let log_evidence = log_sum_exp(&joint);
        if log_evidence == f64::NEG_INFINITY {
            return Err(DataFault::new("every model makes the data impossible").accepted("add one that does not").into());
        }
        let posterior = joint.iter().map(|value| libm::exp(value - log_evidence)).collect();
        Ok(ModelPosterior { candidates, posterior, log_evidence })
    }

    /// The models, their priors adding up to 1.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Probabilities of the models after the data.
    pub fn posterior(&self) -> &[f64] {
        &self.posterior
    }

    /// ln P(data), over all models.
    pub fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// The Bayes factor of model `a` over model `b`.
    pub fn bayes_factor(&self, a: usize, b: usize) -> BayesFactor {
        let (a, b) = (self.candidates[a].log_evidence, self.candidates[b].log_evidence);
        // Two that are both impossible are equally so.
        BayesFactor { ln: if a == b { 0.0 } else { a - b } }
    }

    /// The model with the largest posterior; the first of several.
    pub fn most_probable(&self) -> usize {
        largest(&self.posterior)
    }

    /// The model under which the data are most likely; the first of several.
    pub fn most_likely(&self) -> usize {
        largest(&self.candidates.iter().map(|candidate| candidate.log_evidence).collect::<Vec<_>>())
    }

    /// Bits that tell a model and then the data by it.
    pub fn two_part_bits(&self, model: usize) -> f64 {
        let candidate = &self.candidates[model];
        -(libm::log(candidate.prior) + candidate.log_evidence) * std::f64::consts::LOG2_E
    }

    /// The mixture of what the models predict.
    pub fn predictive(&self, predictions: &[f64]) -> Result<f64> {
        match predictions.len() == self.posterior.len() {
            true => Ok(self.posterior.iter().zip(predictions).map(|(p, value)| p * value).sum()),
            false => Err(Error::internal(format!("{} predictions of {} models", predictions.len(), self.posterior.len()))),
        }
    }

    /// The model that a number from 0 up to 1 draws from the posterior.
    pub fn drawn(&self, uniform: f64) -> usize {
        let mut below = 0.0;
        let drawn = self.posterior.iter().position(|p| {
            below += p;
            uniform < below
        });
        drawn.unwrap_or_else(|| self.most_probable())
    }
}

fn largest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn coins(prior: f64) -> ModelPosterior {
        let coin =
            |name: &str, prior: f64, p: f64| Candidate { name: name.into(), prior, log_evidence: 8.0 * p.ln() + 4.0 * (1.0 - p).ln() };
        ModelPosterior::new(vec![coin("bent", prior, 0.8), coin("straight", 1.0 - prior, 0.5)]).unwrap()
    }

    #[test]
    fn a_bent_coin_and_a_straight_one() {
        let near = |found: f64, expected: f64, within: f64| assert!((found - expected).abs() <= within, "{found} {expected}");
        let even = coins(0.5);
        near(even.candidates()[0].log_evidence.exp(), 2.684e-4, 5e-8);
        near(even.candidates()[1].log_evidence.exp(), 2.441e-4, 5e-8);
        near(even.bayes_factor(0, 1).odds(), 1.099_511_628, 5e-10);
        near(even.bayes_factor(0, 1).decibans(), 10.0 * 1.099_511_627_776f64.log10(), 1e-12);
        near(even.posterior()[0], 0.523_698_756, 5e-10);
        near(coins(1.0 / 3.0).posterior()[0], 0.354_737_055_3, 5e-11);
        assert_eq!((even.most_probable(), coins(1.0 / 3.0).most_probable(), coins(1.0 / 3.0).most_likely()), (0, 1, 0));
        near(even.predictive(&[0.8, 0.5]).unwrap(), 0.5 + 0.3 * 0.523_698_756, 1e-9);
        assert_eq!((even.drawn(0.1), even.drawn(0.6), even.drawn(1.0)), (0, 1, 0));
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let of = |log_evidence: f64| vec![Candidate { name: "m".into(), prior: 1.0, log_evidence }];
        assert!(ModelPosterior::new(of(f64::NAN)).unwrap_err().to_string().contains("`m`"));
        assert!(ModelPosterior::new(of(f64::NEG_INFINITY)).unwrap_err().to_string().contains("impossible"));
        assert!(ModelPosterior::new(Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn the_most_probable_model_has_the_shortest_code(models in prop::collection::vec((1e-3..1.0f64, -800.0..0.0f64), 1..8)) {
            let candidates = models.iter().map(|(prior, log_evidence)| Candidate { name: String::new(), prior: *prior, log_evidence: *log_evidence });
            let posterior = ModelPosterior::new(candidates.collect()).unwrap();
            prop_assert!((posterior.posterior().iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let bits: Vec<f64> = (0..models.len()).map(|m| posterior.two_part_bits(m)).collect();
            let shortest = bits[posterior.most_probable()];
            prop_assert!(bits.iter().all(|b| shortest <= b + 1e-9));
            // The evidence of all is within the shortest code.
            prop_assert!(-posterior.log_evidence() * std::f64::consts::LOG2_E <= shortest + 1e-9);
        }
    }
}
