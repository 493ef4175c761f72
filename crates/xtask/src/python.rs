//! Virtual environments under `target/`, each made from one file of pinned requirements.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::shell;

/// The interpreter that environments are made with, unless a task wants a certain one.
pub(crate) fn system() -> PathBuf {
    std::env::var_os("PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from)
}

/// The interpreter of the environment `target/NAME`, which is made with `system`, or made anew, when it does not hold what the
/// requirements file lists.
pub(crate) fn environment(system: &Path, name: &str, requirements: &str) -> Result<PathBuf, Failure> {
    let root = shell::root();
    let wanted = fs::read_to_string(root.join(requirements))?;
    let folder = Path::new("target").join(name);
    let (interpreter, stamp) = (root.join(&folder).join("bin/python"), root.join(&folder).join("installed.txt"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && interpreter.exists() {
        return Ok(interpreter);
    }
    shell::run(system, &["-m", "venv", "--clear", &folder.to_string_lossy()], &[])?;
    shell::run(&interpreter, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements], &[])?;
    fs::write(stamp, wanted)?;
    Ok(interpreter)
}
