//! Reports in a real browser: no request leaves them, no hostile name runs a script, contrast and structure are as they must be.

use std::path::Path;
use std::process::Command;

use crate::browser;
use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;

/// Opens every kind of report.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let promise = "reports in Chromium: hostile names, no request, valid, WCAG AA contrast";
    let goal = "every check of tests/browser passes";
    let not_tried = |why: &str| Ok(vec![Finding::not_tried(promise, goal, why)]);
    let Some(browser) = browser::chromium() else { return not_tried("there is no Chromium on the path") };
    let needed = scope.root.join("tests/browser/node_modules/playwright-core");
    let node = Path::new("node");
    if !shell::answers(node, &["--version"]) || !(needed.exists() || shell::answers(Path::new("npm"), &["ci", "--prefix", "tests/browser"]))
    {
        return not_tried("there is no Node, or npm could not install what tests/browser lists");
    }
    let output = Command::new(node)
        .arg("tests/browser/reports.mjs")
        .arg(&scope.program)
        .arg("examples")
        .arg(browser::whole_path(&browser))
        .current_dir(&scope.root)
        .output()?;
    let said = if output.status.success() { &output.stdout } else { &output.stderr };
    let said = String::from_utf8_lossy(said).lines().last().unwrap_or_default().to_owned();
    Ok(vec![Finding::new(promise, goal, said, output.status.success())])
}
