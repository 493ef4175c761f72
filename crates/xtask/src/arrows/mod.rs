//! `cargo xtask arrows`: arrows point one way, between the rooms of the library and between crates.

mod crates;
mod paths;
mod rooms;
mod tokens;

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// Reads the sources and the manifests under `root` and fails with every arrow that points back.
pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    let mut faults = rooms::faults(&rooms::read(&root.join("crates/oddsmith/src"))?);
    let mut manifests = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let path = entry?.path();
        if let Ok(text) = fs::read_to_string(path.join("Cargo.toml")) {
            manifests.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text));
        }
    }
    manifests.sort();
    faults.extend(crates::faults(&manifests));
    match faults.len() {
        0 => {
            println!("every arrow points the right way");
            Ok(())
        }
        count => Err(Failure::new(format!("{count} arrows point back:\n  {}", faults.join("\n  ")))),
    }
}
