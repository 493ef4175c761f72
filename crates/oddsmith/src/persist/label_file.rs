//! Labels by wire: a file that tells the labels of rows to whoever has the rows' features and the same model.
//!
//! ```text
//! 8  "oddsbits"            4  version, little-endian
//! 32 BLAKE3 of the model   4  number of classes      8  rows       8  first eight bytes of the BLAKE3 of the labels
//! …  the coded stream      16 first bytes of the BLAKE3 of all before
//! ```
//!
//! The last sum is verified before anything is read, so a file that is cut or altered is told apart; that of the labels shows that they came
//! out as they went in: rows in another order, or arithmetic of another processor, would decode to something else.

use super::sealed_bytes::{SealedBytes, first};
use crate::error::Result;

const KIND: SealedBytes = SealedBytes { magic: b"oddsbits", name: "label file" };
const VERSION: u32 = 1;
/// Bytes between the first eight and the stream.
const HEAD: usize = 4 + 32 + 4 + 8 + 8;

/// Labels as they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelFile {
    /// BLAKE3 of the bytes of the model file.
    pub model: [u8; 32],
    /// Number of classes.
    pub classes: u32,
    /// Number of labels.
    pub rows: u64,
    /// First bytes of the BLAKE3 of the labels, each as four bytes, little-endian.
    pub labels_sum: [u8; 8],
    /// The coded labels.
    pub stream: Vec<u8>,
}

impl LabelFile {
    /// The sum by which a file knows its model.
    pub fn model_sum(model_file: &[u8]) -> [u8; 32] {
        *blake3::hash(model_file).as_bytes()
    }

    /// The sum by which labels are known.
    pub fn sum_of_labels(labels: &[u32]) -> [u8; 8] {
        let mut hasher = blake3::Hasher::new();
        for label in labels {
            hasher.update(&label.to_le_bytes());
        }
        first(hasher.finalize().as_bytes())
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = KIND.begin(HEAD + self.stream.len());
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.model);
        bytes.extend_from_slice(&self.classes.to_le_bytes());
        bytes.extend_from_slice(&self.rows.to_le_bytes());
        bytes.extend_from_slice(&self.labels_sum);
        bytes.extend_from_slice(&self.stream);
        KIND.seal(bytes)
    }

    /// Whether bytes begin as such a file does.
    pub fn is_one(bytes: &[u8]) -> bool {
        KIND.is_one(bytes)
    }

    /// The file in bytes; one that is cut, altered or of another kind is refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let held = KIND.open(bytes, HEAD)?;
        if u32::from_le_bytes(first(held)) != VERSION {
            return Err(KIND.broken("it is of a later version"));
        }
        Ok(LabelFile {
            model: first(&held[4..]),
            classes: u32::from_le_bytes(first(&held[36..])),
            rows: u64::from_le_bytes(first(&held[40..])),
            labels_sum: first(&held[48..]),
            stream: held[HEAD..].to_vec(),
        })
    }

    /// Refuses another model than the one that coded the labels.
    pub fn check_model(&self, model_file: &[u8], classes: usize) -> Result<()> {
        match self.model == Self::model_sum(model_file) && self.classes as usize == classes {
            true => Ok(()),
            false => Err(KIND.broken("it was written with another model; decode it with the very model file that coded it")),
        }
    }

    /// Refuses labels that are not those that were coded.
    pub fn check_labels(&self, labels: &[u32]) -> Result<()> {
        match labels.len() as u64 == self.rows && self.labels_sum == Self::sum_of_labels(labels) {
            true => Ok(()),
            false => Err(KIND.broken(
                "the labels that come out are not those that went in; the table must have the same rows in the same order, and the processor \
                 must do the same arithmetic",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> LabelFile {
        let labels = [0, 1, 1, 2];
        let sum = LabelFile::sum_of_labels(&labels);
        LabelFile { model: LabelFile::model_sum(b"model"), classes: 3, rows: 4, labels_sum: sum, stream: vec![1, 2, 3, 4, 5] }
    }

    #[test]
    fn what_is_written_is_read() {
        let read = LabelFile::from_bytes(&file().to_bytes()).unwrap();
        assert_eq!(read, file());
        read.check_model(b"model", 3).unwrap();
        read.check_labels(&[0, 1, 1, 2]).unwrap();
        assert!(read.check_model(b"another", 3).unwrap_err().to_string().contains("another model"));
        assert!(read.check_labels(&[0, 1, 1, 1]).unwrap_err().to_string().contains("not those that went in"));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_an_error() {
        let bytes = file().to_bytes();
        for length in 0..bytes.len() {
            assert!(LabelFile::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        for bit in 0..8 * bytes.len() {
            let mut altered = bytes.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            assert!(LabelFile::from_bytes(&altered).is_err(), "{bit}");
        }
    }
}
