//! Cards and tables, as Python sees them: texts, and columns by name.

use oddsmith::card::{Cell, Table};
use oddsmith_report::{Format, Style, Subject, notebook, render};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::edge::raise;

/// A subject as text in a format of the report, or as HTML for a notebook.
pub(crate) fn rendered<'a>(py: Python<'_>, subject: impl Into<Subject<'a>>, format: &str) -> PyResult<String> {
    if format == "notebook" {
        return Ok(notebook(subject));
    }
    let format: Format = format.parse().map_err(|error| raise(py, error))?;
    Ok(render(subject, format, &Style::default()))
}

/// The columns of a table by name.
pub(crate) fn table_columns<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (at, name) in table.columns().iter().enumerate() {
        let cells = table.rows().iter().map(|row| turned(py, &row[at])).collect::<PyResult<Vec<_>>>()?;
        columns.set_item(name, cells)?;
    }
    Ok(columns)
}

/// A cell as a Python object.
pub(crate) fn turned<'py>(py: Python<'py>, cell: &Cell) -> PyResult<Bound<'py, PyAny>> {
    Ok(match cell {
        Cell::Empty => py.None().into_bound(py),
        Cell::Text(text) => text.into_pyobject(py)?.into_any(),
        Cell::Count(count) => count.into_pyobject(py)?.into_any(),
        Cell::Number(number) | Cell::PValue(number) => number.into_pyobject(py)?.into_any(),
    })
}
