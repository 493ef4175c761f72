//! What models share whose rows are the columns of a design: numbers as they are, categories and booleans as columns of zeros and ones
//! against a reference level, and rows with gaps as the policy for missing values says.
//!
//! A design that depends on the data (means of columns with gaps) costs a pass that surveys them; then come the passes of the model.

mod frame;
mod linear_part;
mod reader;
mod stats;

pub use frame::DesignFrame;
pub(crate) use linear_part::LinearPart;
pub use reader::DesignBatch;
pub(crate) use reader::DesignReader;
pub(crate) use stats::learned_in_order;
pub use stats::{DesignPass, DesignStats, DesignSums};
