//! Many at once, and for long: commands side by side on one file, streams without an end, threads of Python.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::interpreter::{MISSING, last_line, ready, script};
use crate::trust::scope::Scope;
use crate::trust::{resident, tables, trial};

/// Commands at once.
const COMMANDS: usize = 64;
/// Streams, and what each may take beyond what it took in its first tenth, in MiB. An evaluation keeps scores within its budget, and bins beyond it.
const STREAMS: [(&str, f64); 2] = [("predict -q some.odds -", 8.0), ("evaluate -q some.odds - --memory 16M", 32.0)];

/// Tries all of it.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let folder = scope.folder("load")?;
    tables::write(&folder.join("some.csv"), 20_000, 9)?;
    trial::succeed(&scope.program, &folder, "fit -q some.csv --target y -o some.odds")?;
    let mut findings = vec![at_once(scope, &folder)?];
    for (words, growth) in STREAMS {
        findings.push(stream(scope, &folder, words, growth)?);
    }
    findings.push(python_threads(scope, &folder)?);
    Ok(findings)
}

/// All commands read one model and one table at the same time.
fn at_once(scope: &Scope, folder: &Path) -> Result<Finding, Failure> {
    let words = "predict -q some.odds some.csv";
    let expected = trial::command(&scope.program, folder, words).stdout(Stdio::piped()).output()?.stdout;
    let begin = Instant::now();
    let running: Vec<_> =
        (0..COMMANDS).map(|_| trial::command(&scope.program, folder, words).stdout(Stdio::piped()).spawn()).collect::<Result<_, _>>()?;
    let outputs = std::thread::scope(|threads| {
        let readers: Vec<_> = running.into_iter().map(|child| threads.spawn(move || child.wait_with_output())).collect();
        readers.into_iter().filter_map(|reader| reader.join().ok()?.ok()).collect::<Vec<_>>()
    });
    let right = outputs.iter().filter(|output| output.status.success() && output.stdout == expected).count();
    let measured = format!("{right} right in {:.1} s", begin.elapsed().as_secs_f64());
    Ok(Finding::new(
        format!("{COMMANDS} commands on one file at once"),
        "all right, to the byte",
        measured,
        right == COMMANDS && !expected.is_empty(),
    ))
}

/// Rows that flow without an end: memory stays where it was.
fn stream(scope: &Scope, folder: &Path, words: &str, growth: f64) -> Result<Finding, Failure> {
    let table = std::fs::read_to_string(folder.join("some.csv"))?;
    let (header, rows) = table.split_once('\n').unwrap_or_default();
    let goal_bytes = scope.count(64 << 20, 10 << 30);
    let mut child = trial::command(&scope.program, folder, words).stdin(Stdio::piped()).spawn()?;
    let Some(mut input) = child.stdin.take() else { return Err(Failure::new("the command has no input")) };
    let (mut sent, mut early, mut late) = (0usize, 0.0f64, 0.0f64);
    let begin = Instant::now();
    writeln!(input, "{header}")?;
    while sent < goal_bytes {
        if input.write_all(rows.as_bytes()).is_err() {
            break;
        }
        sent += rows.len();
        let now = resident::memory_mib(child.id(), "VmRSS:").unwrap_or(0.0);
        if sent < goal_bytes / 10 {
            early = early.max(now);
        } else {
            late = late.max(now);
        }
    }
    drop(input);
    let (code, seconds) = (child.wait()?.code(), begin.elapsed().as_secs_f64());
    let measured =
        format!("exit {code:?}, {:.0} MB/s, {early:.0} MiB in the first tenth, {late:.0} MiB later", sent as f64 / 1e6 / seconds);
    let kept = code == Some(0) && sent >= goal_bytes && late <= early + growth;
    Ok(Finding::new(
        format!("a stream of {} MB through `{words}`", goal_bytes / 1_000_000),
        format!("memory grows by {growth} MiB at most"),
        measured,
        kept,
    ))
}

/// A thousand threads of one interpreter ask one model.
fn python_threads(scope: &Scope, folder: &Path) -> Result<Finding, Failure> {
    let (promise, goal) = ("1,000 threads of Python on one model", "all answers right");
    let Some(interpreter) = ready(scope)? else { return Ok(Finding::not_tried(promise, goal, MISSING)) };
    let output = script(scope, &interpreter, folder, "threads.py", &[])?;
    Ok(Finding::new(promise, goal, last_line(&output), output.status.success()))
}
