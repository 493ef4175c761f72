//! What was read, as a card: the file and its format, the classes of the target, the kinds of the columns.

use oddsmith::card::{Card, Cell, Table};
use oddsmith::data::Kind;
use oddsmith::error::visible;
use oddsmith_io::{ColumnSummary, Opened, Role, Values};

/// Columns of one kind that are named; a wide table has more.
const MOST_NAMED: usize = 10;
/// Classes that are named with their rows.
const MOST_CLASSES: usize = 12;

/// The card of a table; its own table lists the columns.
pub(crate) fn data_card(name: &str, opened: &Opened) -> Card {
    let features = opened.columns.len();
    let compression = opened.compression.map_or_else(String::new, |how| format!(", {how}"));
    let title = format!("{name}: {} rows × {features} columns, {}{compression}", opened.rows, opened.format);
    let mut facts = Vec::new();
    facts.extend(opened.columns.iter().find(|column| column.role == Role::Target).map(target_fact));
    if let Some(weight) = opened.columns.iter().find(|column| column.role == Role::Weight) {
        facts.push(("weight".into(), visible(&weight.name).into()));
    }
    for (kind, plural) in [(Kind::Number, "numbers"), (Kind::Category, "categories"), (Kind::Boolean, "booleans"), (Kind::Text, "texts")] {
        let named = |column: &&ColumnSummary| column.role == Role::Feature && column.kind == Some(kind);
        let names: Vec<String> = opened.columns.iter().filter(named).map(|column| visible(&column.name)).collect();
        if !names.is_empty() {
            facts.push((plural.into(), listed(&names).into()));
        }
    }
    if !opened.in_memory {
        facts.push(("reading".into(), "again for every pass, because it does not fit the memory budget".into()));
    }
    Card { title, facts, tidy: columns(&opened.columns), notices: opened.notices.clone(), ..Card::default() }
}

fn target_fact(column: &ColumnSummary) -> (String, Cell) {
    let text = match &column.values {
        Values::Levels(levels) => {
            let shown: Vec<String> = levels.iter().take(MOST_CLASSES).map(|(label, rows)| format!("{} ({rows})", visible(label))).collect();
            let more = if levels.len() > MOST_CLASSES { format!(", … {} classes", levels.len()) } else { String::new() };
            let event = if let [_, (event, _)] = &levels[..] { format!("; event {}", visible(event)) } else { String::new() };
            format!("{}: {}{more}{event}", visible(&column.name), shown.join(", "))
        }
        _ => visible(&column.name),
    };
    ("target".into(), text.into())
}

fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(MOST_NAMED)].join(", ");
    if names.len() > MOST_NAMED { format!("{shown}, … {} in all", names.len()) } else { shown }
}

fn columns(columns: &[ColumnSummary]) -> Table {
    let mut table = Table::new("columns", &["column", "role", "kind", "missing", "levels", "min", "max"]);
    for column in columns {
        let role = match column.role {
            Role::Target => "target",
            Role::Feature => "feature",
            Role::Weight => "weight",
            Role::Key => "key",
            Role::Unused => "unused",
        };
        let kind = column.kind.map_or(Cell::Empty, |kind| kind.name().into());
        let (levels, min, max) = match &column.values {
            Values::Range { min, max } if min <= max => (Cell::Empty, (*min).into(), (*max).into()),
            Values::Levels(levels) => (levels.len().into(), Cell::Empty, Cell::Empty),
            Values::Terms(count) => ((*count).into(), Cell::Empty, Cell::Empty),
            _ => (Cell::Empty, Cell::Empty, Cell::Empty),
        };
        table.push(vec![column.name.as_str().into(), role.into(), kind, column.missing.into(), levels, min, max]);
    }
    table
}
