//! Feeds targets with bytes and tells what came of it, in lines of a word and a number.
//!
//! ```text
//! oddsmith-fuzz run TARGET SECONDS RUNS SEED FOLDER   mutated files of the project; what breaks a promise is kept in the folder
//! oddsmith-fuzz flips RUNS SEED                       model files with a flipped bit or cut off: none may be accepted
//! oddsmith-fuzz hostile                               files made by hand to do harm: none may be accepted, or be slow, or take memory
//! oddsmith-fuzz sums ROWS SEED                         rows of any finite numbers, whose probabilities must add up to 1
//! oddsmith-fuzz seeds TARGET FOLDER                   writes the inputs to begin with into a folder
//! oddsmith-fuzz targets                               their names
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program that prints what it found")]

mod attacks;
mod campaign;
mod measure;
mod sums;

use std::process::ExitCode;

fn main() -> ExitCode {
    measure::keep_panics();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["targets"] => {
            oddsmith_fuzz::TARGETS.iter().for_each(|target| println!("{}", target.name));
            Some(())
        }
        ["run", name, seconds, runs, seed, folder] => campaign::run(name, [seconds, runs, seed], folder),
        ["seeds", name, folder] => campaign::write_seeds(name, folder),
        ["flips", runs, seed] => attacks::flips([runs, seed]),
        ["hostile"] => attacks::hostile(),
        ["sums", rows, seed] => sums::sums([rows, seed]),
        _ => None,
    };
    match done {
        Some(()) => ExitCode::SUCCESS,
        None => {
            eprintln!(
                "usage: oddsmith-fuzz targets | run TARGET SECONDS RUNS SEED FOLDER | seeds TARGET FOLDER | flips RUNS SEED | hostile | sums ROWS SEED"
            );
            ExitCode::from(2)
        }
    }
}
