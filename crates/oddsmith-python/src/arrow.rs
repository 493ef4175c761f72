//! Arrow tables from any library that speaks the Arrow PyCapsule interface: pandas, polars, pyarrow, DuckDB …
//!
//! The one place with unsafe code. The interface hands over a pointer to a C structure, and no type can prove what lies there;
//! the name of the capsule does, by the interface's promise.
#![allow(unsafe_code)]

use std::sync::Arc;

use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, Field, Schema};
use oddsmith_io::ArrowTable;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Takes the table of an object with `__arrow_c_stream__`; its buffers are shared, not copied.
pub(crate) fn table(object: &Bound<'_, PyAny>, name: &str) -> PyResult<ArrowTable> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err("__arrow_c_stream__ gave no capsule"))?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: `pointer_checked` refuses null and any capsule of another name. By the Arrow PyCapsule interface, a capsule of
    // this name holds a valid, initialised `ArrowArrayStream`. `from_raw` moves the structure out and leaves a released one
    // behind, which the capsule's destructor then skips, so it is released once. The capsule is alive throughout.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.cast().as_ptr()) }.map_err(|error| refused(&error))?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<RecordBatch>, ArrowError>>().map_err(|error| refused(&error))?;
    Ok(ArrowTable { name: name.into(), schema, batches })
}

fn refused(error: &ArrowError) -> PyErr {
    PyValueError::new_err(format!("the table cannot be read: {error}"))
}

/// Columns that are put beside those of a table: the class of every row, and its weight.
pub(crate) struct Beside<'a> {
    /// Name of the target.
    pub(crate) target: &'a str,
    /// Labels of the classes.
    pub(crate) classes: &'a [String],
    /// Codes of the rows.
    pub(crate) codes: &'a [u32],
    /// Name and values of the weights.
    pub(crate) weights: Option<(&'a str, &'a [f64])>,
}

/// The table with the columns beside it.
pub(crate) fn beside(table: &ArrowTable, columns: &Beside<'_>) -> PyResult<ArrowTable> {
    let labels = Arc::new(StringArray::from_iter_values(columns.classes)) as ArrayRef;
    let mut fields: Vec<Arc<Field>> = table.schema.fields().iter().cloned().collect();
    let kind = arrow_schema::DataType::Dictionary(arrow_schema::DataType::Int32.into(), arrow_schema::DataType::Utf8.into());
    fields.push(Arc::new(Field::new(columns.target, kind, false)));
    if let Some((name, _)) = columns.weights {
        fields.push(Arc::new(Field::new(name, arrow_schema::DataType::Float64, false)));
    }
    let schema = Arc::new(Schema::new(fields));
    let mut first = 0;
    let mut batches = Vec::with_capacity(table.batches.len());
    for batch in &table.batches {
        let rows = first..first + batch.num_rows();
        first = rows.end;
        let short = || PyValueError::new_err("X and y have different numbers of rows");
        let keys = Int32Array::from_iter_values(columns.codes.get(rows.clone()).ok_or_else(short)?.iter().map(|code| *code as i32));
        let target = DictionaryArray::<Int32Type>::try_new(keys, labels.clone()).map_err(|error| refused(&error))?;
        let mut arrays = batch.columns().to_vec();
        arrays.push(Arc::new(target));
        if let Some((_, weights)) = columns.weights {
            arrays.push(Arc::new(Float64Array::from(weights.get(rows).ok_or_else(short)?.to_vec())));
        }
        batches.push(RecordBatch::try_new(schema.clone(), arrays).map_err(|error| refused(&error))?);
    }
    match first == columns.codes.len() {
        true => Ok(ArrowTable { name: table.name.clone(), schema, batches }),
        false => Err(PyValueError::new_err(format!("X has {first} rows and y has {}", columns.codes.len()))),
    }
}

/// A table of one text column.
pub(crate) fn of_texts(name: &str, texts: Vec<Option<String>>) -> PyResult<ArrowTable> {
    let schema = Arc::new(Schema::new(vec![Field::new(name, arrow_schema::DataType::Utf8, true)]));
    let column = Arc::new(StringArray::from(texts)) as ArrayRef;
    let batch = RecordBatch::try_new(schema.clone(), vec![column]).map_err(|error| refused(&error))?;
    Ok(ArrowTable { name: "X".into(), schema, batches: vec![batch] })
}

/// A table of number columns, row after row.
pub(crate) fn of_numbers(names: &[String], columns: Vec<Vec<f64>>) -> PyResult<ArrowTable> {
    let fields: Vec<Field> = names.iter().map(|name| Field::new(name, arrow_schema::DataType::Float64, true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let columns = columns.into_iter().map(|column| Arc::new(Float64Array::from(column)) as ArrayRef).collect();
    let batch = RecordBatch::try_new(schema.clone(), columns).map_err(|error| refused(&error))?;
    Ok(ArrowTable { name: "X".into(), schema, batches: vec![batch] })
}
