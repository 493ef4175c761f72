//! What is believed of the parameters of a model: known numbers, or a distribution with mean, mode, variance, limits and draws.
//!
//! ```text
//! Beta(a, b)                    mean a/(a+b), mode (a−1)/(a+b−2), variance ab/((a+b)²(a+b+1))
//! Dirichlet(α)                  each share is Beta(α_k, A − α_k); the mode (α_k−1)/(A−K) is that of all together
//! normal–inverse-gamma          mean: Student's t with 2a degrees of freedom, centre m, scale² b/(aκ); variance: b over a gamma variable of shape a
//! ```
//!
//! A mode is there where the density has one inside; a moment that does not exist is infinite. Cost O(K).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution as Draw, Gamma, StandardNormal};

use super::{BetaBernoulli, DirichletMultinomial, NormalInverseGamma};
use crate::num::special::{beta, chi_squared, student_t};

/// What is believed of a model's parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Belief {
    /// They are known: shares of the outcomes.
    Known(Vec<f64>),
    /// The probability of heads.
    Coin(BetaBernoulli),
    /// The probabilities of several outcomes.
    Urn(DirichletMultinomial),
    /// Mean and variance of a normal distribution.
    Normal(NormalInverseGamma),
}

/// What is believed of one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterBelief {
    /// Its mean.
    pub mean: f64,
    /// Its most probable value.
    pub mode: Option<f64>,
    /// Its variance.
    pub variance: f64,
    /// Limits with the same probability beyond each.
    pub interval: (f64, f64),
}

impl Belief {
    /// Every parameter that is not known: a share of each outcome (of a coin the first), or mean and variance.
    pub fn parameters(&self, level: f64) -> Vec<ParameterBelief> {
        match self {
            Belief::Known(_) => Vec::new(),
            Belief::Coin(coin) => {
                let (a, b) = coin.parameters();
                vec![share(a, b, (a > 1.0 && b > 1.0).then(|| (a - 1.0) / (a + b - 2.0)), level)]
            }
            Belief::Urn(urn) => {
                let (alpha, total) = (urn.parameters(), urn.parameters().iter().sum::<f64>());
                let inside = alpha.iter().all(|a| *a > 1.0);
                let mode = |a: f64| inside.then(|| (a - 1.0) / (total - alpha.len() as f64));
                alpha.iter().map(|a| share(*a, total - a, mode(*a), level)).collect()
            }
            Belief::Normal(belief) => of_normal(belief, level).to_vec(),
        }
    }

    /// One draw of all parameters: shares of the outcomes (of a coin heads and tails), or mean and variance.
    pub fn draw(&self, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        match self {
            Belief::Known(shares) => shares.clone(),
            Belief::Coin(coin) => shares(&[coin.parameters().0, coin.parameters().1], &mut rng),
            Belief::Urn(urn) => shares(urn.parameters(), &mut rng),
            Belief::Normal(belief) => {
                let variance = belief.scale / gamma(belief.shape, &mut rng);
                let step: f64 = StandardNormal.sample(&mut rng);
                vec![belief.mean + step * (variance / belief.strength).sqrt(), variance]
            }
        }
    }
}

fn share(a: f64, b: f64, mode: Option<f64>, level: f64) -> ParameterBelief {
    let (tail, total) = (0.5 * (1.0 - level), a + b);
    let interval = if b > 0.0 { (beta::quantile(tail, a, b), beta::quantile_upper(tail, a, b)) } else { (1.0, 1.0) };
    ParameterBelief { mean: a / total, mode, variance: a / total * (b / total) / (total + 1.0), interval }
}

fn of_normal(belief: &NormalInverseGamma, level: f64) -> [ParameterBelief; 2] {
    let (tail, NormalInverseGamma { mean, strength, shape, scale }) = (0.5 * (1.0 - level), *belief);
    let half = student_t::quantile_upper(tail, 2.0 * shape) * (scale / (shape * strength)).sqrt();
    let expected = if shape > 1.0 { scale / (shape - 1.0) } else { f64::INFINITY };
    let centre = ParameterBelief { mean, mode: Some(mean), variance: expected / strength, interval: (mean - half, mean + half) };
    // b/σ² is half of a χ² variable with 2a degrees of freedom.
    let limit = |chi2: f64| 2.0 * scale / chi2;
    let interval = (limit(chi_squared::quantile_upper(tail, 2.0 * shape)), limit(chi_squared::quantile(tail, 2.0 * shape)));
    let variance = if shape > 2.0 { expected * expected / (shape - 2.0) } else { f64::INFINITY };
    [centre, ParameterBelief { mean: expected, mode: Some(scale / (shape + 1.0)), variance, interval }]
}

/// Shares that are Dirichlet: gamma variables over their sum.
fn shares(alpha: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let drawn: Vec<f64> = alpha.iter().map(|a| gamma(*a, rng)).collect();
    let total: f64 = drawn.iter().sum();
    if total > 0.0 {
        return drawn.iter().map(|x| x / total).collect();
    }
    // All of them below the least number: nearly everything is one outcome's.
    let largest = (1..alpha.len()).fold(0, |best, at| if alpha[at] > alpha[best] { at } else { best });
    (0..alpha.len()).map(|at| f64::from(u8::from(at == largest))).collect()
}

fn gamma(shape: f64, rng: &mut ChaCha8Rng) -> f64 {
    Gamma::new(shape, 1.0).map_or(shape, |gamma| gamma.sample(rng))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} {expected}");
    }

    #[test]
    fn a_coin_after_eight_heads_and_four_tails() {
        let coin = Belief::Coin(BetaBernoulli::new(9.0, 5.0).unwrap());
        let [p] = coin.parameters(0.95)[..] else { panic!("one parameter") };
        near(p.mean, 0.642_857_142_9, 5e-11);
        near(p.variance.sqrt(), 0.123_717_914_8, 5e-11);
        near(p.mode.unwrap(), 8.0 / 12.0, 1e-15);
        // scipy.stats.beta(9, 5).interval(0.95)
        near(p.interval.0, 0.385_738_338_249_295_65, 1e-12);
        near(p.interval.1, 0.861_420_661_109_839_4, 1e-12);
        assert_eq!(Belief::Coin(BetaBernoulli::new(0.5, 5.0).unwrap()).parameters(0.9)[0].mode, None);
        // The same as an urn of two.
        let urn = Belief::Urn(DirichletMultinomial::new(&[9.0, 5.0]).unwrap());
        assert_eq!(urn.parameters(0.95)[0], p);
        assert_eq!(urn.draw(3), coin.draw(3));
    }

    #[test]
    fn mean_and_variance_of_a_normal_distribution() {
        let belief = Belief::Normal(NormalInverseGamma::new(1.0, 4.0, 3.0, 6.0).unwrap());
        let [mean, variance] = belief.parameters(0.95)[..] else { panic!("two parameters") };
        // scipy.stats.t(6, 1, sqrt(6/12)) and scipy.stats.invgamma(3, scale=6).
        near(mean.variance, 0.75, 1e-15);
        near(mean.interval.1, 2.730_227_962_910_342_3, 1e-11);
        near(variance.mean, 3.0, 1e-15);
        near(variance.variance, 9.0, 1e-14);
        near(variance.mode.unwrap(), 1.5, 1e-15);
        near(variance.interval.0, 0.830_485_728_373_392_6, 1e-11);
        near(variance.interval.1, 9.698_190_330_474_09, 1e-10);
        let wide = Belief::Normal(NormalInverseGamma::new(0.0, 1.0, 0.5, 1.0).unwrap()).parameters(0.95);
        assert_eq!((wide[0].variance, wide[1].mean), (f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn draws_have_the_moments_of_what_they_are_drawn_from() {
        let urn = Belief::Urn(DirichletMultinomial::new(&[2.0, 3.0, 0.5]).unwrap());
        let normal = Belief::Normal(NormalInverseGamma::new(1.0, 4.0, 5.0, 8.0).unwrap());
        for (belief, places) in [(&urn, 3), (&normal, 2)] {
            let draws: Vec<Vec<f64>> = (0..20_000).map(|seed| belief.draw(seed)).collect();
            for (at, known) in belief.parameters(0.9).iter().enumerate().take(places) {
                let values: Vec<f64> = draws.iter().map(|draw| draw[at]).collect();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                near(mean, known.mean, 5.0 * (known.variance / values.len() as f64).sqrt());
                let inside = values.iter().filter(|x| (known.interval.0..known.interval.1).contains(*x)).count();
                near(inside as f64 / values.len() as f64, 0.9, 0.012);
            }
        }
        assert_eq!(Belief::Known(vec![0.2, 0.8]).draw(1), [0.2, 0.8]);
        assert!(Belief::Known(vec![0.2, 0.8]).parameters(0.9).is_empty());
        let tiny = Belief::Urn(DirichletMultinomial::new(&[1e-300, 2e-300]).unwrap()).draw(1);
        near(tiny.iter().sum(), 1.0, 1e-15);
    }
}
