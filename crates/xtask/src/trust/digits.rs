//! Digits: fits, sums and special functions against solutions of fifty digits, and separation against exact arithmetic. The tests that
//! compare them print what they measure; it is read here.

use std::fs;
use std::process::Command;

use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;

/// Runs the tests that compare, and reads their tables.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    Ok(vec![certified(scope)?, separation(scope)?, special(scope)?, nist(scope)?])
}

/// What tests of the library print, and whether they pass.
fn tested(scope: &Scope, place: &[&str], name: &str) -> Result<(bool, String), Failure> {
    // The whole workspace is selected, as in its build: another selection has other features and would compile everything anew.
    let words = [&["test", "--release", "--workspace"], place, &["--", "--nocapture", name]].concat();
    let output = Command::new(shell::cargo()).args(words).current_dir(&scope.root).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((output.status.success() && said.contains("test result: ok"), said))
}

/// Designs whose solutions are known to fifty digits.
fn certified(scope: &Scope) -> Result<Finding, Failure> {
    let (passed, said) = tested(scope, &["--test", "regression"], "fits_agree_with_solutions_of_fifty_digits")?;
    let rows = certified_rows(&said);
    let least = |class: &str, at: usize| rows.iter().filter(|row| row.0 == class).map(|row| row.1[at]).fold(f64::INFINITY, f64::min);
    let shares: Vec<String> = ["well-posed", "near-separation", "collinear"]
        .iter()
        .map(|class| {
            format!("{class}: coefficients {:.1}, errors {:.1}, likelihood {:.1}", least(class, 0), least(class, 1), least(class, 2))
        })
        .collect();
    let measured = format!("{} designs; fewest digits {}", rows.len(), shares.join("; "));
    Ok(Finding::new(
        "logistic designs solved to 50 digits",
        "30 designs; coefficients 11 digits, errors 10, likelihood 12 (8, 7, 8 near separation; what the cells allow if collinear)",
        measured,
        passed && rows.len() >= 30,
    ))
}

/// Class and digits of each design: coefficients, standard errors, log likelihood.
fn certified_rows(said: &str) -> Vec<(String, [f64; 3])> {
    let one = |line: &str| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let class = cells.get(1).filter(|class| ["well-posed", "near-separation", "collinear"].contains(class))?;
        let number = |at: usize| cells.get(at).and_then(|cell| cell.parse::<f64>().ok());
        Some(((*class).to_owned(), [number(3)?, number(4)?, number(5)?]))
    };
    said.lines().filter_map(one).collect()
}

/// Drawn designs, each judged by linear programming in whole numbers; once with rows that count alike, once with weights.
fn separation(scope: &Scope) -> Result<Finding, Failure> {
    let (passed, said) = tested(scope, &["--test", "regression"], "separation_is_found_w")?;
    let [complete, quasi, overlapping, ..] = tallied(&said);
    let designs = complete + quasi + overlapping;
    let measured = format!("{designs} designs ({complete} completely separated, {quasi} quasi-completely, {overlapping} overlapping)");
    let goal = "all of 5,000 right, no column named too many";
    Ok(Finding::new("separation against an exact oracle", goal, measured, passed && designs >= 5000))
}

/// The counts of designs that tests print, added up: complete, quasi-complete, overlapping, and of several classes among the last and the others.
fn tallied(said: &str) -> [u64; 5] {
    let mut sums = [0; 5];
    for tally in said.lines().filter_map(|line| line.split_once("Tally {").map(|(_, tally)| tally)) {
        let numbers = tally.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<u64>().ok());
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    sums
}

/// Special functions at points of fifty digits.
fn special(scope: &Scope) -> Result<Finding, Failure> {
    let (passed, said) = tested(scope, &["--lib"], "num::special::")?;
    let mut points = 0;
    for entry in fs::read_dir(scope.root.join("testdata/special"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "csv") {
            points += fs::read_to_string(path)?.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count().saturating_sub(1);
        }
    }
    let tests = said.lines().filter(|line| line.starts_with("test num::special::") && line.ends_with("ok")).count();
    Ok(Finding::new(
        "special functions at points of 50 digits",
        "within 1e-14 or what each table allows",
        format!("{points} points, {tests} tests"),
        passed && tests > 0,
    ))
}

/// NIST's reference data for straight lines and polynomials.
fn nist(scope: &Scope) -> Result<Finding, Failure> {
    let (passed, said) = tested(scope, &["--lib"], "nist")?;
    let tests = said.lines().filter(|line| line.starts_with("test ") && line.contains("nist") && line.ends_with("ok")).count();
    let sets = fs::read_dir(scope.root.join("testdata/golden"))?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("nist_"))
        .count();
    Ok(Finding::new("NIST StRD, linear", "digits as the tests promise", format!("{sets} data sets, {tests} tests"), passed && tests > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_digits_are_read() {
        let said = "design   class  |η| to  coef se loglik deviance\nsmall        well-posed   3.1   13.2   12.0  15.1  15.0\nbad collinear 1 9.5 9.0 12 12\n";
        let rows = certified_rows(said);
        assert_eq!(rows, [("well-posed".to_owned(), [13.2, 12.0, 15.1]), ("collinear".to_owned(), [9.5, 9.0, 12.0])]);
        let said = "test a ... Tally { complete: 1, quasi_complete: 2, overlapping: 3, multinomial: [4, 5] }\nok\nTally { complete: 10, quasi_complete: 0, overlapping: 7, multinomial: [0, 1] }\n";
        assert_eq!(tallied(said), [11, 2, 10, 4, 6]);
    }
}
