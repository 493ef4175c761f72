//! Probabilities of rows of any finite numbers, by every kept model.

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::report::told;
use crate::trust::scope::Scope;
use crate::trust::trial;

/// Asks all models for rows.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let program = scope.root.join("target/release/oddsmith-fuzz");
    // Two draws side by side.
    let rows = (scope.count(1_000_000, 100_000_000) / 2).to_string();
    let reports = trial::side_by_side(2, |at| told(&program, &["sums", &rows, &at.to_string()]))?;
    let mut sums = [0.0; 3];
    for report in &reports {
        for (sum, name) in sums.iter_mut().zip(["rows", "wrong", "models"]) {
            *sum += report.number(name).unwrap_or(f64::NAN);
        }
    }
    let first = reports.iter().find_map(|report| report.findings.first()).map_or_else(String::new, |first| format!("; {first}"));
    let found: usize = reports.iter().map(|report| report.findings.len()).sum();
    Ok(vec![Finding::new(
        format!("probabilities of {} rows of any finite numbers, by {} models", sums[0], sums[2] / 2.0),
        "from 0 to 1, adding up to 1 within a unit in the last place for every class",
        format!("{} wrong{first}", sums[1]),
        found == 0 && sums[1] == 0.0 && sums[2] >= 100.0,
    )])
}
