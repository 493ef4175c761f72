//! Files with something changed in them, and with the checksum made right again so that the readers behind it are tried.

use proptest::prelude::*;

/// Where the header starts, where the digits of the checksum start and where they end: see `docs/format.md`.
const HEADER: usize = 8;
const DIGITS: usize = HEADER + OPENING.len();
pub(crate) const DIGITS_END: usize = DIGITS + 64;
pub(crate) const OPENING: &str = r#"{"__metadata__":{"oddsmith":"{\"blake3\":\""#;

/// Gives bytes the checksum that they should have.
pub(crate) fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() >= DIGITS_END {
        let rest = [&bytes[..DIGITS], &bytes[DIGITS_END..]].concat();
        bytes[DIGITS..DIGITS_END].copy_from_slice(blake3::hash(&rest).to_hex().as_bytes());
    }
    bytes
}

/// One change to the bytes of a file.
#[derive(Debug, Clone)]
pub(crate) enum Mutation {
    Flip(prop::sample::Index, u8),
    Digit(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Delete(prop::sample::Index),
    Copy(prop::sample::Index, prop::sample::Index, usize),
    Word(prop::sample::Index, u64),
}

pub(crate) fn mutation() -> impl Strategy<Value = Mutation> {
    let place = any::<prop::sample::Index>;
    let numbers = [0, 1, 1 << 60, u64::MAX, f64::NAN.to_bits(), f64::INFINITY.to_bits(), (-1.0f64).to_bits(), 1.5f64.to_bits()];
    prop_oneof![
        (place(), 0..8u8).prop_map(|(at, bit)| Mutation::Flip(at, bit)),
        (place(), b'0'..=b'9').prop_map(|(at, digit)| Mutation::Digit(at, digit)),
        (place(), any::<u8>()).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        place().prop_map(Mutation::Delete),
        (place(), place(), 1..40usize).prop_map(|(from, to, length)| Mutation::Copy(from, to, length)),
        (place(), prop::sample::select(numbers.to_vec())).prop_map(|(at, word)| Mutation::Word(at, word)),
    ]
}

/// The length of the header as the file claims it, as far as it exists.
fn header_length(bytes: &[u8]) -> usize {
    let claimed = bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length));
    bytes.len().min(claimed.saturating_add(HEADER as u64).try_into().unwrap_or(usize::MAX))
}

impl Mutation {
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>) {
        let size = bytes.len();
        match *self {
            Mutation::Flip(at, bit) => bytes[at.index(size)] ^= 1 << bit,
            Mutation::Digit(at, digit) => {
                let digits: Vec<usize> = (0..header_length(bytes)).filter(|&at| bytes[at].is_ascii_digit()).collect();
                if !digits.is_empty() {
                    bytes[digits[at.index(digits.len())]] = digit;
                }
            }
            Mutation::Insert(at, byte) => bytes.insert(at.index(size), byte),
            Mutation::Delete(at) => drop(bytes.remove(at.index(size))),
            Mutation::Copy(from, to, length) => {
                let from = from.index(size);
                let chunk = bytes[from..(from + length).min(size)].to_vec();
                let to = to.index(size);
                let length = chunk.len().min(size - to);
                bytes[to..to + length].copy_from_slice(&chunk[..length]);
            }
            Mutation::Word(at, word) => {
                let start = header_length(bytes);
                if size >= start + 8 {
                    let at = start + at.index((size - start) / 8) * 8;
                    bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
                }
            }
        }
    }
}
