//! A fitted model as people and programs read it.

use oddsmith::Error;
use oddsmith::ErrorKind;
use oddsmith::card::{Card, Cell, Table};
use oddsmith::model::Classifier;
use oddsmith_report::Format;

use crate::console::Console;
use crate::exit::Failure;

/// Writes a card: its summary for people, every parameter and further tables for programs. `before` are cards that programs get too.
pub(crate) fn write(card: &Card, before: &[(&str, &Card)], console: &Console) -> Result<(), Failure> {
    match console.format() {
        Format::Table | Format::Md | Format::Html | Format::Latex => console.result(card),
        Format::Csv | Format::Json | Format::Ndjson => {
            let tests: Vec<Card> = card.tables.iter().cloned().map(test_card).collect();
            let mut cards = before.to_vec();
            cards.extend(tests.iter().map(|card| (card.tidy.name.as_str(), card)));
            cards.push(("model", card));
            console.result(&cards[..])
        }
    }
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
