//! `confounding`: by how much the association of exposures with an outcome moves when rows are compared within the levels of each other column.

mod card;
mod counts;
mod pair;
mod procedure;

pub use counts::ConfoundingCounts;
pub use pair::Pair;
pub use procedure::Confounding;
pub(super) use procedure::ENTRY;
