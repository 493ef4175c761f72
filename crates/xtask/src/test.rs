//! `cargo xtask test`: every check in order, with one profile and one build.
//!
//! Everything runs with `--release` over the whole workspace and all targets, so that cargo compiles each crate once
//! for running and once for checking (lints and docs share the latter).

use std::path::Path;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::{arrows, browser, engines, format, free_threaded, package, python, scaffold, shell, site, trust};

/// A check: what it is called, and what it does.
struct Step {
    name: &'static str,
    run: fn() -> Result<(), Failure>,
}

const STEPS: &[Step] = &[
    Step { name: "format", run: || format::run(true) },
    Step { name: "arrows", run: || arrows::run(&shell::root()) },
    Step { name: "lint", run: || cargo(&["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"]) },
    Step { name: "build", run: || cargo(&["build", "--release", "--workspace", "--all-targets"]) },
    Step { name: "tests", run: tests },
    Step { name: "doctests", run: || cargo(&["test", "--release", "--workspace", "--doc"]) },
    Step { name: "docs", run: docs },
    Step { name: "browser", run: browser::tests },
    Step { name: PYTHON, run: python_tests },
    Step { name: ENGINES, run: engines::tests },
    Step { name: SITE, run: site::run },
    Step { name: SCAFFOLD, run: scaffold::run },
    // After the package is installed, which some promises are about.
    Step { name: "trust", run: trust::quick },
];
const PYTHON: &str = "python";
const ENGINES: &str = "engines";
const SITE: &str = "site";
const SCAFFOLD: &str = "scaffold";

/// Runs the steps that the arguments ask for.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let wanted = chosen(arguments)?;
    let begin = Instant::now();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for step in STEPS.iter().filter(|step| wanted.contains(&step.name)) {
        println!("== {}", step.name);
        let start = Instant::now();
        let outcome = (step.run)();
        times.push((step.name, start.elapsed()));
        if let Err(failure) = outcome {
            println!("== failed: {}", summary(&times, begin.elapsed()));
            return Err(failure);
        }
    }
    println!("== passed: {}", summary(&times, begin.elapsed()));
    Ok(())
}

/// The names of the steps to run.
fn chosen(arguments: &[String]) -> Result<Vec<&'static str>, Failure> {
    let all: Vec<&'static str> = STEPS.iter().map(|step| step.name).collect();
    let known = |name: &str| {
        let found = all.iter().find(|known| **known == name);
        found.copied().ok_or_else(|| Failure::usage(format!("no step `{name}`; the steps are {}", all.join(", "))))
    };
    let (mut only, mut skip) = (Vec::new(), false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--skip-python" => skip = true,
            "--only" => only.push(known(rest.next().map_or("", String::as_str))?),
            other => return Err(Failure::usage(format!("`{other}` is no option of test; there are --skip-python and --only STEP"))),
        }
    }
    let wanted = if only.is_empty() { all } else { only };
    Ok(wanted.into_iter().filter(|name| !(skip && [PYTHON, ENGINES, SITE, SCAFFOLD].contains(name))).collect())
}

fn summary(times: &[(&str, Duration)], total: Duration) -> String {
    let each: Vec<String> = times.iter().map(|(name, time)| format!("{name} {:.1} s", time.as_secs_f64())).collect();
    format!("{} | all {:.1} s", each.join(", "), total.as_secs_f64())
}

fn cargo(arguments: &[&str]) -> Result<(), Failure> {
    shell::run(&shell::cargo(), arguments, &[])
}

fn tests() -> Result<(), Failure> {
    match shell::answers(&shell::cargo(), &["nextest", "--version"]) {
        true => cargo(&["nextest", "run", "--release", "--workspace"]),
        false => cargo(&["test", "--release", "--workspace", "--lib", "--bins", "--tests", "--examples"]),
    }
}

fn docs() -> Result<(), Failure> {
    let arguments = ["doc", "--release", "--workspace", "--no-deps"];
    shell::run(&shell::cargo(), &arguments, &[("RUSTDOCFLAGS", "-D warnings")])
}

fn python_tests() -> Result<(), Failure> {
    cargo(&["build", "--release", "--workspace", "--all-targets"])?;
    let interpreter = python::environment(&python::system(), "venv", "python/requirements-test.txt")?;
    package::install(&interpreter, Path::new("target/release"), package::STABLE)?;
    let elsewhere = engines::TESTS.map(|tests| format!("--ignore={tests}"));
    let mut arguments = vec!["-m", "pytest", "-q", "python/tests"];
    arguments.extend(elsewhere.iter().map(String::as_str));
    shell::run(&interpreter, &arguments, &[])?;
    free_threaded::tests()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Option<Vec<&'static str>> {
        chosen(&arguments.iter().map(|a| a.to_string()).collect::<Vec<_>>()).ok()
    }

    #[test]
    fn steps_are_chosen_by_name() {
        let all = names(&[]).unwrap();
        assert_eq!((all[0], &all[all.len() - 5..]), ("format", &["python", "engines", "site", "scaffold", "trust"][..]));
        let others: Vec<&str> = all.iter().copied().filter(|name| ![PYTHON, ENGINES, SITE, SCAFFOLD].contains(name)).collect();
        assert_eq!(names(&["--skip-python"]).unwrap(), others);
        assert_eq!(names(&["--only", "docs"]).unwrap(), ["docs"]);
        assert!(names(&["--only", "dosc"]).is_none() && names(&["--only"]).is_none() && names(&["--quick"]).is_none());
    }

    #[test]
    fn the_summary_names_every_step_and_the_whole() {
        let line = summary(&[("format", Duration::from_millis(1250)), ("lint", Duration::from_secs(2))], Duration::from_secs(4));
        assert_eq!(line, "format 1.2 s, lint 2.0 s | all 4.0 s");
    }
}
