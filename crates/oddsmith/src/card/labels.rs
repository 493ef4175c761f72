//! Labels that people read in place of the names of columns and levels.

use std::collections::BTreeMap;

use super::{Card, Cell, Table};

/// Columns of tables that hold the name of a column of the data.
const NAMES: [&str; 4] = ["column", "term", "exposure", "within"];
/// The column of tables that holds a level.
const LEVEL: &str = "level";

/// What columns and their levels are called where people read; programs get the names of the data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    columns: BTreeMap<String, String>,
    levels: BTreeMap<(String, String), String>,
}

impl Labels {
    /// Gives a column a label.
    pub fn add_column(&mut self, name: impl Into<String>, label: impl Into<String>) {
        self.columns.insert(name.into(), label.into());
    }

    /// Gives a level of a column a label.
    pub fn add_level(&mut self, name: impl Into<String>, level: impl Into<String>, label: impl Into<String>) {
        self.levels.insert((name.into(), level.into()), label.into());
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.levels.is_empty()
    }

    /// Puts labels into the table that people read. Programs keep the names.
    pub fn apply(&self, card: &mut Card) {
        if self.is_empty() {
            return;
        }
        if let Some(table) = card.summary.as_mut().and_then(|summary| summary.table.as_mut()) {
            *table = self.applied(table);
        }
    }

    fn applied(&self, table: &Table) -> Table {
        let headers = table.columns().iter().map(|header| self.header(header)).collect();
        let name_at = NAMES.iter().find_map(|name| table.position(name));
        let level_at = table.position(LEVEL);
        // A name stands in the first of its rows only.
        let mut name = String::new();
        let rows: Vec<Vec<Cell>> = table
            .rows()
            .iter()
            .map(|row| {
                if let Some(Cell::Text(text)) = name_at.map(|at| &row[at]) {
                    name.clone_from(text);
                }
                let told = |(at, cell): (usize, &Cell)| match cell {
                    Cell::Text(text) if Some(at) == name_at => self.term(text).into(),
                    Cell::Text(text) if Some(at) == level_at => self.level(&name, text).into(),
                    other => other.clone(),
                };
                row.iter().enumerate().map(told).collect()
            })
            .collect();
        Table::tabulate(table.name(), headers, rows.len(), |i, j| rows[i][j].clone())
    }

    /// A term: a column, a product of columns, either with its unit behind it.
    fn term(&self, text: &str) -> String {
        let (stem, unit) = text.split_once(" (").map_or((text, ""), |(stem, _)| (stem, &text[stem.len()..]));
        if let Some(label) = self.columns.get(text) {
            return label.clone();
        }
        let label = |part: &str| self.columns.get(plain(part)).cloned();
        if !stem.split(':').any(|part| label(part).is_some()) {
            return text.to_owned();
        }
        let parts: Vec<String> = stem.split(':').map(|part| label(part).unwrap_or_else(|| part.to_owned())).collect();
        format!("{}{unit}", parts.join(" × "))
    }

    /// A level of a term; of a product part by part.
    fn level(&self, term: &str, level: &str) -> String {
        let stem = term.split(" (").next().unwrap_or(term);
        let label = |name: &str, level: &str| self.levels.get(&(plain(name).to_owned(), level.to_owned())).cloned();
        if let Some(label) = label(stem, level) {
            return label;
        }
        let (names, levels): (Vec<&str>, Vec<&str>) = (stem.split(':').collect(), level.split(':').collect());
        if names.len() == levels.len() && names.len() > 1 {
            let parts = names.iter().zip(&levels).map(|(name, level)| label(name, level).unwrap_or_else(|| (*level).to_owned()));
            return parts.collect::<Vec<_>>().join(":");
        }
        level.to_owned()
    }

    /// A header that names a level: `low = yes`.
    fn header(&self, header: &str) -> String {
        match header.split_once(" = ") {
            Some((name, level)) if self.columns.contains_key(name) || self.levels.contains_key(&(name.to_owned(), level.to_owned())) => {
                format!("{} = {}", self.term(name), self.level(name, level))
            }
            _ => header.to_owned(),
        }
    }
}

/// The column that a formula calls a category.
fn plain(term: &str) -> &str {
    term.strip_prefix("C(").and_then(|inner| inner.strip_suffix(')')).unwrap_or(term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{FixedTable, Summary};

    #[test]
    fn labels_stand_where_people_read() {
        let mut labels = Labels::default();
        labels.add_column("age", "Age, years");
        labels.add_column("race", "Ethnicity");
        labels.add_level("race", "white", "White");
        labels.add_level("low", "yes", "low weight");
        let mut table = FixedTable::new("t", ["term", "level", "low = yes", "n"]);
        table.push(["age (per 10)".into(), Cell::Empty, 1.0.into(), 2u64.into()]);
        table.push(["C(race)".into(), "black".into(), Cell::Empty, 3u64.into()]);
        table.push([Cell::Empty, "white".into(), Cell::Empty, 4u64.into()]);
        table.push(["age:race".into(), "white".into(), Cell::Empty, Cell::Empty]);
        table.push(["smoke:ht".into(), "1:white".into(), Cell::Empty, Cell::Empty]);
        let summary = Summary { table: Some(table.clone().into()), ..Summary::default() };
        let mut card = Card { tidy: table.into(), summary: Some(summary), ..Card::default() };
        labels.apply(&mut card);
        let read = card.summary.unwrap().table.unwrap();
        let texts: Vec<String> = read.rows().iter().map(|row| format!("{:?} {:?}", row[0], row[1])).collect();
        assert_eq!(
            texts,
            [
                "Text(\"Age, years (per 10)\") Empty",
                "Text(\"Ethnicity\") Text(\"black\")",
                "Empty Text(\"White\")",
                "Text(\"Age, years × Ethnicity\") Text(\"white\")",
                "Text(\"smoke:ht\") Text(\"1:white\")",
            ]
        );
        assert_eq!(read.columns()[2], "low = low weight");
        assert_eq!(card.tidy.columns()[2], "low = yes");
        assert_eq!(card.tidy.rows()[2][1], "white".into());
    }
}
