//! k nearest neighbours: what do similar rows say.

mod box_tree;
mod entries;
mod kept_rows;
mod learner;
mod leave_one_out;
mod model;
mod points;
mod screen;
mod votes;

pub(crate) use entries::ENTRIES;
pub use kept_rows::KeptRows;
pub use learner::{Knn, Standard};
pub use model::KnnModel;
pub use votes::{Ties, Votes};
