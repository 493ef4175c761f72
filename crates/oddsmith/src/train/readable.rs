//! Whether bytes that are about to be kept can be read again: what no reader accepts must not take the place of a file that one does.

use super::{Answer, Question, Round};
use crate::error::Result;
use crate::persist::{self, ColumnFile, FileKind, LabelFile};

/// Reads the bytes of a file of any kind as its reader would; bytes of other formats (pictures, reports) pass.
///
/// # Errors
///
/// Those of the reader.
pub fn check_readable(bytes: &[u8]) -> Result<()> {
    if LabelFile::is_one(bytes) {
        return LabelFile::from_bytes(bytes).map(|_| ());
    }
    if ColumnFile::is_one(bytes) {
        return ColumnFile::from_bytes(bytes).map(|_| ());
    }
    if !persist::is_container(bytes) {
        return Ok(());
    }
    let (kind, record) = persist::from_bytes(bytes, None)?;
    match (kind, record.tag.as_str()) {
        (FileKind::Model, _) => persist::load_model(bytes).map(|_| ()),
        (_, Round::TAG) => Round::from_bytes(bytes).map(|_| ()),
        (_, Question::TAG) => Question::from_bytes(bytes).map(|_| ()),
        (_, Answer::TAG) => Answer::from_bytes(bytes).map(|_| ()),
        _ => persist::load_stats(bytes).map(|_| ()),
    }
}
