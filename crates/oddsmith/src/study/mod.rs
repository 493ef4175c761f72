//! Analyses: what is concluded from rows and is no model. They end in cards, and are driven as learners are.

mod cells;
mod class_counts;
pub mod confounding;
pub mod cross;
pub mod describe;
mod entry;
pub mod estimate;
mod forest;
pub mod groups;
pub mod information;
pub mod matched;
mod reversal;
pub mod strata;
pub mod subgroups;
pub mod table;

pub use class_counts::{ClassCounts, ClassCountsStats};
pub use entry::AnalysisEntry;

/// All analyses, in the order in which they are listed to people.
pub const ANALYSES: &[AnalysisEntry] =
    &[class_counts::ENTRY, describe::ENTRY, cross::ENTRY, confounding::ENTRY, subgroups::ENTRY, matched::ENTRY, information::ENTRY];
