//! Rows whose addends leave the range of numbers: a count so large that count times weight overflows, or a weight that is infinite because a
//! word that smoothing does not touch was never seen in the other classes.
//!
//! What decides is kept. Counts are brought to about one by a power of two, so that sums of classes can be compared, and the best class is
//! placed within the range; the others follow by their differences. Infinite weights are the limit of weights that grow together: the
//! classes with the largest count of them are left, and finite weights choose among these. A weight of −∞ makes its class impossible.

/// Size of a count from which on its product with a weight may overflow.
const LARGE: f64 = 1e250;
/// A sum that leaves room for those of other terms.
const FAR: f64 = f64::MAX / 16.0;

/// Whether the scores of a row say nothing: one is not a number or certain, or all are impossible.
pub(super) fn is_lost(scores: &[f64]) -> bool {
    scores.iter().any(|score| score.is_nan() || *score == f64::INFINITY) || scores.iter().all(|score| *score == f64::NEG_INFINITY)
}

/// Adds count · weight over the cells of a row, each a count and one weight per class, to the sums of the classes.
pub(super) fn add_cells<'a>(cells: impl Iterator<Item = (f64, &'a [f64])> + Clone, sums: &mut [f64]) {
    let largest = cells.clone().fold(0.0, |largest: f64, (count, _)| largest.max(count.abs()));
    let unit = if largest > LARGE { 2f64.powi(-(largest.log2().floor() as i32)) } else { 1.0 };
    let (mut finite, mut certain, mut impossible) = (vec![0.0; sums.len()], vec![0.0; sums.len()], vec![false; sums.len()]);
    for (count, weights) in cells.filter(|(count, _)| *count != 0.0 && !count.is_nan()) {
        for (k, weight) in weights.iter().enumerate() {
            match *weight {
                f64::INFINITY => certain[k] += count * unit,
                f64::NEG_INFINITY => impossible[k] = true,
                weight => finite[k] += count * unit * weight,
            }
        }
    }
    let possible = |k: &usize| !impossible[*k];
    let most = (0..sums.len()).filter(possible).map(|k| certain[k]).fold(f64::NEG_INFINITY, f64::max);
    let left = |k: &usize| possible(k) && certain[*k] == most;
    let best = (0..sums.len()).filter(left).map(|k| finite[k]).fold(f64::NEG_INFINITY, f64::max);
    let place = (best / unit).clamp(-FAR, FAR);
    for (k, sum) in sums.iter_mut().enumerate() {
        *sum += if left(&k) { place + (finite[k] - best) / unit } else { f64::NEG_INFINITY };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(cells: &[(f64, [f64; 3])]) -> Vec<f64> {
        let mut sums = vec![0.5, 0.0, 0.0];
        add_cells(cells.iter().map(|(count, weights)| (*count, &weights[..])), &mut sums);
        sums
    }

    #[test]
    fn ordinary_cells_add_up() {
        assert_eq!(added(&[(2.0, [-1.0, -2.0, -4.0]), (0.0, [f64::INFINITY; 3]), (1.0, [-1.0, 0.0, 0.0])]), [-2.5, -4.0, -8.0]);
    }

    #[test]
    fn counts_beyond_the_range_of_products_leave_the_best_class() {
        let sums = added(&[(1e308, [-3.0, -2.0, -4.0]), (7.0, [-1.0, -1.0, -1.0])]);
        assert!(sums[1].is_finite() && sums[0] < sums[1] && sums[2] < sums[1] && !is_lost(&sums), "{sums:?}");
        let even = added(&[(1e308, [-3.0, -3.0, -4.0])]);
        assert!(even[0] == even[1] && even[2] < even[0], "{even:?}");
    }

    #[test]
    fn certain_words_count_before_all_others() {
        let infinite = f64::INFINITY;
        assert_eq!(added(&[(2.0, [infinite, 1.0, 1.0]), (1.0, [5.0, infinite, 1.0])]), [5.5, -infinite, -infinite]);
        assert_eq!(added(&[(2.0, [infinite, infinite, 1.0]), (1.0, [5.0, 6.0, 1.0])]), [5.5, 6.0, -infinite]);
        assert_eq!(added(&[(2.0, [-infinite, infinite, -infinite])]), [-infinite, 0.0, -infinite]);
        assert!(is_lost(&added(&[(2.0, [-infinite; 3])])));
    }
}
