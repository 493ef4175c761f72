//! The knobs of models.

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use oddsmith::model::{Classifier, Distribution, Divisor, Knobs, Prior, Shrinkage, Tying};
use oddsmith::stats::ClassWeights;
use oddsmith::{Error, ErrorKind};

use super::list::{split_list, split_pair};
use crate::exit::Failure;

/// Flags that set knobs; each model takes its own and refuses the others.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Knobs of the model")]
pub(crate) struct KnobArgs {
    /// Pseudo-count λ ≥ 0 of every level, word or flag value [default: 1].
    #[arg(long, value_name = "λ", allow_negative_numbers = true, value_parser = parse_number)]
    smoothing: Option<f64>,

    /// Pseudo-count ≥ 0 of every class in the prior [default: 0].
    #[arg(long, value_name = "λ", allow_negative_numbers = true, value_parser = parse_number)]
    prior_smoothing: Option<f64>,

    /// Class prior: data, uniform, or one probability per class, such as yes=0.01,no=0.99 [default: data].
    #[arg(long, value_name = "PRIOR")]
    prior: Option<String>,

    /// Which Gaussians of naive Bayes share a variance [default: per-class].
    #[arg(long, value_name = "TYING", value_parser = one_of::<Tying>(&["per-class", "per-column", "single"]))]
    tying: Option<Tying>,

    /// What squared deviations are divided by: n, or n − 1 within a class and N − K pooled [default: ml].
    #[arg(long, value_name = "DIVISOR", value_parser = one_of::<Divisor>(&["ml", "unbiased"]))]
    divisor: Option<Divisor>,

    /// Smallest variance within a class as a share of the column's overall variance [default: 1e-9].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = parse_number)]
    variance_floor: Option<f64>,

    /// Integrate the parameters out instead of plugging in an estimate.
    #[arg(long)]
    predictive: bool,

    /// Shrinkage of covariance matrices: none, ledoit-wolf, or a share from 0 to 1 [default: none].
    #[arg(long, value_name = "SHRINKAGE", allow_negative_numbers = true, value_parser = Shrinkage::from_str)]
    shrinkage: Option<Shrinkage>,

    /// Distribution of a column where it is not its kind's own: column=gaussian|bernoulli|multinomial|complement|categorical.
    #[arg(long, value_name = "COLUMN=NAME,…")]
    distribution: Vec<String>,

    /// A number above this is a set flag for Bernoulli columns [default: 0].
    #[arg(long, value_name = "THRESHOLD", allow_negative_numbers = true, value_parser = parse_number)]
    binarize: Option<f64>,
}

impl KnobArgs {
    /// The knobs.
    pub(crate) fn knobs(&self) -> Result<Knobs, Failure> {
        let mut distributions = Vec::new();
        for item in self.distribution.iter().flat_map(|list| split_list(list)) {
            let (column, name) =
                split_pair(&item).ok_or_else(|| Error::knob("distribution", &item, "pairs such as age=gaussian, separated by commas"))?;
            distributions.push((column.to_owned(), name.parse::<Distribution>()?));
        }
        Ok(Knobs {
            smoothing: self.smoothing,
            prior_smoothing: self.prior_smoothing,
            prior: self.prior.as_deref().map(prior).transpose()?,
            tying: self.tying,
            divisor: self.divisor,
            variance_floor: self.variance_floor,
            predictive: self.predictive,
            shrinkage: self.shrinkage,
            distributions,
            threshold: self.binarize,
            regression: None,
        })
    }
}

/// The prior of a model that is already fitted.
#[derive(Debug, Clone, Args)]
pub(crate) struct PriorArgs {
    /// Another class prior than the model's: uniform, or one probability per class, such as yes=0.01,no=0.99.
    #[arg(long, value_name = "PRIOR")]
    prior: Option<String>,
}

impl PriorArgs {
    /// The model with the prior that was asked for.
    pub(crate) fn applied(&self, model: Box<dyn Classifier>) -> Result<Box<dyn Classifier>, Failure> {
        let Some(text) = &self.prior else { return Ok(model) };
        let prior = prior(text)?;
        if prior == Prior::Data {
            return Err(Error::knob("prior", text, "uniform or one probability per class; without --prior the model's own is used").into());
        }
        let Some(generative) = model.generative() else {
            let advice = "only models of the joint distribution have one; fit it with --prior instead".into();
            let what = "take another prior".into();
            return Err(Error::from(ErrorKind::Unsupported { model: model.card().title, what, advice }).into());
        };
        let classes = model.layout().classes();
        Ok(generative.with_log_prior(prior.log_probabilities(classes, &ClassWeights::new(classes.len()), 0.0)?))
    }
}

/// A prior as it is written on the command line.
fn prior(text: &str) -> Result<Prior, Error> {
    match text {
        "data" => return Ok(Prior::Data),
        "uniform" => return Ok(Prior::Uniform),
        _ => {}
    }
    let refused = || Error::knob("prior", text, "data, uniform, or one probability per class such as yes=0.01,no=0.99");
    let pair = |item: &String| {
        let (label, probability) = split_pair(item)?;
        Some((label.to_owned(), probability.trim().parse::<f64>().ok()?))
    };
    split_list(text).iter().map(|item| pair(item).ok_or_else(refused)).collect::<Result<Vec<_>, _>>().map(Prior::Given)
}

/// Any number; the model says which ones it takes.
pub(crate) fn parse_number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "a number such as 0.5 or 1e-9".into())
}

/// A parser of a fixed set of names, which are listed in the help and in messages.
pub(super) fn one_of<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = Error> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_are_words_or_pairs() {
        assert_eq!(prior("uniform").unwrap(), Prior::Uniform);
        assert_eq!(prior("a=b=0.25,no=0.75").unwrap(), Prior::Given(vec![("a=b".into(), 0.25), ("no".into(), 0.75)]));
        let message = prior("yes:0.5").unwrap_err().to_string();
        assert_eq!(message, "prior = yes:0.5 is not accepted: data, uniform, or one probability per class such as yes=0.01,no=0.99");
    }
}
