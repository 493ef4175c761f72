//! Small files that are bytes in an order of their own: eight bytes that say what they are, what they hold, and 16 bytes of the BLAKE3 of all before.
//!
//! The sum is verified before anything else is read, so a file that is cut or altered is told apart from one that is wrong.

use crate::error::{Error, ErrorKind, Result};

const SUM: usize = 16;

/// A kind of such files.
pub(super) struct SealedBytes {
    /// How its files begin.
    pub(super) magic: &'static [u8; 8],
    /// What errors call them.
    pub(super) name: &'static str,
}

impl SealedBytes {
    /// Bytes that begin as such a file does, with room for what follows.
    pub(super) fn begin(&self, room: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.magic.len() + room + SUM);
        bytes.extend_from_slice(self.magic);
        bytes
    }

    /// Whether bytes begin as such a file does.
    pub(super) fn is_one(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(self.magic)
    }

    /// Ends what was begun by its sum.
    pub(super) fn seal(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let sum: [u8; SUM] = first(blake3::hash(&bytes).as_bytes());
        bytes.extend_from_slice(&sum);
        bytes
    }

    /// What stands between the first bytes and the sum, `least` bytes or more.
    pub(super) fn open<'a>(&self, bytes: &'a [u8], least: usize) -> Result<&'a [u8]> {
        if !self.is_one(bytes) {
            return Err(self.broken("it does not begin as one"));
        }
        let length = bytes.len().checked_sub(SUM).filter(|length| *length >= self.magic.len() + least);
        let Some((sealed, sum)) = length.map(|length| bytes.split_at(length)) else {
            return Err(self.broken("it is cut off within its head"));
        };
        if sum != first::<SUM>(blake3::hash(sealed).as_bytes()) {
            return Err(self.broken("its checksum does not fit: it was cut off or altered"));
        }
        Ok(&sealed[self.magic.len()..])
    }

    /// What is wrong with such a file.
    pub(super) fn broken(&self, what: &str) -> Error {
        ErrorKind::Format { expected: self.name, what: what.into() }.into()
    }
}

/// The first N bytes; zeros follow where there are fewer.
pub(super) fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0))
}
