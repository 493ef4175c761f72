//! Options of learners from keyword arguments.

use oddsmith::Result;
use oddsmith::data::{Classes, Formula, Terms, WordValue};
use oddsmith::error::Error;
use oddsmith::model::bayes::{Family, NaiveBayes};
use oddsmith::model::discriminant::{DiscriminantParams, Given};
use oddsmith::model::linear::{Intervals, Logistic, Robust, StartPoint};
use oddsmith::model::{Divisor, Prior, Shrinkage, Tying};
use oddsmith_io::TextOptions;
use pyo3::prelude::*;

/// A class prior from Python.
#[derive(FromPyObject)]
pub(crate) enum GivenPrior {
    /// One probability per class.
    Shares(Vec<f64>),
    /// "data" or "uniform".
    Named(String),
}

impl GivenPrior {
    /// The prior over these classes.
    pub(crate) fn over(self, classes: &Classes) -> Result<Prior> {
        match self {
            GivenPrior::Named(name) if name == "data" => Ok(Prior::Data),
            GivenPrior::Named(name) if name == "uniform" => Ok(Prior::Uniform),
            GivenPrior::Named(name) => Err(Error::option("prior", name, "data, uniform, or one probability per class")),
            GivenPrior::Shares(shares) if shares.len() == classes.len() => {
                Ok(Prior::Given(classes.labels().iter().cloned().zip(shares).collect()))
            }
            GivenPrior::Shares(shares) => {
                Err(Error::option("prior", format!("{} numbers", shares.len()), format!("one for each of the {} classes", classes.len())))
            }
        }
    }
}

/// Keyword arguments of naive Bayes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BayesArguments {
    family: String,
    prior: GivenPrior,
    smoothing: f64,
    word_smoothing: Vec<f64>,
    normalized: bool,
    threshold: f64,
    variance_addend: f64,
    variance_floor: f64,
    tying: String,
    divisor: String,
    predictive: bool,
    distributions: Vec<(String, String)>,
    flags: bool,
}

impl BayesArguments {
    /// Whether number columns that hold only 0 and 1 are booleans.
    pub(crate) fn takes_flags(&self) -> bool {
        self.flags
    }

    /// The learner over these classes.
    pub(crate) fn learner(self, classes: &Classes) -> Result<NaiveBayes> {
        let family = match self.family.as_str() {
            "mixed" => Family::Mixed,
            "gaussian" => Family::Gaussian,
            "bernoulli" => Family::Bernoulli,
            "multinomial" => Family::Multinomial,
            "complement" => Family::Complement,
            "categorical" => Family::Categorical,
            other => return Err(Error::internal(format!("there is no family `{other}`"))),
        };
        Ok(NaiveBayes {
            prior: self.prior.over(classes)?,
            smoothing: self.smoothing,
            word_smoothing: self.word_smoothing,
            normalized: self.normalized,
            threshold: self.threshold,
            variance_addend: self.variance_addend,
            variance_floor: self.variance_floor,
            tying: self.tying.parse::<Tying>()?,
            divisor: self.divisor.parse::<Divisor>()?,
            predictive: self.predictive,
            distributions: self.distributions.into_iter().map(|(column, name)| Ok((column, name.parse()?))).collect::<Result<_>>()?,
            ..NaiveBayes::new(family)
        })
    }
}

/// Keyword arguments of logistic regression.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LogisticArguments {
    formula: Option<String>,
    l2: f64,
    l1: f64,
    firth: bool,
    on_separation: String,
    precision: String,
    level: f64,
    tests: bool,
    robust: Option<String>,
    cluster: Option<String>,
    units: Vec<(String, f64)>,
    tolerance: Option<f64>,
    most_steps: usize,
    start: Option<(Vec<f64>, Vec<f64>)>,
    unfinished: Option<f64>,
}

impl LogisticArguments {
    /// The learner.
    pub(crate) fn learner(self) -> Result<Logistic> {
        let precision = match self.precision.as_str() {
            "none" => Intervals::None,
            "wald" => Intervals::Wald,
            "profile" => Intervals::Profile,
            other => return Err(Error::option("interval", other, "none, wald or profile")),
        };
        Ok(Logistic {
            formula: self.formula.as_deref().map(Formula::parse).transpose()?,
            l2: self.l2,
            l1: self.l1,
            firth: self.firth,
            on_separation: self.on_separation.parse()?,
            precision,
            level: self.level,
            tests: self.tests,
            robust: self.robust.map(|name| robust(&name)).transpose()?,
            cluster: self.cluster,
            units: self.units,
            tolerance: self.tolerance,
            most_steps: Some(self.most_steps),
            start: self.start.map(|(intercepts, coefficients)| StartPoint { intercepts, coefficients }),
            unfinished: self.unfinished,
            ..Logistic::default()
        })
    }
}

fn robust(name: &str) -> Result<Robust> {
    match name.to_uppercase().as_str() {
        "HC0" => Ok(Robust::Hc0),
        "HC1" => Ok(Robust::Hc1),
        "HC2" => Ok(Robust::Hc2),
        "HC3" => Ok(Robust::Hc3),
        _ => Err(Error::option("robust", name, "HC0, HC1, HC2 or HC3")),
    }
}

/// Keyword arguments of the discriminants.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DiscriminantArguments {
    prior: GivenPrior,
    covariances: Option<Vec<Vec<f64>>>,
    means: Option<Vec<Vec<f64>>>,
    divisor: String,
    predictive: bool,
    ledoit_wolf: bool,
    /// The covariance to show, where it is not that of the densities.
    pub(crate) shown: Option<Vec<f64>>,
}

impl DiscriminantArguments {
    /// The settings over these classes.
    pub(crate) fn settings(self, classes: &Classes) -> Result<DiscriminantParams> {
        Ok(DiscriminantParams {
            prior: self.prior.over(classes)?,
            divisor: self.divisor.parse()?,
            predictive: self.predictive,
            given: self.covariances.map(|covariances| Given { covariances, means: self.means }),
            shrinkage: if self.ledoit_wolf { Shrinkage::LedoitWolf } else { Shrinkage::None },
            ..DiscriminantParams::default()
        })
    }
}

/// How texts become words: every key that Python's `text` may have.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TextArguments {
    ngrams: (usize, usize),
    char_ngrams: Option<(usize, usize)>,
    tf_idf: bool,
    min_documents: u64,
    max_words: Option<usize>,
    stop_words: Vec<String>,
    hash_width: Option<usize>,
    presence: bool,
}

impl TextArguments {
    /// The options of a reader; the usual ones where none are given.
    pub(crate) fn options(given: Option<TextArguments>) -> TextOptions {
        let Some(params) = given else { return TextOptions::default() };
        let (shortest, longest) = params.ngrams;
        TextOptions {
            terms: match params.char_ngrams {
                Some((shortest, longest)) => Terms::Characters { shortest, longest },
                None => Terms::Words { shortest, longest },
            },
            tf_idf: params.tf_idf,
            min_documents: params.min_documents,
            max_words: params.max_words,
            stop_words: params.stop_words,
            hashed: params.hash_width,
            value: if params.presence { WordValue::Presence } else { WordValue::Count },
        }
    }
}
