//! Files made by hand to do harm: each is a good file with one thing forged, and the right checksum.

use crate::seal::sealed;
use crate::seeds;

/// What a file claims to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A model.
    Model,
    /// Sums of a table.
    Statistics,
    /// A round between sites.
    Round,
    /// A site's answer.
    Answer,
}

/// A file that must be refused.
pub struct HostileFile {
    /// Which file was forged, and how.
    pub name: String,
    /// What reads it.
    pub kind: Kind,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A good file, taken apart.
struct Parts {
    header: String,
    data: Vec<u8>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Option<Self> {
        let length = u64::from_le_bytes(*bytes.first_chunk()?);
        let end = usize::try_from(length).ok()?.checked_add(8)?;
        let header = std::str::from_utf8(bytes.get(8..end)?).ok()?;
        Some(Parts { header: header.to_owned(), data: bytes.get(end..)?.to_vec() })
    }

    /// The file with another header, sealed.
    fn with_header(&self, header: &str) -> Vec<u8> {
        Self::assembled(header, header.len() as u64, &self.data)
    }

    fn assembled(header: &str, length: u64, data: &[u8]) -> Vec<u8> {
        sealed(&[&length.to_le_bytes(), header.as_bytes(), data].concat())
    }
}

/// A change of the header: what stands there, and what is put in its place. The first of each is replaced.
const EXCHANGES: [(&str, &str, &str); 22] = [
    ("a shape of 2^60", "\"shape\":[", "\"shape\":[1152921504606846976,"),
    ("a shape that overflows", "\"shape\":[", "\"shape\":[18446744073709551615,"),
    ("a shape below zero", "\"shape\":[", "\"shape\":[-1,"),
    ("a shape with a point", "\"shape\":[", "\"shape\":[1.5,"),
    ("offsets of 2^60", "\"data_offsets\":[0,", "\"data_offsets\":[1152921504606846976,"),
    ("offsets below zero", "\"data_offsets\":[0,", "\"data_offsets\":[-8,"),
    ("offsets that leave a hole", "\"data_offsets\":[0,", "\"data_offsets\":[8,"),
    ("an unknown type of numbers", "\"dtype\":\"F64\"", "\"dtype\":\"F16\""),
    ("a type twice", "\"dtype\":\"", "\"dtype\":\"U8\",\"dtype\":\""),
    ("an unknown field", "\"dtype\":\"", "\"code\":\"import os\",\"dtype\":\""),
    ("an array without offsets", "\"data_offsets\"", "\"offsets\""),
    ("a later format", "\\\"format\\\":1", "\\\"format\\\":2"),
    ("a format of 2^64", "\\\"format\\\":1", "\\\"format\\\":18446744073709551616"),
    ("a format in words", "\\\"format\\\":1", "\\\"format\\\":\\\"1\\\""),
    ("a version of nought", "\\\"version\\\":", "\\\"version\\\":0,\\\"was\\\":"),
    ("a later version", "\\\"version\\\":", "\\\"version\\\":4294967295,\\\"was\\\":"),
    ("a tag that drives a terminal", "\\\"tag\\\":\\\"", "\\\"tag\\\":\\\"\\\\u001b[2J"),
    ("a tag of nobody", "\\\"tag\\\":\\\"", "\\\"tag\\\":\\\"crystal-"),
    ("a kind of nobody", "\\\"kind\\\":\\\"", "\\\"kind\\\":\\\"pickle-"),
    ("a head that is a number", "\\\"head\\\":{", "\\\"head\\\":7,\\\"was\\\":{"),
    ("metadata that are no text", "{\"__metadata__\":{\"oddsmith\":\"", "{\"__metadata__\":{\"oddsmith\":7,\"was\":\""),
    ("metadata twice", "\"dtype\":\"", "\"dtype\":\"F64\",\"__metadata__\":\""),
];

/// Changes of the whole: what it does, and how.
type Change = (&'static str, fn(&Parts) -> Vec<u8>);
const CHANGES: [Change; 9] = [
    ("a header of 2^60 bytes", |parts| Parts::assembled(&parts.header, 1 << 60, &parts.data)),
    ("a header of 2^64 bytes", |parts| Parts::assembled(&parts.header, u64::MAX, &parts.data)),
    ("a header of nought bytes", |parts| Parts::assembled(&parts.header, 0, &parts.data)),
    ("no data", |parts| Parts::assembled(&parts.header, parts.header.len() as u64, &[])),
    ("a byte more", |parts| Parts::assembled(&parts.header, parts.header.len() as u64, &[&parts.data[..], &[0]].concat())),
    ("a header of 100,000 lists", |parts| nested(parts, "[")),
    ("a header of 100,000 objects", |parts| nested(parts, "{\"a\":")),
    ("a header of a million names", |parts| {
        let names: String = (0..100_000).map(|at| format!(",\"n{at}\":0")).collect();
        parts.with_header(&format!("{}{names}}}", parts.header.trim_end().trim_end_matches('}')))
    }),
    ("numbers that are none", |parts| {
        let poisoned = f64::NAN.to_le_bytes().repeat(parts.data.len() / 8);
        let rest = &parts.data[poisoned.len()..];
        Parts::assembled(&parts.header, parts.header.len() as u64, &[&poisoned[..], rest].concat())
    }),
];

fn nested(parts: &Parts, opening: &str) -> Vec<u8> {
    let header = parts.header.trim_end().trim_end_matches('}');
    parts.with_header(&format!("{header},\"deep\":{}", opening.repeat(100_000)))
}

/// The good files that are forged.
pub const GOOD: [(Kind, &str); 6] = [
    (Kind::Model, "logistic-1.odds"),
    (Kind::Model, "tree-1.odds"),
    (Kind::Model, "nb-words-1.odds"),
    (Kind::Statistics, "table-stats-1.stats"),
    (Kind::Round, "round-1.round"),
    (Kind::Answer, "answer-1a.answer"),
];

/// All of them: every change of a file of every kind.
pub fn hostile_files() -> Vec<HostileFile> {
    let mut all = Vec::new();
    for (kind, name) in GOOD {
        let Some(parts) = seeds::files(name).first().and_then(|(_, bytes)| Parts::of(bytes)) else { continue };
        for (what, from, to) in EXCHANGES {
            if parts.header.contains(from) {
                let bytes = parts.with_header(&parts.header.replacen(from, to, 1));
                all.push(HostileFile { name: format!("{name}: {what}"), kind, bytes });
            }
        }
        for (what, change) in CHANGES {
            // Without numbers nothing can be poisoned.
            let bytes = change(&parts);
            if bytes != parts.with_header(&parts.header) {
                all.push(HostileFile { name: format!("{name}: {what}"), kind, bytes });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_a_hundred_files_and_none_is_good() {
        let files = hostile_files();
        assert!(files.len() >= 100, "only {}", files.len());
        let good: Vec<Vec<u8>> = seeds::files("").into_iter().map(|(_, bytes)| bytes).collect();
        for file in &files {
            assert!(!good.contains(&file.bytes), "{} is as it was", file.name);
        }
    }
}
