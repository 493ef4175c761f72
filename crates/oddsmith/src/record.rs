//! A thing to be stored, as plain data: a tag, a version, a JSON head and named arrays of numbers or bytes.
//!
//! Models and statistics turn into records and back; only [`crate::persist`] knows what bytes a record becomes.
//! Reading is strict: every array is taken by name with its expected shape, and what is wrong is said.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result, visible};

/// A named array of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// Numbers; every bit is kept.
    Numbers(Vec<f64>),
    /// Whole numbers.
    Counts(Vec<u64>),
    /// Raw bytes, such as the text of a vocabulary.
    Bytes(Vec<u8>),
}

/// A thing to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What it is: a tag of the registry, or `table-stats`.
    pub tag: String,
    /// Version of the tag's content, from 1 up.
    pub version: u32,
    /// Small structured content.
    pub head: serde_json::Value,
    /// Arrays by name.
    pub arrays: BTreeMap<String, Array>,
}

impl Record {
    /// A record with an empty set of arrays.
    pub fn new(tag: &str, version: u32, head: &impl Serialize) -> Result<Self> {
        let head = serde_json::to_value(head).map_err(|e| Error::internal(format!("a record's head cannot be written: {e}")))?;
        Ok(Record { tag: tag.into(), version, head, arrays: BTreeMap::new() })
    }

    /// Adds an array of numbers.
    pub fn put(&mut self, name: impl Into<String>, values: &[f64]) {
        self.arrays.insert(name.into(), Array::Numbers(values.to_vec()));
    }

    /// Adds an array of whole numbers.
    pub fn put_counts(&mut self, name: impl Into<String>, values: &[u64]) {
        self.arrays.insert(name.into(), Array::Counts(values.to_vec()));
    }

    /// Adds raw bytes.
    pub fn put_bytes(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.arrays.insert(name.into(), Array::Bytes(bytes));
    }

    /// Adds a list of texts as two arrays: `<name>.text` holds them end to end as UTF-8, `<name>.offsets` where each
    /// starts and the last one ends.
    pub fn put_texts<'a>(&mut self, name: &str, texts: impl IntoIterator<Item = &'a str>) {
        let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
        for text in texts {
            bytes.extend_from_slice(text.as_bytes());
            offsets.push(bytes.len() as u64);
        }
        self.put_bytes(format!("{name}.text"), bytes);
        self.arrays.insert(format!("{name}.offsets"), Array::Counts(offsets));
    }

    /// Adds a whole record: its head under `key`, its arrays under names that begin with `prefix`.
    pub fn put_nested(&mut self, key: &str, prefix: &str, inner: Record) -> Result<()> {
        self.put_part(key, &(&inner.tag, inner.version, &inner.head))?;
        self.arrays.extend(inner.arrays.into_iter().map(|(name, array)| (format!("{prefix}{name}"), array)));
        Ok(())
    }

    /// A record within this one, as written by [`Record::put_nested`].
    pub fn nested(&self, key: &str, prefix: &str) -> Result<Record> {
        let (tag, version, head) = self.part(key)?;
        let own = self.arrays.iter().filter_map(|(name, array)| Some((name.strip_prefix(prefix)?.to_owned(), array.clone())));
        Ok(Record { tag, version, head, arrays: own.collect() })
    }

    /// Adds a part to the head under a key of its own. A typed head that is read with [`Record::read_head`] passes
    /// over such parts unless it denies unknown fields.
    pub fn put_part(&mut self, key: &str, part: &impl Serialize) -> Result<()> {
        let part = serde_json::to_value(part).map_err(|e| Error::internal(format!("the part `{key}` of a head cannot be written: {e}")))?;
        let head = self.head.as_object_mut().ok_or_else(|| Error::internal("parts are added to heads with fields only"))?;
        match head.insert(key.into(), part) {
            None => Ok(()),
            Some(_) => Err(Error::internal(format!("the head has a field `{key}` of its own"))),
        }
    }

    /// The head as a typed value.
    pub fn read_head<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.head).map_err(|e| fault(format!("the head of `{}` is not as expected: {}", self.tag, visible(&e.to_string()))))
    }

    /// A part of the head, as written by [`Record::put_part`].
    pub fn part<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        let part = self.head.get(key).ok_or_else(|| fault(format!("the head of `{}` has no `{key}`", self.tag)))?;
        T::deserialize(part).map_err(|e| fault(format!("`{key}` is not as expected: {}", visible(&e.to_string()))))
    }

    /// Refuses a tag or a version that the reader does not know.
    pub fn expect(&self, tag: &str, newest: u32) -> Result<()> {
        if self.tag != tag {
            return Err(fault(format!("it holds `{}`, not `{tag}`", self.tag)));
        }
        if self.version > newest {
            return Err(fault(format!("`{tag}` version {} is newer than this program, which reads up to {newest}", self.version)));
        }
        Ok(())
    }

    /// An array of exactly `len` finite numbers.
    pub fn numbers(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        self.finite(name, len).map(<[f64]>::to_vec)
    }

    /// An array of exactly `len` finite numbers, borrowed.
    pub fn finite(&self, name: &str, len: usize) -> Result<&[f64]> {
        self.checked(name, len, f64::is_finite, "a number that is not finite")
    }

    /// An array of exactly `len` finite numbers from 0 up: weights, counts, sums of squares.
    pub fn weights(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        let weights = self.checked(name, len, |v| v.is_finite() && v >= 0.0, "a number that is not finite or below zero");
        weights.map(<[f64]>::to_vec)
    }

    /// An array of exactly `len` logarithms of probabilities: finite or minus infinity.
    pub fn logs(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        let is_log = |v: f64| v.is_finite() || v == f64::NEG_INFINITY;
        self.checked(name, len, is_log, "something that is no logarithm of a probability").map(<[f64]>::to_vec)
    }

    /// An array of exactly `len` weights: anything but NaN, because a word that cannot occur, or cannot be absent, weighs
    /// infinitely much.
    pub fn log_weights(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        self.checked(name, len, |v| !v.is_nan(), "something that is not a number").map(<[f64]>::to_vec)
    }

    /// An array of exactly `len` ends of intervals: anything but NaN.
    pub fn extended(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        self.log_weights(name, len)
    }

    fn checked(&self, name: &str, len: usize, accepted: fn(f64) -> bool, otherwise: &str) -> Result<&[f64]> {
        match self.arrays.get(name) {
            Some(Array::Numbers(values)) if values.len() != len => {
                Err(fault(format!("`{name}` has {} numbers where {len} belong", values.len())))
            }
            Some(Array::Numbers(values)) if values.iter().all(|v| accepted(*v)) => Ok(values),
            Some(Array::Numbers(_)) => Err(fault(format!("`{name}` holds {otherwise}"))),
            Some(_) => Err(fault(format!("`{name}` does not hold numbers"))),
            None => Err(fault(format!("`{name}` is missing"))),
        }
    }

    /// A list of texts, as written by [`Record::put_texts`]. They are borrowed: nothing is allocated for a text
    /// before its place in the bytes is known to exist.
    pub fn texts(&self, name: &str) -> Result<Vec<&str>> {
        let text = std::str::from_utf8(self.bytes(&format!("{name}.text"))?).map_err(|_| fault(format!("`{name}.text` is not UTF-8")))?;
        let offsets = self.counts(&format!("{name}.offsets"))?;
        if offsets.first() != Some(&0) || offsets.last() != Some(&(text.len() as u64)) {
            return Err(fault(format!("`{name}.offsets` does not run from 0 to the end of the text")));
        }
        let between = |pair: &[u64]| text.get(usize::try_from(pair[0]).ok()?..usize::try_from(pair[1]).ok()?);
        let misplaced = || fault(format!("`{name}.offsets` does not fall between characters in rising order"));
        offsets.windows(2).map(|pair| between(pair).ok_or_else(misplaced)).collect()
    }

    /// An array of exactly `len` whole numbers.
    pub fn counts_of(&self, name: &str, len: usize) -> Result<&[u64]> {
        match self.counts(name)? {
            values if values.len() == len => Ok(values),
            values => Err(fault(format!("`{name}` has {} whole numbers where {len} belong", values.len()))),
        }
    }

    /// An array of whole numbers of any length.
    pub fn counts(&self, name: &str) -> Result<&[u64]> {
        match self.arrays.get(name) {
            Some(Array::Counts(values)) => Ok(values),
            Some(_) => Err(fault(format!("`{name}` does not hold whole numbers"))),
            None => Err(fault(format!("`{name}` is missing"))),
        }
    }

    /// Raw bytes.
    pub fn bytes(&self, name: &str) -> Result<&[u8]> {
        match self.arrays.get(name) {
            Some(Array::Bytes(bytes)) => Ok(bytes),
            Some(_) => Err(fault(format!("`{name}` does not hold bytes"))),
            None => Err(fault(format!("`{name}` is missing"))),
        }
    }
}

/// The error for content that a reader refuses.
pub fn fault(what: impl Into<String>) -> Error {
    ErrorKind::Format { expected: "oddsmith file", what: what.into() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_texts(texts: &[&str]) -> Record {
        let mut record = Record::new("test", 1, &serde_json::json!({})).unwrap();
        record.put_texts("names", texts.iter().copied());
        record
    }

    #[test]
    fn texts_come_back_whole() {
        for texts in [&[][..], &[""], &["a", "", "größer", "日本"]] {
            assert_eq!(with_texts(texts).texts("names").unwrap(), texts);
        }
    }

    #[test]
    fn offsets_must_rise_between_characters_to_the_end() {
        let mut record = with_texts(&["é", "b"]);
        for offsets in [&[][..], &[0], &[0, 1, 3], &[0, 3, 2], &[0, 2], &[1, 3], &[0, 1 << 60, 3], &[0, 3, 2, 3]] {
            record.put_counts("names.offsets", offsets);
            assert!(matches!(record.texts("names").unwrap_err().kind(), ErrorKind::Format { .. }), "{offsets:?}");
        }
        record.put_bytes("names.text", vec![0xff, b'a', b'b']);
        assert_eq!(record.texts("names").unwrap_err().to_string(), "not a usable oddsmith file: `names.text` is not UTF-8");
    }

    #[test]
    fn a_newer_version_and_another_tag_are_refused_in_words() {
        let mut record = with_texts(&[]);
        assert!(record.expect("test", 1).is_ok());
        assert!(record.expect("other", 1).unwrap_err().to_string().contains("holds `test`, not `other`"));
        record.version = 2;
        assert!(record.expect("test", 1).unwrap_err().to_string().contains("version 2 is newer than this program"));
    }
}
