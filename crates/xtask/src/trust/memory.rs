//! Memory that runs out: whatever the limit, the command does its work or says that memory was not enough. What tables of unusual shapes take
//! at most is in `shapes.rs`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;
use crate::trust::{shapes, tables, trial};

/// Commands over a table of 5,000 rows, each beginning where the program can start at all.
const COMMANDS: [&str; 6] = [
    "fit -q some.csv --target y -o out",
    "fit -q some.csv y~a+b+c+d+town -o out",
    "fit -q some.csv --target y --model forest -o out",
    "fit -q some.csv --target y --model knn -o out",
    "predict -q some.odds some.csv -o out",
    "report -q some.odds some.csv -o out",
];
/// The least and the most limit, in KiB.
const LEAST: usize = 8 << 10;
const MOST: usize = 1 << 19;

/// Lowers the limit of memory step by step.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let folder = scope.folder("memory")?;
    tables::write(&folder.join("some.csv"), 5_000, 3)?;
    trial::succeed(&scope.program, &folder, "fit -q some.csv --target y -o some.odds")?;
    let first = first_start(scope, &folder)?;
    let steps = scope.count(4, 200);
    // Limits grow by the same factor: what matters happens just above the least.
    let factor = (MOST as f64 / first as f64).powf(1.0 / steps as f64);
    let limits: Vec<usize> = (0..=steps).map(|step| (first as f64 * factor.powi(step as i32)) as usize).collect();
    let tries: Vec<(&str, usize)> = COMMANDS.iter().flat_map(|words| limits.iter().map(move |limit| (*words, *limit))).collect();
    let codes = trial::side_by_side(tries.len(), |at| limited(scope, &folder, tries[at].0, tries[at].1).map(|code| (at, code)))?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut worst = None;
    for (at, code) in codes {
        let name = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit {code}"));
        if !matches!(code, Some(0 | 6)) {
            worst.get_or_insert_with(|| format!("; `{}` with {} KiB: {name}", tries[at].0, tries[at].1));
        }
        *counts.entry(name).or_default() += 1;
    }
    let told: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}×")).collect();
    let both = counts.contains_key("exit 0") && counts.contains_key("exit 6");
    let measured = format!("{}{}", told.join(", "), worst.as_deref().unwrap_or_default());
    let promise = format!("{} limits of memory (ulimit -v)", tries.len());
    let limits = Finding::new(promise, "exit 0 or 6, both met", measured, worst.is_none() && both);
    Ok(std::iter::once(limits).chain(shapes::run(scope)?).collect())
}

/// The exit code under a limit of address space in KiB.
fn limited(scope: &Scope, folder: &Path, words: &str, limit: usize) -> Result<Option<i32>, Failure> {
    let words = words.replace("-o out", &format!("-o out-{limit}"));
    let output = trial::shell(&scope.program, folder, &format!("ulimit -v {limit}; exec \"$0\" {words} > /dev/null"))?;
    Ok(output.status.code())
}

/// The least limit under which the program can start, to a tenth.
fn first_start(scope: &Scope, folder: &Path) -> Result<usize, Failure> {
    let mut limit = LEAST;
    while limited(scope, folder, "--version", limit)? != Some(0) {
        limit += limit / 10;
        if limit > MOST {
            return Err(Failure::new("`oddsmith --version` does not run in half a gigabyte"));
        }
    }
    Ok(limit)
}
