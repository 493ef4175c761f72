//! What is drawn of models and of models beside each other: plain data, from what a model can answer and a digest of its rows.

mod curves;
mod dealt;
mod density;
mod hill;
mod influence;
mod landscape;
mod map;
mod named;
mod node_tree;
mod nomogram;
mod normal_likelihood;
mod probe;
mod residuals;
mod row_digest;
mod sigmoid;
mod waterfall;

pub use curves::{comparison_picture, curve_picture, lengths_picture};
pub use dealt::{Dealt, bars_of_bits, column_bits};
pub use density::densities;
pub use influence::Influence;
pub use landscape::Landscape;
pub use map::{map, map_columns};
pub use named::{OF_MODEL, OVER_ROWS, of_model, over_rows};
pub use node_tree::tree_picture;
pub use nomogram::Nomogram;
pub use normal_likelihood::normal_likelihood;
pub use probe::{ProbeRows, number_place};
pub use residuals::residuals;
pub use row_digest::{KeptRow, NumberSummary, RowDigest, SAMPLE};
pub use sigmoid::sigmoid;
pub use waterfall::Waterfall;
