//! Bytes from anywhere, handed to everything that reads bytes.
//!
//! A target is a plain function of bytes that panics when a promise is broken. The program of this crate feeds the targets with mutated
//! files of the project, in the ordinary build; `fuzz/` feeds the same functions with what libFuzzer finds.

pub mod hostile;
pub mod mutator;
pub mod seal;
pub mod seeds;
mod targets;

pub use targets::{TARGETS, Target, target};
