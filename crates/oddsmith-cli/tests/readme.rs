//! The README's sessions, run and compared word for word.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::path::Path;
use std::process::Command;

/// Commands of the README after `cargo run --release --`, with what they print.
fn sessions(readme: &str) -> Vec<(Vec<String>, String)> {
    let blocks = readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks
        .filter_map(|block| {
            let (command, output) = block.split_once('\n')?;
            let arguments = command.strip_prefix("$ cargo run --release -- ")?;
            Some((words(arguments), output.to_owned()))
        })
        .collect()
}

/// Words as a shell splits them; a word with spaces stands in single quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let split = parts.flat_map(|(at, part)| match at % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    });
    split.collect()
}

#[test]
fn the_readme_shows_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("examples")).unwrap();
    std::fs::copy(root.join("examples/births.csv"), folder.path().join("examples/births.csv")).unwrap();
    let sessions = sessions(&readme);
    assert_eq!(sessions.len(), 3);
    for (arguments, expected) in sessions {
        let output = Command::new(env!("CARGO_BIN_EXE_oddsmith")).args(&arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{arguments:?}");
    }
}
