//! The one place where errors of the library become Python exceptions. The classes live in `oddsmith.exceptions`.

use oddsmith::error::{Error, ErrorKind, Wording};
use oddsmith::eval::Undefined;
use oddsmith::notice::{self, Notice};
use oddsmith::registry;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

/// A notice: id, column, level, text.
pub(crate) type Told = (String, Option<String>, Option<String>, String);

/// Notices as Python turns them into warnings.
pub(crate) fn told(notices: Vec<Notice>) -> Vec<Told> {
    notices.into_iter().map(|notice| (notice.id.to_owned(), notice.column, notice.level, in_python(&notice.text))).collect()
}

/// The name of the exception class of an error.
fn class_name(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Data(_) => "DataError",
        ErrorKind::Mismatch { .. } => "MismatchError",
        ErrorKind::InvalidOption { .. } => "ParameterError",
        ErrorKind::Formula { .. } => "FormulaError",
        ErrorKind::Unknown { .. } => "UnknownNameError",
        ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } => "NoEstimateError",
        ErrorKind::Unsupported { .. } => "UnsupportedError",
        ErrorKind::Format { .. } => "FormatError",
        ErrorKind::Memory { .. } => "NoMemoryError",
        ErrorKind::Interrupted => "Interrupted",
        _ => "InternalError",
    }
}

/// The exception of an error.
pub(crate) fn raise(py: Python<'_>, error: Error) -> PyErr {
    let message = message(&error);
    match error.kind() {
        ErrorKind::Io { source, .. } => match source.raw_os_error() {
            Some(code) => PyOSError::new_err((code, message)),
            None => PyOSError::new_err(message),
        },
        ErrorKind::Separation { variables, .. } => {
            let error = named(py, class_name(error.kind()), &message);
            // Whoever catches it wants the columns, not a sentence about them.
            let columns: Vec<&str> = variables.iter().map(|(column, _)| column.as_str()).collect();
            let levels: Vec<Option<&str>> = variables.iter().map(|(_, level)| level.as_deref()).collect();
            let set = error.value(py).setattr("columns", columns).and_then(|()| error.value(py).setattr("levels", levels));
            set.map_or_else(|lost| lost, |()| error)
        }
        kind => named(py, class_name(kind), &message),
    }
}

/// The exception of a figure that the rows do not determine.
pub(crate) fn undefined(py: Python<'_>, what: &str, reason: &Undefined) -> PyErr {
    named(py, "NoEstimateError", &format!("{what} has no value: {reason}"))
}

/// The exception of a panic.
pub(crate) fn raise_panic(py: Python<'_>, payload: &(dyn std::any::Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| payload.downcast_ref::<String>().cloned());
    let message = format!("internal error: {}; please report this", text.as_deref().unwrap_or("a worker stopped"));
    named(py, "InternalError", &message)
}

fn named(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = || py.import("oddsmith.exceptions")?.getattr(class)?.call1((message,));
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyRuntimeError::new_err(message.to_owned()),
    }
}

/// What the library advises, in the words of Python: options are arguments.
struct Arguments;

/// Options that handwritten classes know by scikit-learn's names, or by their own.
const ARGUMENTS: [(&str, &str); 8] = [
    ("smoothing", "alpha"),
    ("variance-floor", "var_floor"),
    ("tying", "var_tying"),
    ("prior", "priors"),
    ("distribution", "distributions"),
    ("ci", "interval"),
    ("kind", "kinds"),
    ("unit", "units"),
];

impl Wording for Arguments {
    fn option(&self, name: &str, value: &str) -> String {
        let argument =
            ARGUMENTS.iter().find(|(option, _)| *option == name).map_or_else(|| name.replace('-', "_"), |(_, it)| (*it).to_owned());
        match (name, value) {
            (_, "") => argument,
            // scikit-learn's word for the same formula.
            ("shrinkage", "ledoit-wolf") => format!("{argument}='auto'"),
            _ if value.parse::<f64>().is_ok() => format!("{argument}={value}"),
            _ => format!("{argument}='{value}'"),
        }
    }

    fn penalty(&self, l2: f64) -> String {
        format!("LogisticRegression(C={}), or l2={l2} where an estimator has it", l2.recip())
    }

    fn model(&self, name: &str) -> String {
        registry::find(name).map_or_else(|_| name.to_owned(), |entry| entry.python.to_owned())
    }
}

/// The message of an error in the words of Python.
fn message(error: &Error) -> String {
    match error.kind() {
        ErrorKind::InvalidOption { option, value, accepted } => {
            Error::option(&option.replace('-', "_"), value, in_python(accepted)).to_string()
        }
        _ => in_python(&error.worded(&Arguments)),
    }
}

/// The page of a notice in the words of Python.
#[pyfunction]
pub(crate) fn notice_page(id: &str) -> Option<String> {
    notice::page(id).map(|page| page.worded(&Arguments))
}

/// Options of the readers of tables and what to do in Python, longer ones first.
const READING: [(&str, &str); 7] = [
    ("leave it out with --exclude", "leave it out"),
    ("leave the column out with --exclude", "leave the column out"),
    (
        "list it with --missing-markers if it means that there is no value, or give the column a --kind",
        "make it null if it means that there is no value, or give the column one of the kinds",
    ),
    ("; --missing indicator keeps them", ""),
    ("change its kind with --kind", "change its kind with kinds"),
    ("give the column another --kind", "give the column another of the kinds"),
    ("list it as missing with --missing-markers, or ", ""),
];

/// A message in the words of Python: options of the command become parameters.
fn in_python(message: &str) -> String {
    let mut text = READING.iter().fold(message.to_owned(), |text, (option, parameter)| text.replace(option, parameter));
    while let Some(at) = text.find("--").filter(|at| text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())) {
        let rest = &text[at + 2..];
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(rest.len());
        text = format!("{}{}{}", &text[..at], rest[..end].replace('-', "_"), &rest[end..]);
    }
    text
}
