//! How often every value of a number column occurs in every group: all values while they are few, values cut to fewer digits beyond.
//!
//! A number has a place in an order of whole numbers (its bits, turned so that they rise with it). As long as no more than `most` places are
//! taken, each value keeps its own; then the last binary digit of all places is dropped, and again, until they fit. How many digits are
//! dropped depends on the values alone, and no value is left out: no order, partition or number of threads changes a count, counts of parts
//! merge into exactly those of the whole, a value that many rows have is as heavy as it should be, and what is computed from ranks is exact for values that
//! were measured with fewer digits. Time O(1) a value, memory O(most · groups).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::add;
use crate::codec::{Codec, Encode};
use crate::data::mixed;
use crate::error::Result;
use crate::record::fault;

/// The most binary digits that can be dropped; what is left are sign, exponent and a few digits.
const MOST_DROPPED: u64 = 60;

/// Weights of values by group.
#[derive(Debug, Clone)]
pub struct ValueCounts {
    groups: usize,
    most: usize,
    dropped: u64,
    /// Which weights belong to a place.
    at: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
    weights: Vec<f64>,
}

/// Places are spread over the table by a bijection that leaves no pattern.
#[derive(Debug, Clone, Copy, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mixed(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mixed(value);
    }
}

impl PartialEq for ValueCounts {
    fn eq(&self, other: &Self) -> bool {
        self.dropped == other.dropped && self.sorted() == other.sorted()
    }
}

impl ValueCounts {
    /// Nothing seen, with room for `most` values.
    pub fn new(groups: usize, most: usize) -> Self {
        ValueCounts { groups, most: most.max(2), dropped: 0, at: HashMap::default(), weights: Vec::new() }
    }

    /// Adds a value of a group; a gap is no value.
    pub fn add(&mut self, x: f64, group: usize, weight: f64) {
        if x.is_nan() {
            return;
        }
        let place = place(x) >> self.dropped;
        let slot = self.slot(place);
        self.weights[slot * self.groups + group] += weight;
        if self.at.len() > self.most {
            self.make_room();
        }
    }

    /// Where the weights of a place stand.
    fn slot(&mut self, place: u64) -> usize {
        let next = self.at.len() as u32;
        let slot = *self.at.entry(place).or_insert(next);
        if slot == next {
            self.weights.resize((next as usize + 1) * self.groups, 0.0);
        }
        slot as usize
    }

    /// Drops digits until the values fit.
    fn make_room(&mut self) {
        while self.at.len() > self.most && self.dropped < MOST_DROPPED {
            self.drop_to(self.dropped + 1);
        }
    }

    /// Drops digits of all places, which join in rising order.
    fn drop_to(&mut self, dropped: u64) {
        let further = dropped - self.dropped;
        if further == 0 {
            return;
        }
        let (places, weights) = self.in_order();
        self.at.clear();
        self.weights.clear();
        self.dropped = dropped;
        for (place, own) in places.into_iter().zip(weights.chunks_exact(self.groups.max(1))) {
            let slot = self.slot(place >> further);
            add(&mut self.weights[slot * self.groups..(slot + 1) * self.groups], own);
        }
    }

    /// Adds what others have seen.
    pub fn merge(&mut self, other: &Self) {
        self.drop_to(self.dropped.max(other.dropped));
        let further = self.dropped - other.dropped;
        let (places, weights) = other.in_order();
        for (place, own) in places.into_iter().zip(weights.chunks_exact(self.groups.max(1))) {
            let slot = self.slot(place >> further);
            add(&mut self.weights[slot * self.groups..(slot + 1) * self.groups], own);
        }
        self.make_room();
    }

    /// Places in rising order, and their weights.
    fn in_order(&self) -> (Vec<u64>, Vec<f64>) {
        let mut places: Vec<(u64, u32)> = self.at.iter().map(|(place, slot)| (*place, *slot)).collect();
        places.sort_unstable();
        let own = |slot: u32| &self.weights[slot as usize * self.groups..(slot as usize + 1) * self.groups];
        let weights = places.iter().flat_map(|(_, slot)| own(*slot)).copied().collect();
        (places.into_iter().map(|(place, _)| place).collect(), weights)
    }

    /// Values in rising order with their weights by group. Where digits were dropped a value is the middle of those it stands for.
    pub fn sorted(&self) -> Vec<(f64, Vec<f64>)> {
        let (places, weights) = self.in_order();
        let middle = if self.dropped == 0 { 0 } else { 1 << (self.dropped - 1) };
        let value = |place: u64| number((place << self.dropped) + middle);
        places.into_iter().map(value).zip(weights.chunks_exact(self.groups.max(1)).map(<[f64]>::to_vec)).collect()
    }

    /// Whether every value is counted as it is.
    pub fn is_exact(&self) -> bool {
        self.dropped == 0
    }

    /// Number of different values.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether no value was seen.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        self.at.capacity() * 16 + self.weights.capacity() * 8
    }
}

/// The place of a number among all numbers; no zero has a sign here.
fn place(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The number of a place.
fn number(place: u64) -> f64 {
    f64::from_bits(if place >> 63 == 1 { place & !(1 << 63) } else { !place })
}

impl Encode for ValueCounts {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let (mut places, mut weights) = self.in_order();
        codec.count("dropped", &mut self.dropped)?;
        codec.count_list("places", &mut places)?;
        codec.list("weights", self.groups, &mut weights)?;
        codec.accept("weights", &weights, |w| w.is_finite() && w >= 0.0, "a weight below zero")?;
        if !codec.is_reading() {
            return Ok(());
        }
        let rising = places.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = self.dropped <= MOST_DROPPED && places.iter().all(|place| place.leading_zeros() as u64 >= self.dropped);
        if !rising || !fits || places.len() > self.most || weights.len() != places.len() * self.groups {
            return Err(fault("the values of a column are no rising numbers with their weights"));
        }
        self.at = places.into_iter().enumerate().map(|(slot, place)| (place, slot as u32)).collect();
        self.weights = weights;
        if self.sorted().iter().any(|(value, _)| !value.is_finite()) {
            return Err(fault("a value of a column is not finite"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    fn counted(values: &[f64], pieces: usize, most: usize) -> ValueCounts {
        let mut whole = ValueCounts::new(2, most);
        for piece in values.chunks(values.len().div_ceil(pieces)) {
            let mut part = ValueCounts::new(2, most);
            piece.iter().for_each(|x| part.add(*x, usize::from(*x > 0.5), 1.0));
            whole.merge(&part);
        }
        whole
    }

    fn scattered(count: u64) -> Vec<f64> {
        (0..count).map(|i| (mixed(i + 1) >> 11) as f64 / (1u64 << 53) as f64).collect()
    }

    #[test]
    fn few_values_are_counted_as_they_are() {
        let counts = counted(&[3.0, -1.5, f64::NAN, 3.0, -0.0, 0.0, -2.0], 3, 16);
        let expected = [(-2.0, [1.0, 0.0]), (-1.5, [1.0, 0.0]), (0.0, [2.0, 0.0]), (3.0, [0.0, 2.0])];
        assert_eq!(counts.sorted(), expected.map(|(x, w)| (x, w.to_vec())));
        assert!(counts.is_exact());
    }

    #[test]
    fn pieces_and_order_change_nothing() {
        let mut values = scattered(5000);
        values.extend(values.clone().iter().map(|x| -1e6 * x));
        let whole = counted(&values, 1, 300);
        assert!(!whole.is_exact() && whole.len() <= 300 && whole.len() > 100, "{}", whole.len());
        assert_eq!(counted(&values, 7, 300), whole);
        values.reverse();
        assert_eq!(counted(&values, 4, 300), whole);
        assert_eq!(whole.sorted().iter().map(|(_, w)| w[0] + w[1]).sum::<f64>(), 10_000.0);
    }

    #[test]
    fn dropped_digits_keep_a_value_near_its_place() {
        let values = scattered(20_000);
        let mut shifted: Vec<f64> = values.iter().map(|x| 1e8 + x).collect();
        shifted.sort_by(f64::total_cmp);
        let counts = counted(&shifted, 3, 1000);
        let mut below = 0.0;
        for (value, weights) in counts.sorted() {
            below += weights[0] + weights[1];
            // As many rows lie below the middle of a place as it says, but for those of the place itself.
            let exact = shifted.partition_point(|x| *x <= value) as f64;
            assert!((below - exact).abs() <= 20_000.0 / 400.0, "{value}: {below} {exact}");
        }
    }

    #[test]
    fn written_and_read_back_it_is_the_same() {
        let mut counts = counted(&scattered(900), 2, 100);
        let mut record = Record::new("t", 1, &()).unwrap();
        Codec::out(&mut record, "").part("values", &mut counts).unwrap();
        let mut read = ValueCounts::new(2, 100);
        Codec::from(&record, "").part("values", &mut read).unwrap();
        assert_eq!(read, counts);
        let mut small = ValueCounts::new(2, 50);
        assert!(Codec::from(&record, "").part("values", &mut small).is_err());
    }
}
