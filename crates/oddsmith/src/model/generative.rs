//! Models of the joint distribution p(x, y): their prior can be changed and rows can be drawn from them.

use rand_core::Rng;

use super::Classifier;
use crate::error::Result;

/// One drawn value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// The code of a level.
    Code(u32),
    /// Words and how often each was drawn.
    Words(Vec<(u32, f64)>),
}

/// A drawn row: its class and one value per feature of the layout.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledRow {
    /// The class.
    pub class: usize,
    /// Values in feature order.
    pub values: Vec<Value>,
}

/// A model of the joint distribution.
pub trait Generative {
    /// log p(y) per class.
    fn log_prior(&self) -> &[f64];

    /// The same model with another prior; nothing else changes.
    fn with_log_prior(&self, log_prior: Vec<f64>) -> Box<dyn Classifier>;

    /// Draws the features of a row of class `k`.
    fn sample(&self, k: usize, random: &mut dyn Rng) -> Result<SampledRow>;

    /// The logarithm of the evidence p(data) for models whose parameters are integrated out.
    fn log_marginal_likelihood(&self) -> Option<f64>;
}
