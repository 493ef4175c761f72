//! The one error type of the library: an opaque struct around a kind with fields.
//!
//! Front ends match on [`ErrorKind`] to choose an exit code or an exception class; people read the
//! `Display` text, which is lower case, names the column, row and value, and says what is accepted.

mod advice;
mod caret;

use std::fmt;
use std::ops::Range;

pub use advice::{Advice, Plain, Wording, worded_text};

/// `Result` with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, boxed so that a `Result` stays one word wide on the happy path.
pub struct Error(Box<ErrorKind>);

/// The faults the library tells apart. Fields, not sentences, so that a front end can reword them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The rows themselves cannot be used: an infinite value, an unreadable cell, no rows at all.
    #[error("{0}")]
    Data(DataFault),
    /// Two parts that should describe the same columns do not.
    #[error("{left_name} and {right_name} do not fit together: {what}")]
    Mismatch {
        /// What the first part is called (a file, "the model").
        left_name: String,
        /// What the second part is called.
        right_name: String,
        /// The difference, with column names and kinds.
        what: String,
    },
    /// An option has a value outside its range, or does not apply to this model.
    #[error("{}", refused(option, value, accepted))]
    InvalidOption {
        /// The option as the user spells it.
        option: String,
        /// The offending value.
        value: String,
        /// What would be accepted.
        accepted: String,
    },
    /// A name (column, class, model) that does not exist, with the names that do.
    #[error("there is no {noun} `{name}`{}", did_you_mean(name, known))]
    Unknown {
        /// What kind of thing was asked for: column, class, model.
        noun: &'static str,
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A formula that cannot be read, or that asks for what the columns do not offer.
    #[error("{what}; {accepted}\n{}", caret::marked(text, span))]
    Formula {
        /// The formula as the user wrote it.
        text: String,
        /// The bytes of the text that are meant.
        span: Range<usize>,
        /// What is wrong there, in lower case.
        what: String,
        /// What would be accepted there.
        accepted: String,
    },
    /// The data admit no valid estimate: singular covariance, separation, no convergence.
    #[error("{what}; {advice}")]
    NoEstimate {
        /// What stands in the way, with the columns named.
        what: String,
        /// What the user can do.
        advice: Advice,
    },
    /// Some combination of columns tells the classes apart, so that the likelihood has no maximum.
    #[error(
        "{extent} separation: the classes can be told apart without error along {}, so no finite estimate exists; {advice}",
        beginning(columns)
    )]
    Separation {
        /// `complete` or `quasi-complete`.
        extent: &'static str,
        /// The columns of the combination, as the design names them, in backquotes.
        columns: Vec<String>,
        /// The variables of the combination, each with the level that tells, where it has levels.
        variables: Vec<(String, Option<String>)>,
        /// What the user can do.
        advice: Advice,
    },
    /// The model cannot do what was asked.
    #[error("{model} cannot {what}: {advice}")]
    Unsupported {
        /// The model's name.
        model: String,
        /// The verb that was asked for.
        what: String,
        /// What would work instead.
        advice: Advice,
    },
    /// Bytes that are not a valid model or statistics file.
    #[error("not a usable {expected}: {what}")]
    Format {
        /// "model file", "statistics file".
        expected: &'static str,
        /// What is wrong with the bytes.
        what: String,
    },
    /// Reading or writing failed in the operating system.
    #[error("{path}: {source}")]
    Io {
        /// The path as the user wrote it.
        path: String,
        /// The system's word.
        source: std::io::Error,
    },
    /// More memory is needed than the machine gives. It is found out before the memory is asked for, because a failed allocation ends the process.
    #[error("{what} would take {} of memory, more than there is; {advice}", gibibytes(*bytes))]
    Memory {
        /// What needs it, with the columns named.
        what: String,
        /// How much.
        bytes: u64,
        /// What the user can do.
        advice: Advice,
    },
    /// The work was interrupted by the user; nothing was written.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// A broken promise inside the library: a bug, to be reported.
    #[error("internal error: {0}; please report this")]
    Internal(String),
}

/// Where in the rows a fault sits, and what would be accepted there.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct DataFault {
    /// The file or table, where there is a name.
    pub table: Option<String>,
    /// The column's name.
    pub column: Option<String>,
    /// The 1-based data row (the header does not count).
    pub row: Option<u64>,
    /// The 1-based line in a text file.
    pub line: Option<u64>,
    /// The offending value as it was written.
    pub value: Option<String>,
    /// What is wrong, in lower case.
    pub what: String,
    /// What would be accepted, or what to do.
    pub accepted: Option<Advice>,
}

impl Error {
    /// The kind, for matching.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// The kind, by value, for rewording.
    pub fn into_kind(self) -> ErrorKind {
        *self.0
    }

    /// What can be done about it, where the library knows.
    pub fn advice(&self) -> Option<&Advice> {
        match self.kind() {
            ErrorKind::NoEstimate { advice, .. }
            | ErrorKind::Separation { advice, .. }
            | ErrorKind::Unsupported { advice, .. }
            | ErrorKind::Memory { advice, .. } => Some(advice),
            ErrorKind::Data(fault) => fault.accepted.as_ref(),
            _ => None,
        }
    }

    /// The message with its advice in the words of a front end. Every message ends with its advice.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        let message = self.to_string();
        match self.advice() {
            Some(advice) => match message.strip_suffix(&advice.to_string()) {
                Some(fault) => format!("{fault}{}", advice.worded(wording)),
                None => message,
            },
            None => message,
        }
    }

    /// A fault in the rows without a place.
    pub fn data(what: impl Into<String>) -> Self {
        DataFault::new(what).into()
    }

    /// A fault inside the library.
    pub fn internal(what: impl Into<String>) -> Self {
        ErrorKind::Internal(what.into()).into()
    }

    /// An option whose value is refused.
    pub fn option(option: &str, value: impl fmt::Display, accepted: impl Into<String>) -> Self {
        ErrorKind::InvalidOption { option: option.into(), value: value.to_string(), accepted: accepted.into() }.into()
    }

    /// Names the table in a fault of its rows; other kinds pass unchanged.
    #[must_use]
    pub fn in_table(mut self, table: &str) -> Self {
        if let ErrorKind::Data(fault) = &mut *self.0 {
            fault.table.get_or_insert_with(|| table.into());
        }
        self
    }
}

/// How a refused value of an option is told; none at all is told as such.
fn refused(option: &str, value: &str, accepted: &str) -> String {
    match value {
        "" => format!("{option} is missing: {accepted}"),
        _ => format!("{option} = {value} is not accepted: {accepted}"),
    }
}

impl DataFault {
    /// A fault that is not yet placed.
    pub fn new(what: impl Into<String>) -> Self {
        DataFault { what: what.into(), ..DataFault::default() }
    }

    /// Places the fault in a column.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>) -> Self {
        self.column = Some(name.into());
        self
    }

    /// Places the fault in a data row, counted from 1.
    #[must_use]
    pub fn row(mut self, row: u64) -> Self {
        self.row = Some(row);
        self
    }

    /// Places the fault on a line of a text file, counted from 1.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Quotes the offending value.
    #[must_use]
    pub fn value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// Says what would be accepted.
    #[must_use]
    pub fn accepted(mut self, accepted: impl Into<Advice>) -> Self {
        self.accepted = Some(accepted.into());
        self
    }
}

impl fmt::Display for DataFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = &self.table {
            write!(f, "{table}: ")?;
        }
        let mut place = Vec::new();
        if let Some(column) = &self.column {
            place.push(format!("column `{}`", visible(column)));
        }
        if let Some(row) = self.row {
            place.push(format!("row {row}"));
        }
        if let Some(line) = self.line {
            place.push(format!("line {line}"));
        }
        if !place.is_empty() {
            write!(f, "{}: ", place.join(", "))?;
        }
        f.write_str(&self.what)?;
        if let Some(value) = &self.value {
            write!(f, " `{}`", visible(value))?;
        }
        match &self.accepted {
            Some(accepted) => write!(f, "; {accepted}"),
            None => Ok(()),
        }
    }
}

/// The text with control characters spelled out and long text cut, so that data can neither drive a
/// terminal nor flood a message.
pub fn visible(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == LONGEST {
            shown.push('…');
            break;
        }
        if c.is_control() {
            shown.push_str(&match c {
                '\n' => "\\n".to_owned(),
                '\r' => "\\r".to_owned(),
                '\t' => "\\t".to_owned(),
                other => format!("\\x{:02x}", other as u32),
            });
        } else {
            shown.push(c);
        }
    }
    shown
}

fn did_you_mean(name: &str, known: &[String]) -> String {
    suggestion(name, known).map_or(String::new(), |suggestion| format!("; {suggestion}"))
}

/// What to write instead of an unknown name: the one name that is close to it, or the names that there are.
pub(crate) fn suggestion(name: &str, known: &[String]) -> Option<String> {
    let close = known
        .iter()
        .map(|candidate| (edit_distance(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count() / 4)
        .min_by_key(|(distance, _)| *distance);
    if let Some((_, candidate)) = close {
        return Some(format!("did you mean `{}`?", visible(candidate)));
    }
    (!known.is_empty()).then(|| format!("there are: {}", beginning(known)))
}

/// The beginning of a list of names, and how many more there are: a message with a thousand names is not read.
pub(crate) fn beginning(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| visible(name)).collect();
    let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// An amount of memory for people.
fn gibibytes(bytes: u64) -> String {
    let gibibytes = bytes as f64 / (1u64 << 30) as f64;
    if gibibytes < 10.0 { format!("{gibibytes:.1} GiB") } else { format!("{gibibytes:.0} GiB") }
}

/// Levenshtein distance: insertions, deletions and substitutions that turn one text into the other.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(kind))
    }
}

impl From<Box<DataFault>> for Error {
    fn from(fault: Box<DataFault>) -> Self {
        (*fault).into()
    }
}

impl From<DataFault> for Error {
    fn from(fault: DataFault) -> Self {
        ErrorKind::Data(fault).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            ErrorKind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_fault_names_its_place_and_what_is_accepted() {
        let fault = DataFault::new("is not a number:").column("age").row(7).value("4o").accepted("use digits");
        assert_eq!(Error::from(fault).in_table("a.csv").to_string(), "a.csv: column `age`, row 7: is not a number: `4o`; use digits");
    }

    #[test]
    fn control_characters_never_reach_a_terminal() {
        assert_eq!(visible("a\x1b[31m\n"), "a\\x1b[31m\\n");
    }

    #[test]
    fn a_near_miss_is_suggested_and_a_far_one_lists_what_exists() {
        let unknown = |name: &str| {
            Error::from(ErrorKind::Unknown { noun: "column", name: name.into(), known: vec!["smoker".into(), "age".into()] }).to_string()
        };
        assert_eq!(unknown("smokr"), "there is no column `smokr`; did you mean `smoker`?");
        assert_eq!(unknown("zzz"), "there is no column `zzz`; there are: smoker, age");
    }
}
