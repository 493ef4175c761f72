//! Which gatherings of rows a statistics file is the sum of, so that none of them is counted twice.
//!
//! What was gathered at once is known by the hash of its own sums, whatever its file is called. A file that was merged, or from which some was
//! taken away, lists the hashes of what it holds.

use std::collections::BTreeSet;

use super::{FileKind, envelope, expecting, from_bytes, to_bytes};
use crate::error::{Error, ErrorKind, Result};
use crate::notice::{self, Notice};
use crate::record::Record;
use crate::stats::{Named, TableStats};

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

/// What two hold together; the same sums may not be in both.
pub fn together(first: (&str, &Members), second: (&str, &Members)) -> Result<Members> {
    match first.1.is_disjoint(second.1) {
        true => Ok(first.1 | second.1),
        false => Err(counted_twice(first.0, second.0)),
    }
}

/// Sums that are the same to the last bit are those of the same rows, under whatever names.
pub fn counted_twice(first: &str, second: &str) -> Error {
    let what = "both hold the same sums, so the same rows would count twice".into();
    ErrorKind::Mismatch { left_name: first.into(), right_name: second.into(), what }.into()
}

/// What statistics hold after a part was taken away; nothing where that is not known. Where they list what they are the sum of and the part is not
/// among it, that is told: its rows may be some of a member's rows, and may be none of them.
pub fn without(whole: &Named<'_>, held: &Members, part: &str, gone: &Members) -> Result<(Members, Option<Notice>)> {
    if !gone.is_empty() && gone.is_subset(held) {
        return Ok((held - gone, None));
    }
    let listed = !held.is_empty() && *held != Members::from([own(&whole.stats.record()?)?]);
    let text = format!(
        "{} lists what it is the sum of, and {part} is not among it: what remains is right only if all rows of the part are in it",
        whole.name
    );
    Ok((Members::new(), listed.then(|| Notice::new(notice::NO_MEMBER, text))))
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
