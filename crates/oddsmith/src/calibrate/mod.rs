//! Repairing probabilities: maps from a model's log odds to calibrated ones.

mod logit_line;
mod pav;

pub use logit_line::{LogitLine, NoLine, Outcomes};
pub use pav::{Pooled, pool};
