//! Tables as other programs write them, with one thing wrong each: cells that are read right, beside two other readers.

use crate::failure::Failure;
use crate::python;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;

/// What is promised of ten: plain, and weighted by how often a fault is met.
const GOALS: (f64, f64) = (9.9, 9.5);

/// What one reader got right.
#[derive(Debug, PartialEq)]
struct Score {
    reader: String,
    files: usize,
    right: usize,
    plain: f64,
    weighted: f64,
    faults: String,
}

/// Scores all readers on the same files.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let interpreter = python::environment(&python::system(), "csv-venv", "tests/trust/requirements.txt")?;
    let folder = scope.folder("csv")?;
    let script = scope.root.join("tests/trust/pollutions.py");
    let words = [script.to_string_lossy(), folder.to_string_lossy(), scope.program.to_string_lossy()];
    let said = shell::output(&interpreter, &words.each_ref().map(|word| &**word))?;
    let scores: Vec<Score> = said.lines().filter_map(read).collect();
    let Some(own) = scores.iter().find(|score| score.reader == "oddsmith") else {
        return Err(Failure::new("the script scores nothing of ours"));
    };
    let others: Vec<String> = scores
        .iter()
        .filter(|score| *score != own)
        .map(|other| format!("{} {:.2} and {:.2}", other.reader, other.plain, other.weighted))
        .collect();
    let measured =
        format!("{:.2} and {:.2}, {} wholly right; {} (not right: {})", own.plain, own.weighted, own.right, others.join("; "), own.faults);
    let kept = own.plain >= GOALS.0 && own.weighted >= GOALS.1;
    Ok(vec![Finding::new(
        format!("{} polluted tables, score of 10 plain and weighted", own.files),
        format!("{} and {}", GOALS.0, GOALS.1),
        measured,
        kept,
    )])
}

fn read(line: &str) -> Option<Score> {
    let mut words = line.split(' ');
    let reader = words.next()?.to_owned();
    let [files, right] = [words.next()?.parse().ok()?, words.next()?.parse().ok()?];
    let [plain, weighted] = [words.next()?.parse().ok()?, words.next()?.parse().ok()?];
    Some(Score { reader, files, right, plain, weighted, faults: words.next().unwrap_or_default().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read() {
        let score = read("oddsmith 2000 1990 9.951 9.402 cr:1;tab:2").unwrap();
        assert_eq!(
            (score.files, score.right, score.plain, score.weighted, score.faults.as_str()),
            (2000, 1990, 9.951, 9.402, "cr:1;tab:2")
        );
        assert!(read("oddsmith many").is_none());
    }
}
