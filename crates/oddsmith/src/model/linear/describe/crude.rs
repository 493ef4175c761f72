//! Crude odds ratios: those of models with one term alone, beside the adjusted ones.

use std::collections::BTreeMap;

use crate::card::{Card, Cell, Summary, Table};
use crate::model::linear::describe::odds_ratios::{ODDS_RATIO, between, ratio};

/// What is said of a column alone in a model, for programs.
const FOR_PROGRAMS: [&str; 4] = ["crude_odds_ratio", "crude_low", "crude_high", "crude_p_value"];
/// The same for people, before the adjusted odds ratio.
const FOR_PEOPLE: [&str; 2] = ["crude", "crude CI"];

/// What a reader of the table must know.
const METHODS: &str =
    "crude: a regression of the term alone, on the same rows; adjusted: of all terms together; p: Wald's test of the adjusted odds ratio";

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
    if let Some(Summary { table: Some(table), footnotes, .. }) = &mut card.summary {
        footnotes.insert(0, METHODS.into());
        let terms = column(&card.tidy, "term");
        let shown = found.iter().zip(&terms).filter(|(_, term)| **term != "(intercept)".into());
        put_for_people(table, shown.map(|(line, _)| line.as_ref()));
    }
    for (at, name) in FOR_PROGRAMS.into_iter().enumerate() {
        card.tidy.push_column(name, |i, _| match (&found[i], at) {
            (Some((line, unit)), 0..3) => line.log_odds[at].map_or(Cell::Empty, |log| (log * unit).exp().into()),
            (Some((line, _)), _) => line.p_value.clone(),
            (None, _) => Cell::Empty,
        });
    }
}

fn put_for_people<'a>(table: &mut Table, lines: impl Iterator<Item = Option<&'a (&'a CrudeLine, f64)>>) {
    let at = table.position(ODDS_RATIO).unwrap_or(table.columns().len());
    let lines: Vec<Option<&(&CrudeLine, f64)>> = lines.collect();
    table.rename_column(ODDS_RATIO, "adjusted");
    let [crude, limits] = FOR_PEOPLE;
    table.insert_column(at, limits, |i, _| match lines.get(i).copied().flatten() {
        Some((CrudeLine { log_odds: [Some(_), Some(low), Some(high)], .. }, unit)) => {
            between((low * unit).exp(), (high * unit).exp()).into()
        }
        _ => Cell::Empty,
    });
    table.insert_column(at, crude, |i, row| match lines.get(i).copied().flatten() {
        Some((CrudeLine { log_odds: [Some(log_odds), ..], .. }, unit)) => ratio((log_odds * unit).exp()).into(),
        // The level that others are compared with, in either model.
        _ if row.get(at + 1) == Some(&"1".into()) => "1".into(),
        _ => Cell::Empty,
    });
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
    let cells = table.column(name).map(|cells| cells.cloned().collect());
    cells.unwrap_or_else(|| vec![Cell::Empty; table.rows().len()])
}
