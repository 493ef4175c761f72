//! Distinct byte strings, numbered in the order in which they were first met.
//!
//! Up to eight bytes, a string is its own key in the table, so that finding it is one multiplication and one
//! comparison; a longer one is found by its hash and compared in the arena. Nothing is allocated per lookup.
//! Numbers never depend on the hash, so its seed may differ from run to run, which keeps crafted files from slowing it down.

use std::hash::{BuildHasher, Hasher};

const FREE: u32 = u32::MAX;
/// Lengths from here on are stored as this one: the key is then a hash.
const LONG: u32 = 9;

/// A place in the table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The bytes of a short string, the hash of a long one.
    key: u64,
    /// The length of a short string, [`LONG`] for others.
    length: u32,
    /// The number of the string, or [`FREE`].
    number: u32,
}

const EMPTY: Slot = Slot { key: 0, length: 0, number: FREE };

/// Strings and their numbers.
#[derive(Debug, Clone)]
pub(crate) struct Interner {
    bytes: Vec<u8>,
    /// Where each string ends in `bytes`.
    ends: Vec<usize>,
    /// A string stands at the place that its key selects, or at the next free one.
    slots: Vec<Slot>,
    hasher: foldhash::fast::RandomState,
    seed: u64,
}

impl Default for Interner {
    fn default() -> Self {
        let hasher = foldhash::fast::RandomState::default();
        let seed = hasher.hash_one(0u64) | 1;
        Interner { bytes: Vec::new(), ends: Vec::new(), slots: vec![EMPTY; 16], hasher, seed }
    }
}

impl Interner {
    /// Number of strings.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.ends.capacity() * 8 + self.slots.capacity() * size_of::<Slot>()) as u64
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
            Err((place, slot)) => (self.insert(name, place, slot), true),
        }
    }

    /// The number of a string, or the place and the key under which it would stand.
    #[inline]
    fn find(&self, name: &[u8]) -> Result<u32, (usize, Slot)> {
        let (key, length) = self.key(name);
        let mask = self.slots.len() - 1;
        let mut place = self.home(key, length) & mask;
        loop {
            let slot = self.slots[place];
            if slot.number == FREE {
                return Err((place, Slot { key, length, number: FREE }));
            }
            if slot.key == key && slot.length == length && (length < LONG || self.name(slot.number) == name) {
                return Ok(slot.number);
            }
            place = (place + 1) & mask;
        }
    }

    #[inline]
    fn key(&self, name: &[u8]) -> (u64, u32) {
        let wide = |at: usize| name.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |four| u64::from(u32::from_le_bytes(*four)));
        match name.len() {
            0 => (0, 0),
            // The first byte, the middle one and the last: all of them, for up to three.
            short @ 1..4 => {
                let [first, middle, last] = [0, short / 2, short - 1].map(|at| u64::from(name[at]));
                (first | middle << 8 | last << 16, short as u32)
            }
            // Two words of four bytes that overlap.
            short @ 4..9 => (wide(0) | wide(short - 4) << 32, short as u32),
            _ => {
                let mut hasher = self.hasher.build_hasher();
                hasher.write(name);
                (hasher.finish(), LONG)
            }
        }
    }

    /// Where the search for a key starts: the middle of a product, into which every bit of the key goes.
    #[inline]
    fn home(&self, key: u64, length: u32) -> usize {
        let product = u128::from(key ^ self.seed) * u128::from(self.seed.wrapping_add(u64::from(length) << 1).rotate_left(32) | 1);
        ((product as u64) ^ (product >> 64) as u64) as usize
    }

    #[cold]
    fn insert(&mut self, name: &[u8], place: usize, slot: Slot) -> u32 {
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        self.slots[place] = Slot { number, ..slot };
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; mask + 1]);
        for slot in old.into_iter().filter(|slot| slot.number != FREE) {
            let mut place = self.home(slot.key, slot.length) & mask;
            while self.slots[place].number != FREE {
                place = (place + 1) & mask;
            }
            self.slots[place] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_follow_first_meeting_and_survive_growth() {
        let mut interner = Interner::default();
        for i in 0..10_000u32 {
            assert_eq!(interner.intern(format!("{i}").as_bytes()), (2 * i, true));
            assert_eq!(interner.intern(format!("level {i}").as_bytes()), (2 * i + 1, true));
        }
        for i in 0..10_000u32 {
            let name = format!("level {i}");
            assert_eq!(interner.intern(name.as_bytes()), (2 * i + 1, false));
            assert_eq!(interner.name(2 * i + 1), name.as_bytes());
        }
        assert_eq!((interner.get(b"level"), interner.get(b""), interner.len()), (None, None, 20_000));
        assert_eq!(interner.intern(b""), (20_000, true));
        assert_eq!(interner.get(b""), Some(20_000));
    }

    proptest! {
        #[test]
        fn strings_are_told_apart_as_a_map_tells_them(names in prop::collection::vec(prop::collection::vec(0u8..3, 0..12), 0..200)) {
            let (mut interner, mut map) = (Interner::default(), BTreeMap::new());
            for name in &names {
                let next = map.len() as u32;
                let expected = *map.entry(name).or_insert(next);
                prop_assert_eq!(interner.intern(name).0, expected);
                prop_assert_eq!(interner.name(expected), &name[..]);
            }
        }
    }
}
