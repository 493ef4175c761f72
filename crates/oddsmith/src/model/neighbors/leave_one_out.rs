//! The number of neighbours whose probabilities fit rows best that are left out one by one.
//!
//! One sorted list of neighbours per row serves every k: the mean of −w ln p(class of the row) is summed for all k at once. Beyond [`MOST`]
//! rows a part of them is left out in turn, chosen by what the rows hold and not by where they stand. Time O(n · rows left out).

use super::points::Points;
use super::votes::Rule;

/// Rows that are left out in turn at most.
const MOST: usize = 4000;
/// Rows whose neighbours are looked for at a time.
const BATCH: usize = 256;
/// Difference of mean losses that rounding may make: the smaller k is then taken.
const ROUNDING: f64 = 1e-12;

/// Mean log loss by k, from 1 up.
pub(super) fn losses(points: &Points, rule: &Rule, most_k: usize) -> Vec<f64> {
    let chosen = chosen(points);
    let classes = points.rows.layout().classes().len();
    let (mut sums, mut weight, mut p) = (vec![0.0; most_k], 0.0, vec![0.0; classes]);
    for batch in chosen.chunks(BATCH) {
        let queries: Vec<_> = batch.iter().map(|&row| points.query(row)).collect();
        let without: Vec<_> = batch.iter().map(|&row| Some(row)).collect();
        for (found, &row) in points.nearest_of(&queries, most_k as f64, &without).iter().zip(batch) {
            let own = points.rows.weights[row];
            weight += own;
            for (at, sum) in sums.iter_mut().enumerate() {
                rule.probabilities(found, (at + 1) as f64, &mut p);
                *sum -= own * p[points.rows.labels[row] as usize].ln();
            }
        }
    }
    sums.into_iter().map(|sum| sum / weight).collect()
}

/// The k of the least loss, the smallest of several.
pub(super) fn best(losses: &[f64]) -> usize {
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let good = |loss: &f64| *loss <= least + ROUNDING * (1.0 + least.abs());
    losses.iter().position(good).map_or(1, |at| at + 1)
}

/// Rows that are left out in turn: all, or those with the smallest hashes of their cells.
fn chosen(points: &Points) -> Vec<usize> {
    let count = points.rows.rows();
    if count <= MOST {
        return (0..count).collect();
    }
    let mut hashed: Vec<(u64, usize)> = (0..count).map(|row| (hash(points, row), row)).collect();
    hashed.sort_unstable();
    hashed.truncate(MOST);
    let mut rows: Vec<usize> = hashed.into_iter().map(|(_, row)| row).collect();
    rows.sort_unstable();
    rows
}

/// A mix of all cells of a row.
fn hash(points: &Points, row: usize) -> u64 {
    let cells = points.numbers(row).iter().map(|x| x.to_bits()).chain(points.codes(row).iter().map(|code| u64::from(*code)));
    cells.fold(0x9E37_79B9_7F4A_7C15, |state, cell| {
        let mut mixed = (state ^ cell).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^= mixed >> 29;
        mixed.wrapping_mul(0x94D0_49BB_1331_11EB) ^ (mixed >> 32)
    })
}
