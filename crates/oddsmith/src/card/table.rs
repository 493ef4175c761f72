//! Tables whose rows fit their columns, because there is no way to build another.
//!
//! A table of known columns is a [`FixedTable`]: a row is an array of as many cells, which the compiler checks. A table whose
//! columns depend on the data is given cell by cell ([`Table::tabulate`], [`Table::push_column`]), or row by row with a check
//! ([`Table::push`]).

use serde::Serialize;

use super::Cell;
use crate::error::{Error, Result};

/// A named table with one cell per row and column; column names are stable, for scripts.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Table {
    name: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn empty(name: &str, columns: Vec<String>) -> Self {
        Table { name: name.into(), columns, rows: Vec::new() }
    }

    /// A table of so many rows, given cell by cell: by row, then by column.
    pub fn tabulate(name: &str, columns: Vec<String>, rows: usize, mut cell: impl FnMut(usize, usize) -> Cell) -> Self {
        let rows = (0..rows).map(|i| (0..columns.len()).map(|j| cell(i, j)).collect()).collect();
        Table { name: name.into(), columns, rows }
    }

    /// A table of one row, given as names with their cells.
    pub fn of_record(name: &str, record: impl IntoIterator<Item = (String, Cell)>) -> Self {
        let (columns, row) = record.into_iter().unzip();
        Table { name: name.into(), columns, rows: vec![row] }
    }

    /// A short name, such as `tidy`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Column names in snake case.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Rows with one cell per column.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// The place of a column.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// The cells of a column, from the first row down.
    pub fn column(&self, name: &str) -> Option<impl Iterator<Item = &Cell>> {
        self.position(name).map(|at| self.rows.iter().map(move |row| &row[at]))
    }

    /// Adds a row, which must have one cell per column.
    pub fn push(&mut self, row: Vec<Cell>) -> Result<()> {
        if row.len() != self.columns.len() {
            let (cells, columns) = (row.len(), self.columns.len());
            return Err(Error::internal(format!("a row of {cells} cells cannot stand in the table `{}` of {columns} columns", self.name)));
        }
        self.rows.push(row);
        Ok(())
    }

    /// Adds a column before the one at a place, its cells by row.
    pub fn insert_column(&mut self, at: usize, name: &str, mut cell: impl FnMut(usize, &[Cell]) -> Cell) {
        let at = at.min(self.columns.len());
        self.columns.insert(at, name.into());
        for (i, row) in self.rows.iter_mut().enumerate() {
            let added = cell(i, row);
            row.insert(at, added);
        }
    }

    /// Adds a column after the last, its cells by row.
    pub fn push_column(&mut self, name: &str, cell: impl FnMut(usize, &[Cell]) -> Cell) {
        self.insert_column(self.columns.len(), name, cell);
    }

    /// Gives a column another name.
    pub fn rename_column(&mut self, from: &str, to: &str) {
        self.columns.iter_mut().filter(|name| *name == from).for_each(|name| *name = to.into());
    }

    /// Keeps the columns of which this is true, by place and name.
    pub fn retain_columns(&mut self, mut keep: impl FnMut(usize, &str) -> bool) {
        let kept: Vec<bool> = self.columns.iter().enumerate().map(|(at, name)| keep(at, name)).collect();
        let mut of_names = kept.iter();
        self.columns.retain(|_| of_names.next() == Some(&true));
        for row in &mut self.rows {
            let mut of_cells = kept.iter();
            row.retain(|_| of_cells.next() == Some(&true));
        }
    }

    /// Keeps the first rows only.
    pub fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    /// Adds the rows of another table by the names of its columns. What either lacks is empty.
    pub fn append(&mut self, other: &Table) {
        for name in &other.columns {
            if self.position(name).is_none() {
                self.push_column(name, |_, _| Cell::Empty);
            }
        }
        let places: Vec<Option<usize>> = self.columns.iter().map(|name| other.position(name)).collect();
        let row = |row: &Vec<Cell>| places.iter().map(|at| at.map_or(Cell::Empty, |at| row[at].clone())).collect();
        self.rows.extend(other.rows.iter().map(row));
    }
}

/// A table of `N` columns on its way: a row is an array of `N` cells.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedTable<const N: usize>(Table);

impl<const N: usize> FixedTable<N> {
    /// A table without rows.
    pub fn new(name: &str, columns: [&str; N]) -> Self {
        FixedTable(Table::empty(name, columns.map(str::to_owned).to_vec()))
    }

    /// Adds a row.
    pub fn push(&mut self, row: [Cell; N]) {
        self.0.rows.push(row.into());
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.rows.is_empty()
    }
}

impl<const N: usize> From<FixedTable<N>> for Table {
    fn from(table: FixedTable<N>) -> Self {
        table.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Table {
        let mut table = FixedTable::new("t", ["a", "b"]);
        table.push(["x".into(), 1.0.into()]);
        table.push(["y".into(), Cell::Empty]);
        table.into()
    }

    fn fits(table: &Table) -> bool {
        table.rows().iter().all(|row| row.len() == table.columns().len())
    }

    #[test]
    fn a_row_of_another_width_is_refused() {
        let mut table = two();
        assert!(table.push(vec![1.0.into()]).unwrap_err().to_string().contains("1 cells cannot stand in the table `t` of 2 columns"));
        table.push(vec![1.0.into(), 2.0.into()]).unwrap();
        assert_eq!(table.rows().len(), 3);
    }

    #[test]
    fn whatever_is_done_to_a_table_its_rows_fit() {
        let mut table = two();
        table.insert_column(1, "c", |i, row| Cell::from(i + row.len()));
        table.push_column("d", |_, row| row[0].clone());
        table.append(&Table::of_record("other", [("d".to_owned(), 5.0.into()), ("e".to_owned(), 6.0.into())]));
        assert_eq!(table.columns(), ["a", "c", "b", "d", "e"]);
        assert_eq!(table.rows()[1], ["y".into(), Cell::Count(3), Cell::Empty, "y".into(), Cell::Empty]);
        assert_eq!(table.rows()[2], [Cell::Empty, Cell::Empty, Cell::Empty, 5.0.into(), 6.0.into()]);
        assert!(fits(&table));
        table.retain_columns(|at, name| at > 1 && name != "d");
        table.rename_column("e", "f");
        table.truncate(2);
        assert_eq!((table.columns().join(","), table.rows().len(), fits(&table)), ("b,f".into(), 2, true));
        assert!(fits(&Table::tabulate("m", vec!["x".into(); 3], 2, |i, j| (i * 3 + j).into())));
    }
}
