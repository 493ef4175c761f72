//! The model: its facts and table, the forest plot, the nomogram.

use oddsmith::card::{Cell, Table};
use oddsmith::error::visible;

use super::{Section, Told, left_out, with_code};
use crate::escape::html;
use crate::for_reading;
use crate::rows::text_for_people;
use crate::side_by_side::side_by_side;

/// Rows of the model's table.
const MOST_ROWS: usize = 80;
/// Rows of a table that is not folded.
const MOST_IN_SIGHT: usize = 24;
/// Classes side by side.
const MOST_COLUMNS: usize = 12;

impl Told<'_> {
    pub(super) fn model(&self) -> Section {
        let card = &self.findings.card;
        let (facts, table) = for_reading(card);
        let mut body = format!("<p>{}</p>\n", html(&card.title));
        let told: Vec<String> =
            facts.iter().take(10).map(|(name, cell)| format!("{} {}", html(name), html(&text_for_people(cell)))).collect();
        if !told.is_empty() {
            body.push_str(&format!("<p class=\"left\">{}</p>\n", told.join(" · ")));
        }
        let forest = card.pictures.iter().find(|picture| picture.name == "forest");
        match forest {
            Some(picture) => body.push_str(&self.drawn(picture)),
            None => body.push_str(&folded(&side_by_side(table))),
        }
        for line in card.summary.iter().flat_map(|summary| &summary.footnotes) {
            body.push_str(&format!("<p>{}</p>\n", with_code(&sentence(&html(line)))));
        }
        match &self.findings.nomogram {
            Ok(picture) => body.push_str(&self.drawn(picture)),
            Err(reason) => body.push_str(&left_out(&format!("No nomogram: {}.", html(reason)))),
        }
        Section { id: "model", name: "Model", heading: "Model".into(), body }
    }
}

/// A footnote as a sentence among others.
fn sentence(line: &str) -> String {
    let ended = line.ends_with(['.', ':', '!', '?']);
    if ended { line.to_owned() } else { format!("{line}.") }
}

/// A table in sight while it is short, and folded where it is not.
fn folded(table: &Table) -> String {
    let shown = grid(table, "Parameters");
    match table.rows().len() > MOST_IN_SIGHT {
        true => format!("<details><summary>All {} lines of the model</summary>{shown}</details>\n", table.rows().len()),
        false => shown,
    }
}

/// A cell, of names no more than tells them apart.
fn in_short(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => visible(text),
        Cell::Number(_) => text_for_people(cell).replace('-', "−"),
        cell => text_for_people(cell),
    }
}

/// A table with as many rows as people read.
pub(super) fn grid(table: &Table, name: &str) -> String {
    let columns = table.columns().len().min(MOST_COLUMNS);
    if columns == 0 || table.rows().is_empty() {
        return String::new();
    }
    let numeric: Vec<bool> = (0..columns).map(|j| table.rows().iter().all(|row| !matches!(row[j], Cell::Text(_)))).collect();
    let class = |j: usize| if numeric[j] || j == 0 { "" } else { " class=\"text\"" };
    let head: String = table
        .columns()
        .iter()
        .take(columns)
        .enumerate()
        .map(|(j, column)| format!("<th scope=\"col\"{}>{}</th>", class(j), html(&visible(column))))
        .collect();
    let row = |row: &Vec<Cell>| -> String {
        let cells: String =
            row.iter().take(columns).enumerate().map(|(j, cell)| format!("<td{}>{}</td>", class(j), html(&in_short(cell)))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = table.rows().iter().take(MOST_ROWS).map(row).collect();
    let more = table.rows().len().saturating_sub(MOST_ROWS);
    let rest = if more > 0 { left_out(&format!("{more} more rows are not listed.")) } else { String::new() };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n{rest}",
        html(name)
    )
}
