//! Bytes of models and of statistics: tagged, versioned, sealed with a checksum, without any code in them.
//!
//! A file is a safetensors container. Its metadata hold one JSON text, the envelope, that says what the file is and
//! carries the head of the record; arrays are tensors. The checksum stands at a fixed place and is verified before
//! anything is parsed, so damage is told apart from malice: whatever passes it is still read strictly, because a
//! checksum can be forged. `docs/format.md` describes every byte. Equal records become equal bytes.

mod column_file;
mod container;
mod envelope;
mod label_file;
mod members;
mod sealed_bytes;
mod strict_json;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use column_file::{ColumnCode, ColumnFile};
pub use label_file::LabelFile;
pub use members::{Members, counted_twice, load_members, save_members, together, without};

use crate::error::{Error, ErrorKind, Result};
use crate::model::Classifier;
use crate::record::Record;
use crate::registry;
use crate::stats::TableStats;

/// How the header of every container starts, after its length.
const OPENING: &[u8] = br#"{"__metadata__":{"oddsmith":"#;
/// Bytes by which a container is known.
pub const HEAD_BYTES: usize = size_of::<u64>() + OPENING.len();

/// Whether bytes begin as every model and statistics file does; a table never does. [`HEAD_BYTES`] are enough to tell.
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.get(HEAD_BYTES - OPENING.len()..HEAD_BYTES) == Some(OPENING)
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// A fitted model.
    Model,
    /// Sums over rows.
    Statistics,
}

impl FileKind {
    /// What people call such a file.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::Model => "model file",
            FileKind::Statistics => "statistics file",
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The bytes of a record. Fails only on records that no reader would accept: a head that is deep or huge, names of
/// arrays or tags that are not plain ASCII.
pub fn to_bytes(record: &Record, kind: FileKind) -> Result<Vec<u8>> {
    envelope::seal(record, kind, env!("CARGO_PKG_VERSION"))
}

/// The record in a file, and what kind of file it is; another kind than the expected one is refused.
pub fn from_bytes(bytes: &[u8], expected: Option<FileKind>) -> Result<(FileKind, Record)> {
    let wanted = expected.map_or("oddsmith file", FileKind::name);
    let (kind, record) = envelope::open(bytes).map_err(|error| expecting(wanted, error))?;
    match expected.filter(|expected| *expected != kind) {
        None => Ok((kind, record)),
        Some(expected) => Err(ErrorKind::Format { expected: wanted, what: format!("this is a {kind}; expected a {expected}") }.into()),
    }
}

/// The bytes of a model file.
pub fn save_model(model: &dyn Classifier) -> Result<Vec<u8>> {
    to_bytes(&model.record()?, FileKind::Model)
}

/// The model in a model file.
pub fn load_model(bytes: &[u8]) -> Result<Box<dyn Classifier>> {
    let (kind, record) = from_bytes(bytes, Some(FileKind::Model))?;
    registry::read(&record).map_err(|error| expecting(kind.name(), error))
}

/// The bytes of a statistics file.
pub fn save_stats(stats: &TableStats) -> Result<Vec<u8>> {
    to_bytes(&stats.record()?, FileKind::Statistics)
}

/// The statistics in a statistics file.
pub fn load_stats(bytes: &[u8]) -> Result<TableStats> {
    let (kind, mut record) = from_bytes(bytes, Some(FileKind::Statistics))?;
    members::taken(&mut record).transpose().map_err(|error| expecting(kind.name(), error))?;
    TableStats::read(&record).map_err(|error| expecting(kind.name(), error))
}

/// The error with the name of what was expected; every fault of content is a fault of the format here.
pub(crate) fn expecting(expected: &'static str, error: Error) -> Error {
    match error.into_kind() {
        ErrorKind::Format { what, .. } => ErrorKind::Format { expected, what }.into(),
        other => ErrorKind::Format { expected, what: Error::from(other).to_string() }.into(),
    }
}
