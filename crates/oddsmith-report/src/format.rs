//! The formats a result can take, and the few choices within a format.

use std::fmt;
use std::str::FromStr;

use oddsmith::Error;

/// A way to write a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for a person at a terminal; numbers are rounded.
    Table,
    /// Comma-separated values; every bit of a number is kept.
    Csv,
    /// One JSON value.
    Json,
    /// One JSON object per line and row.
    Ndjson,
    /// A Markdown document.
    Md,
    /// An HTML fragment.
    Html,
    /// A LaTeX fragment.
    Latex,
    /// A Word document, which is bytes and no text.
    Docx,
    /// The picture of a result, where it has one.
    Svg,
}

impl Format {
    /// All formats of tables and cards, in the order in which they are listed to people; pictures have one more.
    pub const ALL: [Format; 8] =
        [Format::Table, Format::Csv, Format::Json, Format::Ndjson, Format::Md, Format::Html, Format::Latex, Format::Docx];

    /// Whether a person reads it, so that the summary is wanted and numbers are rounded; programs get everything.
    pub fn is_for_people(self) -> bool {
        matches!(self, Format::Table | Format::Md | Format::Html | Format::Latex | Format::Docx)
    }

    /// Whether it is text, which can be written row by row and read at a terminal.
    pub fn is_text(self) -> bool {
        self != Format::Docx
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Ndjson => "ndjson",
            Format::Md => "md",
            Format::Html => "html",
            Format::Latex => "latex",
            Format::Docx => "docx",
            Format::Svg => "svg",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Format::ALL.into_iter().chain([Format::Svg]).find(|format| format.name() == text).ok_or_else(|| {
            let names: Vec<_> = Format::ALL.iter().chain(&[Format::Svg]).map(|format| format.name()).collect();
            Error::option("format", text, format!("one of: {}", names.join(" ")))
        })
    }
}

/// Choices that do not change what is said.
#[derive(Debug, Clone, Default)]
pub struct Style {
    /// Bold and colours by ANSI sequences.
    pub color: bool,
    /// Columns of the terminal; `None` never cuts.
    pub width: Option<usize>,
    /// Puts an apostrophe before CSV texts that a spreadsheet would run as a formula.
    pub guard: bool,
}
