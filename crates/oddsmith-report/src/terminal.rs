//! Aligned columns for a person at a terminal.
//!
//! Numbers stand with their decimal points under each other. Nothing is wider than the terminal: sentences and the texts of a last column are
//! broken between words, long texts of other columns are cut, and columns that do not fit are left out and counted below the table.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle};
use oddsmith::Notice;
use oddsmith::card::{Card, Cell, Table};

use crate::escape::printable;
use crate::format::Style;
use crate::rows::text_for_people;
use crate::side_by_side::side_by_side;
use crate::wrap::{in_cell, wrapped};
use crate::{Subject, for_reading};

/// Longest text of a cell, except in the last column, which has all the room that is left.
const LONGEST_TEXT: usize = 40;
/// A last column of texts is broken into lines of no less than this.
const NARROWEST_TEXT: usize = 16;
/// Space before the second line of a sentence.
const INDENT: usize = 2;
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

/// Notices for a terminal, each with its id in front.
pub fn notices(notices: &[Notice], style: &Style) -> String {
    let mut text = String::new();
    for notice in notices {
        let column = notice.column.as_ref().map_or_else(String::new, |name| format!("{}: ", printable(name)));
        let line = wrapped(&format!("{} {column}{}", notice.id, printable(&notice.text)), style.width, INDENT);
        text.push_str(&line.replacen(notice.id, &painted(notice.id, YELLOW, style), 1));
        text.push('\n');
    }
    text
}

fn section(card: &Card, style: &Style) -> String {
    let mut text = painted(&wrapped(&printable(&card.title), style.width, INDENT), BOLD, style);
    text.push('\n');
    let (told, table) = for_reading(card);
    let mut table = side_by_side(table);
    text.push_str(&facts(told, style.width.unwrap_or(FACTS_WIDTH)));
    let more = table.rows().len().saturating_sub(MOST_ROWS);
    table.truncate(MOST_ROWS);
    if !table.rows().is_empty() {
        text.push_str(&lines(&table, style));
    }
    if more > 0 {
        text.push_str(&format!(" … {more} more rows; --format csv or json shows all\n"));
    }
    for line in card.summary.iter().flat_map(|summary| &summary.footnotes) {
        text.push_str(&wrapped(&printable(line), style.width, INDENT));
        text.push('\n');
    }
    text
}

/// `name value · name value`, broken between facts where a line would become too long, and within facts that are too long themselves.
fn facts(facts: &[(String, Cell)], width: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    let mut end = |line: &mut String| {
        if !line.is_empty() {
            text.push_str(&wrapped(line, Some(width), INDENT));
            text.push('\n');
            line.clear();
        }
    };
    for (name, cell) in facts {
        let fact = format!("{} {}", printable(name), printable(&text_for_people(cell)));
        if line.chars().count() + 3 + fact.chars().count() > width {
            end(&mut line);
        }
        line.push_str(if line.is_empty() { "  " } else { " · " });
        line.push_str(&fact);
    }
    end(&mut line);
    text
}

fn lines(table: &Table, style: &Style) -> String {
    let columns = table.columns().len();
    let mut texts: Vec<Vec<String>> = (0..columns).map(|j| column_texts(table, j)).collect();
    let hidden = style.width.map_or(0, |width| fit(table, &mut texts, width));
    let kept = columns - hidden;
    let mut grid = comfy_table::Table::new();
    grid.load_style(NOTHING.header_separator(LineStyle::none().fill('─').junction('─')));
    grid.set_content_arrangement(ContentArrangement::Disabled);
    grid.set_header((0..kept).map(|j| header(table, j)));
    for i in 0..table.rows().len() {
        grid.add_row(texts[..kept].iter().map(|column| column[i].clone()));
    }
    for (j, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((1, 0));
        column.set_cell_alignment(if is_numeric(table, j) { CellAlignment::Right } else { CellAlignment::Left });
    }
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

fn header(table: &Table, j: usize) -> String {
    cut(&printable(&table.columns()[j]), LONGEST_TEXT)
}

/// Makes a table fit: texts of its last column are broken into lines where there is room for that; otherwise columns are left out from
/// the right, and counted. The first one always stays.
fn fit(table: &Table, texts: &mut [Vec<String>], width: usize) -> usize {
    let widest = |j: usize, texts: &[Vec<String>]| {
        let lines = texts[j].iter().flat_map(|text| text.split('\n'));
        lines.map(|line| line.chars().count()).chain([header(table, j).chars().count()]).max().unwrap_or(0)
    };
    let drawn = |kept: usize, texts: &[Vec<String>]| (0..kept).map(|j| GAP + widest(j, texts)).sum::<usize>().saturating_sub(1);
    let Some(last) = texts.len().checked_sub(1) else { return 0 };
    if drawn(last + 1, texts) > width && !is_numeric(table, last) {
        let before = if last == 0 { 0 } else { drawn(last, texts) + 1 };
        let room = width.saturating_sub(before + GAP);
        if room >= NARROWEST_TEXT.max(header(table, last).chars().count()) || last == 0 {
            texts[last] = (0..table.rows().len()).map(|i| in_cell(&whole_text(table, i, last), room.max(1))).collect();
        }
    }
    let kept = (1..=texts.len()).rev().find(|kept| *kept == 1 || drawn(*kept, texts) <= width).unwrap_or(1);
    texts.len() - kept
}

/// A cell as a person reads it, uncut.
fn whole_text(table: &Table, i: usize, j: usize) -> String {
    printable(&text_for_people(&table.rows()[i][j]))
}

fn is_numeric(table: &Table, j: usize) -> bool {
    table.rows().iter().all(|row| !matches!(row[j], Cell::Text(_))) && table.rows().iter().any(|row| row[j] != Cell::Empty)
}

/// The texts of a column, numbers padded so that right-aligning them brings the decimal points together.
fn column_texts(table: &Table, j: usize) -> Vec<String> {
    let longest = if j + 1 == table.columns().len() { usize::MAX } else { LONGEST_TEXT };
    let texts: Vec<String> = (0..table.rows().len()).map(|i| cut(&whole_text(table, i, j), longest)).collect();
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
