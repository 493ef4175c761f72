//! `cargo xtask bench`: builds our side as the tests do, so that nothing is compiled twice, and hands over to `bench/`.

use std::path::Path;

use crate::failure::Failure;
use crate::{package, python, shell};

/// Runs the benchmark driver with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    shell::run(&shell::cargo(), &["build", "--release", "--workspace", "--all-targets"], &[])?;
    let interpreter = python::environment(&python::system(), "bench-venv", "bench/requirements.txt")?;
    package::install(&interpreter, Path::new("target/release"), package::STABLE)?;
    let mut line = vec!["bench/bench.py"];
    line.extend(arguments.iter().map(String::as_str));
    shell::run(&interpreter, &line, &[])
}
