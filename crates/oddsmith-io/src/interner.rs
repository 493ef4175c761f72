//! Distinct byte strings, numbered in the order in which they were first met.
//!
//! One arena of bytes and one open-addressed table: a lookup hashes, compares one tag and one string, and
//! allocates nothing. Numbers never depend on the hash, so its seed may differ from run to run.

use std::hash::BuildHasher;

const FREE: u32 = u32::MAX;

/// Strings and their numbers.
#[derive(Debug, Clone)]
pub(crate) struct Interner {
    bytes: Vec<u8>,
    /// Where each string ends in `bytes`.
    ends: Vec<usize>,
    /// Tag and number, at the place that the hash selects or the next free one.
    slots: Vec<(u32, u32)>,
    hasher: foldhash::fast::RandomState,
}

impl Default for Interner {
    fn default() -> Self {
        Interner { bytes: Vec::new(), ends: Vec::new(), slots: vec![(0, FREE); 16], hasher: foldhash::fast::RandomState::default() }
    }
}

impl Interner {
    /// Number of strings.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.ends.capacity() * 8 + self.slots.capacity() * 8) as u64
    }

    /// The string of a number.
    pub(crate) fn name(&self, number: u32) -> &[u8] {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// The number of a string.
    #[inline]
    pub(crate) fn get(&self, name: &[u8]) -> Option<u32> {
        self.find(name).ok()
    }

    /// The number of a string, a new one if it is new; the flag says which.
    #[inline]
    pub(crate) fn intern(&mut self, name: &[u8]) -> (u32, bool) {
        match self.find(name) {
            Ok(number) => (number, false),
            Err((slot, tag)) => (self.insert(name, slot, tag), true),
        }
    }

    #[inline]
    fn find(&self, name: &[u8]) -> Result<u32, (usize, u32)> {
        let hash = self.hasher.hash_one(name);
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                (_, FREE) => return Err((slot, tag)),
                (known, number) if known == tag && self.name(number) == name => return Ok(number),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    #[cold]
    fn insert(&mut self, name: &[u8], slot: usize, tag: u32) -> u32 {
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        self.slots[slot] = (tag, number);
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![(0, FREE); mask + 1];
        for number in 0..self.ends.len() as u32 {
            let hash = self.hasher.hash_one(self.name(number));
            let mut slot = hash as usize & mask;
            while slots[slot].1 != FREE {
                slot = (slot + 1) & mask;
            }
            slots[slot] = ((hash >> 32) as u32, number);
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_meeting_and_survive_growth() {
        let mut interner = Interner::default();
        for i in 0..10_000u32 {
            assert_eq!(interner.intern(format!("level {i}").as_bytes()), (i, true));
        }
        for i in 0..10_000u32 {
            let name = format!("level {i}");
            assert_eq!(interner.intern(name.as_bytes()), (i, false));
            assert_eq!(interner.name(i), name.as_bytes());
        }
        assert_eq!((interner.get(b"level"), interner.get(b""), interner.len()), (None, None, 10_000));
        assert_eq!(interner.intern(b""), (10_000, true));
        assert_eq!(interner.get(b""), Some(10_000));
    }
}
