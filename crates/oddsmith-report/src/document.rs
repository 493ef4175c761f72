//! Documents: title, facts, table and notices of every card, in Markdown, HTML or LaTeX.

use oddsmith::card::{Card, Cell, Table};

use crate::format::{Format, Style};
use crate::rows::text_for_people;
use crate::{Subject, escape, for_reading, whole};

pub(crate) fn render(subject: Subject<'_>, format: Format, style: &Style) -> String {
    if let Subject::Table(table) = subject {
        return whole(Some(table), format, style);
    }
    let parts: Vec<String> = subject.cards().into_iter().map(|card| section(card, format, style)).collect();
    parts.join("\n")
}

fn section(card: &Card, format: Format, style: &Style) -> String {
    let escaped = |text: &str| match format {
        Format::Html => escape::html(text),
        Format::Latex => escape::latex(text),
        _ => escape::markdown(text),
    };
    let items = |texts: Vec<String>| -> String {
        if texts.is_empty() {
            return String::new();
        }
        let (open, item, close) = match format {
            Format::Html => ("<ul>\n", ("<li>", "</li>\n"), "</ul>\n"),
            Format::Latex => ("\\begin{itemize}\n", ("\\item ", "\n"), "\\end{itemize}\n"),
            _ => ("\n", ("- ", "\n"), "\n"),
        };
        let lines: String = texts.iter().map(|text| format!("{}{}{}", item.0, escaped(text), item.1)).collect();
        format!("{open}{lines}{close}")
    };
    let title = match format {
        Format::Html => format!("<h2>{}</h2>\n", escaped(&card.title)),
        Format::Latex => format!("\\section*{{{}}}\n", escaped(&card.title)),
        _ => format!("## {}\n", escaped(&card.title)),
    };
    let (told, tidy) = for_reading(card);
    let facts = items(told.iter().map(|(name, cell)| format!("{name}: {}", text_for_people(cell))).collect());
    let notices = items(card.notices.iter().map(ToString::to_string).collect());
    let table = if shown(tidy) { whole(Some(tidy), format, style) } else { String::new() };
    let footnotes = items(card.summary.iter().flat_map(|summary| summary.footnotes.clone()).collect());
    format!("{title}{facts}{table}{footnotes}{notices}")
}

/// A table without rows is not worth its header.
fn shown(table: &Table) -> bool {
    table.rows.iter().any(|row| row.iter().any(|cell| *cell != Cell::Empty))
}
