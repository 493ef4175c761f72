//! The container: a safetensors file, written in one way only and read strictly.
//!
//! Bytes: an unsigned 64-bit header length (little endian), the header (JSON, padded with spaces to a multiple of 8),
//! then the arrays without gaps. The reader is our own because the public one lets a name stand twice, keeps the
//! metadata in a hash map and accepts headers of 100 MB; files stay readable by every safetensors library.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::{Error, Result, visible};
use crate::record::{Array, fault};

/// Longest header. Everything that grows with the data belongs in arrays.
pub(super) const LONGEST_HEADER: usize = 4 << 20;
/// Longest name of an array.
const LONGEST_NAME: usize = 128;
/// Where the header starts.
pub(super) const HEADER_START: usize = size_of::<u64>();
/// The key of our text in the metadata of the container.
const KEY: &str = "oddsmith";

/// The container of a metadata text (already JSON, without surrounding quotes) and arrays.
pub(super) fn write(metadata: &str, arrays: &BTreeMap<String, Array>) -> Result<Vec<u8>> {
    if let Some(name) = arrays.keys().find(|name| !is_name(name)) {
        return Err(Error::internal(format!("`{}` is no name for an array of a file", visible(name))));
    }
    let quoted = serde_json::to_string(metadata).map_err(|e| Error::internal(format!("a text cannot be quoted: {e}")))?;
    let mut header = format!("{{\"__metadata__\":{{\"{KEY}\":{quoted}}}");
    let mut end = 0;
    for (name, array) in in_file_order(arrays) {
        let (dtype, len) = (Dtype::of(array), length(array));
        let begin = end;
        end += len * dtype.size();
        let name_and_type = format!("\"{name}\":{{\"dtype\":\"{}\"", dtype.name());
        header.push_str(&format!(",{name_and_type},\"shape\":[{len}],\"data_offsets\":[{begin},{end}]}}"));
    }
    header.push('}');
    let padded = header.len().next_multiple_of(8);
    if padded > LONGEST_HEADER {
        return Err(Error::internal(format!("the header of a file has {padded} bytes, more than {LONGEST_HEADER}")));
    }
    let mut bytes = Vec::with_capacity(HEADER_START + padded + end);
    bytes.extend_from_slice(&(padded as u64).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.resize(HEADER_START + padded, b' ');
    for (_, array) in in_file_order(arrays) {
        match array {
            Array::Numbers(values) => values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes())),
            Array::Counts(values) => values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes())),
            Array::Bytes(values) => bytes.extend_from_slice(values),
        }
    }
    Ok(bytes)
}

/// Arrays of 8-byte elements first, so that each starts at a multiple of 8; by name within a type.
fn in_file_order(arrays: &BTreeMap<String, Array>) -> impl Iterator<Item = (&String, &Array)> {
    [Dtype::F64, Dtype::U64, Dtype::U8].into_iter().flat_map(|dtype| arrays.iter().filter(move |(_, array)| Dtype::of(array) == dtype))
}

fn length(array: &Array) -> usize {
    match array {
        Array::Numbers(values) => values.len(),
        Array::Counts(values) => values.len(),
        Array::Bytes(values) => values.len(),
    }
}

/// Names are printable ASCII without quotes, so that they need no escape and cannot drive a terminal.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(plain)
}

/// The metadata text and the arrays. Nothing is allocated by a length before the bytes are known to be there.
pub(super) fn read(bytes: &[u8]) -> Result<(String, BTreeMap<String, Array>)> {
    let header = header(bytes)?;
    let data = &bytes[HEADER_START + header.len()..];
    let header: Header =
        serde_json::from_slice(header).map_err(|e| fault(format!("its header is not as expected: {}", visible(&e.to_string()))))?;
    let mut arrays = BTreeMap::new();
    let mut rest = data;
    for (name, tensor) in header.tensors {
        let array = tensor.cut((data.len() - rest.len()) as u64, &mut rest).map_err(|what| fault(format!("array `{name}` {what}")))?;
        arrays.insert(name, array);
    }
    match rest.is_empty() {
        true => Ok((header.metadata, arrays)),
        false => Err(fault(format!("{} bytes at its end belong to no array", rest.len()))),
    }
}

/// The bytes of the header.
pub(super) fn header(bytes: &[u8]) -> Result<&[u8]> {
    let (length, rest) = bytes.split_first_chunk().ok_or_else(|| fault(format!("it has only {} bytes", bytes.len())))?;
    let length = u64::from_le_bytes(*length);
    if length > LONGEST_HEADER as u64 {
        return Err(fault(format!("it claims a header of {length} bytes; at most {LONGEST_HEADER} are accepted")));
    }
    rest.get(..length as usize).ok_or_else(|| fault(format!("it claims a header of {length} bytes and is cut off after {}", rest.len())))
}

/// The type of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Dtype {
    F64,
    U64,
    U8,
}

impl Dtype {
    fn of(array: &Array) -> Self {
        match array {
            Array::Numbers(_) => Dtype::F64,
            Array::Counts(_) => Dtype::U64,
            Array::Bytes(_) => Dtype::U8,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Dtype::F64 => "F64",
            Dtype::U64 => "U64",
            Dtype::U8 => "U8",
        }
    }

    fn size(self) -> usize {
        if self == Dtype::U8 { 1 } else { 8 }
    }
}

/// What the header says of one array.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tensor {
    dtype: Dtype,
    shape: [u64; 1],
    data_offsets: [u64; 2],
}

impl Tensor {
    /// Cuts the array off the front of `rest`, which starts `position` bytes into the data.
    fn cut(&self, position: u64, rest: &mut &[u8]) -> Result<Array, String> {
        let ([len], [begin, end]) = (self.shape, self.data_offsets);
        if begin != position {
            return Err(format!("starts at {begin}, the one before it ends at {position}"));
        }
        let size = len.checked_mul(self.dtype.size() as u64).filter(|size| begin.checked_add(*size) == Some(end));
        let size = size.ok_or_else(|| format!("of {len} elements does not fill the bytes {begin} to {end}"))?;
        let cut = usize::try_from(size).ok().and_then(|size| rest.split_at_checked(size));
        let (data, after) = cut.ok_or_else(|| format!("needs {size} bytes where {} are left", rest.len()))?;
        *rest = after;
        let words = data.as_chunks::<8>().0;
        Ok(match self.dtype {
            Dtype::F64 => Array::Numbers(words.iter().map(|word| f64::from_le_bytes(*word)).collect()),
            Dtype::U64 => Array::Counts(words.iter().map(|word| u64::from_le_bytes(*word)).collect()),
            Dtype::U8 => Array::Bytes(data.to_vec()),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    oddsmith: String,
}

/// The parsed header: our text, and the arrays in the order in which their bytes lie.
struct Header {
    metadata: String,
    tensors: Vec<(String, Tensor)>,
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the header of a safetensors file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Header, A::Error> {
        let mut metadata = None;
        let mut tensors: Vec<(String, Tensor)> = Vec::new();
        let mut names = std::collections::BTreeSet::new();
        while let Some(name) = fields.next_key::<String>()? {
            if !is_name(&name) {
                return Err(A::Error::custom("an array has a name that is not printable ASCII, empty or too long"));
            }
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(format_args!("the name `{name}` stands twice")));
            }
            match name == "__metadata__" {
                true => metadata = Some(fields.next_value::<Metadata>()?.oddsmith),
                false => tensors.push((name, fields.next_value()?)),
            }
        }
        let metadata = metadata.ok_or_else(|| A::Error::missing_field("__metadata__"))?;
        Ok(Header { metadata, tensors })
    }
}
