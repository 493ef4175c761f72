//! Learners turn sums into models; models turn features into scores.

pub mod bayes;
mod classifier;
mod contributions;
mod decision;
pub mod discriminant;
mod erased;
mod generative;
mod inference;
pub mod knobs;
mod learner;
pub mod linear;
mod linear_log_odds;
mod predict;
mod prepared;
mod prior;
mod scores;
pub mod term;

pub use classifier::{Classifier, Scale};
pub use contributions::{Additive, Contributions};
pub use decision::{Costs, Decision};
pub use erased::{AnyLearner, AnyStats, BoxedStats};
pub use generative::{Generative, SampledRow, Value};
pub use inference::{FittedLikelihood, Inference, Uncertainty};
pub use knobs::{Distribution, Divisor, Knobs, Shrinkage, Tying};
pub use learner::{Learner, Step};
pub use linear_log_odds::{LinearLogOdds, Weight};
pub use predict::{Predictions, Predictor};
pub use prepared::Prepared;
pub use prior::Prior;
pub use scores::{Scores, Scratch};
