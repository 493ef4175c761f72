//! The `oddsmith` command as a function: arguments in, a result on standard output, notes on standard error, an exit code.

mod analysing;
mod by;
mod class_proportions;
mod command_line;
mod commands;
mod console;
mod data_card;
mod deferred;
mod edge;
mod evaluation_report;
mod exit;
mod explanation;
mod files;
mod fitting;
mod flags;
mod gate;
mod labelled_table;
mod labels;
mod lint;
mod options;
mod plot;
mod progress;
mod rows_of_numbers;
mod scored;
mod search;
mod signals;
mod silence;
mod stream;
mod wording;

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with these arguments, of which the first is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    edge::run(arguments)
}

/// Whether a command line is one, without doing what it says.
pub fn understands(arguments: impl IntoIterator<Item = OsString>) -> bool {
    edge::understands(arguments)
}
