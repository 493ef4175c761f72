//! Files of the project from which inputs are made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray, types::Int32Type};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder of the project whose names end so, in order of their names; none where there is no such folder.
fn ending(folder: &Path, end: &str) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        let bytes = name.ends_with(end).then(|| std::fs::read(&path).ok())??;
        Some((name, bytes))
    };
    paths.into_iter().filter_map(named).collect()
}

/// Kept files of older programs: models (`.odds`), statistics, rounds, answers.
pub fn files(end: &str) -> Vec<(String, Vec<u8>)> {
    ending(&root().join("testdata/files"), end)
}

/// Inputs that broke a target once.
pub fn found(target: &str) -> Vec<(String, Vec<u8>)> {
    ending(&root().join("testdata/fuzz").join(target), "")
}

/// Tables of the examples, cut to their first rows: short inputs are tried more often.
pub(crate) fn tables() -> Vec<Vec<u8>> {
    let first_rows = |bytes: Vec<u8>| bytes.split_inclusive(|byte| *byte == b'\n').take(12).flatten().copied().collect();
    ending(&root().join("examples"), ".csv").into_iter().map(|(_, bytes)| first_rows(bytes)).collect()
}

/// Lines of labels and words.
pub(crate) fn lines() -> Vec<Vec<u8>> {
    vec![b"__label__spam win money now\n__label__ham see you at noon\n__label__a __label__b two labels\n\nno label\n".to_vec()]
}

/// A table of every kind of column that typed files hold.
fn batch() -> Option<RecordBatch> {
    let word: DictionaryArray<Int32Type> = ["red", "blue", "red", "green"].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("x", Arc::new(Float64Array::from(vec![Some(1.5), None, Some(-0.0), Some(1e300)]))),
        ("n", Arc::new(Int64Array::from(vec![Some(1), Some(i64::MAX), None, Some(-7)]))),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]))),
        ("name", Arc::new(StringArray::from(vec![Some("a"), Some(""), None, Some("ü")]))),
        ("colour", Arc::new(word)),
        ("y", Arc::new(StringArray::from(vec!["no", "yes", "no", "yes"]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).ok()
}

/// The table as Arrow writes it: a file and a stream.
pub(crate) fn arrow() -> Vec<Vec<u8>> {
    let Some(batch) = batch() else { return Vec::new() };
    let file = || {
        let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema())?;
        writer.write(&batch)?;
        writer.into_inner()
    };
    let stream = || {
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema())?;
        writer.write(&batch)?;
        writer.into_inner()
    };
    [file(), stream()].into_iter().flatten().collect()
}

/// The table as Parquet.
pub(crate) fn parquet() -> Vec<Vec<u8>> {
    let written = batch().and_then(|batch| {
        let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).ok()?;
        writer.write(&batch).ok()?;
        writer.into_inner().ok()
    });
    written.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_seed_is_there() {
        assert!(files(".odds").len() > 50 && !files(".round").is_empty() && !files(".answer").is_empty() && !files(".stats").is_empty());
        assert!(tables().len() > 5 && arrow().len() == 2 && parquet().len() == 1 && lines().len() == 1);
    }
}
