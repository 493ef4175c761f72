//! How it was done: a paragraph to paste, the commands, versions and checksums, and where the items of TRIPOD+AI are answered.

use oddsmith::error::visible;
use oddsmith::train::findings::JudgedOn;

use super::{Section, Told, paragraph};
use crate::escape::html;

/// Items of TRIPOD+AI (Collins and others, BMJ 2024) that a report of figures can answer, and the section that does.
const ITEMS: [(&str, &str, &str); 9] = [
    ("5", "Data: source and dates", "Data (say yourself where and when the rows come from)"),
    ("8", "Outcome", "Data"),
    ("9", "Predictors", "Data, Model"),
    ("10", "Sample size", "Checks"),
    ("11", "Missing data", "Data, Checks"),
    ("12", "Analytical methods", "Methods"),
    ("22", "Full model", "Model"),
    ("23", "Model performance", "Threshold, Calibration, Usefulness"),
    ("25", "Interpretation", "In short (yours to write)"),
];

impl Told<'_> {
    pub(super) fn methods(&self) -> Section {
        let mut body = paragraph(&self.in_a_paragraph());
        if !self.about.commands.is_empty() {
            body.push_str(&format!("<pre>{}</pre>\n", html_lines(&self.about.commands)));
        }
        let mut facts: Vec<String> = vec![html(&self.about.version)];
        facts.extend(
            self.about
                .checksums
                .iter()
                .map(|(name, sum)| format!("{} blake3 {}", html(&visible(name)), html(&sum.chars().take(16).collect::<String>()))),
        );
        if let Some(JudgedOn::Folds { seed, .. }) = self.findings.judged.as_ref().map(|judged| &judged.on) {
            facts.push(format!("seed {seed}"));
        }
        body.push_str(&paragraph(&facts.join(" · ")));
        let rows: String = ITEMS
            .iter()
            .map(|(item, what, place)| format!("<tr><td>{item}</td><td class=\"text\">{what}</td><td class=\"text\">{place}</td></tr>\n"))
            .collect();
        body.push_str(&format!(
            "<details><summary>Items of TRIPOD+AI</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Items of TRIPOD+AI\"><table><thead><tr><th scope=\"col\">Item</th><th scope=\"col\" class=\"text\">What</th><th scope=\"col\" class=\"text\">Section</th></tr></thead><tbody>\n{rows}</tbody></table></div></details>\n"
        ));
        Section { id: "methods", name: "Methods", heading: "Methods".into(), body }
    }

    fn in_a_paragraph(&self) -> String {
        let findings = self.findings;
        let layout = findings.digest.layout();
        let names: Vec<String> = layout.features().iter().take(12).map(|feature| html(&visible(&feature.name))).collect();
        let more = layout.features().len().saturating_sub(12);
        let rest = if more > 0 { format!(" and {more} more columns") } else { String::new() };
        let formula = findings
            .card
            .facts
            .iter()
            .find(|(name, _)| name == "formula")
            .map_or_else(String::new, |(_, cell)| format!(" (formula <code>{}</code>)", html(&crate::rows::text_for_people(cell))));
        let rows = findings.digest.class_rows.iter().sum::<u64>();
        let described = if rows > 0 {
            format!("; the report describes {} of {}", oddsmith::notice::counted(rows, "row"), html(&self.about.data))
        } else {
            String::new()
        };
        let figures = match (self.has_console(), findings.margins) {
            (true, _) => "Discrimination, calibration and net benefit come",
            (false, true) => "Discrimination comes",
            (false, false) => "Discrimination and calibration come",
        };
        let sample = self.sample();
        let judged = match findings.judged.as_ref().map(|judged| &judged.on) {
            None => "The model was not judged.".to_owned(),
            Some(JudgedOn::Folds { folds, seed }) => {
                format!("{figures} from {folds}-fold cross-validation with equal class proportions in every fold (seed {seed}){sample}.")
            }
            Some(JudgedOn::Table(name)) => {
                format!("{figures} from the rows of {}{sample}.", html(name))
            }
            Some(JudgedOn::OwnRows) => format!("{figures} from the rows of the fit{sample}."),
        };
        let how = match self.has_console() {
            true => {
                " The area under the ROC curve has DeLong's interval; the band around the curve is pointwise, from the binomial distribution of false alarms and Jeffreys' intervals of hits; the calibration curve is isotonic, with Wilson's intervals made monotone; shares have Wilson's intervals."
            }
            false => "",
        };
        format!(
            "{} was modelled by {}{formula} from {}{rest}{described}. {judged}{how}",
            self.target(),
            html(&lower_first(&findings.card.title)),
            names.join(", "),
        )
    }
}

/// Commands whose lines break between words only, or a flag would be torn after its first hyphen.
fn html_lines(lines: &[String]) -> String {
    let words = |line: &String| line.split(' ').map(|word| format!("<span>{}</span>", html(word))).collect::<Vec<_>>().join(" ");
    lines.iter().map(words).collect::<Vec<_>>().join("\n")
}

pub(super) fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}
