//! Rows that a model answers by: what they are, how far, and what they say.

use crate::data::Features;
use crate::error::Result;

/// A row that a prediction leans on.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Its number in the table of the fit, from 1.
    pub row: u64,
    /// Its distance.
    pub distance: f64,
    /// Its class.
    pub class: usize,
    /// Its votes: those of all neighbours add up to their number.
    pub vote: f64,
}

/// A model that predicts by rows of its fit.
pub trait Neighbours {
    /// How many of them answer for a row.
    fn count(&self) -> u64;

    /// How many there are.
    fn rows(&self) -> u64;

    /// The nearest of every row of a batch, in rising distance: `k` of them, or as many as answer, and all that are as far as the last.
    fn nearest(&self, rows: &Features<'_>, k: Option<u64>) -> Result<Vec<Vec<Neighbour>>>;

    /// The same for every row of the fit among the others, in the order of their numbers.
    fn nearest_others(&self, k: Option<u64>) -> Result<Vec<Vec<Neighbour>>>;
}
