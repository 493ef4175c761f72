//! Learners turn sums into models; models turn features into scores.

pub mod bayes;
mod choices;
mod classifier;
mod contributions;
mod decision;
pub mod discriminant;
mod erased;
mod generative;
mod inference;
mod learner;
pub mod linear;
mod linear_log_odds;
mod needs;
pub mod params;
mod predict;
mod prepared;
mod prior;
mod procedure;
mod scores;
pub mod term;

pub use choices::{Distribution, Divisor, Shrinkage, Tying};
pub use classifier::{Classifier, Scale};
pub use contributions::{Additive, Contributions};
pub use decision::{Costs, Decision};
pub use erased::{AnyLearner, AnyStats, BoxedStats};
pub use generative::{Generative, SampledRow, Value};
pub use inference::{BatchMetrics, FittedLikelihood, Inference, RowMetrics, Uncertainty};
pub use learner::{Learner, PassInfo, Step};
pub use linear_log_odds::{LinearLogOdds, Weight};
pub use needs::TableNeeds;
pub use params::{Param, ParamKind, Params};
pub use predict::{Predictions, Predictor};
pub use prepared::Prepared;
pub use prior::Prior;
pub use procedure::{Analysis, Procedure};
pub use scores::{Scores, Scratch};
