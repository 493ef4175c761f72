//! Fits on Spark and Dask, where Java is there and the environment for them is, or is asked for: it takes half a gigabyte.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::{package, python, shell};

/// Set to 1, the environment is made where it is missing, and a machine without Java fails.
const REQUIRED: &str = "ODDSMITH_REQUIRE_SPARK";
const ENVIRONMENT: &str = "engines-venv";
/// The tests that this step runs, and no other does.
pub(crate) const TESTS: [&str; 4] =
    ["python/tests/test_spark.py", "python/tests/test_spark_frames.py", "python/tests/test_spark_cluster.py", "python/tests/test_dask.py"];

/// What the tests take at most on a machine that does nothing else.
const AIM: Duration = Duration::from_secs(120);
/// What fails. A machine that does other work is slower by as much as that work takes, so the aim itself would fail by chance; five times as long
/// is no busy machine but a test that waits for something: a task that is tried again and again, a worker that never answers.
const LIMIT: Duration = Duration::from_secs(600);

/// Runs the tests, or says why they are left out.
pub(crate) fn tests() -> Result<Outcome, Failure> {
    let required = std::env::var(REQUIRED).is_ok_and(|value| value == "1");
    let java = std::env::var_os("JAVA_HOME").is_some() || shell::answers(Path::new("java"), &["-version"]);
    let made = shell::root().join("target").join(ENVIRONMENT).join("installed.txt").exists();
    match (java, required || made) {
        (false, _) if required => {
            Err(Failure::new(format!("{REQUIRED} asks for the tests on Spark, and there is no Java (Debian: default-jre-headless)")))
        }
        (false, _) => Ok(Outcome::skipped("there is no Java on the path, which Spark runs on (Debian: default-jre-headless)")),
        (true, false) => {
            Ok(Outcome::skipped(format!("Spark is 500 MB to install; {REQUIRED}=1 makes target/{ENVIRONMENT}, which is used from then on")))
        }
        (true, true) => in_environment().map(Outcome::from),
    }
}

fn in_environment() -> Result<(), Failure> {
    // As every other step builds: another selection has other features and would compile the library anew.
    shell::run(&shell::cargo(), &["build", "--release", "--workspace", "--all-targets"], &[])?;
    let interpreter = python::environment(&python::system(), ENVIRONMENT, "python/requirements-engines.txt")?;
    package::install(&interpreter, Path::new("target/release"), package::STABLE)?;
    let mut arguments = vec!["-m", "pytest", "-q", "--durations=12"];
    arguments.extend(TESTS);
    let start = Instant::now();
    shell::run(&interpreter, &arguments, &[(REQUIRED, "1")])?;
    timely(start.elapsed())
}

/// Says how long the tests took, and refuses what is no matter of a busy machine any more.
fn timely(took: Duration) -> Result<(), Failure> {
    let told = format!("{} s, of {} s on a quiet machine and {} s at most", took.as_secs(), AIM.as_secs(), LIMIT.as_secs());
    if took > LIMIT {
        return Err(Failure::new(format!("the tests on engines took {told}; `--durations` above names the slowest")));
    }
    println!("the tests on engines took {told}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_that_wait_for_something_are_too_slow() {
        assert!(timely(AIM).is_ok() && timely(LIMIT).is_ok());
        let refused = timely(LIMIT + Duration::from_secs(1)).map_err(|failure| failure.to_string());
        assert_eq!(refused.err().map(|text| text.contains("601 s, of 120 s")), Some(true));
    }
}
