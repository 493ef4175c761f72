//! Whether probabilities mean what they say, whether acting on them is worth it, and how much they know.

use oddsmith::card::Cell;
use oddsmith::picture::Picture;
use oddsmith::train::pictures::bars_of_bits;

use super::{Section, Told, fixed, left_out, paragraph};
use crate::escape::html;

impl Told<'_> {
    pub(super) fn calibration(&self) -> Section {
        let mut body = String::new();
        match self.picture("calibration") {
            Ok(picture) => {
                let mut words = String::new();
                if let (Some(intercept), Some(ece)) = (self.figure("calibration_intercept"), self.figure("ece")) {
                    let chance = self.figure("ece_by_chance").map_or_else(String::new, |chance| {
                        format!("; a calibrated model would show {:.3} by chance on as many rows", chance.value)
                    });
                    let between = intercept
                        .interval
                        .map_or_else(String::new, |(low, high)| format!(", 95% interval {} to {}", fixed(low, 2), fixed(high, 2)));
                    words.push_str(&paragraph(&format!(
                        "Calibration intercept {}{between}: 0 is right, below 0 probabilities are too high on the whole. Expected calibration error {:.3}{chance}.",
                        fixed(intercept.value, 2),
                        ece.value
                    )));
                }
                words.push_str(&paragraph("Where the curve leaves the diagonal, <code>oddsmith calibrate</code> with rows that the model has not seen mends the probabilities."));
                body.push_str(&self.beside(&picture, &words));
            }
            Err(reason) => body.push_str(&left_out(&reason)),
        }
        Section { id: "calibration", name: "Calibration", heading: "Do the probabilities mean what they say?".into(), body }
    }

    pub(super) fn usefulness(&self) -> Section {
        let body = match self.picture("decision") {
            Ok(picture) => {
                let t = self.first_threshold();
                let odds = t / (1.0 - t);
                let words = format!(
                    "At {:.0}% a call in vain costs {odds:.2} of what a right one gains. The threshold is a choice about harm and benefit; data do not make it.",
                    100.0 * t
                );
                self.beside(&picture, &paragraph(&words))
            }
            Err(_) if !self.two() => left_out("Net benefit weighs one event against the rest, and there are more than two classes."),
            Err(reason) => left_out(&reason),
        };
        Section { id: "usefulness", name: "Usefulness", heading: "Is it worth using?".into(), body }
    }

    pub(super) fn information(&self) -> Section {
        let mut body = String::new();
        match (self.figure("bits"), self.figure("base_rate_bits"), self.figure("bits_saved")) {
            (Some(bits), Some(base), Some(saved)) => {
                let between = saved.interval.map_or_else(String::new, |(low, high)| format!(" ({} to {})", fixed(low, 3), fixed(high, 3)));
                body.push_str(&paragraph(&format!(
                    "Naming the class of a row takes {:.3} bits if only the class proportions are known, and {:.3} bits with the model: {} saved{between}. The figures come from {}.",
                    base.value,
                    bits.value,
                    fixed(saved.value, 3),
                    self.judged_on()
                )));
            }
            (None, Some(base), _) if !self.findings.margins => body.push_str(&paragraph(&format!(
                "Naming the class of a row takes {:.3} bits if only the class proportions are known. With the model it takes more than any number: some row has a class that the model calls impossible.",
                base.value
            ))),
            _ => body.push_str(&left_out("Bits are counted on probabilities of rows with known classes, and there are none.")),
        }
        match (self.bits_by_term(), &self.findings.columns) {
            (Some(picture), _) => body.push_str(&self.drawn(&picture)),
            (None, Ok(picture)) => body.push_str(&self.drawn(picture)),
            (None, Err(reason)) => {
                body.push_str(&left_out(&format!("How far the model leans on each column is not drawn: {}.", html(reason))))
            }
        }
        Section { id: "information", name: "Information", heading: "How much does it know?".into(), body }
    }

    /// Bits per row that a fit loses without a term, from the table for people.
    fn bits_by_term(&self) -> Option<Picture> {
        let table = self.findings.card.summary.as_ref()?.table.as_ref()?;
        let (term, bits) = (table.position("term")?, table.position("Δ bits")?);
        let mut current = String::new();
        let mut found: Vec<(String, f64)> = Vec::new();
        for row in table.rows() {
            if let Cell::Text(name) = &row[term] {
                current.clone_from(name);
            }
            let value = match &row[bits] {
                Cell::Text(text) => text.parse().ok(),
                Cell::Number(value) => Some(*value),
                _ => None,
            };
            if let Some(value) = value {
                found.push((oddsmith::error::visible(&current), value));
            }
        }
        if found.is_empty() {
            return None;
        }
        let summary = "Bits per row that the model loses without the term, on the rows of the fit: what the others do not know.";
        let panels = vec![bars_of_bits(found, "Bits per row lost without the term, on the rows of the fit")];
        Some(Picture { name: "terms".into(), title: "What each term adds".into(), summary: summary.into(), panels })
    }
}
