//! How far a run goes: quick or long, the program that is tried, and a folder for what it writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::failure::Failure;
use crate::shell;

/// What every property is handed.
pub(crate) struct Scope {
    pub(crate) long: bool,
    /// Whether sums of files, and the table, are to be stored in the repository.
    pub(crate) store: bool,
    /// How long the long form takes in all; its parts that can go on for ever share it.
    hours: f64,
    /// The command.
    pub(crate) program: PathBuf,
    /// The root of the workspace.
    pub(crate) root: PathBuf,
    /// Where scratch folders lie.
    scratch: PathBuf,
}

impl Scope {
    pub(crate) fn new(long: bool, store: bool, hours: f64) -> Result<Self, Failure> {
        let root = fs::canonicalize(shell::root())?;
        let scratch = root.join("target/trust");
        fs::create_dir_all(&scratch)?;
        Ok(Scope { long, store, hours, program: root.join("target/release/oddsmith"), root, scratch })
    }

    /// How many of something: `quick` of them, or `long` in an hour and more, and a part of them in less.
    pub(crate) fn count(&self, quick: usize, long: usize) -> usize {
        let part = (long as f64 * self.hours.min(1.0)) as usize;
        if self.long { part.max(quick) } else { quick }
    }

    /// How long something may go on: `quick` seconds, or its share of the hours.
    pub(crate) fn time(&self, quick: f64, share: f64) -> Duration {
        Duration::from_secs_f64(if self.long { self.hours * 3600.0 * share } else { quick })
    }

    /// An empty folder of this name.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.scratch.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Copies one of the tables of `examples` into a folder.
    pub(crate) fn example(&self, name: &str, folder: &Path) -> Result<(), Failure> {
        fs::copy(self.root.join("examples").join(name), folder.join(name))?;
        Ok(())
    }
}
