//! Information: entropy of weighted counts.

mod entropy;

pub use entropy::entropy;
