//! What there is to say about a model or a result, as plain data; the report crate chooses words and decimals.

mod labels;
mod table;

use serde::Serialize;

use crate::notice::Notice;
pub use crate::picture::Picture;
pub use labels::Labels;
pub use table::{FixedTable, Table};

/// One cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Nothing to say here.
    Empty,
    /// A text.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A p-value, which people read as a bound where it is tiny.
    PValue(f64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Cell::Number(value)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Cell::Count(value)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Cell::Count(value as u64)
    }
}

/// All that a front end shows about a model or a result.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Card {
    /// The model in words, such as `Gaussian naive Bayes`.
    pub title: String,
    /// Facts about the whole, in order: rows, classes, options.
    pub facts: Vec<(String, Cell)>,
    /// One row per parameter or term.
    pub tidy: Table,
    /// What a person wants to see first, where that is not all facts and the whole table.
    pub summary: Option<Summary>,
    /// Further tables, such as tests of terms.
    pub tables: Vec<Table>,
    /// What can be drawn of it.
    pub pictures: Vec<Picture>,
    /// What the reader must know.
    pub notices: Vec<Notice>,
}

/// The few facts and the one table that a person reads first; programs get the whole card.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Summary {
    /// Facts, the most important first.
    pub facts: Vec<(String, Cell)>,
    /// The table, where it is not that of all parameters.
    pub table: Option<Table>,
    /// Lines below the table.
    pub footnotes: Vec<String>,
}
