//! Whole sessions with the command: exact output, messages and exit codes.
//!
//! Each test writes down what a person would see, in `snapshots/`: `$` is a command line, `2>` a line on standard error, `?` the
//! exit code.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

/// Compares a session with what was written down under the test's name.
macro_rules! assert_session {
    ($transcript:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($transcript) })
    };
}

mod command;
mod drawings;
mod files;
mod fitting;
mod hostile;
mod inference;
mod information;
mod interrupts;
mod judging;
mod learners;
mod names;
mod order;
mod pictures;
mod predicting;
mod reading;
mod regression;
mod rounds;
mod rows;
mod separation;
mod session;
mod statistics;
mod tables;
mod trees;
