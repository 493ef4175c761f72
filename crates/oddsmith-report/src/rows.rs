//! Tables written row by row, for results that are too long to hold.

use oddsmith::card::Cell;
use oddsmith::{Error, Result};

use crate::format::{Format, Style};
use crate::latex::latex;
use crate::number::{for_people, p_for_people, shortest};
use crate::{escape, json};

/// Writes the rows of a table one after the other, in any format that needs no look at all rows first. A terminal
/// table does (its columns are as wide as their widest cell), so it falls back to tab stops here.
#[derive(Debug, Clone)]
pub struct Rows {
    format: Format,
    style: Style,
    columns: Vec<String>,
    written: u64,
}

impl Rows {
    /// A table with these columns of which nothing is written yet.
    pub fn new(format: Format, style: Style, columns: &[String]) -> Self {
        Rows { format, style, columns: columns.to_vec(), written: 0 }
    }

    /// Appends what stands before the first row.
    pub fn begin(&self, out: &mut String) {
        match self.format {
            Format::Csv => {
                for (j, name) in self.columns.iter().enumerate() {
                    out.push_str(if j > 0 { "," } else { "" });
                    escape::csv(name, self.style.guard, out);
                }
                out.push('\n');
            }
            Format::Table | Format::Svg => self.join(out, "", "\t", "\n", self.columns.iter().map(|name| escape::printable(name))),
            Format::Json => out.push('['),
            Format::Ndjson => {}
            Format::Md | Format::Docx => {
                self.join(out, "| ", " | ", " |\n", self.columns.iter().map(|name| escape::markdown(name)));
                self.join(out, "|", "|", "|\n", self.columns.iter().map(|_| "---".to_owned()));
            }
            Format::Html => {
                out.push_str("<table>\n<thead><tr>");
                self.join(out, "<th>", "</th><th>", "</th>", self.columns.iter().map(|name| escape::html(name)));
                out.push_str("</tr></thead>\n<tbody>\n");
            }
            Format::Latex => {
                out.push_str(&format!("\\begin{{tabular}}{{{}}}\n\\hline\n", "l".repeat(self.columns.len())));
                self.join(out, "", " & ", " \\\\\n\\hline\n", self.columns.iter().map(|name| latex(name)));
            }
        }
    }

    /// Appends a row, which must have one cell per column.
    pub fn row(&mut self, cells: &[Cell], out: &mut String) -> Result<()> {
        if cells.len() != self.columns.len() {
            return Err(Error::internal(format!("a row of {} cells cannot stand below {} columns", cells.len(), self.columns.len())));
        }
        self.write(cells, out);
        Ok(())
    }

    /// Appends a row of a table, where rows always fit.
    pub(crate) fn write(&mut self, cells: &[Cell], out: &mut String) {
        match self.format {
            Format::Csv => {
                for (j, cell) in cells.iter().enumerate() {
                    out.push_str(if j > 0 { "," } else { "" });
                    self.csv_cell(cell, out);
                }
                out.push('\n');
            }
            Format::Table | Format::Svg => {
                self.join(out, "", "\t", "\n", cells.iter().map(|cell| escape::printable(&text_for_people(cell))))
            }
            Format::Json => {
                out.push_str(if self.written > 0 { ",\n  " } else { "\n  " });
                out.push_str(&json::row(&self.columns, cells));
            }
            Format::Ndjson => {
                out.push_str(&json::row(&self.columns, cells));
                out.push('\n');
            }
            Format::Md | Format::Docx => {
                self.join(out, "| ", " | ", " |\n", cells.iter().map(|cell| escape::markdown(&text_for_people(cell))))
            }
            Format::Html => {
                out.push_str("<tr>");
                self.join(out, "<td>", "</td><td>", "</td>", cells.iter().map(|cell| escape::html(&text_for_people(cell))));
                out.push_str("</tr>\n");
            }
            Format::Latex => self.join(out, "", " & ", " \\\\\n", cells.iter().map(|cell| latex(&text_for_people(cell)))),
        }
        self.written += 1;
    }

    /// Appends what stands after the last row.
    pub fn end(&self, out: &mut String) {
        match self.format {
            Format::Csv | Format::Table | Format::Ndjson | Format::Md | Format::Docx | Format::Svg => {}
            Format::Json => out.push_str(if self.written > 0 { "\n]\n" } else { "]\n" }),
            Format::Html => out.push_str("</tbody>\n</table>\n"),
            Format::Latex => out.push_str("\\hline\n\\end{tabular}\n"),
        }
    }

    fn csv_cell(&self, cell: &Cell, out: &mut String) {
        match cell {
            Cell::Empty => {}
            Cell::Text(text) => escape::csv(text, self.style.guard, out),
            Cell::Count(count) => out.push_str(&count.to_string()),
            Cell::Number(value) | Cell::PValue(value) => out.push_str(&shortest(*value)),
        }
    }

    fn join(&self, out: &mut String, before: &str, between: &str, after: &str, texts: impl Iterator<Item = String>) {
        out.push_str(before);
        for (j, text) in texts.enumerate() {
            out.push_str(if j > 0 { between } else { "" });
            out.push_str(&text);
        }
        out.push_str(after);
    }
}

/// A cell as a person reads it, not yet escaped.
pub(crate) fn text_for_people(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text.clone(),
        Cell::Count(count) => count.to_string(),
        Cell::Number(value) => for_people(*value),
        Cell::PValue(value) => p_for_people(*value),
    }
}
