//! `cargo xtask bench`: builds our side with the one profile and hands over to the driver in `bench/`.

use crate::failure::Failure;
use crate::{python, shell};

/// Runs the benchmark driver with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    shell::run(&shell::cargo(), &["build", "--release", "--workspace", "--bins"], &[])?;
    let interpreter = python::environment("bench-venv", "bench/requirements.txt")?;
    let mut line = vec!["bench/bench.py"];
    line.extend(arguments.iter().map(String::as_str));
    shell::run(&interpreter, &line, &[])
}
