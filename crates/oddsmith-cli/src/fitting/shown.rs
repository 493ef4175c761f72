//! A fitted model as people and programs read it.

use oddsmith::Error;
use oddsmith::ErrorKind;
use oddsmith::card::{Card, Cell, Summary, Table};
use oddsmith::model::Classifier;
use oddsmith_report::{Format, for_people, p_for_people};

use crate::console::Console;
use crate::exit::Failure;

/// Columns that a terminal has at least; what a table can do without must not make it wider.
const TERMINAL: usize = 80;
/// What a table of odds ratios can do without, first to go first.
const DISPENSABLE: [&str; 2] = ["events/n", "Δ bits"];

/// Writes the card of a model: its summary for people, every parameter and further tables for programs. `before` are cards that come
/// first.
pub(crate) fn write(card: &Card, before: &[(&str, &Card)], console: &Console) -> Result<(), Failure> {
    let narrow = narrowed(card, console);
    let card = narrow.as_ref().unwrap_or(card);
    let for_programs = matches!(console.format(), Format::Csv | Format::Json | Format::Ndjson);
    let tests: Vec<Card> = if for_programs { card.tables.iter().cloned().map(test_card).collect() } else { Vec::new() };
    if before.is_empty() && tests.is_empty() {
        return console.result(card);
    }
    let mut cards = before.to_vec();
    cards.extend(tests.iter().map(|card| (card.tidy.name(), card)));
    cards.push(("model", card));
    console.result(&cards[..])
}

/// At a terminal, the card with a summary without dispensable columns, where it would be too wide.
fn narrowed(card: &Card, console: &Console) -> Option<Card> {
    let table = card.summary.as_ref()?.table.as_ref().filter(|_| console.format() == Format::Table)?;
    let width = console.style().width.map_or(TERMINAL, |width| width.min(TERMINAL));
    let narrow = narrow(table, width, &DISPENSABLE);
    let summary = card.summary.clone().map(|summary| Summary { table: Some(narrow), ..summary });
    Some(Card { summary, ..card.clone() })
}

/// A table without dispensable columns, first to go first, until it is as narrow as it must be.
pub(crate) fn narrow(table: &Table, width: usize, dispensable: &[&str]) -> Table {
    let mut narrow = table.clone();
    for name in dispensable {
        if drawn_width(&narrow) > width {
            narrow.retain_columns(|_, column| column != *name);
        }
    }
    narrow
}

/// Columns of a terminal that a table takes: a space before the first column, two between columns.
fn drawn_width(table: &Table) -> usize {
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => text.chars().count(),
        Cell::Empty => 0,
        Cell::Count(count) => count.to_string().len(),
        Cell::Number(number) => for_people(*number).chars().count(),
        Cell::PValue(p) => p_for_people(*p).chars().count(),
    };
    let widest = |(j, name): (usize, &String)| {
        let cells = table.rows().iter().map(|row| cell(&row[j])).max().unwrap_or(0);
        2 + cells.max(name.chars().count())
    };
    table.columns().iter().enumerate().map(widest).sum::<usize>().saturating_sub(1)
}

fn test_card(tidy: Table) -> Card {
    let title = match tidy.name() {
        "drop1" => "Each term against the model without it",
        "description_length" => "How many bits tell the classes",
        _ => "Terms in the order of the formula",
    };
    Card { title: title.into(), facts: Vec::new(), tidy, ..Card::default() }
}

/// All tests in one table, with every column that one of them has.
pub(crate) fn tests_table(model: &dyn Classifier) -> Result<Table, Failure> {
    let Card { title, tables, .. } = model.card();
    if tables.is_empty() {
        let advice = "tests belong to regressions without a penalty, fitted without --no-tests".into();
        return Err(Error::from(ErrorKind::Unsupported { model: title, what: "show tests".into(), advice }).into());
    }
    let mut all = Table::empty("tests", vec!["test".to_owned()]);
    for mut table in tables {
        let name = table.name().to_owned();
        table.insert_column(0, "test", |_, _| name.as_str().into());
        all.append(&table);
    }
    Ok(all)
}
