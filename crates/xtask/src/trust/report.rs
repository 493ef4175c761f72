//! What a program of ours tells in lines of a word and a value.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;

/// The words and numbers, and the lines about findings.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Report {
    numbers: BTreeMap<String, f64>,
    pub(crate) findings: Vec<String>,
}

impl Report {
    /// What a text tells.
    fn read(text: &str) -> Self {
        let mut report = Report::default();
        for (word, value) in text.lines().filter_map(|line| line.split_once(' ')) {
            if word == "finding" {
                report.findings.push(value.to_owned());
            } else if let Ok(number) = value.parse() {
                report.numbers.insert(word.to_owned(), number);
            }
        }
        report
    }

    /// A number; one that was not told is a failure.
    pub(crate) fn number(&self, name: &str) -> Result<f64, Failure> {
        self.numbers.get(name).copied().ok_or_else(|| Failure::new(format!("the program tells no `{name}`")))
    }
}

/// Runs a program of ours and reads what it tells. One that does not come to its end has found something.
pub(crate) fn told(program: &Path, words: &[&str]) -> Result<Report, Failure> {
    let output = Command::new(program).args(words).output()?;
    let mut report = Report::read(&String::from_utf8_lossy(&output.stdout));
    if !output.status.success() {
        let last = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
        report.findings.push(format!("`{}` ended with {}: {last}", words.join(" "), output.status));
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbers_or_findings() {
        let report = Report::read("runs 12\nfinding a/b: took 3 s\nslowest_ms 1.5\nno number here\n");
        assert_eq!(report.findings, ["a/b: took 3 s"]);
        assert_eq!((report.number("runs").unwrap(), report.number("slowest_ms").unwrap()), (12.0, 1.5));
        assert!(report.number("no").is_err());
    }
}
