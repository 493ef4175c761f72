//! Sorting many scores: rows are dealt into buckets by the leading bits in which their keys differ, until a bucket fits
//! the cache and an ordinary sort finishes it.
//!
//! A key is the number's bit pattern, turned so that unsigned order is numeric order; −0 is 0. Time O(n) for the dealing
//! and O(n log cache) for the rest, memory one copy. The result depends on the rows alone: equal keys are ordered by what
//! comes with them.

/// Buckets of one deal.
const BUCKETS: usize = 1 << BUCKET_BITS;
const BUCKET_BITS: u32 = 9;
/// A bucket of up to this many entries is sorted in the cache.
const SMALL: usize = 1 << 13;

/// An entry that is sorted by a key first.
pub(super) trait Keyed: Copy + Ord + Default {
    /// The leading part of the order.
    fn key(&self) -> u64;
}

impl Keyed for u64 {
    fn key(&self) -> u64 {
        *self
    }
}

impl Keyed for (u64, u64) {
    fn key(&self) -> u64 {
        self.0
    }
}

/// The key of a number that is not NaN.
pub(super) fn key(value: f64) -> u64 {
    // Adding zero turns −0 into 0.
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The number of a key.
pub(super) fn unkey(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

/// Sorts entries by key and then by the rest.
pub(super) fn sort<T: Keyed>(entries: &mut [T]) {
    let mut scratch = Vec::new();
    sort_within(entries, &mut scratch);
}

fn sort_within<T: Keyed>(entries: &mut [T], scratch: &mut Vec<T>) {
    if entries.len() <= SMALL {
        entries.sort_unstable();
        return;
    }
    let (low, high) = entries.iter().fold((u64::MAX, 0), |(low, high), entry| (low.min(entry.key()), high.max(entry.key())));
    // The first bit in which keys differ leads; equal keys are left to the ordinary sort, which sees them as one run.
    let differing = u64::BITS - (low ^ high).leading_zeros();
    if differing == 0 {
        entries.sort_unstable();
        return;
    }
    let shift = differing.saturating_sub(BUCKET_BITS);
    let base = low >> shift << shift;
    let bucket = |entry: &T| (((entry.key() - base) >> shift) as usize).min(BUCKETS - 1);
    let mut ends = [0usize; BUCKETS];
    entries.iter().for_each(|entry| ends[bucket(entry)] += 1);
    let mut next = [0usize; BUCKETS];
    let mut start = 0;
    for (end, next) in ends.iter_mut().zip(&mut next) {
        *next = start;
        start += *end;
        *end = start;
    }
    if scratch.len() < entries.len() {
        scratch.resize(entries.len(), T::default());
    }
    for entry in entries.iter() {
        let place = &mut next[bucket(entry)];
        scratch[*place] = *entry;
        *place += 1;
    }
    entries.copy_from_slice(&scratch[..entries.len()]);
    let mut start = 0;
    for end in ends {
        sort_within(&mut entries[start..end], scratch);
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_of_numbers() {
        let rising = [f64::NEG_INFINITY, -1e300, -1.0, -5e-324, 0.0, 5e-324, 0.5, 1.0, 1e300, f64::INFINITY];
        assert!(rising.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert!(rising.iter().all(|&value| unkey(key(value)) == value));
        assert_eq!(key(-0.0), key(0.0));
    }

    #[test]
    fn many_entries_are_sorted_as_few_are() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let scales: [fn(f64) -> f64; 5] =
            [|x| x, |x| (x - 0.5) * 1e3, |x| (x * 10.0).floor(), |_| 0.25, |x| if x < 0.5 { 1e-300 * x } else { 1e300 }];
        for scale in scales {
            let values: Vec<(u64, u64)> = (0..5 * SMALL).map(|_| (key(scale(random())), random().to_bits())).collect();
            let (mut ours, mut plain) = (values.clone(), values);
            sort(&mut ours);
            plain.sort_unstable();
            assert_eq!(ours, plain);
        }
    }
}
