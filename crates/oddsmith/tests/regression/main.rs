//! Logistic and softmax regression: certified solutions, separation, and the laws that every fit obeys.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise and shows what it measured")]

mod certified;
mod firth_limits;
mod infinite;
mod laws;
mod problem;
mod separation;
mod simplex;
