//! The one place where errors of the library become Python exceptions. The classes live in `oddsmith.exceptions`.

use oddsmith::error::{Error, ErrorKind};
use oddsmith::eval::Undefined;
use oddsmith::notice::Notice;
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
        ErrorKind::Knob { .. } => "ParameterError",
        ErrorKind::Unknown { .. } => "UnknownNameError",
        ErrorKind::NoEstimate { .. } | ErrorKind::Separation { .. } => "NoEstimateError",
        ErrorKind::Unsupported { .. } => "UnsupportedError",
        ErrorKind::Format { .. } => "FormatError",
        ErrorKind::Interrupted => "Interrupted",
        _ => "InternalError",
    }
}

/// The exception of an error.
pub(crate) fn raise(py: Python<'_>, error: Error) -> PyErr {
    let message = in_python(&error.to_string());
    match error.kind() {
        ErrorKind::Io { source, .. } => match source.raw_os_error() {
            Some(code) => PyOSError::new_err((code, message)),
            None => PyOSError::new_err(message),
        },
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

/// Options of the command and what they are called in Python, longer ones first.
const PARAMETERS: [(&str, &str); 21] = [
    ("leave it out with --exclude", "leave it out"),
    ("leave them out with --exclude", "leave them out"),
    ("leave the column out with --exclude", "leave the column out"),
    (" (--exclude)", ""),
    ("--model one-vs-rest, which fits one regression per class", "OneVsRestClassifier"),
    ("--model nb", "MixedNB"),
    ("--shrinkage ledoit-wolf", "shrinkage='auto'"),
    ("--on-separation firth", "on_separation='firth'"),
    ("a penalty (--l2 1)", "a penalty (LogisticRegression)"),
    ("a penalty (--l2)", "a penalty (LogisticRegression with a finite C)"),
    ("--l2", "a penalty (LogisticRegression with a finite C)"),
    ("--divisor ml", "divisor='ml'"),
    ("--tying per-column", "var_tying='per-column'"),
    ("--variance-floor 1e-9", "var_smoothing=1e-9"),
    ("--smoothing above 0", "alpha above 0"),
    ("without --ci none", "with interval='wald'"),
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
    let mut text = PARAMETERS.iter().fold(message.to_owned(), |text, (option, parameter)| text.replace(option, parameter));
    while let Some(at) = text.find("--").filter(|at| text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())) {
        let rest = &text[at + 2..];
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(rest.len());
        text = format!("{}{}{}", &text[..at], rest[..end].replace('-', "_"), &rest[end..]);
    }
    text
}
