//! A table written while it comes into being, in constant memory.

use std::io::{self, Write};

use oddsmith::card::{Cell, Table};
use oddsmith::{Error, Result};
use oddsmith_report::{Format, Rows, Style};

use crate::console::Console;

/// Rows of a terminal table that are aligned together; a longer one goes on under a new header.
const PAGE: usize = 1000;
/// Text that is collected before it is handed on.
const FULL: usize = 1 << 16;

/// A table on its way out.
pub(crate) struct Stream<'a> {
    out: &'a mut dyn Write,
    refused: &'a dyn Fn(io::Error) -> Error,
    style: Style,
    /// Writes row by row, in every format but terminal tables.
    rows: Option<Rows>,
    page: Table,
    text: String,
}

impl<'a> Stream<'a> {
    /// Starts a table in the console's format on a writer; `refused` turns the writer's errors into faults.
    pub(crate) fn new(out: &'a mut dyn Write, refused: &'a dyn Fn(io::Error) -> Error, console: &Console, columns: &[String]) -> Self {
        let (format, style) = (console.format(), console.style());
        let rows = (format != Format::Table).then(|| Rows::new(format, style.clone(), columns));
        let page = Table::empty("rows", columns.to_vec());
        let mut text = String::new();
        if let Some(rows) = &rows {
            rows.begin(&mut text);
        }
        Stream { out, refused, style: style.clone(), rows, page, text }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) -> Result<()> {
        match &mut self.rows {
            Some(rows) => rows.row(&cells, &mut self.text)?,
            None => {
                self.page.push(cells)?;
                if self.page.rows().len() == PAGE {
                    self.turn_page();
                }
            }
        }
        if self.text.len() < FULL { Ok(()) } else { self.hand_on() }
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> Result<()> {
        match &self.rows {
            Some(rows) => rows.end(&mut self.text),
            None => self.turn_page(),
        }
        self.hand_on()
    }

    fn turn_page(&mut self) {
        self.text.push_str(&oddsmith_report::render(&self.page, Format::Table, &self.style));
        self.page.truncate(0);
    }

    /// Hands the collected text on, so that a reader at the other end of a pipe sees it.
    pub(crate) fn hand_on(&mut self) -> Result<()> {
        self.out.write_all(self.text.as_bytes()).and_then(|()| self.out.flush()).map_err(self.refused)?;
        self.text.clear();
        Ok(())
    }
}
