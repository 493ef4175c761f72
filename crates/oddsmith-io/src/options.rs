//! What a caller may say about a table: how to read it, and what its columns are for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use oddsmith::data::{Condition, Kind, Order, Role as KeyRole, Terms, Weighting, WordValue};
use oddsmith::{Error, Result};

use crate::piece::{Piece, names_many};

/// Most threads that read: more would wait for each other, and a system refuses them at some number.
const MOST_WORKERS: usize = 256;

/// Threads to start: those asked for, or what the machine offers.
pub(crate) fn workers(threads: Option<NonZeroUsize>) -> usize {
    threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get).min(MOST_WORKERS)
}

/// Where the bytes come from.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file, a FIFO or a device.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes that already lie in memory, with a name for messages.
    Bytes {
        /// What messages call the table.
        name: String,
        /// The bytes of the file.
        bytes: Arc<[u8]>,
    },
    /// All files of a folder, or all that fit a pattern, as one table.
    Many(PathBuf),
    /// A piece of a table that lies in many files.
    Piece(Piece),
}

impl Input {
    /// The input that a command-line argument names: `-` is standard input, a folder or a pattern names many files, and anything else is a
    /// path.
    pub fn from_argument(argument: impl Into<OsString>) -> Self {
        match argument.into() {
            argument if argument == "-" => Input::Stdin,
            argument if names_many(&argument) => Input::Many(argument.into()),
            argument => Input::Path(argument.into()),
        }
    }

    /// The name that messages use.
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.to_string_lossy().into_owned(),
            Input::Stdin => "standard input".into(),
            Input::Bytes { name, .. } => name.clone(),
            Input::Many(path) => path.to_string_lossy().into_owned(),
            Input::Piece(piece) => piece.name(),
        }
    }

    /// The piece that it is, where it is one.
    pub(crate) fn piece(&self) -> Option<&Piece> {
        match self {
            Input::Piece(piece) => Some(piece),
            _ => None,
        }
    }
}

/// Which byte encloses cells that hold delimiters or line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quote {
    /// `"`, or `'` where the file clearly uses it.
    #[default]
    Auto,
    /// Quotes are ordinary characters.
    None,
    /// This byte.
    Byte(u8),
}

/// Whether the first record holds the column names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// Decided from the first rows.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It does not; columns are called `column_1`, `column_2` …, or as [`ReadOptions::names`] says.
    No,
}

/// What to do with a row that has more or fewer cells than the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ragged {
    /// Stop and name the line.
    #[default]
    Error,
    /// Treat absent cells as missing, ignore cells beyond the last column.
    Pad,
    /// Leave the row out.
    Skip,
}

/// How text columns become words.
#[derive(Debug, Clone)]
pub struct TextOptions {
    /// What the terms are (default: words).
    pub terms: Terms,
    /// Weigh terms by tf-idf: by how few texts they stand in, every text scaled to length 1 (default: counts as they are).
    pub tf_idf: bool,
    /// A term must stand in at least this many rows (default 1).
    pub min_documents: u64,
    /// Keep only this many terms, those that stand in the most rows (default: all).
    pub max_words: Option<usize>,
    /// Words to ignore, in lower case; a run that contains one is ignored too.
    pub stop_words: Vec<String>,
    /// Hash terms to this many columns in place of a vocabulary (default: discover a vocabulary).
    pub hashed: Option<usize>,
    /// Counts or presence (default counts).
    pub value: WordValue,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            terms: Terms::default(),
            tf_idf: false,
            min_documents: 1,
            max_words: None,
            stop_words: Vec::new(),
            hashed: None,
            value: WordValue::Count,
        }
    }
}

/// How to read a table. The default guesses everything and stops at the first ragged row.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The byte between cells (default: sniffed among comma, tab, semicolon and bar).
    pub delimiter: Option<u8>,
    /// The byte around cells.
    pub quote: Quote,
    /// Whether the first record holds names.
    pub header: Header,
    /// Names of the columns of a table that has no header, one for each (default: `column_1`, `column_2` …).
    pub names: Option<Vec<String>>,
    /// The sheet of a workbook (default: the first).
    pub sheet: Option<String>,
    /// An encoding label such as `latin1` or `utf-16le` (default: UTF-8, or UTF-16 where the bytes say so).
    pub encoding: Option<String>,
    /// The decimal mark, `.` or `,` (default: sniffed).
    pub decimal: Option<u8>,
    /// Cells that mean "missing" (default: [`crate::DEFAULT_MISSING`]).
    pub missing: Option<Vec<String>>,
    /// Kinds that are given and not inferred, by column name.
    pub kinds: BTreeMap<String, Kind>,
    /// Read number columns that hold only 0 and 1 as booleans, but for the named ones and those whose kind is given (default: they
    /// are numbers).
    pub flags: Option<Vec<String>>,
    /// Rows for which this is not true are not read (default: all are).
    pub condition: Option<Condition>,
    /// What to do with ragged rows.
    pub ragged: Ragged,
    /// Read a blank line of a table with several columns as a row without any value (default: it is no row).
    pub blank_rows: bool,
    /// Rename a repeated column name to `name_2`, `name_3` … in place of an error.
    pub dedup_names: bool,
    /// How text becomes words.
    pub text: TextOptions,
    /// Memory budget in bytes (default 1 GiB): a table whose columns fit half of it is kept, a larger one is
    /// read again for every pass.
    pub memory: u64,
    /// Threads that parse side by side; 0 (the default) takes what the machine offers.
    pub threads: usize,
    /// Most classes a target may have (default 10 000).
    pub max_classes: usize,
    /// Bytes of text in one partition (default 4 MiB). Sums are merged partition by partition, so another value
    /// may change the last bits of a result; the number of threads never does.
    pub partition_bytes: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            delimiter: None,
            quote: Quote::Auto,
            header: Header::Auto,
            names: None,
            sheet: None,
            encoding: None,
            decimal: None,
            missing: None,
            kinds: BTreeMap::new(),
            flags: None,
            condition: None,
            ragged: Ragged::Error,
            blank_rows: false,
            dedup_names: false,
            text: TextOptions::default(),
            memory: 1 << 30,
            threads: 0,
            max_classes: 10_000,
            partition_bytes: 4 << 20,
        }
    }
}

impl ReadOptions {
    /// Refuses values that cannot mean anything.
    pub(crate) fn check(&self) -> Result<()> {
        let shown = |byte: u8| char::from(byte).escape_default().to_string();
        let structural = |byte: u8| matches!(byte, b'\n' | b'\r' | 0) || !byte.is_ascii();
        if let Some(byte) = self.delimiter.filter(|byte| structural(*byte) || self.quote == Quote::Byte(*byte)) {
            return Err(Error::option("delimiter", shown(byte), "use one ASCII character that is neither the quote nor a line end"));
        }
        if let Quote::Byte(byte) = self.quote
            && structural(byte)
        {
            return Err(Error::option("quote", shown(byte), "use one ASCII character that is not a line end, or none"));
        }
        if let Some(byte) = self.decimal.filter(|byte| !matches!(byte, b'.' | b',')) {
            return Err(Error::option("decimal", shown(byte), "use a point or a comma"));
        }
        if self.names.is_some() && self.header == Header::Yes {
            return Err(Error::option("names", "…", "names are for a table whose first record holds none"));
        }
        if let Some(width) = self.text.hashed.filter(|width| !(1..=1 << 30).contains(width)) {
            return Err(Error::option("hashed width", width, "use a width from 1 to 1073741824"));
        }
        if self.text.tf_idf && self.text.hashed.is_some() {
            return Err(Error::option("text weights", "tf-idf", "words that are hashed are not counted by texts; keep a vocabulary"));
        }
        Ok(())
    }

    /// Whether a column of this name is a boolean when it holds only 0 and 1.
    pub(crate) fn flags_in(&self, name: &str) -> bool {
        self.flags.as_ref().is_some_and(|except| !except.iter().any(|kept| kept == name))
    }

    /// The number of threads to start.
    pub(crate) fn workers(&self) -> usize {
        workers(NonZeroUsize::new(self.threads))
    }

    /// The bytes that a kept table may take: half of the budget, the rest is for models and buffers.
    pub(crate) fn table_budget(&self) -> u64 {
        self.memory / 2
    }
}

/// What the columns are for.
#[derive(Debug, Clone, Default)]
pub struct Roles {
    /// The column to predict.
    pub target: Option<String>,
    /// The columns to learn from, in this order (default: all others in the order of the file).
    pub features: Option<Vec<String>>,
    /// Columns to leave out.
    pub exclude: Vec<String>,
    /// The column of row weights and what they mean.
    pub weight: Option<(String, Weighting)>,
    /// Columns by which rows belong together, and why they do.
    pub keys: Vec<(String, KeyRole)>,
    /// In which order levels and classes stand.
    pub order: Order,
}

impl Roles {
    /// Only a target.
    pub fn target(name: impl Into<String>) -> Self {
        Roles { target: Some(name.into()), ..Roles::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input() {
        assert!(matches!(Input::from_argument("-"), Input::Stdin));
        assert_eq!(Input::from_argument("./-").name(), "./-");
    }

    #[test]
    fn marks_that_cannot_work_are_refused() {
        let refused = |options: ReadOptions| options.check().unwrap_err().to_string();
        let base = ReadOptions::default;
        let message = refused(ReadOptions { delimiter: Some(b'\n'), ..base() });
        assert_eq!(message, "delimiter = \\n is not accepted: use one ASCII character that is neither the quote nor a line end");
        let message = refused(ReadOptions { quote: Quote::Byte(0xff), ..base() });
        assert_eq!(message, "quote = \\u{ff} is not accepted: use one ASCII character that is not a line end, or none");
        let message = refused(ReadOptions { decimal: Some(b';'), ..base() });
        assert_eq!(message, "decimal = ; is not accepted: use a point or a comma");
        let text = TextOptions { hashed: Some(0), ..TextOptions::default() };
        assert_eq!(refused(ReadOptions { text, ..base() }), "hashed width = 0 is not accepted: use a width from 1 to 1073741824");
    }
}
