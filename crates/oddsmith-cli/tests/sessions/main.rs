//! Whole sessions with the command: exact output, messages and exit codes.
//!
//! Each test writes down what a person would see, in `snapshots/`: `$` is a command line, `2>` a line on standard error, `?` the
//! exit code.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod command;
mod files;
mod fitting;
mod interrupts;
mod names;
mod predicting;
mod reading;
mod session;
mod statistics;
