//! Sessions: commands run in a directory of their own, written down with exit code and both streams.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Where the tables of a session come from, and their names there.
const TABLES: [(&str, &str); 4] = [
    ("../../testdata/golden/data/birthwt_factors.csv", "births.csv"),
    ("../../testdata/golden/data/iris.csv", "iris.csv"),
    ("tests/sessions/tables/visits.csv", "visits.csv"),
    ("tests/sessions/tables/new_visits.csv", "new_visits.csv"),
];

/// A fresh directory that holds copies of the test tables.
pub(crate) struct Session {
    dir: tempfile::TempDir,
}

impl Session {
    /// A session with `births.csv`, `iris.csv`, `visits.csv` and `new_visits.csv`.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (from, name) in TABLES {
            std::fs::copy(package.join(from), dir.path().join(name)).unwrap();
        }
        Session { dir }
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file into the directory.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path().join(name), bytes).unwrap();
        self
    }

    /// Reads a file of the directory.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap()
    }

    /// Names of all files that are not test tables, sorted.
    pub(crate) fn new_files(&self) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(self.path()).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| TABLES.iter().all(|(_, table)| table != name));
        names.sort();
        names
    }

    /// The program, ready to run in the directory with an environment that does not depend on the caller's.
    pub(crate) fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oddsmith"));
        command.current_dir(self.path()).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs `sh -c line` with the program on the path.
    pub(crate) fn shell(&self, line: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_oddsmith"));
        let path = std::env::join_paths(
            std::iter::once(program.parent().unwrap().to_path_buf())
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        )
        .unwrap();
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).current_dir(self.path()).env("PATH", path).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS"] {
            command.env_remove(name);
        }
        command.output().unwrap()
    }

    /// Runs shell lines one after the other and writes the session down. Checksums are blanked: they change with the
    /// version of the program. Numbers are rounded to nine digits: the last ones change with the instruction set.
    pub(crate) fn transcript(&self, lines: &[&str]) -> String {
        let mut text = String::new();
        for line in lines {
            let output = self.shell(line);
            text.push_str(&format!("$ {line}\n"));
            text.push_str(&String::from_utf8_lossy(&output.stdout));
            let errors = String::from_utf8_lossy(&output.stderr);
            text.extend(errors.lines().map(|line| format!("2> {line}\n")));
            text.push_str(&format!("? {}\n\n", output.status.code().map_or_else(|| "signal".into(), |code| code.to_string())));
        }
        round_numbers(&blank_checksums(&text))
    }
}

fn blank_checksums(text: &str) -> String {
    let mut blanked = String::new();
    for (i, part) in text.split("blake3").enumerate() {
        if i == 0 {
            blanked.push_str(part);
            continue;
        }
        blanked.push_str("blake3");
        let mut digits = 0;
        let mut done = false;
        for c in part.chars() {
            done |= digits > 0 && !c.is_ascii_hexdigit();
            let digit = !done && c.is_ascii_hexdigit();
            digits += usize::from(digit);
            blanked.push(if digit { '#' } else { c });
        }
    }
    blanked
}

fn round_numbers(text: &str) -> String {
    let mut rounded = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let exponent = |at: usize| from[..at].ends_with(['e', 'E']);
        let part = |(at, c): (usize, char)| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E') || (matches!(c, '+' | '-') && exponent(at));
        let end = from.char_indices().find(|&place| !part(place)).map_or(from.len(), |(at, _)| at);
        let (number, after) = from.split_at(end);
        rounded.push_str(before);
        match number.parse::<f64>() {
            Ok(value) if number.len() > 12 && number.contains('.') => {
                let shorter: f64 = format!("{value:.8e}").parse().unwrap();
                rounded.push_str(&shorter.to_string());
            }
            _ => rounded.push_str(number),
        }
        rest = after;
    }
    rounded + rest
}

#[test]
fn only_long_decimals_are_rounded() {
    let text = "x 0.45481034405912131,-1.2345678901234e-7 12345678901234567 1.5 a1.25.3 W214 v0.1.0 3e5;";
    assert_eq!(round_numbers(text), "x 0.454810344,-0.000000123456789 12345678901234567 1.5 a1.25.3 W214 v0.1.0 3e5;");
}
