//! The format of a table as it was given or guessed, for people to read.

use std::fmt;

use crate::options::{Header, Quote, ReadOptions};

/// What kind of file a table came from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Cells between delimiters.
    Delimited(Dialect),
    /// Lines of `__label__` and words.
    FastText {
        /// The character encoding.
        encoding: &'static str,
    },
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC: the file format (Feather) or the stream format.
    Arrow,
    /// A sheet of an Excel workbook.
    Workbook {
        /// Its name.
        sheet: String,
    },
}

/// The dialect of a delimited text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// The character encoding.
    pub encoding: &'static str,
    /// The byte between cells.
    pub delimiter: u8,
    /// The byte around cells.
    pub quote: Option<u8>,
    /// Whether the first record holds names.
    pub header: bool,
    /// The decimal mark.
    pub decimal: u8,
    /// How lines end.
    pub line_end: LineEnd,
    /// Lines before the table that were passed over.
    pub preamble: u64,
    /// Whether records end with a delimiter that starts no cell.
    pub trailing_delimiter: bool,
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl Dialect {
    /// Everything that was guessed and differs from plain UTF-8, commas, `"`, a header, decimal points and line feeds.
    pub(crate) fn assumed(&self, options: &ReadOptions) -> Vec<String> {
        let mut odd = Vec::new();
        if self.encoding != "UTF-8" && options.encoding.is_none() {
            odd.push(format!("encoding {}", self.encoding));
        }
        if self.delimiter != b',' && options.delimiter.is_none() {
            odd.push(format!("delimiter {}", byte_name(self.delimiter)));
        }
        if let Some(quote) = self.quote.filter(|quote| *quote != b'"' && options.quote == Quote::Auto) {
            odd.push(format!("quote {}", char::from(quote)));
        }
        if self.quote.is_none() && options.quote == Quote::Auto {
            odd.push("quotes as ordinary characters".into());
        }
        if !self.header && options.header == Header::Auto && options.names.is_none() {
            odd.push("no header".into());
        }
        if self.decimal != b'.' && options.decimal.is_none() {
            odd.push("decimal comma".into());
        }
        if self.line_end == LineEnd::Cr {
            odd.push("lines that end with a carriage return".into());
        }
        match self.preamble {
            0 => {}
            1 => odd.push("1 line before the table passed over".into()),
            lines => odd.push(format!("{lines} lines before the table passed over")),
        }
        if self.trailing_delimiter {
            odd.push("a delimiter at the end of every row".into());
        }
        odd
    }
}

/// A name for a delimiter.
fn byte_name(byte: u8) -> String {
    match byte {
        b',' => "comma".into(),
        b'\t' => "tab".into(),
        b';' => "semicolon".into(),
        b'|' => "bar".into(),
        b' ' => "space".into(),
        other => char::from(other).escape_default().to_string(),
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Delimited(dialect) => dialect.fmt(f),
            Format::FastText { encoding } => write!(f, "{encoding}, __label__ lines"),
            Format::Parquet => f.write_str("Parquet"),
            Format::Arrow => f.write_str("Arrow IPC"),
            Format::Workbook { sheet } => write!(f, "Excel sheet {}", oddsmith::error::visible(sheet)),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = if self.header { "header" } else { "no header" };
        write!(f, "{}, {}, {header}", self.encoding, byte_name(self.delimiter))?;
        if self.decimal != b'.' {
            write!(f, ", decimal comma")?;
        }
        Ok(())
    }
}
