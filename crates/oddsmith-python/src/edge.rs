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
    notices.into_iter().map(|notice| (notice.id.to_owned(), notice.column, notice.level, notice.text)).collect()
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
    let message = error.to_string();
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
