//! Passes over data: the one loop that owns threads.

mod driver;
mod scorer;

pub use driver::{Fitted, fit, gather, pass};
pub use scorer::{classify_into, predict_into};
