//! Reports and pictures in a real browser, where Node and Chromium are there.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::shell;

/// Where the tests and what they need are.
const FOLDER: &str = "tests/browser";
/// Reports, and pictures on pages of their own.
const SCRIPTS: [&str; 2] = ["reports.mjs", "pictures.mjs"];
/// Names of the browser on the path.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The browser that `CHROMIUM` names, or one on the path.
pub(crate) fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    named.into_iter().chain(BROWSERS.map(PathBuf::from)).find(|program| shell::answers(program, &["--version"]))
}

/// The whole path of a program, which a browser's driver wants.
pub(crate) fn whole_path(program: &Path) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file()).unwrap_or_else(|| program.to_path_buf())
}

/// Runs the tests, or says why they are left out.
pub(crate) fn tests() -> Result<Outcome, Failure> {
    let skipped = |why: &str| Ok(Outcome::skipped(why));
    let node = Path::new("node");
    let Some(browser) = chromium() else { return skipped("there is no Chromium on the path, and CHROMIUM names none (Debian: chromium)") };
    if !shell::answers(node, &["--version"]) {
        return skipped("there is no Node on the path (Debian: nodejs npm)");
    }
    let needed = shell::root().join(FOLDER).join("node_modules/playwright-core");
    if !needed.exists() && !shell::answers(Path::new("npm"), &["ci", "--prefix", FOLDER]) {
        return skipped("npm could not install what tests/browser/package-lock.json lists");
    }
    shell::run(&shell::cargo(), &["build", "--release", "--workspace", "--all-targets"], &[])?;
    let browser = whole_path(&browser).to_string_lossy().into_owned();
    let command = shell::root().join("target/release/oddsmith").to_string_lossy().into_owned();
    for script in SCRIPTS {
        shell::run(node, &[&format!("{FOLDER}/{script}"), &command, "examples", &browser], &[])?;
    }
    Ok(Outcome::Passed)
}
