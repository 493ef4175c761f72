//! The Python package on an interpreter without a global lock, where there is one. Such interpreters have no stable binary interface yet, so the
//! extension is built once more for this one, in a folder of its own.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::{package, python, shell};

/// What free-threaded interpreters are called; PyO3 supports them from 3.14 on.
const INTERPRETERS: [&str; 2] = ["python3.15t", "python3.14t"];
const FOLDER: &str = "target/free-threaded";

/// Runs the tests of many threads, or says that nothing can run them here.
pub(crate) fn tests() -> Result<Outcome, Failure> {
    let Some(system) = INTERPRETERS.map(PathBuf::from).into_iter().find(|name| shell::answers(name, &["--version"])) else {
        let missing = INTERPRETERS.join(", ");
        return Ok(Outcome::skipped(format!("threads without a global lock: none of {missing} is on the path")));
    };
    let build = ["build", "--release", "--package", "oddsmith-python", "--target-dir", FOLDER];
    shell::run(&shell::cargo(), &build, &[("PYO3_PYTHON", &system.to_string_lossy())])?;
    let interpreter = python::environment(&system, "venv-free-threaded", "python/requirements-free-threaded.txt")?;
    package::install(&interpreter, &Path::new(FOLDER).join("release"), "_core")?;
    shell::run(&interpreter, &["-m", "pytest", "-q", "python/tests/test_threads.py"], &[]).map(Outcome::from)
}
