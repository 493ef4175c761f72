//! How deep the tests go: lines that they run, and faults put in on purpose that they notice.

use std::process::Command;

use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;

/// Numeric modules in which faults are put in.
const NUMERIC: &str = "crates/oddsmith/src/num/special/*.rs";

/// Measures both where the tools are installed.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    Ok(vec![lines(scope)?, mutants(scope)?])
}

/// Lines of the library that its tests run.
fn lines(scope: &Scope) -> Result<Finding, Failure> {
    let (promise, goal) = ("lines of the library that its tests run", "95 %");
    if !shell::answers(&shell::cargo(), &["llvm-cov", "--version"]) {
        return Ok(Finding::not_tried(promise, goal, "cargo-llvm-cov is not installed (`cargo install cargo-llvm-cov`)"));
    }
    let words = ["llvm-cov", "--release", "-p", "oddsmith", "--summary-only", "--target-dir", "target/llvm-cov"];
    let output = Command::new(shell::cargo()).args(words).current_dir(&scope.root).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let Some(share) = covered(&said) else {
        let why = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
        return Ok(Finding::not_tried(promise, goal, format!("cargo-llvm-cov tells nothing: {why}")));
    };
    Ok(Finding::new(promise, goal, format!("{share:.1} %"), share >= 95.0))
}

/// The share of lines in the last line of the summary: regions, functions and lines each have a count, those missed, and a share.
fn covered(said: &str) -> Option<f64> {
    let total = said.lines().rev().find(|line| line.starts_with("TOTAL"))?;
    let shares: Vec<f64> = total.split_whitespace().filter_map(|cell| cell.strip_suffix('%')?.parse().ok()).collect();
    shares.get(2).copied()
}

/// Faults put into numeric modules that a test notices.
fn mutants(scope: &Scope) -> Result<Finding, Failure> {
    let (promise, goal) = (format!("faults put into {NUMERIC} that tests notice"), "90 %");
    if !shell::answers(&shell::cargo(), &["mutants", "--version"]) {
        return Ok(Finding::not_tried(promise, goal, "cargo-mutants is not installed (`cargo install cargo-mutants`)"));
    }
    let words =
        ["mutants", "--package", "oddsmith", "--file", NUMERIC, "--output", "target/trust", "--", "--release", "--lib", "num::special"];
    let output = Command::new(shell::cargo()).args(words).current_dir(&scope.root).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let Some((noticed, missed)) = noticed(&said) else {
        return Ok(Finding::not_tried(promise, goal, "cargo-mutants tells nothing"));
    };
    let share = 100.0 * noticed / (noticed + missed).max(1.0);
    Ok(Finding::new(promise, goal, format!("{share:.1} % of {}", noticed + missed), share >= 90.0))
}

/// How many were noticed and missed, of a line such as `120 mutants tested in 9m: 6 missed, 110 caught, 4 unviable`; one that hangs is noticed.
fn noticed(said: &str) -> Option<(f64, f64)> {
    let line = said.lines().rev().find(|line| line.contains("mutants tested"))?;
    let count = |name: &str| {
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|word| *word == name)?;
        words.get(at.checked_sub(1)?)?.parse::<f64>().ok()
    };
    Some((count("caught").unwrap_or(0.0) + count("timeouts").unwrap_or(0.0), count("missed").unwrap_or(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_both_tools_are_read() {
        let said = "Filename Regions\nTOTAL   100  5  95.00%   20  1  95.00%   1000   30  97.00%   0  0  -\n";
        assert_eq!(covered(said), Some(97.0));
        assert_eq!(noticed("x\n120 mutants tested in 9m: 6 missed, 108 caught, 4 unviable, 2 timeouts\n"), Some((110.0, 6.0)));
        assert!(covered("nothing").is_none() && noticed("nothing").is_none());
    }
}
