//! `--by COLUMN`: the same command for the rows of every level, and its results side by side under one more column.

use std::sync::Arc;

use oddsmith::card::{Card, Cell, Summary, Table};
use oddsmith::control::Control;
use oddsmith::data::{Condition, Kind, Space};
use oddsmith::error::visible;
use oddsmith::notice::{self, Notice};
use oddsmith_io::{Input, ReadOptions, Roles};
use oddsmith_report::{Format, for_people, p_for_people};

use crate::console::{Console, Shown};
use crate::exit::Failure;

/// The levels of a column among the rows that are read.
pub(crate) fn levels(
    column: &str,
    input: &Input,
    options: &ReadOptions,
    console: &Console,
    control: &Arc<Control>,
) -> Result<Vec<String>, Failure> {
    let mut options = options.clone();
    options.kinds.insert(column.to_owned(), Kind::Category);
    let roles = Roles { features: Some(vec![column.to_owned()]), ..Roles::default() };
    let opened = oddsmith_io::open(input, &options, &roles, control)?;
    let left_out: Vec<Notice> = opened.notices.iter().filter(|notice| notice.id == notice::ROWS_LEFT_OUT).cloned().collect();
    console.notices(&left_out);
    match &opened.layout().features()[0].space {
        Space::Levels { levels, .. } => Ok(levels.names().to_vec()),
        _ => Ok(Vec::new()),
    }
}

/// Runs a command for every level, given the condition that its rows fulfil, and shows the results together. A level that has none does not
/// stop the others: the first failure is told at the end.
pub(crate) fn each_level(
    column: &str,
    levels: &[String],
    console: &Console,
    run: &mut dyn FnMut(&Condition, &Console) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut shown: Vec<(String, Vec<Shown>)> = Vec::new();
    let mut failed = None;
    for level in levels {
        let apart = console.apart(format!("{column} = {}", visible(level)));
        if let Err(failure) = run(&Condition::equals(column, level), &apart) {
            if matches!(failure, Failure::Pipe) || failure.code() == INTERRUPTED {
                return Err(failure);
            }
            apart.note(&failure.to_string());
            failed.get_or_insert(failure);
        }
        shown.push((level.clone(), apart.into_shown()));
    }
    shown.retain(|(_, results)| !results.is_empty());
    let most = shown.iter().map(|(_, results)| results.len()).max().unwrap_or(0);
    for at in 0..most {
        let results: Vec<(&str, &Shown)> = shown.iter().filter_map(|(level, results)| Some((level.as_str(), results.get(at)?))).collect();
        show(column, &results, console)?;
    }
    failed.map_or(Ok(()), Err)
}

/// The exit code of an interrupted command.
const INTERRUPTED: u8 = 130;

fn show(column: &str, results: &[(&str, &Shown)], console: &Console) -> Result<(), Failure> {
    let tables: Vec<(&str, &Table)> = results.iter().filter_map(|(level, shown)| Some((*level, shown.table()?))).collect();
    if tables.len() == results.len() {
        return console.result(&stacked(column, &tables));
    }
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in results.iter().flat_map(|(_, shown)| shown.cards()) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let of_key = |key: &str| -> Vec<(&str, &Card)> {
        let card = |shown: &'_ Shown| shown.cards().iter().position(|(known, _)| known == key);
        results.iter().filter_map(|(level, shown)| Some((*level, &shown.cards()[card(shown)?].1))).collect()
    };
    let joined: Vec<(&str, Card)> = keys.iter().map(|key| (*key, joined(column, &of_key(key), console.format()))).collect();
    let cards: Vec<(&str, &Card)> = joined.iter().map(|(key, card)| (*key, card)).collect();
    console.result(&cards[..])
}

/// Tables below each other, with every column that one of them has behind that of the levels.
fn stacked(column: &str, tables: &[(&str, &Table)]) -> Table {
    let mut all = Table::empty(tables.first().map_or("", |(_, table)| table.name()), Vec::new());
    let mut levels: Vec<&str> = Vec::new();
    for (level, table) in tables {
        all.append(table);
        levels.resize(all.rows().len(), level);
    }
    let name = if all.position(column).is_some() { format!("by_{column}") } else { column.to_owned() };
    all.insert_column(0, &name, |i, _| levels[i].into());
    all
}

/// One card of the cards of all levels: their tables stacked, their facts in a table for programs and in a line per level for people.
fn joined(column: &str, cards: &[(&str, &Card)], format: Format) -> Card {
    let titles: Vec<&str> = cards.iter().map(|(_, card)| card.title.as_str()).collect();
    let same = titles.windows(2).all(|pair| pair[0] == pair[1]);
    let title = if same { format!("{}, by {column}", titles.first().unwrap_or(&"")) } else { format!("By {column}") };
    let facts: Vec<(&str, Table)> = cards.iter().map(|(level, card)| (*level, glance(card))).collect();
    let mut tables = vec![stacked(column, &facts.iter().map(|(level, table)| (*level, table)).collect::<Vec<_>>())];
    let further = cards.iter().map(|(_, card)| card.tables.len()).max().unwrap_or(0);
    for at in 0..further {
        let of_levels: Vec<(&str, &Table)> = cards.iter().filter_map(|(level, card)| Some((*level, card.tables.get(at)?))).collect();
        tables.push(stacked(column, &of_levels));
    }
    let tidy = stacked(column, &cards.iter().map(|(level, card)| (*level, &card.tidy)).collect::<Vec<_>>());
    let read: Vec<(&str, &Table)> = cards.iter().map(|(level, card)| (*level, for_reading(card))).collect();
    let footnotes = cards.iter().flat_map(|(level, card)| lines(column, level, card, same)).collect();
    let summary = Summary { facts: Vec::new(), table: Some(stacked(column, &read)), footnotes };
    let notices = cards.iter().flat_map(|(_, card)| card.notices.clone()).collect();
    let facts = if format == Format::Json { vec![("by".to_owned(), Cell::from(column))] } else { Vec::new() };
    Card { title, facts, tidy, summary: Some(summary), tables, notices, ..Card::default() }
}

/// The facts of a card as one row.
fn glance(card: &Card) -> Table {
    Table::of_record("glance", card.facts.iter().map(|(name, cell)| (name.replace(' ', "_"), cell.clone())))
}

fn for_reading(card: &Card) -> &Table {
    card.summary.as_ref().and_then(|summary| summary.table.as_ref()).unwrap_or(&card.tidy)
}

/// What a level's card says besides its table.
fn lines(column: &str, level: &str, card: &Card, same_title: bool) -> Vec<String> {
    let facts = card.summary.as_ref().map_or(&card.facts, |summary| &summary.facts);
    let mut told: Vec<String> = if same_title { Vec::new() } else { vec![card.title.clone()] };
    told.extend(facts.iter().map(|(name, cell)| format!("{name} {}", text(cell))));
    told.extend(card.summary.iter().flat_map(|summary| summary.footnotes.clone()));
    if told.is_empty() { Vec::new() } else { vec![format!("{column} = {level}: {}", told.join(" · "))] }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text.clone(),
        Cell::Count(count) => count.to_string(),
        Cell::Number(number) => for_people(*number),
        Cell::PValue(p) => p_for_people(*p),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_stacked_under_all_their_columns() {
        let table = |columns: &[&str], cells: &[f64]| {
            Table::of_record("t", columns.iter().zip(cells).map(|(name, cell)| (name.to_string(), Cell::from(*cell))))
        };
        let (first, second) = (table(&["a", "b"], &[1.0, 2.0]), table(&["b", "c"], &[3.0, 4.0]));
        let all = stacked("sex", &[("f", &first), ("m", &second)]);
        assert_eq!(all.columns(), ["sex", "a", "b", "c"]);
        assert_eq!(all.rows()[0], ["f".into(), 1.0.into(), 2.0.into(), Cell::Empty]);
        assert_eq!(all.rows()[1], ["m".into(), Cell::Empty, 3.0.into(), 4.0.into()]);
        assert_eq!(stacked("b", &[("f", &first)]).columns(), ["by_b", "a", "b"]);
    }

    #[test]
    fn a_joined_card_says_what_every_level_said() {
        let card = |rows: u64| {
            let tidy = Table::of_record("tidy", [("term".to_owned(), Cell::from("age"))]);
            Card { title: "Model".into(), facts: vec![("free parameters".into(), rows.into())], tidy, ..Card::default() }
        };
        let (first, second) = (card(3), card(4));
        let all = joined("sex", &[("f", &first), ("m", &second)], Format::Json);
        assert_eq!((all.title.as_str(), all.tidy.rows().len()), ("Model, by sex", 2));
        assert_eq!(all.tables[0].columns(), ["sex", "free_parameters"]);
        assert_eq!(all.summary.unwrap().footnotes, ["sex = f: free parameters 3", "sex = m: free parameters 4"]);
    }
}
