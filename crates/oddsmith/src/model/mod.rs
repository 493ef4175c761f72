//! Learners turn sums into models; models turn features into scores.

mod choices;
mod classes_seen;
mod classifier;
pub(crate) mod coefficient;
mod contributions;
mod decision;
mod entry;
mod erased;
mod evidence;
mod generative;
pub(crate) mod hashed_words;
mod inference;
mod learner;
mod linear_log_odds;
mod look;
pub(crate) mod loss;
mod needs;
mod neighbours;
pub mod on_design;
pub mod params;
mod paths;
mod predict;
mod prepared;
mod prior;
mod procedure;
mod scores;
pub mod term;
mod word_contributions;
pub mod written;

pub use choices::{Distribution, Divisor, Shrinkage, Tying};
pub use classifier::{Classifier, Scale};
pub use contributions::{Additive, Contributions};
pub use decision::{Costs, Decision};
pub use entry::{Entry, Numbers, Takes, Text, Units};
pub use erased::{AnyLearner, AnyProcedure, AnyStats, BoxedStats};
pub use evidence::{Evidence, EvidenceOf};
pub use generative::{Generative, SampledRow, Value};
pub use inference::{BatchMetrics, FittedLikelihood, Inference, RowLimits, RowMetrics, Uncertainty};
pub use learner::{Learner, PassInfo, Step};
pub use linear_log_odds::{LinearLogOdds, Weight};
pub use look::{Look, LookedParameter};
pub use needs::TableNeeds;
pub use neighbours::{Neighbour, Neighbours};
pub use params::{Param, ParamKind, Params, join_list};
pub use paths::{PathNode, Paths};
pub(crate) use predict::normalise;
pub use predict::{Predictions, Predictor};
pub use prepared::Prepared;
pub use prior::Prior;
pub use procedure::{Analysis, Conclusion, Procedure};
pub use scores::{Scores, Scratch};
pub use word_contributions::{WordContribution, word_contributions};

pub(crate) use classes_seen::check_classes;

/// Declares the families of models: a module each, and all of their entries in the order in which people are shown them.
macro_rules! families {
    ($($family:ident),+ $(,)?) => {
        $(pub mod $family;)+

        /// The entries of every family.
        pub(crate) const FAMILIES: &[&[Entry]] = &[$($family::ENTRIES),+];
    };
}

families! {
    bayes,
    discriminant,
    linear,
    tree,
    margin,
    neighbors,
    network,
    kernel,
    average,
}
