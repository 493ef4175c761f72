//! A fitted model as people and programs read it.

use oddsmith::Error;
use oddsmith::ErrorKind;
use oddsmith::card::{Card, Cell, Table};
use oddsmith::model::Classifier;
use oddsmith_report::Format;

use crate::console::Console;
use crate::exit::Failure;

/// Writes the card of a model: its summary for people, every parameter and further tables for programs. `before` are cards that come
/// first.
pub(crate) fn write(card: &Card, before: &[(&str, &Card)], console: &Console) -> Result<(), Failure> {
    let for_programs = matches!(console.format(), Format::Csv | Format::Json | Format::Ndjson);
    let tests: Vec<Card> = if for_programs { card.tables.iter().cloned().map(test_card).collect() } else { Vec::new() };
    if before.is_empty() && tests.is_empty() {
        return console.result(card);
    }
    let mut cards = before.to_vec();
    cards.extend(tests.iter().map(|card| (card.tidy.name.as_str(), card)));
    cards.push(("model", card));
    console.result(&cards[..])
}

fn test_card(tidy: Table) -> Card {
    let title = match tidy.name.as_str() {
        "drop1" => "Each term against the model without it",
        _ => "Terms in the order of the formula",
    };
    Card { title: title.into(), facts: Vec::new(), tidy, ..Card::default() }
}

/// All tests in one table.
pub(crate) fn tests_table(model: &dyn Classifier) -> Result<Table, Failure> {
    let Card { title, tables, .. } = model.card();
    let Some(first) = tables.first() else {
        let advice = "tests belong to regressions without a penalty, fitted without --no-tests".into();
        return Err(Error::from(ErrorKind::Unsupported { model: title, what: "show tests".into(), advice }).into());
    };
    let columns = std::iter::once("test".to_owned()).chain(first.columns.iter().cloned()).collect();
    let mut all = Table { name: "tests".into(), columns, rows: Vec::new() };
    for table in &tables {
        let name = |row: &Vec<Cell>| std::iter::once(Cell::from(table.name.as_str())).chain(row.iter().cloned()).collect();
        all.rows.extend(table.rows.iter().map(name));
    }
    Ok(all)
}
