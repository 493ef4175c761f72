//! Laws that answers obey whatever the data: permuted rows, a row of weight 2, columns in other units, classes the other way round. The tests
//! that try them are run with the number of cases that their own files say.

use std::process::Command;

use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;

/// What is tried, the program of tests that tries it, and what the names of the tests have in common.
const LAWS: [(&str, &str, &str); 5] = [
    ("order of rows, columns and classes, rows twice, units: every model", "laws_models", "invariance"),
    ("reported figures in other units: every model", "laws_models", "scalars"),
    ("regressions: shifts, scales by powers of two, classes swapped, rows twice", "regression", "laws::"),
    ("sums over columns × 2^±450 and more", "stored", "laws_scales"),
    ("sums: empty, merged in any order, weighted, written and read", "stored", "laws_stats"),
];

/// Runs the tests.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    LAWS.iter().map(|law| tried(scope, law)).collect()
}

fn tried(scope: &Scope, (what, program, names): &(&str, &str, &str)) -> Result<Finding, Failure> {
    let words = ["test", "--release", "--workspace", "--test", program, "--", names];
    let output = Command::new(shell::cargo()).args(words).current_dir(&scope.root).output()?;
    let passed = passed(&String::from_utf8_lossy(&output.stdout));
    let measured = format!("{passed} tests passed{}", if output.status.success() { "" } else { ", others failed" });
    Ok(Finding::new(*what, "all tests pass", measured, output.status.success() && passed > 0))
}

/// Tests that passed, as the harness counts them.
pub(super) fn passed(said: &str) -> usize {
    let count = |line: &str| line.strip_prefix("test result: ")?.split_once(". ")?.1.split(' ').next()?.parse::<usize>().ok();
    said.lines().filter_map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_passed_are_counted() {
        let said =
            "running 3 tests\ntest a ... ok\ntest result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed\n";
        assert_eq!((passed(said), passed("nothing")), (4, 0));
    }
}
