//! The envelope: what a file says of itself, and the checksum that seals it.
//!
//! The envelope is a JSON text inside the metadata of the container:
//! `{"blake3":"…64 hex digits…","format":1,"kind":"model","tag":"…","version":1,"program":"…","head":…}`.
//! The checksum is its first field and the metadata are the first field of the header, so the digits always stand at
//! the same place: they are the BLAKE3 hash of all other bytes of the file, in order.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strict_json::{self, Sorted};
use super::{FileKind, container};
use crate::error::{Error, Result, visible};
use crate::record::{Record, fault};

/// The newest format that this program reads, and the one it writes.
const FORMAT: u32 = 1;
/// How every header starts, up to the digits of the checksum.
const OPENING: &str = r#"{"__metadata__":{"oddsmith":"{\"blake3\":\""#;
/// Where the digits of the checksum stand.
const CHECKSUM_START: usize = container::HEADER_START + OPENING.len();
/// Number of hexadecimal digits of the checksum.
const CHECKSUM_DIGITS: usize = 2 * blake3::OUT_LEN;
/// Where the digits end.
const CHECKSUM_END: usize = CHECKSUM_START + CHECKSUM_DIGITS;
/// Longest tag.
const LONGEST_TAG: usize = 64;

/// What a file says of itself, in the order in which it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<Text, Head> {
    blake3: Text,
    format: u32,
    kind: FileKind,
    tag: Text,
    version: u32,
    program: Text,
    head: Head,
}

/// The bytes of a record, as written by the given version of the program.
pub(super) fn seal(record: &Record, kind: FileKind, program: &str) -> Result<Vec<u8>> {
    // The head is a field of the envelope, next to six others.
    if !is_tag(&record.tag) || record.version == 0 || !strict_json::is_readable(&record.head, 1, 7) {
        return Err(Error::internal(format!("the record `{}` could not be read back", visible(&record.tag))));
    }
    let placeholder = "0".repeat(CHECKSUM_DIGITS);
    let (tag, version, head) = (record.tag.as_str(), record.version, Sorted(&record.head));
    let envelope = Envelope { blake3: placeholder.as_str(), format: FORMAT, kind, tag, version, program, head };
    let text = serde_json::to_string(&envelope).map_err(|e| Error::internal(format!("an envelope cannot be written: {e}")))?;
    let mut bytes = container::write(&text, &record.arrays)?;
    let digits = checksum(&bytes);
    bytes[CHECKSUM_START..CHECKSUM_END].copy_from_slice(digits.as_bytes());
    Ok(bytes)
}

/// The record of a file.
pub(super) fn open(bytes: &[u8]) -> Result<(FileKind, Record)> {
    let header = container::header(bytes)?;
    if !header.starts_with(OPENING.as_bytes()) || header.len() < OPENING.len() + CHECKSUM_DIGITS {
        return Err(fault("it does not begin as files of oddsmith do"));
    }
    if bytes[CHECKSUM_START..CHECKSUM_END] != *checksum(bytes).as_bytes() {
        return Err(fault("its checksum does not match: the file is damaged or cut off"));
    }
    let (text, arrays) = container::read(bytes)?;
    let unexpected = |e: serde_json::Error| fault(format!("its envelope is not as expected: {}", visible(&e.to_string())));
    let envelope = strict_json::parse(&text).map_err(unexpected)?;
    // A newer envelope may have other fields, so the format is looked at before the rest.
    match envelope.get("format").and_then(Value::as_u64) {
        Some(format) if format > u64::from(FORMAT) => {
            return Err(fault(format!(
                "it was written by a newer program (format {format}; this program reads up to {FORMAT}); update oddsmith to read it"
            )));
        }
        _ => {}
    }
    let envelope = Envelope::<String, Value>::deserialize(envelope).map_err(unexpected)?;
    let Envelope { format, kind, tag, version, head, .. } = envelope;
    if format == 0 || version == 0 || !is_tag(&tag) {
        return Err(fault("its envelope is not as expected: versions start at 1 and tags are lower case words"));
    }
    Ok((kind, Record { tag, version, head, arrays }))
}

/// Tags are words of lower-case letters and digits, joined by hyphens.
fn is_tag(tag: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=LONGEST_TAG).contains(&tag.len()) && tag.bytes().all(plain)
}

/// The hash of all bytes but the digits of the checksum, in hexadecimal.
fn checksum(bytes: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..CHECKSUM_START]);
    hasher.update(&bytes[CHECKSUM_END..]);
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Record {
        let mut record = Record::new("example", 1, &serde_json::json!({"smoothing": 0.5})).unwrap();
        record.put("weights", &[1.5, -2.0]);
        record.put_texts("names", ["no", "yes"]);
        record
    }

    /// 16 bytes a line: offset, hexadecimal, and what is printable.
    fn hex_dump(bytes: &[u8]) -> String {
        let line = |(at, chunk): (usize, &[u8])| {
            let hex: Vec<String> = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
            let text: String = chunk.iter().map(|&byte| if byte == b' ' || byte.is_ascii_graphic() { byte as char } else { '.' }).collect();
            format!("{:06x}  {:<47}  |{text}|\n", at * 16, hex.join(" "))
        };
        bytes.chunks(16).enumerate().map(line).collect()
    }

    #[test]
    fn the_documented_bytes_are_the_bytes() {
        let document = include_str!("../../../../docs/format.md");
        let bytes = seal(&example(), FileKind::Model, "0.1.0").unwrap();
        let dump = hex_dump(&bytes);
        assert!(document.contains(&format!("```text\n{dump}```")), "docs/format.md should show\n{dump}");
        assert!(document.contains(&format!("| {CHECKSUM_START} | {CHECKSUM_DIGITS} |")));
        assert_eq!(open(&bytes).unwrap(), (FileKind::Model, example()));
    }

    #[test]
    fn the_documented_limits_are_the_limits() {
        let document = include_str!("../../../../docs/format.md");
        for limit in [container::LONGEST_HEADER, strict_json::DEEPEST, strict_json::MOST_VALUES, LONGEST_TAG] {
            assert!(document.contains(&limit.to_string()), "{limit}");
        }
    }
}
