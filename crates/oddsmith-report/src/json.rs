//! JSON: all facts, rows as objects, notices with their ids. Numbers keep every bit; those that JSON has no word for
//! are the strings `NaN`, `Infinity` and `-Infinity`.

use oddsmith::Notice;
use oddsmith::card::{Card, Cell, Table};

use crate::Subject;

pub(crate) fn render(subject: Subject<'_>) -> String {
    let mut text = match subject {
        Subject::Table(table) => rows(table, ""),
        Subject::Card(card) => object(card, ""),
        Subject::Cards(cards) => {
            let members: Vec<_> = cards.iter().map(|(key, card)| format!("  {}: {}", string(key), object(card, "  "))).collect();
            format!("{{\n{}\n}}", members.join(",\n"))
        }
    };
    text.push('\n');
    text
}

fn object(card: &Card, indent: &str) -> String {
    let facts = card.facts.iter().map(|(name, cell)| format!("{indent}    {}: {}", string(name), value(cell)));
    let notices = card.notices.iter().map(|notice| format!("{indent}    {}", notice_object(notice)));
    format!(
        "{{\n{indent}  \"title\": {},\n{indent}  \"facts\": {},\n{indent}  {}: {},\n{indent}  \"notices\": {}\n{indent}}}",
        string(&card.title),
        bracketed('{', facts, '}', indent),
        string(card.tidy.name()),
        rows(&card.tidy, &format!("{indent}  ")),
        bracketed('[', notices, ']', indent),
    )
}

fn notice_object(notice: &Notice) -> String {
    let optional = |text: &Option<String>| text.as_deref().map_or_else(|| "null".into(), string);
    let name = oddsmith::notice::page(notice.id).map_or("", |page| page.name);
    format!(
        "{{\"id\": {}, \"name\": {}, \"column\": {}, \"level\": {}, \"text\": {}}}",
        string(notice.id),
        string(name),
        optional(&notice.column),
        optional(&notice.level),
        string(&notice.text)
    )
}

fn rows(table: &Table, indent: &str) -> String {
    let lines: Vec<_> = table.rows().iter().map(|cells| format!("{indent}  {}", row(table.columns(), cells))).collect();
    if lines.is_empty() { "[]".into() } else { format!("[\n{}\n{indent}]", lines.join(",\n")) }
}

fn bracketed(open: char, members: impl Iterator<Item = String>, close: char, indent: &str) -> String {
    let lines: Vec<_> = members.collect();
    if lines.is_empty() { format!("{open}{close}") } else { format!("{open}\n{}\n{indent}  {close}", lines.join(",\n")) }
}

/// A row as an object on one line, keys in the order of the columns.
pub(crate) fn row(columns: &[String], cells: &[Cell]) -> String {
    let members: Vec<_> = columns.iter().zip(cells).map(|(name, cell)| format!("{}: {}", string(name), value(cell))).collect();
    format!("{{{}}}", members.join(", "))
}

pub(crate) fn value(cell: &Cell) -> String {
    match cell {
        Cell::Empty => "null".into(),
        Cell::Text(text) => string(text),
        Cell::Count(count) => count.to_string(),
        Cell::Number(number) | Cell::PValue(number) if number.is_nan() => "\"NaN\"".into(),
        Cell::Number(number) | Cell::PValue(number) if number.is_infinite() => {
            if *number > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" }.into()
        }
        Cell::Number(number) | Cell::PValue(number) => format!("{number:?}"),
    }
}

/// A JSON string. Besides what JSON demands, control characters above ASCII are escaped too: terminals obey them.
pub(crate) fn string(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    if !quoted.chars().any(|c| c.is_control()) {
        return quoted;
    }
    let mut safe = String::with_capacity(quoted.len() + 8);
    for c in quoted.chars() {
        if c.is_control() {
            safe.push_str(&format!("\\u{:04x}", c as u32));
        } else {
            safe.push(c);
        }
    }
    safe
}
