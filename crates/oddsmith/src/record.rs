//! A thing to be stored, as plain data: a tag, a version, a JSON head and named arrays of numbers or bytes.
//!
//! Models and statistics turn into records and back; only [`crate::persist`] knows what bytes a record becomes.
//! Reading is strict: every array is taken by name with its expected shape, and what is wrong is said.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};

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

    /// The head as a typed value.
    pub fn read_head<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.head).map_err(|e| fault(format!("the head of `{}` is not as expected: {e}", self.tag)))
    }

    /// Refuses a tag or a version that the reader does not know.
    pub fn expect(&self, tag: &str, newest: u32) -> Result<()> {
        if self.tag != tag {
            return Err(fault(format!("it holds `{}`, not `{tag}`", self.tag)));
        }
        if self.version == 0 || self.version > newest {
            return Err(fault(format!("`{tag}` version {} is newer than this program, which reads up to {newest}", self.version)));
        }
        Ok(())
    }

    /// An array of exactly `len` finite numbers.
    pub fn numbers(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        let values = self.any_numbers(name, len)?;
        match values.iter().all(|v| v.is_finite()) {
            true => Ok(values),
            false => Err(fault(format!("`{name}` holds a number that is not finite"))),
        }
    }

    /// An array of exactly `len` logarithms of probabilities: finite or minus infinity.
    pub fn logs(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        let values = self.any_numbers(name, len)?;
        match values.iter().all(|v| v.is_finite() || *v == f64::NEG_INFINITY) {
            true => Ok(values),
            false => Err(fault(format!("`{name}` holds something that is no logarithm of a probability"))),
        }
    }

    /// An array of exactly `len` numbers, whatever they are.
    pub fn any_numbers(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        match self.arrays.get(name) {
            Some(Array::Numbers(values)) if values.len() == len => Ok(values.clone()),
            Some(Array::Numbers(values)) => Err(fault(format!("`{name}` has {} numbers where {len} belong", values.len()))),
            Some(_) => Err(fault(format!("`{name}` does not hold numbers"))),
            None => Err(fault(format!("`{name}` is missing"))),
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
