//! The library names options; how a front end asks for them is none of its business, so no flag of a command stands in its sources.

use std::path::{Path, PathBuf};
use std::{fs, io};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

fn mentions_a_flag(line: &str) -> bool {
    line.match_indices("--").any(|(at, _)| line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()))
}

#[test]
fn the_library_mentions_no_flag_of_a_command() {
    assert!(mentions_a_flag("use --l2 1") && !mentions_a_flag("a -- b, x--;"));
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files).unwrap();
    assert!(files.len() > 200, "{} files", files.len());
    for path in files {
        for (line, text) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            assert!(!mentions_a_flag(text), "{}:{}: {text}", path.display(), line + 1);
        }
    }
}
