//! Which rows a pass saw: how many, their weight, and a digest that tells whether they are the same as in another pass.
//!
//! The digest is the sum over rows of a hash of the row's class, weight, numbers, levels and keys, by their names and not by their codes. So it
//! does not depend on the order of rows and columns, on batches, or on the codes that the places agreed upon, and digests of parts add up.

use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{Key, Layout, MISSING, Rows, SKIP};
use crate::error::Result;
use crate::stats::Statistics;

/// Rows, their weight and their digest.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Tally {
    pub(super) rows: u64,
    pub(super) weight: f64,
    pub(super) digest: u64,
}

impl Encode for Tally {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("rows", &mut self.rows)?;
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        codec.count("digest", &mut self.digest)
    }
}

impl Tally {
    /// Adds what another has seen.
    fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.weight += other.weight;
        self.digest = self.digest.wrapping_add(other.digest);
    }
}

/// Hashes of the names of a layout.
#[derive(Debug)]
struct NameHashes {
    classes: Vec<u64>,
    numbers: Vec<u64>,
    /// By code column, one per level and one for the column.
    levels: Vec<(Vec<u64>, u64)>,
    /// The same of keys.
    keys: Vec<(Vec<u64>, u64)>,
}

impl NameHashes {
    fn new(layout: &Layout) -> Self {
        let name = |j: &usize| layout.features()[*j].name.as_str();
        let levels = |j: &usize| {
            let of_levels = (0..).map_while(|at| layout.level_name(*j, at)).map(|level| hash_of(&[name(j), &level]));
            (of_levels.collect(), hash_of(&[name(j)]))
        };
        let key = |key: &Key| {
            let levels = key.levels.names().iter().map(|level| hash_of(&[&key.name, level]));
            (levels.collect(), hash_of(&[&key.name]))
        };
        NameHashes {
            classes: layout.classes().labels().iter().map(|label| hash_of(&[label])).collect(),
            numbers: layout.numbers().iter().map(|j| hash_of(&[name(j)])).collect(),
            levels: layout.codes().iter().map(levels).collect(),
            keys: layout.keys().iter().map(key).collect(),
        }
    }
}

fn hash_of(texts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

/// The finaliser of SplitMix64.
fn mixed(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A statistic, and which rows it saw.
#[derive(Debug, Clone)]
pub(super) struct Tallied<S> {
    names: Arc<NameHashes>,
    pub(super) tally: Tally,
    pub(super) sums: S,
}

impl<S> Tallied<S> {
    /// Nothing seen of rows of a layout.
    pub(super) fn new(layout: &Layout, empty: S) -> Self {
        Tallied { names: Arc::new(NameHashes::new(layout)), tally: Tally::default(), sums: empty }
    }

    fn count(&mut self, rows: &Rows<'_>) -> Result<()> {
        let (names, tally) = (&*self.names, &mut self.tally);
        let (numbers, codes) = (rows.features.numbers, rows.features.codes);
        for (i, &label) in rows.counted_labels()?.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            let mut sum = names.classes.get(label as usize).copied().unwrap_or(0).wrapping_add(mixed(weight.to_bits()));
            for (j, name) in names.numbers.iter().enumerate() {
                let value = numbers.get(i, j);
                // There are many ways to write a gap.
                let bits = if value.is_nan() { u64::MAX } else { value.to_bits() };
                sum = sum.wrapping_add(mixed(name ^ bits));
            }
            let codes = names.levels.iter().enumerate().map(|(j, hashes)| (hashes, codes.get(i, j)));
            let keys = names.keys.iter().enumerate().map(|(j, hashes)| (hashes, rows.keys.get(i, j)));
            for ((levels, name), code) in codes.chain(keys) {
                let gap = mixed(name ^ u64::from(code == MISSING));
                sum = sum.wrapping_add(levels.get(code as usize).copied().unwrap_or(gap));
            }
            tally.rows += 1;
            tally.weight += weight;
            tally.digest = tally.digest.wrapping_add(mixed(sum));
        }
        Ok(())
    }
}

impl<S: Encode> Encode for Tallied<S> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("tally", &mut self.tally)?;
        codec.part("sums", &mut self.sums)
    }
}

impl<S> Statistics for Tallied<S>
where
    S: for<'b> Statistics<Input<'b> = Rows<'b>>,
{
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.count(&rows)?;
        self.sums.observe(rows)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.tally.merge(&other.tally);
        self.sums.merge(&other.sums)
    }

    fn weight(&self) -> f64 {
        self.tally.weight
    }

    fn bytes(&self) -> usize {
        self.sums.bytes()
    }
}

/// A statistic of nothing: a pass that only tallies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nothing;

impl Encode for Nothing {
    fn encode(&mut self, _: &mut Codec<'_>) -> Result<()> {
        Ok(())
    }
}

impl Statistics for Nothing {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, _: Rows<'_>) -> Result<()> {
        Ok(())
    }

    fn merge(&mut self, _: &Self) -> Result<()> {
        Ok(())
    }

    fn weight(&self) -> f64 {
        0.0
    }

    fn bytes(&self) -> usize {
        1
    }
}
