//! A card in a notebook: three facts, the table, what must be known; everything else is folded.

use oddsmith::card::{Card, Cell, Table};

use crate::document::{items, shown};
use crate::format::Format;
use crate::rows::text_for_people;
use crate::side_by_side::side_by_side;
use crate::{Subject, escape, for_reading};

/// Facts above the table.
const FACTS: usize = 3;
/// Rows of a table; a model of words has hundreds of thousands.
const MOST_ROWS: usize = 60;

/// The subject as HTML for a notebook. It brings no script and no colours of its own, so that it is at home in light and dark.
pub fn notebook<'a>(subject: impl Into<Subject<'a>>) -> String {
    let subject = subject.into();
    let body = match subject {
        Subject::Table(table) => grid(table),
        _ => match subject.cards()[..] {
            [] => String::new(),
            [first, ref others @ ..] => opened(first, others),
        },
    };
    format!("<div class=\"oddsmith\">\n{body}</div>\n")
}

/// The first card with its table in sight; the others are folded below it.
fn opened(card: &Card, others: &[&Card]) -> String {
    let (told, table) = for_reading(card);
    let facts: Vec<String> = told.iter().take(FACTS).map(|fact| escape::html(&told_fact(fact))).collect();
    let mut html = format!("<p><strong>{}</strong><br/>{}</p>\n", escape::html(&card.title), facts.join(" · "));
    html.push_str(&grid(&side_by_side(table)));
    for line in card.summary.iter().flat_map(|summary| &summary.footnotes) {
        html.push_str(&format!("<p>{}</p>\n", escape::html(line)));
    }
    html.push_str(&items(card.notices.iter().map(ToString::to_string), Format::Html));
    let rest: Vec<&(String, Cell)> = match card.summary {
        Some(_) => card.facts.iter().collect(),
        None => told.iter().skip(FACTS).collect(),
    };
    html.push_str(&folded("Facts", &items(rest.into_iter().map(told_fact), Format::Html)));
    if card.summary.as_ref().is_some_and(|summary| summary.table.is_some()) {
        html.push_str(&folded("Parameters", &grid(&side_by_side(&card.tidy))));
    }
    for table in &card.tables {
        html.push_str(&folded(&named(table), &grid(table)));
    }
    for other in others {
        let facts = items(other.facts.iter().map(told_fact), Format::Html);
        html.push_str(&folded(&other.title, &format!("{facts}{}", grid(&side_by_side(&other.tidy)))));
    }
    html
}

fn told_fact((name, cell): &(String, Cell)) -> String {
    format!("{name} {}", text_for_people(cell))
}

/// The title of a further table.
fn named(table: &Table) -> String {
    match table.name() {
        "drop1" => "Each term against the model without it".into(),
        "anova" => "Terms in the order of the formula".into(),
        name => name.into(),
    }
}

/// What a reader may open.
fn folded(title: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!("<details>\n<summary>{}</summary>\n{content}</details>\n", escape::html(title))
}

/// A table, numbers to the right.
fn grid(table: &Table) -> String {
    if !shown(table) {
        return String::new();
    }
    let columns = table.columns();
    let right: Vec<bool> = (0..columns.len()).map(|j| table.rows().iter().all(|row| !matches!(row[j], Cell::Text(_)))).collect();
    let side = |j: usize| if right[j] { "right" } else { "left" };
    let row = |tag: &str, texts: &mut dyn Iterator<Item = String>| {
        let cells: String = texts
            .enumerate()
            .map(|(j, text)| format!("<{tag} style=\"text-align: {}; padding: 0.1em 0.6em\">{}</{tag}>", side(j), escape::html(&text)))
            .collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = row("th", &mut columns.iter().cloned());
    let body: String = table.rows().iter().take(MOST_ROWS).map(|cells| row("td", &mut cells.iter().map(text_for_people))).collect();
    let more = table.rows().len().saturating_sub(MOST_ROWS);
    let rest = if more > 0 { format!("<p>… {more} more rows</p>\n") } else { String::new() };
    format!("<table>\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n{rest}")
}
