//! A copy of what a reader has after checking the project out, and the program on the path.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::line::Line;

/// What readers type to run the command from the project's root.
const FROM_ROOT: &str = "cargo run --release -- ";

/// Exit code and both streams.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A folder with a copy of `examples`.
pub(crate) struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let examples = root.path().join("examples");
        std::fs::create_dir(&examples).unwrap();
        for entry in std::fs::read_dir(project().join("examples")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), examples.join(entry.file_name())).unwrap();
        }
        Folder { root }
    }

    /// A shell ready to run a command: lines of the root run there, all others in `examples`.
    pub(crate) fn shell(&self, command: &str) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_oddsmith")).parent().unwrap().to_path_buf();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(program).chain(std::env::split_paths(&others))).unwrap();
        let (folder, command) = match command.strip_prefix(FROM_ROOT) {
            Some(rest) => (self.root.path().to_path_buf(), format!("oddsmith {rest}")),
            None => (self.root.path().join("examples"), command.to_owned()),
        };
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).current_dir(folder).env("PATH", path).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS"] {
            shell.env_remove(name);
        }
        shell
    }

    /// Writes a file into `examples`.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.root.path().join("examples").join(name), text).unwrap();
    }

    /// What stands in a file of `examples`, where it is there.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.root.path().join("examples").join(name)).ok()
    }

    /// Runs a command.
    pub(crate) fn run(&self, command: &str) -> Ran {
        let output = self.shell(command).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Runs a line as it is documented and holds it to what the document says.
    pub(crate) fn obey(&self, line: &Line) {
        let ran = self.run(&line.command);
        ran.kept_promise(line);
        let Some(shown) = &line.shows else { return };
        let printed = if line.promised_exit() == Some(0) { &ran.out } else { &ran.err };
        assert_eq!(printed, shown, "{}: {}", line.place, line.command);
    }
}

impl Ran {
    /// Stops unless the command ended as the document says.
    pub(crate) fn kept_promise(&self, line: &Line) {
        let told = format!("{}: {}\nexit {:?}\n{}{}", line.place, line.command, self.code, self.out, self.err);
        match line.promised_exit() {
            Some(code) => assert_eq!(self.code, Some(code), "{told}"),
            None => assert!(self.code.is_some_and(|code| (2..70).contains(&code)), "{told}"),
        }
        assert!(!told.contains("internal error") && !told.contains("panicked"), "{told}");
    }
}

/// The root of the project.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
