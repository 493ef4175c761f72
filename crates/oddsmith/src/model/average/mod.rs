//! Averages of models: p(y|x) = Σ_m w_m p_m(y|x), the road towards the Bayes-optimal classifier.
//!
//! ```text
//! evidence   w_m = P(m|data) ∝ p(data|m)           where all models integrate their parameters out over the same data
//! stacking   w maximises Σ ln Σ_m w_m p_m(y_i|x_i)   over one row in four, by models of the other three
//! ```
//!
//! All models are fitted to all rows, side by side in the same passes. Stacking fits them once more to three rows in four (which ones, a hash of
//! a row's cells says: not its place, its class or its weight), and then looks for weights with a few passes over the fourth.

mod entries;
mod learner;
mod members;
mod model;
mod split;
mod stacking;

pub(crate) use entries::ENTRIES;
pub use learner::{Average, WeighBy};
pub use model::AverageModel;

/// The name of the entry, and its tag.
pub(crate) const NAME: &str = "average";
