//! Single bits in a row of bytes, the first bit the highest of its byte.

/// Writes bits one after the other.
#[derive(Debug, Clone, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    bits: u64,
}

impl BitWriter {
    /// Adds one bit.
    pub fn push(&mut self, bit: bool) {
        if self.bits.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if bit && let Some(last) = self.bytes.last_mut() {
            *last |= 0x80 >> (self.bits % 8);
        }
        self.bits += 1;
    }

    /// Adds the lowest `bits` of a number, the highest of them first.
    pub fn push_number(&mut self, number: u32, bits: u32) {
        (0..bits).rev().for_each(|at| self.push(number >> at & 1 == 1));
    }

    /// Bits so far.
    pub fn len(&self) -> u64 {
        self.bits
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// The bytes; what fills up the last one is zero.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads bits one after the other.
#[derive(Debug, Clone)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> BitReader<'a> {
    /// Reads from the first bit.
    pub fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, at: 0 }
    }

    /// A number of so many bits; none where there are fewer.
    pub fn next_number(&mut self, bits: u32) -> Option<u32> {
        (0..bits).try_fold(0, |number, _| Some(number << 1 | u32::from(self.next()?)))
    }

    /// Bits that were read.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Whether nothing but the zeros that fill up the last byte is left.
    pub fn is_spent(&self) -> bool {
        let mut rest = self.clone();
        let length = 8 * self.bytes.len() as u64;
        length - self.at < 8 && std::iter::from_fn(move || rest.next()).all(|bit| !bit)
    }
}

impl Iterator for BitReader<'_> {
    type Item = bool;

    fn next(&mut self) -> Option<bool> {
        let byte = *self.bytes.get(usize::try_from(self.at / 8).ok()?)?;
        let bit = byte & (0x80 >> (self.at % 8)) != 0;
        self.at += 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back() {
        let mut writer = BitWriter::default();
        let bits = [true, false, true, true, false, false, true, false, true];
        bits.iter().for_each(|bit| writer.push(*bit));
        assert_eq!(writer.len(), 9);
        let bytes = writer.into_bytes();
        assert_eq!(bytes, [0b1011_0010, 0x80]);
        let mut reader = BitReader::new(&bytes);
        assert_eq!(reader.by_ref().take(9).collect::<Vec<_>>(), bits);
        assert!(reader.is_spent() && reader.position() == 9);
        assert!(!BitReader::new(&bytes).is_spent());
    }
}
