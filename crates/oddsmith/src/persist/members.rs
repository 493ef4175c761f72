//! Which gatherings of rows a statistics file is the sum of, so that none of them is counted twice.
//!
//! What was gathered at once is known by the hash of its own sums, whatever its file is called. A file that was merged, or from which some was
//! taken away, lists the hashes of what it holds.

use std::collections::BTreeSet;

use super::{FileKind, envelope, expecting, from_bytes, to_bytes};
use crate::error::Result;
use crate::record::Record;
use crate::stats::TableStats;

/// The name of the list in a record.
const LIST: &str = "members";
/// Stands for the version of the program, which has no part in what sums are.
const NO_VERSION: &str = "";

/// The hashes of the gatherings that statistics are the sum of.
pub type Members = BTreeSet<String>;

/// The bytes of a statistics file that lists what it is the sum of; without a list it is a gathering of its own.
pub fn save_members(stats: &TableStats, members: &Members) -> Result<Vec<u8>> {
    let mut record = stats.record()?;
    if !members.is_empty() && *members != Members::from([own(&record)?]) {
        record.put_texts(LIST, members.iter().map(String::as_str));
    }
    to_bytes(&record, FileKind::Statistics)
}

/// What a statistics file is the sum of.
pub fn load_members(bytes: &[u8]) -> Result<Members> {
    let (kind, mut record) = from_bytes(bytes, Some(FileKind::Statistics))?;
    match taken(&mut record) {
        None => Ok(Members::from([own(&record)?])),
        Some(list) => list.map_err(|error| expecting(kind.name(), error)),
    }
}

/// Takes the list out of a record, where it has one.
pub(super) fn taken(record: &mut Record) -> Option<Result<Members>> {
    let [text, offsets] = ["text", "offsets"].map(|part| format!("{LIST}.{part}"));
    record.arrays.contains_key(&text).then(|| {
        let list = record.texts(LIST).map(|list| list.into_iter().map(str::to_owned).collect());
        record.arrays.remove(&text);
        record.arrays.remove(&offsets);
        list
    })
}

/// The hash of sums.
fn own(record: &Record) -> Result<String> {
    Ok(blake3::hash(&envelope::seal(record, FileKind::Statistics, NO_VERSION)?).to_hex().to_string())
}
