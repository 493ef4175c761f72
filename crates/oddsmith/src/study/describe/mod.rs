//! `describe`: the table that a report begins with. Every column over all rows and by group: numbers as mean (SD) and median (IQR), categories
//! as counts and percentages, what is missing, how far groups are apart, and a test whose name is told.

mod card;
mod column;
mod counts;
mod differences;
mod procedure;

pub use column::{ColumnSummary, NumberSummary, Summaries};
pub use counts::DescribeCounts;
pub(super) use procedure::ENTRY;
pub use procedure::{Describe, Numbers};
