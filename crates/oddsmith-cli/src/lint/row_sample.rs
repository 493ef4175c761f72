//! A random sample of rows that does not depend on the order in which rows are read.
//!
//! Every row gets a hash of its number; the rows with the smallest hashes are kept. Samples of parts merge into exactly the
//! sample of the whole. Time O(rows · log kept), memory O(kept · columns).

use std::collections::BTreeMap;

use oddsmith::Result;
use oddsmith::codec::{Codec, Encode};
use oddsmith::data::{Layout, Rows, SKIP};
use oddsmith::record::fault;
use oddsmith::stats::Statistics;

/// Most cells kept: 8 MB of numbers.
const MOST_CELLS: usize = 1 << 20;
/// Most rows kept.
const MOST_ROWS: usize = 20_000;

/// Labels and numbers of some rows.
#[derive(Debug, Clone)]
pub(crate) struct RowSample {
    capacity: usize,
    seen: f64,
    /// The rows by hash and number.
    kept: BTreeMap<(u64, u64), SampledRow>,
}

/// Class, weight and numbers of a row.
#[derive(Debug, Clone, PartialEq)]
struct SampledRow {
    label: u32,
    weight: f64,
    numbers: Vec<f64>,
}

impl RowSample {
    /// No row yet.
    pub(crate) fn new(layout: &Layout) -> Self {
        let capacity = (MOST_CELLS / layout.numbers().len().max(1)).clamp(1, MOST_ROWS);
        RowSample { capacity, seen: 0.0, kept: BTreeMap::new() }
    }

    fn trim(&mut self) {
        while self.kept.len() > self.capacity {
            self.kept.pop_last();
        }
    }

    /// Whether number column `at` holds whole numbers that are all different and nowhere missing. Measurements are
    /// often all different too, but rarely whole.
    pub(super) fn all_different(&self, at: usize) -> bool {
        let mut values: Vec<f64> = self.kept.values().map(|row| row.numbers[at]).collect();
        if values.iter().any(|value| value.is_nan() || value.fract() != 0.0) {
            return false;
        }
        values.sort_by(f64::total_cmp);
        values.len() > 1 && values.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// The values of number column `at` as scores for class `k`: score, whether the row has the class, weight.
    pub(super) fn scored(&self, at: usize, k: usize) -> Vec<(f64, bool, f64)> {
        let rows = self.kept.values().filter(|row| !row.numbers[at].is_nan());
        rows.map(|row| (row.numbers[at], row.label as usize == k, row.weight)).collect()
    }
}

impl Encode for RowSample {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let mut keys: Vec<u64> = self.kept.keys().flat_map(|(hash, row)| [*hash, *row]).collect();
        let mut labels: Vec<u32> = self.kept.values().map(|row| row.label).collect();
        let mut weights: Vec<f64> = self.kept.values().map(|row| row.weight).collect();
        let mut numbers: Vec<f64> = self.kept.values().flat_map(|row| row.numbers.iter().copied()).collect();
        codec.number("seen", &mut self.seen)?;
        codec.count_list("keys", &mut keys)?;
        codec.labels("labels", &mut labels, usize::MAX)?;
        codec.list("weights", 1, &mut weights)?;
        codec.list("numbers", labels.len(), &mut numbers)?;
        if codec.is_reading() {
            if keys.len() != 2 * labels.len() || weights.len() != labels.len() {
                let (keys, weights) = (keys.len(), weights.len());
                return Err(fault(format!("{} labels of sampled rows come with {keys} keys and {weights} weights", labels.len())));
            }
            let width = numbers.len() / labels.len().max(1);
            let sampled =
                |i: usize| SampledRow { label: labels[i], weight: weights[i], numbers: numbers[i * width..(i + 1) * width].to_vec() };
            let row = |i: usize| ((keys[2 * i], keys[2 * i + 1]), sampled(i));
            self.kept = (0..labels.len()).map(row).collect();
            self.trim();
        }
        Ok(())
    }
}

impl Statistics for RowSample {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let numbers = rows.features.numbers;
        for (i, &label) in rows.labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            self.seen += 1.0;
            let row = rows.first_row + i as u64;
            let key = (scrambled(row), row);
            let full = self.kept.len() >= self.capacity;
            if full && self.kept.last_key_value().is_some_and(|(largest, _)| key > *largest) {
                continue;
            }
            let weight = rows.weights.map_or(1.0, |weights| weights[i]);
            self.kept.insert(key, SampledRow { label, weight, numbers: (0..numbers.cols()).map(|j| numbers.get(i, j)).collect() });
            self.trim();
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.seen += other.seen;
        self.kept.extend(other.kept.iter().map(|(key, row)| (*key, row.clone())));
        self.trim();
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.seen
    }

    fn bytes(&self) -> usize {
        self.kept.values().map(|row| 72 + row.numbers.len() * size_of::<f64>()).sum()
    }
}

/// A number that looks random and belongs to one row only (the finaliser of SplitMix64 is a bijection).
fn scrambled(row: u64) -> u64 {
    let mut x = row.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oddsmith::data::{Classes, Feature, Features, Weighting};
    use oddsmith::num::MatrixView;

    fn sampled(values: &[f64], first_row: u64, capacity: usize) -> RowSample {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
        let mut sample = RowSample { capacity, ..RowSample::new(&layout) };
        let labels: Vec<u32> = (0..values.len() as u32).map(|i| i % 2).collect();
        let features = Features::of_numbers(MatrixView::column_major(values, values.len(), 1).unwrap());
        sample.observe(Rows::new(features, &labels, None, first_row)).unwrap();
        sample
    }

    #[test]
    fn samples_of_parts_merge_into_the_sample_of_the_whole() {
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let whole = sampled(&values, 0, 50);
        for cut in [2, 300, 998] {
            let mut merged = sampled(&values[cut..], cut as u64, 50);
            merged.merge(&sampled(&values[..cut], 0, 50)).unwrap();
            assert_eq!((merged.kept.len(), &merged.kept), (50, &whole.kept));
        }
    }

    #[test]
    fn only_whole_numbers_without_repeats_look_like_identifiers() {
        assert!(sampled(&[3.0, 1.0, 2.0], 0, 50).all_different(0));
        assert!(!sampled(&[3.0, 1.0, 3.0], 0, 50).all_different(0));
        assert!(!sampled(&[3.5, 1.0, 2.0], 0, 50).all_different(0));
        assert!(!sampled(&[3.0, f64::NAN, 2.0], 0, 50).all_different(0));
    }
}
