//! Logistic and softmax regression: certified solutions, separation, and the laws that every fit obeys.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod certified;
mod laws;
mod problem;
mod separation;
mod simplex;
