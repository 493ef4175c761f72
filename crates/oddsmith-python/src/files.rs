//! Writing files as the command does: the old file or the new one, never a mix.

use std::path::PathBuf;

use oddsmith::error::{Error, ErrorKind};
use pyo3::prelude::*;

use crate::edge::raise;

/// Writes bytes to a file.
#[pyfunction]
pub(crate) fn write_file(py: Python<'_>, path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    let failed = |source| Error::from(ErrorKind::Io { path: path.display().to_string(), source });
    oddsmith_io::write_file(&path, &[], |file| file.write_all(bytes).map_err(failed)).map_err(|error| raise(py, error))
}
