//! The one format of all Rust files. The families of models are declared by a macro, behind which `cargo fmt` does not look: they are
//! formatted by name.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::shell;

/// Where the families are.
const MODELS: &str = "crates/oddsmith/src/model";

/// Checks every file, or writes it.
pub(crate) fn run(check: bool) -> Result<(), Failure> {
    let checks: &[&str] = if check { &["--check"] } else { &[] };
    shell::run(&shell::cargo(), &[&["fmt", "--all", "--"], checks].concat(), &[])?;
    let files = families(&shell::root())?;
    let files: Vec<&str> = files.iter().filter_map(|path| path.to_str()).collect();
    shell::run(Path::new("rustfmt"), &[&["--edition", "2024"], checks, &files[..]].concat(), &[])
}

/// Formats one file.
pub(crate) fn write(path: &Path) -> Result<(), Failure> {
    shell::run(Path::new("rustfmt"), &["--edition", "2024", &path.to_string_lossy()], &[])
}

/// The first file of every family, from the root: the others are its modules.
fn families(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(MODELS))? {
        let path = entry?.path();
        let first = if path.is_dir() { path.join("mod.rs") } else { path };
        files.extend(first.strip_prefix(root).ok().map(Path::to_path_buf));
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_formatted_from_their_first_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let files = families(root).unwrap();
        for file in ["bayes/mod.rs", "linear/mod.rs", "scores.rs"] {
            assert!(files.contains(&Path::new(MODELS).join(file)), "{files:?}");
        }
    }
}
