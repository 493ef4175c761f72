//! Tables of weights of many words from their counts: few logarithms, and one visit to memory.

/// Words whose weights are turned from rows of classes into rows of words while they are in the cache.
const WORD_BLOCK: usize = 256;

/// `weight(k, n)` of every word's count n in every class k, word after word.
/// Within a class, words are asked for in their order.
pub(super) fn word_major(counts: &[&[f64]], mut weight: impl FnMut(usize, f64) -> f64) -> Vec<f64> {
    let (classes, width) = (counts.len(), counts.first().map_or(0, |row| row.len()));
    let mut table = vec![0.0; classes * width];
    for (block, cells) in table.chunks_mut(WORD_BLOCK * classes.max(1)).enumerate() {
        for (k, row) in counts.iter().enumerate() {
            let weights = row[block * WORD_BLOCK..].iter().map(|&n| weight(k, n));
            cells[k..].iter_mut().step_by(classes).zip(weights).for_each(|(cell, weight)| *cell = weight);
        }
    }
    table
}

/// A function of a count that remembers its values at small whole numbers, which most counts of words are.
pub(super) struct CountMemo<F, V> {
    value: F,
    small: Vec<V>,
}

impl<V: Copy, F: Fn(f64) -> V> CountMemo<F, V> {
    /// Remembers more values the more `counts` will be asked for.
    pub(super) fn new(counts: usize, value: F) -> Self {
        let small = (0..(counts / 16).min(256)).map(|n| value(n as f64)).collect();
        CountMemo { value, small }
    }

    pub(super) fn at(&self, count: f64) -> V {
        match self.small.get(count as usize) {
            Some(&value) if count as usize as f64 == count => value,
            _ => (self.value)(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembered_values_are_those_of_the_function() {
        let value = |n: f64| (n + 0.5).ln();
        for counts in [0, 100, 1_000_000] {
            let memo = CountMemo::new(counts, value);
            for n in [0.0, -0.0, 1.0, 1.5, 5.0, 6.0, 255.0, 256.0, 1e18, f64::MAX, -0.25] {
                assert_eq!(memo.at(n).to_bits(), value(n).to_bits());
            }
        }
    }

    #[test]
    fn rows_of_classes_become_rows_of_words() {
        for width in [0, 1, WORD_BLOCK - 1, 2 * WORD_BLOCK + 3] {
            let rows: Vec<Vec<f64>> = (0..3).map(|k| (0..width).map(|word| (word * 10 + k) as f64).collect()).collect();
            let table = word_major(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), |k, n| n + k as f64 * 0.25);
            let want: Vec<f64> = (0..width).flat_map(|word| (0..3).map(move |k| (word * 10 + k) as f64 + k as f64 * 0.25)).collect();
            assert_eq!(table, want);
        }
    }
}
