//! A report on a model: one HTML file that asks for nothing, says what was found in words first, and lets thresholds and prevalences be moved.
//!
//! ```text
//! Findings (plain data) + About (where they come from) -> sections -> one page: style sheet, script and data within it, named by their digests
//! ```
//!
//! The page is whole without its script: numbers stand where the sliders would start. A part that a model does not have says why. Texts from data pass one
//! function, numbers another; nothing has a `style=`.

mod checks;
mod data_section;
mod figure;
mod live;
mod methods;
mod model_section;
mod row_section;
mod sha256;
mod short;
mod threshold_section;
mod value_sections;

use std::collections::BTreeMap;

use oddsmith::Notice;
use oddsmith::eval::Metric;
use oddsmith::eval::pictures::{Judged, ROWS_TOGETHER};
use oddsmith::picture::Picture;
use oddsmith::train::findings::{Findings, JudgedOn};

use crate::escape::html;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Where findings come from.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The table whose rows are described.
    pub data: String,
    /// How a reader makes the page again, line by line.
    pub commands: Vec<String>,
    /// Name and version of the program.
    pub version: String,
    /// What was read, with checksums.
    pub checksums: Vec<(String, String)>,
    /// Learning curves, or why there are none.
    pub learning: Option<Result<Picture, String>>,
    /// What readers of the table met.
    pub notices: Vec<Notice>,
    /// Whether single rows are left out.
    pub no_rows: bool,
}

/// Most bytes of a page, whatever it is about.
const MOST_BYTES: usize = 390_000;
/// Rows of the tables below pictures, and further down of fewer where a page of many columns would be too long.
const TABLE_ROWS: [usize; 4] = [200, 60, 20, 0];

/// Findings with where they come from.
struct Told<'a> {
    findings: &'a Findings,
    about: &'a About,
    /// Rows of the table below a picture.
    table_rows: usize,
    /// Figures and pictures of judged rows, which cost a walk over all of them each.
    judged: &'a JudgedOnce,
}

/// What is made of the judged rows once, however often a page is written and a figure named.
struct JudgedOnce {
    figures: Vec<(&'static str, Metric)>,
    pictures: BTreeMap<&'static str, Metric<Picture>>,
}

/// Pictures of judged rows that a page shows.
const PICTURES: [&str; 6] = ["roc", "spread", "precision-recall", "threshold", "calibration", "decision"];

impl JudgedOnce {
    fn of(findings: &Findings, no_rows: bool) -> Self {
        let Some(evaluation) = findings.evaluation() else { return JudgedOnce { figures: Vec::new(), pictures: BTreeMap::new() } };
        let threshold = has_console(findings).then(|| live::first_threshold(findings));
        let judged = Judged { evaluation, classes: &findings.classes, target: &findings.target, threshold, no_rows };
        let pictures = PICTURES.into_iter().filter_map(|name| Some((name, judged.picture(name)?))).collect();
        JudgedOnce { figures: evaluation.figures(), pictures }
    }
}

/// Whether there are judged probabilities of two classes, which thresholds, prevalences and net benefit need.
fn has_console(findings: &Findings) -> bool {
    let judged = findings.evaluation().and_then(|evaluation| evaluation.ranking().ok());
    !findings.margins && judged.is_some_and(|ranking| ranking.events_weight > 0.0 && ranking.others_weight > 0.0)
}

/// A section: its id, its name in the list, its heading, and what it holds.
struct Section {
    id: &'static str,
    name: &'static str,
    heading: String,
    body: String,
}

/// The page.
pub fn report_page(findings: &Findings, about: &About) -> String {
    let mut page = String::new();
    let judged = JudgedOnce::of(findings, about.no_rows);
    for table_rows in TABLE_ROWS {
        page = page_of(&Told { findings, about, table_rows, judged: &judged });
        if page.len() <= MOST_BYTES {
            break;
        }
    }
    page
}

fn page_of(told: &Told<'_>) -> String {
    let findings = told.findings;
    let sections: Vec<Section> = [
        Some(told.in_short()),
        Some(told.data()),
        Some(told.model()),
        Some(told.threshold()),
        Some(told.calibration()),
        Some(told.usefulness()),
        Some(told.information()),
        Some(told.one_row()),
        told.shape(),
        Some(told.checks()),
        Some(told.methods()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let title = format!("{}: {}", told.target(), findings.card.title);
    let links: String = sections.iter().map(|section| format!("<li><a href=\"#{}\">{}</a></li>", section.id, section.name)).collect();
    let body: String = sections
        .iter()
        .map(|section| {
            format!(
                "<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 id=\"{0}-h\">{1}</h2>\n{2}</section>\n",
                section.id, section.heading, section.body
            )
        })
        .collect();
    let data = format!("<script type=\"application/json\" id=\"page-data\">{}</script>", told.live_data());
    format!(
        "{}<body>\n<a class=\"skip\" href=\"#short\">To the report</a>\n\
         <header>\n<p class=\"eyebrow\">Model report</p>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n</header>\n\
         <nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n<main>\n{body}</main>\n<footer><p>{}</p></footer>\n{data}\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        head(&title, Some(SCRIPT)),
        told.target(),
        html(&told.lead()),
        told.footer()
    )
}

/// One picture as a page of its own, which follows its reader's light or dark theme and the width of the screen.
pub fn picture_page(picture: &Picture) -> String {
    let name = if picture.title.is_empty() { &picture.name } else { &picture.title };
    let (heading, drawn) = (html(name), figure::figure(picture, TABLE_ROWS[0]));
    // The caption shows the name; a heading of the page is what readers who cannot see it go by.
    format!("{}<body>\n<main>\n<h1 class=\"spoken\">{heading}</h1>\n{drawn}</main>\n</body>\n</html>\n", head(name, None))
}

/// A page up to its body. Nothing but the style sheet and the script, if there is one, may do anything.
fn head(title: &str, script: Option<&str>) -> String {
    let script = script.map_or_else(String::new, |script| format!(" script-src 'sha256-{}';", sha256::base64(script)));
    let style = sha256::base64(STYLE);
    let policy = format!("default-src 'none'; style-src 'sha256-{style}';{script} base-uri 'none'; form-action 'none'");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n",
        html(title)
    )
}

impl Told<'_> {
    /// The target as a heading.
    fn target(&self) -> String {
        html(&oddsmith::error::visible(&self.findings.target))
    }

    /// A class in a sentence, escaped.
    fn class_in_words(&self, k: usize) -> String {
        html(&self.findings.classes.named(k, &self.findings.target))
    }

    /// What rows of the event are said to be or to have, as text.
    fn event_predicate(&self) -> String {
        self.findings.classes.predicate(1, &self.findings.target)
    }

    /// The event in words, escaped.
    fn event(&self) -> String {
        self.class_in_words(1)
    }

    fn two(&self) -> bool {
        self.findings.classes.len() == 2
    }

    fn has_console(&self) -> bool {
        has_console(self.findings)
    }

    /// A picture of judged rows, or why there is none, as a sentence.
    fn picture(&self, name: &str) -> Result<Picture, String> {
        if self.findings.judged.is_none() {
            return Err("No rows with known classes were given to judge the model on.".into());
        }
        match self.judged.pictures.get(name) {
            Some(Ok(picture)) => Ok(picture.clone()),
            Some(Err(reason)) => Err(format!("There is nothing to draw here: {}.", html(&reason.to_string()))),
            None => Err("There is no such picture.".into()),
        }
    }

    fn lead(&self) -> String {
        let rows = self.findings.digest.class_rows.iter().sum::<u64>();
        let each: Vec<String> = self
            .findings
            .classes
            .labels()
            .iter()
            .zip(&self.findings.digest.class_rows)
            .take(6)
            .map(|(label, rows)| format!("{}: {rows}", oddsmith::error::visible(label)))
            .collect();
        let more = if self.findings.classes.len() > each.len() { ", …" } else { "" };
        let columns = oddsmith::notice::counted(self.findings.digest.layout().features().len() as u64, "column");
        // Where a title goes on after a comma, so does the sentence.
        let title = &self.findings.card.title;
        let on = if title.contains(',') { ", on" } else { " on" };
        if rows == 0 {
            return format!("{title}{on} {columns}; no rows were given to hold it against.");
        }
        format!("{title}{on} {columns} of {}, {} ({}{more}).", self.about.data, oddsmith::notice::counted(rows, "row"), each.join(", "))
    }

    /// On which rows the model was judged, as the end of a sentence.
    fn judged_on(&self) -> String {
        let rows = match self.findings.judged.as_ref().map(|judged| &judged.on) {
            Some(JudgedOn::Folds { folds, .. }) => {
                format!("{folds}-fold cross-validation: every row is judged by a model that has not seen it")
            }
            Some(JudgedOn::Table(name)) => format!("the rows of {}", html(name)),
            Some(JudgedOn::OwnRows) => "the rows that the model learned from, which flatter it".into(),
            None => "no rows".into(),
        };
        rows + &self.sample()
    }

    /// How many rows stand for all, where they do, as the end of a sentence.
    fn sample(&self) -> String {
        let Some(rows) = self.findings.judged.as_ref().and_then(|judged| judged.sampled) else { return String::new() };
        let all = self.findings.digest.class_rows.iter().sum::<u64>();
        format!(
            "; {rows} of the {all} rows, chosen by a hash of their numbers, stand for all, because the model compares every row with all rows of its fit"
        )
    }

    fn footer(&self) -> String {
        let nothing = "It asks for nothing from any network.";
        match self.about.no_rows {
            true => format!(
                "This file holds sums and curves, and no single row: steps of curves, bars and ends of columns stand for {ROWS_TOGETHER} rows or more, smaller counts are not told, and figures are of all rows. What the model itself has learned is shown as it is. {nothing}"
            ),
            false if self.findings.digest.class_rows.iter().all(|rows| *rows == 0) => {
                format!("This file holds no row of any table. {nothing}")
            }
            false => format!("This file holds the rows that its pictures show one by one. {nothing}"),
        }
    }
}

/// A number with so many decimals, and a minus sign that is as wide as a plus.
fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| c == '0' || c == '.') => zero.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// A paragraph of text that is already escaped.
fn paragraph(text: &str) -> String {
    format!("<p>{text}</p>\n")
}

/// Why a part is left out.
fn left_out(reason: &str) -> String {
    format!("<p class=\"left\">{}</p>\n", with_code(reason))
}

/// An escaped text with the names that stand between backticks set as code.
fn with_code(escaped: &str) -> String {
    let parts: Vec<&str> = escaped.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped.to_owned();
    }
    parts.iter().enumerate().map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { (*part).to_owned() }).collect()
}
