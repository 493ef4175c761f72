//! Analyses: what is concluded from rows and is no model. They end in cards, and are driven as learners are.

mod class_counts;
pub mod cross;
mod entry;
pub mod estimate;
pub mod information;
pub mod matched;
pub mod strata;
pub mod table;

pub use class_counts::{ClassCounts, ClassCountsStats};
pub use entry::AnalysisEntry;

/// All analyses, in the order in which they are listed to people.
pub const ANALYSES: &[AnalysisEntry] = &[class_counts::ENTRY, cross::ENTRY, matched::ENTRY, information::ENTRY];
