//! Passes over data: the one loop that owns threads.

mod driver;
mod judging;
mod log_loss;
mod scorer;

pub use driver::{Fitted, fit, gather, pass};
pub use judging::{Judging, score_scale};
pub use log_loss::LogLoss;
pub use scorer::{classify_into, predict_into, score_into};
