//! Hostile bytes for every reader of bytes: mutated files in the ordinary build, and libFuzzer at length.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::report::{Report, told};
use crate::trust::scope::Scope;
use crate::trust::trial;

const GOAL: &str = "no panic, 1 s and 512 MiB an input";
/// Executions of a target in the long form.
const EXECUTIONS: &str = "10000000";
/// Has the compiler count which branches are taken and what is compared, on the stable toolchain.
const COUNTERS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";

/// Feeds every target.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let program = scope.root.join("target/release/oddsmith-fuzz");
    let targets: Vec<String> = shell::output(&program, &["targets"])?.lines().map(str::to_owned).collect();
    let folder = scope.folder("fuzz")?;
    let place = folder.to_string_lossy().into_owned();
    let seconds = scope.time(2.0, 0.02).as_secs_f64().to_string();
    let reports = trial::side_by_side(targets.len(), |at| {
        let begin = Instant::now();
        let told = told(&program, &["run", &targets[at], &seconds, EXECUTIONS, "1", &place])?;
        Ok((at, told, begin.elapsed()))
    })?;
    let mut findings = Vec::new();
    for (at, report, took) in reports {
        findings.push(finding(&format!("mutated {}", targets[at]), &report).after(took));
    }
    if scope.long {
        findings.extend(guided(scope, &program, &targets)?);
    }
    Ok(findings)
}

fn finding(what: &str, report: &Report) -> Finding {
    let [runs, slowest, largest] = ["runs", "slowest_ms", "largest_kib"].map(|name| report.number(name).unwrap_or(0.0));
    let first = report.findings.first().map_or_else(String::new, |first| format!("; {first}"));
    let measured =
        format!("{} findings in {runs} runs; slowest {slowest} ms, largest {:.0} MiB{first}", report.findings.len(), largest / 1024.0);
    Finding::new(what, GOAL, measured, report.findings.is_empty() && runs > 0.0)
}

/// The same targets under libFuzzer, which keeps what reaches new code.
fn guided(scope: &Scope, program: &Path, targets: &[String]) -> Result<Vec<Finding>, Failure> {
    let built = scope.root.join("target/libfuzzer");
    let manifest = scope.root.join("fuzz/Cargo.toml");
    let words =
        ["build", "--release", "--target", HOST, "--manifest-path", &manifest.to_string_lossy(), "--target-dir", &built.to_string_lossy()];
    if shell::run(&shell::cargo(), &words, &[("RUSTFLAGS", COUNTERS)]).is_err() {
        return Ok(vec![Finding::not_tried("libFuzzer", GOAL, "it cannot be built here: it wants a C++ compiler and the registry")]);
    }
    let fuzzer = built.join(HOST).join("release/oddsmith-libfuzzer");
    let time = scope.time(0.0, 0.02);
    trial::side_by_side(targets.len(), |at| guided_target(scope, &fuzzer, program, &targets[at], time))
}

/// The system that is built for: naming it keeps the counters out of build scripts.
const HOST: &str = "x86_64-unknown-linux-gnu";

fn guided_target(scope: &Scope, fuzzer: &Path, program: &Path, target: &str, time: Duration) -> Result<Finding, Failure> {
    // What earlier runs found reaches further, so it is kept.
    let corpus = scope.root.join("target/trust-corpus").join(target);
    fs::create_dir_all(&corpus)?;
    shell::output(program, &["seeds", target, &corpus.to_string_lossy()])?;
    let (found, begin) = (scope.folder(&format!("libfuzzer-{target}"))?, Instant::now());
    let output = Command::new(fuzzer)
        .env("ODDSMITH_TARGET", target)
        .arg(&corpus)
        .args([&format!("-max_total_time={}", time.as_secs().max(1)), &format!("-runs={EXECUTIONS}"), "-seed=1", "-print_final_stats=1"])
        // The counters take time: what is slow is tried again in the ordinary build.
        .args(["-timeout=10", "-malloc_limit_mb=512", "-rss_limit_mb=4096", "-max_len=65536"])
        .arg(format!("-artifact_prefix={}/", found.display()))
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let number = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let runs = number("stat::number_of_executed_units:").unwrap_or(0);
    let kept: Vec<PathBuf> = fs::read_dir(&found)?.flatten().map(|entry| entry.path()).collect();
    let first = kept.first().map_or_else(String::new, |path| format!("; {}", path.display()));
    let measured = format!("{} findings in {runs} runs{first}", kept.len());
    let right = output.status.success() && kept.is_empty() && runs > 0;
    Ok(Finding::new(format!("guided {target}"), GOAL, measured, right).after(begin.elapsed()))
}
