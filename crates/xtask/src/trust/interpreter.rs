//! The Python package, installed in its environment: made anew in the long form, taken as it is in the quick one.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::failure::Failure;
use crate::trust::scope::Scope;
use crate::{package, python, shell};

/// What it takes where the package is not there.
pub(crate) const MISSING: &str = "the package is not installed; `cargo xtask test --only python` does";

/// The interpreter with the package; `None` where the quick form finds none.
pub(crate) fn ready(scope: &Scope) -> Result<Option<PathBuf>, Failure> {
    if scope.long {
        let interpreter = python::environment(&python::system(), "venv", "python/requirements-test.txt")?;
        shell::run(&shell::cargo(), &["build", "--release", "--workspace"], &[])?;
        package::install(&interpreter, Path::new("target/release"), package::STABLE)?;
        return Ok(Some(interpreter));
    }
    let interpreter = scope.root.join("target/venv/bin/python");
    let there = interpreter.exists() && shell::answers(&interpreter, &["-c", "import oddsmith"]);
    Ok(there.then_some(interpreter))
}

/// Runs a script of `tests/trust` in a folder.
pub(crate) fn script(scope: &Scope, interpreter: &Path, folder: &Path, name: &str, words: &[&str]) -> Result<Output, Failure> {
    let script = scope.root.join("tests/trust").join(name);
    Ok(Command::new(interpreter).arg(script).args(words).current_dir(folder).output()?)
}

/// The last line of what a program said: what it found, which it prints where that is not as promised, too, or else the error that ended it.
pub(crate) fn last_line(output: &Output) -> String {
    let last = |said: &Vec<u8>| String::from_utf8_lossy(said).lines().last().map(|line| line.trim().to_owned());
    [&output.stdout, &output.stderr].into_iter().find_map(last).unwrap_or_else(|| output.status.to_string())
}
