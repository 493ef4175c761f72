//! Passes over data: the one loop that owns threads.

mod driver;

pub use driver::{Fitted, fit, pass};
