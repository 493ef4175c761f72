//! The Python package: Ctrl-C at random moments, scikit-learn's own checks, a soak in one interpreter, and executors of Spark that die.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::interpreter::{MISSING, last_line, ready, script};
use crate::trust::scope::Scope;
use crate::trust::tables;

/// Tests of what scikit-learn asks of an estimator, and of workers, forks and threads.
const CONTRACT: [&str; 3] =
    ["python/tests/test_estimator_checks.py", "python/tests/test_scikit_learn_suite.py", "python/tests/test_surroundings.py"];
/// Tests with executors that are killed, on one machine.
const CLUSTER: &str = "python/tests/test_spark_cluster.py";

/// Tries all of it.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let interrupts = ("signals at random moments of fits in Python", "KeyboardInterrupt within 500 ms, and the next fit right");
    let soak = ("fits and predictions in one interpreter, over and over", "memory grows by 16 MiB at most after the first tenth");
    let Some(interpreter) = ready(scope)? else {
        return Ok([interrupts, soak].map(|(promise, goal)| Finding::not_tried(promise, goal, MISSING)).into());
    };
    let folder = scope.folder("python")?;
    tables::write(&folder.join("some.csv"), 20_000, 9)?;
    let signals = scope.count(12, 1_000).to_string();
    let seconds = scope.time(8.0, 0.05).as_secs_f64().to_string();
    let mut findings = Vec::new();
    for (name, word, (promise, goal)) in [("interrupts.py", &signals, interrupts), ("soak.py", &seconds, soak)] {
        let output = script(scope, &interpreter, &folder, name, &[word])?;
        findings.push(Finding::new(promise, goal, last_line(&output), output.status.success()));
    }
    if scope.long {
        findings.push(tested(scope, &interpreter, &CONTRACT, "scikit-learn's checks of every estimator; workers, forks, threads")?);
        findings.push(cluster(scope)?);
    }
    Ok(findings)
}

/// Tests that pytest runs.
fn tested(scope: &Scope, interpreter: &Path, files: &[&str], promise: &str) -> Result<Finding, Failure> {
    let words = [&["-m", "pytest", "-q", "--no-header"], files].concat();
    let output = Command::new(interpreter).args(words).current_dir(&scope.root).output()?;
    let said = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned();
    Ok(Finding::new(promise, "all tests pass", said, output.status.success()))
}

/// Executors that die, tasks that are run twice: the bits of a fit here.
fn cluster(scope: &Scope) -> Result<Finding, Failure> {
    let (promise, goal) = ("executors of Spark killed, tasks run twice, partitions in another order", "the bits of a fit on one machine");
    let interpreter = scope.root.join("target/engines-venv/bin/python");
    if !interpreter.exists() || !shell::answers(Path::new("java"), &["-version"]) {
        return Ok(Finding::not_tried(
            promise,
            goal,
            "there is no Java or no Spark; `ODDSMITH_REQUIRE_SPARK=1 cargo xtask test --only engines` makes it",
        ));
    }
    let finding = tested(scope, &interpreter, &[CLUSTER], promise)?;
    Ok(finding.with_goal(goal))
}
