//! Files of ours that were changed or forged: all refused, soon, and without memory to speak of.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::report::told;
use crate::trust::scope::Scope;
use crate::trust::{resident, trial};

/// What a bomb may take under `--memory 64M`, beside what the program takes itself.
const MEMORY_MIB: f64 = 256.0;

/// Tries flips, cuts, forged files and bombs.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let program = scope.root.join("target/release/oddsmith-fuzz");
    let flips = scope.count(100_000, 1_000_000).to_string();
    let mut findings = Vec::new();
    for (what, words) in [("flips and cuts of model files", vec!["flips", &flips, "1"]), ("files forged by hand", vec!["hostile"])] {
        let report = told(&program, &words)?;
        let [files, accepted, panics, slowest, excess] =
            ["files", "accepted", "panics", "slowest_ms", "excess_kib"].map(|name| report.number(name).unwrap_or(f64::NAN));
        let first = report.findings.first().map_or_else(String::new, |first| format!("; {first}"));
        let measured = format!("{accepted} accepted, {panics} panics, slowest {slowest} ms, {excess} KiB beyond twice the size{first}");
        let kept = report.findings.is_empty() && accepted + panics + excess == 0.0 && slowest < 1000.0 && files >= 100.0;
        findings.push(Finding::new(format!("{files} {what}"), "all refused in 1 s within twice their size", measured, kept));
    }
    if scope.long {
        findings.push(bombs(scope)?);
    }
    Ok(findings)
}

/// Small files that unpack to a gigabyte.
fn bombs(scope: &Scope) -> Result<Finding, Failure> {
    let (promise, goal) = ("files that unpack to a gigabyte", "answered or refused within 256 MiB");
    if !shell::answers(Path::new("gzip"), &["--version"]) {
        return Ok(Finding::not_tried(promise, goal, "there is no gzip on the path"));
    }
    let folder = scope.folder("bombs")?;
    type Fill = fn(&mut dyn Write) -> std::io::Result<()>;
    let fills: [(&str, Fill); 3] = [
        ("zeros.csv.gz", |file| repeated(file, &[0; 1 << 20], 1 << 10)),
        ("commas.csv.gz", |file| repeated(file, &[b','; 1 << 20], 1 << 10)),
        ("rows.csv.gz", |file| {
            file.write_all(b"x,y\n")?;
            repeated(file, &b"1.5,no\n2.5,yes\n".repeat(70_000), 1 << 10)
        }),
    ];
    let (mut worst, mut told, mut wrong) = (0.0f64, Vec::new(), Vec::new());
    for (name, fill) in fills {
        packed(&folder.join(name), fill)?;
        let begin = Instant::now();
        let words = format!("fit -q {name} --target y --memory 64M");
        let ended = resident::run(trial::command(&scope.program, &folder, &words))?;
        worst = worst.max(ended.peak_mib);
        told.push(format!("{name}: exit {:?}, {:.0} MiB, {:.1} s", ended.code, ended.peak_mib, begin.elapsed().as_secs_f64()));
        if !matches!(ended.code, Some(0 | 3)) || ended.peak_mib > MEMORY_MIB {
            wrong.push(name);
        }
    }
    Ok(Finding::new(promise, goal, told.join("; "), wrong.is_empty()))
}

fn repeated(file: &mut dyn Write, piece: &[u8], times: usize) -> std::io::Result<()> {
    (0..times).try_for_each(|_| file.write_all(piece))
}

/// Packs what `fill` writes.
fn packed(path: &Path, fill: fn(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    let mut gzip = Command::new("gzip").args(["-1", "-c"]).stdin(Stdio::piped()).stdout(File::create(path)?).spawn()?;
    if let Some(input) = gzip.stdin.take() {
        fill(&mut BufWriter::new(input))?;
    }
    gzip.wait()?;
    Ok(())
}
