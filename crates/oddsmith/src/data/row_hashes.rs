//! Hashes of what rows say, by the names of columns, levels and classes and not by their codes.
//!
//! The hash of a row is a sum over its cells, so it does not depend on the order of columns; it does not know the row's weight or place.

use super::{CodesView, Key, Layout, MISSING, Rows};

/// Rows that are hashed column by column: few enough to stay in the cache.
const BLOCK: usize = 64;

/// Hashes of the names of a layout.
#[derive(Debug)]
pub(crate) struct RowHashes {
    classes: Vec<u64>,
    numbers: Vec<u64>,
    /// By code column.
    levels: Vec<LevelHashes>,
    /// The same of keys.
    keys: Vec<LevelHashes>,
}

/// One hash per level, and one for the column.
type LevelHashes = (Vec<u64>, u64);

impl RowHashes {
    /// Of the names of a layout.
    pub(crate) fn new(layout: &Layout) -> Self {
        let name = |j: &usize| layout.features()[*j].name.as_str();
        let levels = |j: &usize| {
            let of_levels = (0..).map_while(|at| layout.level_name(*j, at)).map(|level| hash_of(&[name(j), &level]));
            (of_levels.collect(), hash_of(&[name(j)]))
        };
        let key = |key: &Key| {
            let levels = key.levels.names().iter().map(|level| hash_of(&[&key.name, level]));
            (levels.collect(), hash_of(&[&key.name]))
        };
        RowHashes {
            classes: layout.classes().labels().iter().map(|label| hash_of(&[label])).collect(),
            numbers: layout.numbers().iter().map(|j| hash_of(&[name(j)])).collect(),
            levels: layout.codes().iter().map(levels).collect(),
            keys: layout.keys().iter().map(key).collect(),
        }
    }

    /// Writes one hash per row of a batch: its class, numbers, levels and keys. Words are not looked at.
    pub(crate) fn write(&self, rows: &Rows<'_>, labels: &[u32], out: &mut Vec<u64>) {
        out.clear();
        out.extend(labels.iter().map(|label| self.classes.get(*label as usize).copied().unwrap_or(0)));
        let (numbers, codes) = (rows.features.numbers, rows.features.codes);
        for (block, hashes) in out.chunks_mut(BLOCK).enumerate() {
            let first = block * BLOCK;
            for (j, name) in self.numbers.iter().enumerate() {
                for (at, hash) in hashes.iter_mut().enumerate() {
                    let value = numbers.get(first + at, j);
                    // There are many ways to write a gap.
                    let bits = if value.is_nan() { u64::MAX } else { value.to_bits() };
                    *hash = hash.wrapping_add(mixed(name ^ bits));
                }
            }
            add_codes(&self.levels, codes, first, hashes);
            add_codes(&self.keys, rows.keys, first, hashes);
        }
    }
}

fn add_codes(columns: &[LevelHashes], codes: CodesView<'_>, first: usize, hashes: &mut [u64]) {
    for (j, (levels, name)) in columns.iter().enumerate() {
        for (at, hash) in hashes.iter_mut().enumerate() {
            let code = codes.get(first + at, j);
            let gap = || mixed(name ^ u64::from(code == MISSING));
            *hash = hash.wrapping_add(levels.get(code as usize).copied().unwrap_or_else(gap));
        }
    }
}

/// A hash of texts, one after the other.
pub(crate) fn hash_of(texts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

/// A hash of a row's number: neighbours lie apart.
#[inline]
pub(crate) fn scattered(row: u64) -> u64 {
    mixed(row.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// The finaliser of SplitMix64: a bijection that leaves no pattern.
#[inline]
pub(crate) fn mixed(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
