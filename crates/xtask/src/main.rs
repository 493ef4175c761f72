//! The workshop: everything that is done to the project rather than by it.
//!
//! ```text
//! cargo xtask test [--skip-python] [--only STEP]   run every check, stop at the first failure
//! cargo xtask fmt                                  format every file
//! cargo xtask docs                                 build the guide as a site in target/site, every link checked
//! cargo xtask new-model NAME                       write a model that works, to be changed into another
//! cargo xtask arrows                               fail when a room imports one to its right
//! cargo xtask bench [OPTIONS]                      measure against the peers in the same run
//! cargo xtask bench --instructions                 count the instructions of the hot loops against a baseline
//! cargo xtask bench scaling                        time and memory against rows, columns, classes and threads
//! cargo xtask bench stream                         memory of a fit that reads a 5 GB file
//! cargo xtask trust [--only NAME]                  try every promise: crashes, disks, hostile bytes, bits, intervals …
//! cargo xtask trust --long [--hours N]             the same at length, with its table written into docs/trust.md
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)] // The workshop talks to the person in front of it.

mod arrows;
mod bench;
mod browser;
mod engines;
mod failure;
mod format;
mod free_threaded;
mod new_model;
mod outcome;
mod package;
mod python;
mod scaffold;
mod shell;
mod site;
mod test;
mod third_party;
mod trust;

use std::process::ExitCode;

use failure::Failure;

const USAGE: &str = "usage: cargo xtask test [--skip-python] [--only STEP] | fmt | docs | new-model NAME | arrows | bench [OPTIONS] | trust [--long] [--hours N] [--only NAME]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((task, rest)) if task == "test" => test::run(rest),
        Some((task, [])) if task == "fmt" => format::run(false),
        Some((task, [])) if task == "docs" => site::run(),
        Some((task, rest)) if task == "new-model" => new_model::run(rest),
        Some((task, [])) if task == "arrows" => arrows::run(&shell::root()),
        Some((task, rest)) if task == "bench" => bench::run(rest),
        Some((task, rest)) if task == "trust" => trust::run(rest),
        _ => Err(Failure::usage(USAGE)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            failure.code()
        }
    }
}
