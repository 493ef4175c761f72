//! Crude odds ratios: those of models with one term alone, beside the adjusted ones.

use std::collections::BTreeMap;

use crate::card::{Card, Cell, Table};
use crate::model::linear::describe::odds_ratios::{ODDS_RATIO, between, ratio};

/// What is said of a column alone in a model, for programs.
const FOR_PROGRAMS: [&str; 4] = ["crude_odds_ratio", "crude_low", "crude_high", "crude_p_value"];
/// The same for people, before the adjusted odds ratio.
const FOR_PEOPLE: [&str; 2] = ["crude", "crude CI"];

/// What a fit says about a column: log odds and their limits, and the p-value.
struct CrudeLine {
    log_odds: [Option<f64>; 3],
    p_value: Cell,
}

/// Puts the odds ratios of fits with one term each beside those of a regression, in the table for programs and in that for people: for the
/// same changes, and empty where a column has no fit of its own.
pub fn beside_crude(card: &mut Card, crude: &[Card]) {
    let lines: BTreeMap<(String, String), CrudeLine> = crude.iter().flat_map(|card| lines(&card.tidy)).collect();
    let units = column(&card.tidy, "unit");
    let found: Vec<Option<(&CrudeLine, f64)>> = keys(&card.tidy)
        .zip(units)
        .map(|(key, unit)| Some((lines.get(&key?)?, if let Cell::Number(unit) = unit { unit } else { 1.0 })))
        .collect();
    // The table for people has a row for every parameter but the intercepts.
    if let Some(table) = card.summary.as_mut().and_then(|summary| summary.table.as_mut()) {
        let terms = column(&card.tidy, "term");
        let shown = found.iter().zip(&terms).filter(|(_, term)| **term != "(intercept)".into());
        put_for_people(table, shown.map(|(line, _)| line.as_ref()));
    }
    card.tidy.columns.extend(FOR_PROGRAMS.map(str::to_owned));
    for (row, line) in card.tidy.rows.iter_mut().zip(&found) {
        match line {
            Some((line, unit)) => {
                row.extend(line.log_odds.map(|log| log.map_or(Cell::Empty, |log| (log * unit).exp().into())));
                row.push(line.p_value.clone());
            }
            None => row.extend(std::iter::repeat_n(Cell::Empty, FOR_PROGRAMS.len())),
        }
    }
}

fn put_for_people<'a>(table: &mut Table, lines: impl Iterator<Item = Option<&'a (&'a CrudeLine, f64)>>) {
    let at = table.columns.iter().position(|name| name == ODDS_RATIO).unwrap_or(table.columns.len());
    if let Some(name) = table.columns.get_mut(at) {
        *name = "adjusted".into();
    }
    table.columns.splice(at..at, FOR_PEOPLE.map(str::to_owned));
    for (row, line) in table.rows.iter_mut().zip(lines) {
        let cells = match line {
            Some((CrudeLine { log_odds: [Some(log_odds), low, high], .. }, unit)) => {
                let limits = low.zip(*high).map(|(low, high)| between((low * unit).exp(), (high * unit).exp()));
                [ratio((log_odds * unit).exp()).into(), limits.map_or(Cell::Empty, Cell::from)]
            }
            // The level that others are compared with, in either model.
            _ if row.get(at) == Some(&"1".into()) => ["1".into(), Cell::Empty],
            _ => [Cell::Empty, Cell::Empty],
        };
        row.splice(at..at, cells);
    }
}

/// What a table of parameters says, by class and column.
fn lines(tidy: &Table) -> Vec<((String, String), CrudeLine)> {
    let [estimates, lower, upper, p_values] = ["estimate", "conf_low", "conf_high", "p_value"].map(|name| column(tidy, name));
    let number = |cell: &Cell| if let Cell::Number(number) = cell { Some(*number) } else { None };
    let line = |i: usize| CrudeLine { log_odds: [&estimates, &lower, &upper].map(|cells| number(&cells[i])), p_value: p_values[i].clone() };
    keys(tidy).enumerate().filter_map(|(i, key)| Some((key?, line(i)))).filter(|((_, column), _)| column != "(intercept)").collect()
}

/// Class and column of every row; `None` for rows that are no parameters.
fn keys(tidy: &Table) -> impl Iterator<Item = Option<(String, String)>> {
    column(tidy, "class").into_iter().zip(column(tidy, "column")).map(|pair| match pair {
        (Cell::Text(class), Cell::Text(column)) => Some((class, column)),
        _ => None,
    })
}

fn column(table: &Table, name: &str) -> Vec<Cell> {
    let at = table.columns.iter().position(|column| column == name);
    table.rows.iter().map(|row| at.and_then(|at| row.get(at)).cloned().unwrap_or(Cell::Empty)).collect()
}
