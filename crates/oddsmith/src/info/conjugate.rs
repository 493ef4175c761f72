//! Priors whose posterior is of their own kind, and the marginal likelihood (evidence) of data under them, in nats.
//!
//! ```text
//! Beta(a, b), h heads and t tails       ln B(a+h, b+t) − ln B(a, b);                 posterior Beta(a+h, b+t)
//! Dirichlet(α), counts n_k              ln Γ(A)/Γ(A+n) + Σ ln Γ(α_k+n_k)/Γ(α_k)
//! normal–inverse-gamma(m, κ, a, b)      ln Γ(a′)/Γ(a) + a ln b − a′ ln b′ + ½ ln κ/κ′ − (n/2) ln 2π
//!   κ′ = κ + n,  a′ = a + n/2,  b′ = b + ½ Σ(x−x̄)² + κ n (x̄−m)²/2κ′,  m′ = (κ m + n x̄)/κ′
//! ```
//!
//! The evidence is that of the sequence, not of its counts. Priors must be proper: an improper one has a free constant, and with it every
//! Bayes factor. Learning all at once or one after the other comes to the same. Cost O(K).

use crate::error::{Error, Result};
use crate::num::special::{ln_beta, ln_gamma, ln_gamma_ratio};

/// A Beta distribution of the probability of heads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetaBernoulli {
    heads: f64,
    tails: f64,
}

impl BetaBernoulli {
    /// Beta(`heads`, `tails`), both above 0.
    pub fn new(heads: f64, tails: f64) -> Result<Self> {
        [heads, tails].into_iter().try_for_each(|value| proper("beta", value))?;
        Ok(BetaBernoulli { heads, tails })
    }

    /// Both parameters.
    pub fn parameters(&self) -> (f64, f64) {
        (self.heads, self.tails)
    }

    /// ln P(data) of a sequence with so many heads and tails.
    pub fn log_evidence(&self, heads: f64, tails: f64) -> f64 {
        ln_beta(self.heads + heads, self.tails + tails) - ln_beta(self.heads, self.tails)
    }

    /// What is believed after them.
    #[must_use]
    pub fn posterior(&self, heads: f64, tails: f64) -> Self {
        BetaBernoulli { heads: self.heads + heads, tails: self.tails + tails }
    }

    /// The mean, which is the probability that the next is heads.
    pub fn mean(&self) -> f64 {
        self.heads / (self.heads + self.tails)
    }

    /// The variance.
    pub fn variance(&self) -> f64 {
        let total = self.heads + self.tails;
        self.heads / total * (self.tails / total) / (total + 1.0)
    }
}

/// A Dirichlet distribution of the probabilities of several outcomes.
#[derive(Debug, Clone, PartialEq)]
pub struct DirichletMultinomial(Vec<f64>);

impl DirichletMultinomial {
    /// Dirichlet(α), all α above 0.
    pub fn new(alpha: &[f64]) -> Result<Self> {
        alpha.iter().try_for_each(|value| proper("dirichlet", *value))?;
        match alpha.is_empty() {
            true => Err(Error::option("dirichlet", "nothing", "one number above 0 per outcome")),
            false => Ok(DirichletMultinomial(alpha.to_vec())),
        }
    }

    /// All α.
    pub fn parameters(&self) -> &[f64] {
        &self.0
    }

    /// ln P(data) of a sequence with these counts.
    pub fn log_evidence(&self, counts: &[f64]) -> Result<f64> {
        let (alpha, total) = (self.0.iter().sum::<f64>(), self.counted(counts)?);
        Ok(self.0.iter().zip(counts).map(|(a, n)| ln_gamma_ratio(*a, *n)).sum::<f64>() - ln_gamma_ratio(alpha, total))
    }

    /// What is believed after these counts.
    pub fn posterior(&self, counts: &[f64]) -> Result<Self> {
        self.counted(counts)?;
        Ok(DirichletMultinomial(self.0.iter().zip(counts).map(|(a, n)| a + n).collect()))
    }

    /// The mean of every probability.
    pub fn mean(&self) -> Vec<f64> {
        let total: f64 = self.0.iter().sum();
        self.0.iter().map(|a| a / total).collect()
    }

    /// The variance of every probability.
    pub fn variance(&self) -> Vec<f64> {
        let total: f64 = self.0.iter().sum();
        self.0.iter().map(|a| a / total * (1.0 - a / total) / (total + 1.0)).collect()
    }

    fn counted(&self, counts: &[f64]) -> Result<f64> {
        match counts.len() == self.0.len() && counts.iter().all(|n| (0.0..f64::INFINITY).contains(n)) {
            true => Ok(counts.iter().sum()),
            false => Err(Error::option("counts", format_args!("{counts:?}"), format!("{} finite numbers from 0 up", self.0.len()))),
        }
    }
}

/// A normal–inverse-gamma distribution of a mean and a variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalInverseGamma {
    /// The mean of the mean.
    pub mean: f64,
    /// How many observations that is worth.
    pub strength: f64,
    /// Shape of the variance.
    pub shape: f64,
    /// Scale of the variance.
    pub scale: f64,
}

impl NormalInverseGamma {
    /// A proper prior: all but the mean are above 0.
    pub fn new(mean: f64, strength: f64, shape: f64, scale: f64) -> Result<Self> {
        [strength, shape, scale].into_iter().try_for_each(|value| proper("normal-inverse-gamma", value))?;
        match mean.is_finite() {
            true => Ok(NormalInverseGamma { mean, strength, shape, scale }),
            false => Err(Error::option("normal-inverse-gamma", mean, "a finite mean")),
        }
    }

    /// What is believed after values.
    #[must_use]
    pub fn posterior(&self, values: &[f64]) -> Self {
        let n = values.len() as f64;
        if values.is_empty() {
            return *self;
        }
        let average = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - average) * (x - average)).sum();
        let strength = self.strength + n;
        let shift = average - self.mean;
        NormalInverseGamma {
            mean: self.mean + shift * (n / strength),
            strength,
            shape: self.shape + 0.5 * n,
            scale: self.scale + 0.5 * squares + 0.5 * self.strength * (n / strength) * shift * shift,
        }
    }

    /// ln p(data).
    pub fn log_evidence(&self, values: &[f64]) -> f64 {
        let after = self.posterior(values);
        ln_gamma(after.shape) - ln_gamma(self.shape) + self.shape * libm::log(self.scale) - after.shape * libm::log(after.scale)
            + 0.5 * libm::log(self.strength / after.strength)
            - 0.5 * values.len() as f64 * libm::log(std::f64::consts::TAU)
    }
}

fn proper(prior: &str, value: f64) -> Result<()> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::option(
            prior,
            value,
            "a proper prior has finite numbers above 0; an improper one leaves every Bayes factor undefined",
        )),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} {expected}");
    }

    #[test]
    fn coins() {
        let uniform = BetaBernoulli::new(1.0, 1.0).unwrap();
        near(uniform.log_evidence(8.0, 4.0), -6435f64.ln(), 1e-13);
        let after = uniform.posterior(8.0, 4.0);
        assert_eq!(after.parameters(), (9.0, 5.0));
        near(after.mean(), 0.642_857_142_9, 5e-11);
        near(after.variance().sqrt(), 0.123_717_914_8, 5e-11);
        let kt = DirichletMultinomial::new(&[0.5, 0.5]).unwrap();
        near(libm::exp(kt.log_evidence(&[8.0, 4.0]).unwrap()), 1.084_804_534_91e-4, 5e-16);
        near(kt.posterior(&[8.0, 4.0]).unwrap().mean()[0], 8.5 / 13.0, 1e-16);
        assert!(BetaBernoulli::new(0.0, 1.0).unwrap_err().to_string().contains("improper"));
        assert!(kt.log_evidence(&[1.0]).is_err() && DirichletMultinomial::new(&[]).is_err());
    }

    #[test]
    fn one_normal_value_has_the_density_of_students_t() {
        // p(x) is t with 2a degrees of freedom, centre m and scale² b(κ+1)/(aκ).
        let (m, k, a, b, x) = (1.0, 2.0, 3.0, 4.0, 2.5);
        let (df, scale) = (2.0 * a, f64::sqrt(b * (k + 1.0) / (a * k)));
        let z = (x - m) / scale;
        let t = ln_gamma(0.5 * (df + 1.0))
            - ln_gamma(0.5 * df)
            - 0.5 * (df * std::f64::consts::PI).ln()
            - scale.ln()
            - 0.5 * (df + 1.0) * (z * z / df).ln_1p();
        near(NormalInverseGamma::new(m, k, a, b).unwrap().log_evidence(&[x]), t, 1e-14);
    }

    proptest! {
        #[test]
        fn at_once_or_one_after_the_other(values in prop::collection::vec(-5.0..5.0f64, 0..20), heads in 0u32..9, tails in 0u32..9) {
            let prior = NormalInverseGamma::new(0.5, 1.5, 2.0, 0.7).unwrap();
            let (mut belief, mut sum) = (prior, 0.0);
            for value in &values {
                sum += belief.log_evidence(&[*value]);
                belief = belief.posterior(&[*value]);
            }
            prop_assert!((sum - prior.log_evidence(&values)).abs() < 1e-11);
            let whole = prior.posterior(&values);
            prop_assert!((whole.scale - belief.scale).abs() < 1e-11 && (whole.mean - belief.mean).abs() < 1e-13);
            // The order of coins does not matter, and parts multiply.
            let coin = BetaBernoulli::new(0.5, 2.0).unwrap();
            let (h, t) = (f64::from(heads), f64::from(tails));
            let parts = coin.log_evidence(h, 0.0) + coin.posterior(h, 0.0).log_evidence(0.0, t);
            let other = coin.log_evidence(0.0, t) + coin.posterior(0.0, t).log_evidence(h, 0.0);
            prop_assert!((parts - coin.log_evidence(h, t)).abs() < 1e-12 && (parts - other).abs() < 1e-12);
        }
    }
}
