//! `conditional-logistic`: the effect of columns within matched sets, by the exact conditional likelihood.

mod card;
mod counts;
mod fitted;
mod matched_set;
mod procedure;
mod search;
mod statistics;

pub use counts::SetCounts;
pub use matched_set::{MatchedSet, SetSums, Workspace};
pub use procedure::ConditionalLogit;
pub(super) use procedure::ENTRY;
pub use statistics::MatchedStats;
