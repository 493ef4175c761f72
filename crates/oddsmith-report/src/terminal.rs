//! Aligned columns for a person at a terminal.
//!
//! Numbers stand with their decimal points under each other. Long texts are cut, and columns that do not fit the
//! width are left out and counted below the table: a line that wraps is harder to read than a column that is missing.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle};
use oddsmith::Notice;
use oddsmith::card::{Card, Cell, Table};

use crate::escape::printable;
use crate::format::Style;
use crate::rows::text_for_people;
use crate::side_by_side::side_by_side;
use crate::{Subject, for_reading};

/// Longest text of a cell, except in the last column, which has all the room that is left.
const LONGEST_TEXT: usize = 40;
/// Most rows of a card's table; a model of words has hundreds of thousands.
const MOST_ROWS: usize = 100;
/// Space before a column.
const GAP: usize = 2;
/// Width of the line of facts where the terminal's is not known.
const FACTS_WIDTH: usize = 100;
const BOLD: &str = "\x1b[1m";
const YELLOW: &str = "\x1b[33m";
const PLAIN: &str = "\x1b[0m";

pub(crate) fn render(subject: Subject<'_>, style: &Style) -> String {
    match subject {
        Subject::Table(table) => lines(table, style),
        _ => subject.cards().into_iter().map(|card| section(card, style)).collect::<Vec<_>>().join("\n"),
    }
}

/// Notices for a terminal, one per line with the id in front.
pub fn notices(notices: &[Notice], style: &Style) -> String {
    let mut text = String::new();
    for notice in notices {
        let column = notice.column.as_ref().map_or_else(String::new, |name| format!("{}: ", printable(name)));
        text.push_str(&format!("{} {column}{}\n", painted(notice.id, YELLOW, style), printable(&notice.text)));
    }
    text
}

fn section(card: &Card, style: &Style) -> String {
    let mut text = painted(&printable(&card.title), BOLD, style);
    text.push('\n');
    let (told, table) = for_reading(card);
    let mut table = side_by_side(table);
    text.push_str(&facts(told, style.width.unwrap_or(FACTS_WIDTH)));
    let more = table.rows.len().saturating_sub(MOST_ROWS);
    table.rows.truncate(MOST_ROWS);
    if !table.rows.is_empty() {
        text.push_str(&lines(&table, style));
    }
    if more > 0 {
        text.push_str(&format!(" … {more} more rows; --format csv or json shows all\n"));
    }
    for line in card.summary.iter().flat_map(|summary| &summary.footnotes) {
        text.push_str(&printable(line));
        text.push('\n');
    }
    text
}

/// `name value · name value`, broken between facts where a line would become too long.
fn facts(facts: &[(String, Cell)], width: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for (name, cell) in facts {
        let fact = format!("{} {}", printable(name), printable(&text_for_people(cell)));
        if !line.is_empty() && line.chars().count() + 3 + fact.chars().count() > width {
            text.push_str(&line);
            text.push('\n');
            line.clear();
        }
        line.push_str(if line.is_empty() { "  " } else { " · " });
        line.push_str(&fact);
    }
    if !line.is_empty() {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn lines(table: &Table, style: &Style) -> String {
    let mut texts: Vec<Vec<String>> = Vec::new();
    let mut used = 0;
    for j in 0..table.columns.len() {
        let last = j + 1 == table.columns.len();
        let room = style.width.map_or(usize::MAX, |width| width.saturating_sub(used + GAP));
        let column = column_texts(table, j, if last { room.max(LONGEST_TEXT) } else { LONGEST_TEXT });
        let widest = column.iter().map(|text| text.chars().count()).chain([table.columns[j].chars().count()]).max();
        used += GAP + widest.unwrap_or(0);
        texts.push(column);
    }
    let mut grid = comfy_table::Table::new();
    grid.load_style(NOTHING.header_separator(LineStyle::none().fill('─').junction('─')));
    grid.set_content_arrangement(ContentArrangement::Disabled);
    grid.set_header(table.columns.iter().map(|name| cut(&printable(name), LONGEST_TEXT)));
    for i in 0..table.rows.len() {
        grid.add_row(texts.iter().map(|column| column[i].clone()));
    }
    let numeric: Vec<bool> = (0..table.columns.len()).map(|j| is_numeric(table, j)).collect();
    for (column, numeric) in grid.column_iter_mut().zip(&numeric) {
        column.set_padding((1, 0));
        column.set_cell_alignment(if *numeric { CellAlignment::Right } else { CellAlignment::Left });
    }
    let hidden = style.width.map_or(0, |width| hide(&mut grid, width));
    let mut text = String::new();
    for (at, line) in grid.lines().enumerate() {
        text.push_str(&if at == 0 { painted(line.trim_end(), BOLD, style) } else { line.trim_end().to_owned() });
        text.push('\n');
    }
    if hidden > 0 {
        let columns = if hidden == 1 { "column does" } else { "columns do" };
        text.push_str(&format!(" … {hidden} {columns} not fit; --format csv or json shows all\n"));
    }
    text
}

/// Hides the columns that do not fit the width and says how many; the first one always stays.
fn hide(grid: &mut comfy_table::Table, width: usize) -> usize {
    let mut used = 0;
    let mut hidden = 0;
    for (j, content) in grid.column_max_content_widths().into_iter().enumerate() {
        used += usize::from(content) + GAP;
        if j > 0 && used > width {
            hidden += 1;
            if let Some(column) = grid.column_mut(j) {
                column.set_constraint(ColumnConstraint::Hidden);
            }
        }
    }
    hidden
}

fn is_numeric(table: &Table, j: usize) -> bool {
    table.rows.iter().all(|row| !matches!(row[j], Cell::Text(_))) && table.rows.iter().any(|row| row[j] != Cell::Empty)
}

/// The texts of a column, numbers padded so that right-aligning them brings the decimal points together.
fn column_texts(table: &Table, j: usize, longest: usize) -> Vec<String> {
    let texts: Vec<String> = table.rows.iter().map(|row| cut(&printable(&text_for_people(&row[j])), longest)).collect();
    if !is_numeric(table, j) {
        return texts;
    }
    let fraction = |text: &str| text.find('.').map_or(0, |at| text[at..].chars().count());
    let longest = texts.iter().map(|text| fraction(text)).max().unwrap_or(0);
    texts.iter().map(|text| format!("{text}{}", " ".repeat(longest - fraction(text)))).collect()
}

/// The text, or as much of it as leaves room for a mark that there is more.
fn cut(text: &str, longest: usize) -> String {
    match (text.char_indices().nth(longest), text.char_indices().nth(longest.saturating_sub(1))) {
        (Some(_), Some((end, _))) => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

fn painted(text: &str, paint: &str, style: &Style) -> String {
    if style.color { format!("{paint}{text}{PLAIN}") } else { text.to_owned() }
}
