//! `cargo xtask test`: every check in order, with one profile and one build.
//!
//! Everything runs with `--release` over the whole workspace and all targets, so that cargo compiles each crate once
//! for running and once for checking (lints and docs share the latter).

use std::path::Path;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::{arrows, browser, engines, format, free_threaded, package, python, scaffold, shell, site, trust};

/// A check: what it is called, and what it does.
struct Step {
    name: &'static str,
    run: fn() -> Result<Outcome, Failure>,
}

const STEPS: &[Step] = &[
    Step { name: "format", run: || format::run(true).map(Outcome::from) },
    Step { name: "arrows", run: || arrows::run(&shell::root()).map(Outcome::from) },
    Step {
        name: "lint",
        run: || cargo(&["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"]).map(Outcome::from),
    },
    Step { name: "build", run: || cargo(&["build", "--release", "--workspace", "--all-targets"]).map(Outcome::from) },
    Step { name: "tests", run: || tests().map(Outcome::from) },
    Step { name: "doctests", run: || cargo(&["test", "--release", "--workspace", "--doc"]).map(Outcome::from) },
    Step { name: "docs", run: || docs().map(Outcome::from) },
    Step { name: "browser", run: browser::tests },
    Step { name: PYTHON, run: python_tests },
    Step { name: ENGINES, run: engines::tests },
    Step { name: SITE, run: || site::run().map(Outcome::from) },
    Step { name: SCAFFOLD, run: || scaffold::run().map(Outcome::from) },
    // After the package is installed, which some promises are about.
    Step { name: "trust", run: || trust::quick().map(Outcome::from) },
];
const PYTHON: &str = "python";
const ENGINES: &str = "engines";
const SITE: &str = "site";
const SCAFFOLD: &str = "scaffold";

/// Runs the steps that the arguments ask for.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let wanted = chosen(arguments)?;
    let begin = Instant::now();
    let mut ran: Vec<Ran> = Vec::new();
    for step in STEPS.iter().filter(|step| wanted.contains(&step.name)) {
        println!("== {}", step.name);
        let start = Instant::now();
        let outcome = (step.run)();
        let skipped = match &outcome {
            Ok(Outcome::Skipped(why)) => Some(why.clone()),
            _ => None,
        };
        ran.push(Ran { name: step.name, time: start.elapsed(), skipped });
        if let Err(failure) = outcome {
            println!("== failed: {}", summary(&ran, begin.elapsed()));
            return Err(failure);
        }
    }
    println!("== passed: {}", summary(&ran, begin.elapsed()));
    Ok(())
}

/// A step that ran, for how long, and why it or a part of it could not.
struct Ran {
    name: &'static str,
    time: Duration,
    skipped: Option<String>,
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

fn summary(ran: &[Ran], total: Duration) -> String {
    let each: Vec<String> = ran.iter().map(|step| format!("{} {:.1} s", step.name, step.time.as_secs_f64())).collect();
    let skipped: String = ran.iter().filter_map(|step| Some(format!("\n== skipped: {}: {}", step.name, step.skipped.as_ref()?))).collect();
    format!("{} | all {:.1} s{skipped}", each.join(", "), total.as_secs_f64())
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

fn python_tests() -> Result<Outcome, Failure> {
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
        let ran =
            |name, millis, skipped: Option<&str>| Ran { name, time: Duration::from_millis(millis), skipped: skipped.map(str::to_owned) };
        let line = summary(&[ran("format", 1250, None), ran("browser", 2000, Some("there is no Chromium"))], Duration::from_secs(4));
        assert_eq!(line, "format 1.2 s, browser 2.0 s | all 4.0 s\n== skipped: browser: there is no Chromium");
    }
}
