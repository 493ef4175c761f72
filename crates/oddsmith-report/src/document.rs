//! Documents: what the terminal shows of every card, and its notices, in Markdown, HTML or LaTeX.

use oddsmith::card::{Card, Cell, Table};

use crate::format::{Format, Style};
use crate::latex::latex;
use crate::rows::text_for_people;
use crate::side_by_side::side_by_side;
use crate::{Subject, escape, for_reading, whole};

pub(crate) fn render(subject: Subject<'_>, format: Format, style: &Style) -> String {
    if let Subject::Table(table) = subject {
        return whole(Some(table), format, style);
    }
    let parts: Vec<String> = subject.cards().into_iter().map(|card| section(card, format, style)).collect();
    parts.join("\n")
}

fn section(card: &Card, format: Format, style: &Style) -> String {
    let (told, table) = for_reading(card);
    let table = side_by_side(table);
    let facts = told.iter().map(|(name, cell)| format!("{name}: {}", text_for_people(cell)));
    let mut text = title(&card.title, format);
    text.push_str(&items(facts, format));
    if shown(&table) {
        text.push_str(&whole(Some(&table), format, style));
    }
    text.push_str(&items(card.summary.iter().flat_map(|summary| summary.footnotes.iter().cloned()), format));
    text.push_str(&items(card.notices.iter().map(ToString::to_string), format));
    text
}

/// A heading.
fn title(text: &str, format: Format) -> String {
    let text = escaped(text, format);
    match format {
        Format::Html => format!("<h2>{text}</h2>\n"),
        Format::Latex => format!("\\section*{{{text}}}\n"),
        _ => format!("## {text}\n"),
    }
}

/// A list; nothing where there is none.
pub(crate) fn items(texts: impl Iterator<Item = String>, format: Format) -> String {
    let (open, item, close) = match format {
        Format::Html => ("<ul>\n", ("<li>", "</li>\n"), "</ul>\n"),
        Format::Latex => ("\\begin{itemize}\n", ("\\item ", "\n"), "\\end{itemize}\n"),
        _ => ("\n", ("- ", "\n"), "\n"),
    };
    let lines: String = texts.map(|text| format!("{}{}{}", item.0, escaped(&text, format), item.1)).collect();
    if lines.is_empty() { lines } else { format!("{open}{lines}{close}") }
}

fn escaped(text: &str, format: Format) -> String {
    match format {
        Format::Html => escape::html(text),
        Format::Latex => latex(text),
        _ => escape::markdown(text),
    }
}

/// A table without rows is not worth its header.
pub(crate) fn shown(table: &Table) -> bool {
    table.rows().iter().any(|row| row.iter().any(|cell| *cell != Cell::Empty))
}
