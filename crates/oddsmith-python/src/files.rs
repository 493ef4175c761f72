//! Writing files as the command does: the old file or the new one, never a mix.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::edge::raise;

/// Writes bytes to a file.
#[pyfunction]
pub(crate) fn write_file(py: Python<'_>, path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    py.detach(|| oddsmith_io::write_bytes(&path, bytes)).map_err(|error| raise(py, error))
}
