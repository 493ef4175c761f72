//! The crates of others are compiled once: what a build made of them serves a build in another place.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// How names of the project's own crates begin, in any spelling of cargo's.
const OWN: [&str; 6] = ["oddsmith", "liboddsmith", "xtask", "libxtask", "_core", "lib_core"];

/// Copies what was compiled of other people's crates from one folder of a profile to another, with its times: cargo tells by them what is
/// up to date. A folder that was built in before is left as it is.
pub(crate) fn take_over(from: &Path, to: &Path) -> Result<(), Failure> {
    if to.exists() {
        return Ok(());
    }
    for part in [".fingerprint", "build", "deps"] {
        copy_others(&from.join(part), &to.join(part))?;
    }
    Ok(())
}

fn copy_others(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let compiled = path.extension().is_some_and(|kind| ["rlib", "rmeta", "so", "d"].iter().any(|known| kind == *known));
        if !OWN.iter().any(|own| name.starts_with(own)) && (path.is_dir() || compiled) {
            copy(&path, &to.join(name))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    if !from.is_dir() {
        fs::copy(from, to)?;
        fs::File::options().write(true).open(to)?.set_modified(fs::metadata(from)?.modified()?)?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        copy(&path, &to.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_others_are_taken_over_with_their_times() {
        let place = std::env::temp_dir().join(format!("third-party-{}", std::process::id()));
        let (from, to) = (place.join("from"), place.join("to"));
        for part in [".fingerprint/serde-1", ".fingerprint/oddsmith-1", "build/ahash-1/out", "deps"] {
            fs::create_dir_all(from.join(part)).expect("a temporary folder");
        }
        for file in [".fingerprint/serde-1/lib", "build/ahash-1/out/x", "deps/libserde-1.rlib", "deps/liboddsmith-1.rlib", "deps/laws-1"] {
            fs::write(from.join(file), file).expect("a temporary file");
        }
        take_over(&from, &to).expect("the copy");
        let kept = |file: &str| to.join(file).exists();
        assert!(kept(".fingerprint/serde-1/lib") && kept("build/ahash-1/out/x") && kept("deps/libserde-1.rlib"));
        assert!(!kept(".fingerprint/oddsmith-1") && !kept("deps/liboddsmith-1.rlib") && !kept("deps/laws-1"));
        let time = |folder: &Path| fs::metadata(folder.join("deps/libserde-1.rlib")).and_then(|known| known.modified()).expect("a time");
        assert_eq!(time(&from), time(&to));
        fs::remove_dir_all(place).expect("the temporary folder goes");
    }
}
