//! What was read, as a card: the file and its format, the classes of the target, the kinds of the columns.

use oddsmith::card::{Card, Cell, FixedTable, Table};
use oddsmith::data::{Kind, Weighting};
use oddsmith::error::{Error, ErrorKind, visible};
use oddsmith::notice::{self, Notice};
use oddsmith_io::{ColumnSummary, Opened, Role, Values};
use oddsmith_report::Format;

use crate::console::Console;

/// Columns of one kind that are named; a wide table has more.
const MOST_NAMED: usize = 10;
/// Classes that are named with their rows.
const MOST_CLASSES: usize = 12;

/// The card of a table; its own table lists the columns.
pub(crate) fn data_card(name: &str, opened: &Opened) -> Card {
    let features = opened.columns.len();
    let compression = opened.compression.map_or_else(String::new, |how| format!(", {how}"));
    let title = format!(
        "{name}: {} × {}, {}{compression}",
        oddsmith::notice::counted(opened.rows, "row"),
        oddsmith::notice::counted(features as u64, "column"),
        opened.format
    );
    let mut facts = Vec::new();
    facts.extend(opened.columns.iter().find(|column| column.role == Role::Target).map(|column| target_fact(column, opened)));
    facts.extend(opened.columns.iter().find(|column| column.role == Role::Weight).map(|column| weight_fact(column, opened)));
    facts.extend(opened.columns.iter().filter_map(key_fact));
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

/// Tells what the reader of a table doubted about its cells, which may be why a fit failed; a program reads the error alone.
pub(crate) fn tell_doubts(name: &str, opened: &Opened, error: &Error, console: &Console) {
    const DOUBTS: [&str; 5] =
        [notice::ENCODING_ASSUMED, notice::RAGGED_ROWS, notice::STRAY_QUOTES, notice::MIXED_CELLS, notice::ONE_NUMBER];
    if !matches!(console.format(), Format::Json | Format::Ndjson) && !matches!(error.kind(), ErrorKind::Interrupted) {
        let doubts: Vec<Notice> = data_card(name, opened).notices.into_iter().filter(|notice| DOUBTS.contains(&notice.id)).collect();
        console.notices(&doubts);
    }
}

/// The classes with their rows, or with their weight where rows have weights.
fn target_fact(column: &ColumnSummary, opened: &Opened) -> (String, Cell) {
    let text = match &column.values {
        Values::Levels(levels) => {
            let count = |(k, (label, rows)): (usize, &(String, u64))| match opened.layout().weighting() {
                Weighting::None => format!("{} ({rows})", visible(label)),
                _ => format!("{} ({})", visible(label), amount(opened.class_weights.get(k).copied().unwrap_or(0.0))),
            };
            let shown: Vec<String> = levels.iter().enumerate().take(MOST_CLASSES).map(count).collect();
            let more = if levels.len() > MOST_CLASSES { format!(", … {} classes", levels.len()) } else { String::new() };
            let event = if let [_, (event, _)] = &levels[..] { format!("; event {}", visible(event)) } else { String::new() };
            format!("{}: {}{more}{event}", visible(&column.name), shown.join(", "))
        }
        _ => visible(&column.name),
    };
    ("target".into(), text.into())
}

/// What the weights mean and how much they add up to.
fn weight_fact(column: &ColumnSummary, opened: &Opened) -> (String, Cell) {
    let (name, total) = (visible(&column.name), amount(opened.class_weights.iter().sum()));
    let text = match opened.layout().weighting() {
        Weighting::Sampling => {
            format!("{name}: sampling weights, {} standing for {total} of the population", oddsmith::notice::counted(opened.rows, "row"))
        }
        _ => format!("{name}: {} standing for {total} equal ones", oddsmith::notice::counted(opened.rows, "row")),
    };
    ("weight".into(), text.into())
}

/// Which rows belong together.
fn key_fact(column: &ColumnSummary) -> Option<(String, Cell)> {
    let (Role::Key(role), Values::Levels(levels)) = (column.role, &column.values) else { return None };
    let text = format!("{}: {}", visible(&column.name), oddsmith::notice::counted(levels.len() as u64, "level"));
    Some((role.name().into(), text.into()))
}

/// A sum of weights: whole as it is, others to four digits.
fn amount(weight: f64) -> String {
    if weight.fract() == 0.0 { weight.to_string() } else { oddsmith_report::for_people(weight) }
}

fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(MOST_NAMED)].join(", ");
    if names.len() > MOST_NAMED { format!("{shown}, … {} in all", names.len()) } else { shown }
}

fn columns(columns: &[ColumnSummary]) -> Table {
    let mut table = FixedTable::new("columns", ["column", "role", "kind", "missing", "levels", "min", "max"]);
    for column in columns {
        let role = match column.role {
            Role::Target => "target",
            Role::Feature => "feature",
            Role::Weight => "weight",
            Role::Key(role) => role.name(),
            Role::Unused => "unused",
        };
        let kind = column.kind.map_or(Cell::Empty, |kind| kind.name().into());
        let (levels, min, max) = match &column.values {
            Values::Range { min, max } if min <= max => (Cell::Empty, (*min).into(), (*max).into()),
            Values::Levels(levels) => (levels.len().into(), Cell::Empty, Cell::Empty),
            Values::Terms(count) => ((*count).into(), Cell::Empty, Cell::Empty),
            _ => (Cell::Empty, Cell::Empty, Cell::Empty),
        };
        table.push([column.name.as_str().into(), role.into(), kind, column.missing.into(), levels, min, max]);
    }
    table.into()
}
