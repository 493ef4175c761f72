//! The proof that a model is one file and one line: a copy of the project gets one by `new-model`, and from it come its flags, help,
//! refusals, files, laws, rounds, cross-validation, explanations and its Python class, with nothing else written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::{new_model, package, python, shell, third_party};

/// The model that is scaffolded.
const NAME: &str = "toy-model";
/// Its option.
const OPTION: &str = "--least-deviation";
/// Its Python class.
const CLASS: &str = "ToyModel";
/// What is asked of the Python class.
const PYTHON_CHECK: &str = include_str!("../templates/check_model.py");

/// Scaffolds a model in a copy of the project, builds it and uses it.
pub(crate) fn run() -> Result<(), Failure> {
    let root = shell::root();
    let (tree, out) = (root.join("target/scaffold/tree"), root.join("target/scaffold/out"));
    copy(&root, &tree)?;
    for path in ["crates/oddsmith/src/model/toy_model.rs", "crates/oddsmith/src/model/mod.rs"] {
        remove(&tree.join(path))?;
    }
    copy(&root.join("crates/oddsmith/src/model"), &tree.join("crates/oddsmith/src/model"))?;
    new_model::write(&tree, NAME)?;
    // Apart from the project's own build: cargo names what it makes of a crate by its place in the workspace, which is the same here.
    let places = [("CARGO_TARGET_DIR", out.clone())];
    let built = root.join("target/release");
    if built.exists() {
        third_party::take_over(&built, &out.join("release"))?;
    }
    let quick = quickly(&root)?;
    let mut laws = vec!["--release", "--workspace", "--test", "laws_models", "--test", "rounds"];
    laws.extend(quick.iter().flat_map(|setting| ["--config", setting.as_str()]));
    cargo(&tree, &[&["build", "--lib", "--bins"], &laws[..]].concat(), &places)?;
    // The laws alone: tests within the crates would compile each of them once more.
    match shell::answers(&shell::cargo(), &["nextest", "--version"]) {
        true => cargo(&tree, &[&["nextest", "run"], &laws[..]].concat(), &places)?,
        false => cargo(&tree, &[&["test"], &laws[..]].concat(), &places)?,
    }
    let work = root.join("target/scaffold/work");
    remove(&work)?;
    fs::create_dir_all(&work)?;
    fs::copy(root.join("examples/births.csv"), work.join("births.csv"))?;
    command(&Session { program: out.join("release/oddsmith"), folder: work.clone() })?;
    python_class(&root, &tree, &out.join("release"), &work)
}

/// Settings that compile the project's own crates with less care: what is proved here does not need to be fast, and the crates of others
/// are taken as they are.
fn quickly(root: &Path) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    Ok(names.into_iter().map(|name| format!("profile.release.package.{name}.opt-level=1")).collect())
}

/// A person at the command.
struct Session {
    program: PathBuf,
    folder: PathBuf,
}

impl Session {
    /// What the command prints, on either stream; it must end with `code`.
    fn says(&self, code: i32, line: &str) -> Result<String, Failure> {
        println!("$ oddsmith {line}");
        let done = Command::new(&self.program).args(line.split(' ')).current_dir(&self.folder).output()?;
        let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        match done.status.code() == Some(code) {
            true => Ok(said),
            false => Err(Failure::new(format!("`oddsmith {line}` ended with {:?} in place of {code}:\n{said}", done.status.code()))),
        }
    }

    /// The command must print something.
    fn shows(&self, line: &str, expected: &str) -> Result<(), Failure> {
        has(line, &self.says(0, line)?, expected)
    }
}

fn has(line: &str, said: &str, expected: &str) -> Result<(), Failure> {
    match said.contains(expected) {
        true => Ok(()),
        false => Err(Failure::new(format!("`oddsmith {line}` does not say `{expected}`:\n{said}"))),
    }
}

/// Everything that the command does with a model.
fn command(session: &Session) -> Result<(), Failure> {
    let columns = "--target low --features age,lwt";
    session.shows("fit --help", OPTION)?;
    session.shows(&format!("models --options {NAME}"), "least-deviation")?;
    session.shows("models --json", "\"least-deviation\"")?;
    session.shows(&format!("fit births.csv {columns} --model {NAME} {OPTION} 0.5 -o toy.odds"), "deviation")?;
    let refused = session.says(2, &format!("fit births.csv {columns} --model {NAME} --smoothing 1"))?;
    has("fit --smoothing", &refused, OPTION)?;
    session.says(2, &format!("fit births.csv {columns} --model {NAME} {OPTION} -1"))?;
    session.shows("show toy.odds --format table", "Toy model")?;
    session.shows("predict toy.odds births.csv", "p_yes")?;
    session.shows("explain toy.odds births.csv --row 7 --format table", "(total)")?;
    session.shows("evaluate toy.odds births.csv", "auc")?;
    session.shows(&format!("compare births.csv {columns} --models {NAME}(least-deviation=1),nb --folds 5"), NAME)?;
    session.shows(&format!("select births.csv {columns} --model {NAME}"), "+ lwt")?;
    session.says(0, "calibrate toy.odds births.csv -o calibrated.odds")?;
    rounds(session, columns)
}

/// Two halves of the rows, each at its own place, come to the model of all rows.
fn rounds(session: &Session, columns: &str) -> Result<(), Failure> {
    let births = fs::read_to_string(session.folder.join("births.csv"))?;
    let mut lines = births.lines();
    let header = lines.next().unwrap_or_default();
    let rows: Vec<&str> = lines.collect();
    for (name, half) in [("a", &rows[..rows.len() / 2]), ("b", &rows[rows.len() / 2..])] {
        fs::write(session.folder.join(format!("{name}.csv")), [&[header], half].concat().join("\n"))?;
    }
    session.says(0, &format!("rounds begin --model {NAME} {OPTION} 0.5 {columns} -o toy.round"))?;
    for _ in 0..3 {
        session.says(0, "rounds answer toy.round a.csv -o a.answer")?;
        session.says(0, "rounds answer toy.round b.csv -o b.answer")?;
        session.says(0, "rounds advance toy.round a.answer b.answer -o together.odds")?;
    }
    let (pooled, together) = (session.says(0, "predict toy.odds births.csv")?, session.says(0, "predict together.odds births.csv")?);
    match same_numbers(&pooled, &together) {
        true => Ok(()),
        false => Err(Failure::new("the rounds of two places do not end in the model of all rows")),
    }
}

/// Whether two tables have the same cells, numbers up to rounding.
fn same_numbers(left: &str, right: &str) -> bool {
    let near = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
        _ => a == b,
    };
    let (left, right): (Vec<&str>, Vec<&str>) = (left.split([',', '\n']).collect(), right.split([',', '\n']).collect());
    left.len() == right.len() && left.len() > 100 && left.iter().zip(&right).all(|(a, b)| near(a, b))
}

/// The Python class, in the environment of the tests with the package of the copy in front.
fn python_class(root: &Path, tree: &Path, built: &Path, work: &Path) -> Result<(), Failure> {
    let interpreter = python::environment(&python::system(), "venv", "python/requirements-test.txt")?;
    let place = root.join("target/scaffold/package");
    package::lay_out(tree, &place.join("oddsmith"), built, package::STABLE)?;
    let (place, class) = (place.to_string_lossy().into_owned(), CLASS.to_owned());
    let births = work.join("births.csv").to_string_lossy().into_owned();
    println!("$ python check_model.py {CLASS}");
    let status = Command::new(&interpreter).args(["-c", PYTHON_CHECK, &class, NAME, &births]).env("PYTHONPATH", place).status()?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::of_program("the Python class of a scaffolded model is not right", status.code())),
    }
}

fn cargo(tree: &Path, arguments: &[&str], places: &[(&str, PathBuf)]) -> Result<(), Failure> {
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new(shell::cargo()).args(arguments).envs(places.iter().cloned()).current_dir(tree).status()?;
    match status.success() {
        true => Ok(()),
        false => {
            Err(Failure::of_program(format!("`cargo {}` failed in the copy with a scaffolded model", arguments.join(" ")), status.code()))
        }
    }
}

/// Copies what a clone holds. A file that is the same already keeps its time, so that it is not compiled again.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_dir() && !["target", ".git", "__pycache__", ".pytest_cache"].contains(&name) {
            copy(&path, &to.join(name))?;
        } else if path.is_file() {
            let content = fs::read(&path)?;
            if !fs::read(to.join(name)).is_ok_and(|known| known == content) {
                fs::write(to.join(name), content)?;
            }
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), Failure> {
    match path.is_dir() {
        true => fs::remove_dir_all(path)?,
        false if path.exists() => fs::remove_file(path)?,
        false => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_numbers() {
        let table = |last: &str| format!("{}{last}", "a,1\n".repeat(60));
        assert!(same_numbers(&table("0.5"), &table("0.5000000000001")));
        assert!(!same_numbers(&table("0.5"), &table("0.51")) && !same_numbers(&table("x"), &table("y")) && !same_numbers("1", "1"));
    }
}
