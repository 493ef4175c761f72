//! `conditional-logistic`: the effect of columns within matched sets, by the exact conditional likelihood.

mod card;
mod counts;
mod fitted;
mod matched_set;
mod procedure;
mod recursion;
mod search;
mod set_sums;
mod softmax_sets;
mod statistics;

pub use counts::SetCounts;
pub use matched_set::{MatchedSet, Workspace};
pub use procedure::ConditionalLogit;
pub(super) use procedure::ENTRY;
pub use set_sums::SetSums;
pub use statistics::MatchedStats;
