//! The Python package in an environment, made of what the build already made: nothing is compiled a second time.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::shell;

/// The extension module for every interpreter with a stable binary interface.
pub(crate) const STABLE: &str = "_core.abi3";

/// Puts the package into the environment of `interpreter`: the Python files and the extension module, built in `folder` and called
/// `module`, side by side, as the wheel holds them.
pub(crate) fn install(interpreter: &Path, folder: &Path, module: &str) -> Result<(), Failure> {
    let ask = ["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"];
    let place = PathBuf::from(shell::output(interpreter, &ask)?.trim()).join("oddsmith");
    let root = shell::root();
    lay_out(&root, &place, &root.join(folder), module)
}

/// Puts the package of the project at `root` into a folder of its own, with the extension module that was built in `folder`.
pub(crate) fn lay_out(root: &Path, place: &Path, folder: &Path, module: &str) -> Result<(), Failure> {
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    copy(&root.join("python/oddsmith"), place)?;
    let library = folder.join(format!("{DLL_PREFIX}_core{DLL_SUFFIX}"));
    let module = if cfg!(windows) { "_core.pyd".to_owned() } else { format!("{module}.so") };
    fs::copy(library, place.join(module))?;
    Ok(())
}

/// Copies the sources of a package; compiled files of earlier tries stay behind.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        let source = path.extension().is_some_and(|end| end == "py" || end == "pyi" || end == "typed");
        if path.is_dir() && name != "__pycache__" {
            copy(&path, &to.join(name))?;
        } else if source {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
