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

/// The last line of what a program said, of its errors where it failed.
pub(crate) fn last_line(output: &Output) -> String {
    let said = if output.status.success() { &output.stdout } else { &output.stderr };
    String::from_utf8_lossy(said).lines().last().unwrap_or_default().trim().to_owned()
}
