//! Choices that options of several models offer.

use std::str::FromStr;

use crate::error::{Error, Result};

/// What a sum of squared deviations is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Divisor {
    /// The number of rows: maximum likelihood.
    #[default]
    Ml,
    /// n_k − 1 within a class, N − K when pooled over the K classes.
    Unbiased,
}

/// Which Gaussians of naive Bayes share a variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tying {
    /// σ² per class and column.
    #[default]
    PerClass,
    /// σ² per column, shared by the classes: linear log odds.
    PerColumn,
    /// One σ² for all: linear log odds.
    Single,
}

/// How far a covariance matrix is drawn towards a diagonal one.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shrinkage {
    /// Not at all.
    #[default]
    None,
    /// By a fixed share from 0 to 1.
    Fixed(f64),
    /// By the share that Ledoit and Wolf's formula estimates from the data.
    LedoitWolf,
}

/// The distribution of a column within a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// A normal density; for numbers.
    Gaussian,
    /// A coin per column or word, absent ones included; for numbers read as flags, booleans and words.
    Bernoulli,
    /// Draws of words in proportion to their share; for counts and words.
    Multinomial,
    /// Multinomial learned from all other classes; for counts and words.
    Complement,
    /// A share per level; for categories and booleans.
    Categorical,
}

/// A finite number from `low` up, for an option.
pub(crate) fn at_least(option: &str, value: f64, low: f64) -> Result<f64> {
    match value.is_finite() && value >= low {
        true => Ok(value),
        false => Err(Error::option(option, value, format!("a finite number from {low} up"))),
    }
}

macro_rules! spelled {
    ($type:ty, $option:literal, $($name:literal => $value:expr),+) => {
        impl FromStr for $type {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                match text {
                    $($name => Ok($value),)+
                    _ => Err(Error::option($option, text, concat!("one of:" $(, " ", $name)+))),
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(value if *value == $value => $name,)+ _ => "" })
            }
        }
    };
}

spelled!(Divisor, "divisor", "ml" => Divisor::Ml, "unbiased" => Divisor::Unbiased);
spelled!(Tying, "tying", "per-class" => Tying::PerClass, "per-column" => Tying::PerColumn, "single" => Tying::Single);
spelled!(Distribution, "distribution",
    "gaussian" => Distribution::Gaussian, "bernoulli" => Distribution::Bernoulli, "multinomial" => Distribution::Multinomial,
    "complement" => Distribution::Complement, "categorical" => Distribution::Categorical);

impl FromStr for Shrinkage {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "none" => Ok(Shrinkage::None),
            "ledoit-wolf" => Ok(Shrinkage::LedoitWolf),
            _ => match text.parse::<f64>() {
                Ok(share) if (0.0..=1.0).contains(&share) => Ok(Shrinkage::Fixed(share)),
                _ => Err(Error::option("shrinkage", text, "none, ledoit-wolf, or a share from 0 to 1")),
            },
        }
    }
}

impl std::fmt::Display for Shrinkage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Shrinkage::None => f.write_str("none"),
            Shrinkage::Fixed(share) => write!(f, "{share}"),
            Shrinkage::LedoitWolf => f.write_str("ledoit-wolf"),
        }
    }
}
