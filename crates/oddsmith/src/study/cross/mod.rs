//! `table`: an outcome by an exposure, alone or within strata, as counts, measures of association and tests.

mod counts;
mod cross_table;
mod described;
mod levels_card;
mod paired_card;
mod procedure;
mod strata_card;
mod table_card;

pub use counts::CrossCounts;
pub use cross_table::CrossTable;
pub use procedure::{CrossAnalysis, Design};
pub(super) use procedure::{DESIGN, ENTRY};
