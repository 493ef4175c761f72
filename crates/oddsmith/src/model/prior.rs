//! The class prior: from the data, uniform, or given.

use std::str::FromStr;

use super::params::{split_list, split_pair};
use crate::data::Classes;
use crate::error::{Error, Result};
use crate::stats::ClassWeights;

/// Where p(y) comes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Prior {
    /// (W_k + λ) / (W + λK) with the prior's own smoothing λ.
    #[default]
    Data,
    /// 1/K.
    Uniform,
    /// Probabilities by class label; they must name every class and add up to 1.
    Given(Vec<(String, f64)>),
}

/// How far given probabilities may be from adding up to one before they are taken for a mistake.
const SUM_TOLERANCE: f64 = 1e-6;

impl Prior {
    /// log p(y) per class. `smoothing` is the pseudo-count of every class and applies to [`Prior::Data`] only.
    pub fn log_probabilities(&self, classes: &Classes, weights: &ClassWeights, smoothing: f64) -> Result<Vec<f64>> {
        let count = classes.len() as f64;
        match self {
            Prior::Data => {
                let total = weights.total() + smoothing * count;
                Ok(weights.weight.iter().map(|w| ((w + smoothing) / total).ln()).collect())
            }
            Prior::Uniform => Ok(vec![-count.ln(); classes.len()]),
            Prior::Given(pairs) => given(classes, pairs),
        }
    }
}

impl FromStr for Prior {
    type Err = Error;

    /// `data`, `uniform`, or pairs such as `yes=0.01,no=0.99`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "data" => return Ok(Prior::Data),
            "uniform" => return Ok(Prior::Uniform),
            _ => {}
        }
        let refused = || Error::option("prior", text, "data, uniform, or one probability per class such as yes=0.01,no=0.99");
        let pair = |item: &String| {
            let (label, probability) = split_pair(item)?;
            Some((label.to_owned(), probability.trim().parse::<f64>().ok()?))
        };
        split_list(text).iter().map(|item| pair(item).ok_or_else(refused)).collect::<Result<Vec<_>>>().map(Prior::Given)
    }
}

fn given(classes: &Classes, pairs: &[(String, f64)]) -> Result<Vec<f64>> {
    let written = || pairs.iter().map(|(label, p)| format!("{label}={p}")).collect::<Vec<_>>().join(",");
    let mut probabilities = vec![None; classes.len()];
    for (label, p) in pairs {
        let k = classes.index(label)?;
        if !(*p > 0.0 && *p <= 1.0) || probabilities[k].is_some() {
            return Err(Error::option("prior", written(), "every class has one probability above 0 and at most 1"));
        }
        probabilities[k] = Some(*p);
    }
    if let Some(k) = probabilities.iter().position(Option::is_none) {
        return Err(Error::option("prior", written(), format!("class `{}` has no probability", classes.label(k))));
    }
    let sum: f64 = probabilities.iter().flatten().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(Error::option("prior", written(), format!("the probabilities add up to {sum}, not to 1")));
    }
    Ok(probabilities.iter().flatten().map(|p| (p / sum).ln()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_are_words_or_pairs() {
        assert_eq!("uniform".parse::<Prior>().unwrap(), Prior::Uniform);
        assert_eq!("a=b=0.25,no=0.75".parse::<Prior>().unwrap(), Prior::Given(vec![("a=b".into(), 0.25), ("no".into(), 0.75)]));
        let message = "yes:0.5".parse::<Prior>().unwrap_err().to_string();
        assert_eq!(message, "prior = yes:0.5 is not accepted: data, uniform, or one probability per class such as yes=0.01,no=0.99");
    }
}
