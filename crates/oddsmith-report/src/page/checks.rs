//! What was looked at before trusting the figures.

use oddsmith::card::Cell;
use oddsmith::notice;
use oddsmith::picture::Picture;
use oddsmith::train::findings::JudgedOn;

use super::{Section, Told, left_out};
use crate::escape::html;

/// Rows of the rarest class per parameter below which intervals are wide.
const FEW: f64 = 10.0;
/// Cook's distance from which a row is worth a look.
const FAR: f64 = 0.5;

impl Told<'_> {
    pub(super) fn checks(&self) -> Section {
        let items: String = self
            .findings_of_checks()
            .into_iter()
            .map(|(fine, text)| format!("<li class=\"{}\">{text}</li>\n", if fine { "ok" } else { "mind" }))
            .collect();
        let mut body = format!("<ul class=\"checks\">\n{items}</ul>\n");
        let mut reasons = String::new();
        let mut pictures: Vec<&Picture> = Vec::new();
        match &self.findings.influence {
            Ok((picture, _)) => pictures.push(picture),
            Err(reason) => reasons.push_str(&left_out(&format!("No picture of influence: {}.", html(reason)))),
        }
        match &self.findings.residuals {
            Ok(picture) => pictures.push(picture),
            Err(reason) => reasons.push_str(&left_out(&format!("No residuals: {}.", html(reason)))),
        }
        match &self.about.learning {
            Some(Ok(picture)) => pictures.push(picture),
            Some(Err(reason)) => reasons.push_str(&left_out(&format!("No learning curve: {}.", html(reason)))),
            None => reasons.push_str(&left_out("No learning curve: that takes the rows and the options of the fit.")),
        }
        match pictures[..] {
            [] => body.push_str(&reasons),
            [only] => body.push_str(&self.beside(only, &reasons)),
            _ => body.push_str(&self.pair(&pictures)),
        }
        Section { id: "checks", name: "Checks", heading: "Checks".into(), body }
    }

    fn findings_of_checks(&self) -> Vec<(bool, String)> {
        let findings = self.findings;
        let told = |id: &str| findings.card.notices.iter().chain(&self.about.notices).find(|notice| notice.id == id);
        let mut checks = Vec::new();
        let unfinished = findings.card.facts.iter().any(|(name, cell)| name == "converged" && *cell == Cell::Text("no".into()));
        if findings.card.facts.iter().any(|(name, _)| name == "steps") {
            checks.push((
                !unfinished,
                if unfinished {
                    "The fit did not converge: its numbers are where it stopped.".to_owned()
                } else {
                    "The fit converged.".to_owned()
                },
            ));
        }
        if findings.card.tidy.position("odds_ratio").is_some() {
            let separated = told(notice::SEPARATION);
            checks.push((
                separated.is_none(),
                separated.map_or_else(
                    || "No column tells the classes apart without error (separation).".into(),
                    |notice| format!("Separation: {}.", html(&notice.text)),
                ),
            ));
        }
        let missing: f64 = self.missing();
        let described = findings.digest.class_rows.iter().any(|rows| *rows > 0);
        checks.extend(described.then(|| {
            (
                missing == 0.0,
                if missing == 0.0 {
                    "No missing values.".into()
                } else {
                    format!("{} missing values in the rows that are described.", whole(missing))
                },
            )
        }));
        checks.extend(self.rows_per_coefficient());
        if let Ok((_, largest)) = &findings.influence
            && largest.is_finite()
        {
            let text = format!(
                "The largest of Cook's distances is {largest:.3}{}.",
                if *largest < FAR { ": no row dominates" } else { ": look at the row" }
            );
            checks.push((*largest < FAR, text));
        }
        if let Some(leak) = told(notice::LEAKAGE) {
            checks.push((false, format!("Possible leakage: {}.", html(&leak.to_string()))));
        }
        checks.push(match findings.judged.as_ref().map(|judged| &judged.on) {
            None => (false, "The model was not judged: no rows with known classes were given.".into()),
            Some(JudgedOn::OwnRows) => (false, "Judged on the rows that it learned from.".into()),
            Some(JudgedOn::Folds { folds, .. }) => (true, format!("Judged by {folds}-fold cross-validation.")),
            Some(JudgedOn::Table(name)) => {
                (true, format!("Judged on {}; whether the model has learned from these rows is not known to this report.", html(name)))
            }
        });
        checks
    }

    /// Whether there are rows enough for the coefficients of a regression; other models do not count that way.
    fn rows_per_coefficient(&self) -> Option<(bool, String)> {
        let findings = self.findings;
        findings.card.tidy.position("odds_ratio")?;
        let rarest = findings.digest.class_rows.iter().copied().filter(|rows| *rows > 0).min()?;
        // As many intercepts as classes but one say nothing about columns.
        let coefficients = findings.free_parameters.checked_sub(findings.classes.len() - 1).filter(|count| *count > 0)?;
        let per = rarest as f64 / coefficients as f64;
        let text = format!(
            "{} of the rarest class for {} beside the intercept: {per:.1} each; {FEW} is a common floor.",
            notice::counted(rarest, "row"),
            notice::counted(coefficients as u64, "coefficient")
        );
        Some((per >= FEW, text))
    }

    fn missing(&self) -> f64 {
        let digest = &self.findings.digest;
        let layout = digest.layout();
        let numbers: f64 = (0..layout.numbers().len()).map(|at| digest.all_numbers(at).missing).sum();
        let codes: f64 = (0..layout.codes().len())
            .flat_map(|at| (0..digest.class_weights.len()).map(move |k| (k, at)))
            .map(|(k, at)| digest.levels(k, at).last().copied().unwrap_or(0.0))
            .sum();
        numbers + codes
    }
}

/// A sum of weights as a whole number, which it is unless rows have weights.
fn whole(weight: f64) -> String {
    format!("{weight:.0}")
}
