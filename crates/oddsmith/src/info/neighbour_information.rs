//! Mutual information between a number and a class from nearest neighbours (Ross).
//!
//! ```text
//! I = ψ(N) + ⟨ψ(k_i)⟩ − ⟨ψ(N_y)⟩ − ⟨ψ(m_i)⟩
//! ```
//!
//! d_i is the distance of row i to its k-th neighbour of the same class, m_i how many rows of any class, itself included, lie nearer than
//! d_i. Rows of a class of one are left out; a class with fewer than k + 1 rows has k_i = N_y − 1. In nats; may be a little below 0 by
//! chance. No noise is added: values that tie make the estimate worthless, and [`NeighbourInformation::ties`] tells how many do. One sort,
//! then pointers that only move forward: O(n log n).

use crate::num::special::digamma;

/// An estimate from neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeighbourInformation {
    /// The estimate in nats.
    pub estimate: f64,
    /// The share of rows whose value another row has, too.
    pub ties: f64,
    /// Rows that count.
    pub rows: usize,
}

/// Estimates mutual information from values with their classes; `None` where no class has two rows. Values must be finite.
pub fn neighbour_information(mut rows: Vec<(f64, u32)>, classes: usize, k: usize) -> Option<NeighbourInformation> {
    let mut sizes = vec![0usize; classes];
    rows.iter().for_each(|(_, class)| sizes[*class as usize] += 1);
    rows.retain(|(_, class)| sizes[*class as usize] > 1);
    let n = rows.len();
    if n < 2 || k == 0 {
        return None;
    }
    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let psi = digammas(n);
    // Where every class has its rows, in rising order of values.
    let mut starts = vec![0usize; classes + 1];
    (0..classes).for_each(|c| starts[c + 1] = starts[c] + if sizes[c] > 1 { sizes[c] } else { 0 });
    let (mut next, mut of_class) = (starts.clone(), vec![0u32; n]);
    for (at, (_, class)) in rows.iter().enumerate() {
        of_class[next[*class as usize]] = at as u32;
        next[*class as usize] += 1;
    }
    let mut sum = 0.0;
    for class in 0..classes {
        let members = &of_class[starts[class]..starts[class + 1]];
        if members.is_empty() {
            continue;
        }
        let neighbours = k.min(members.len() - 1);
        let within: f64 =
            distances(&rows, members, neighbours).into_iter().zip(members).map(|(d, &at)| psi[nearer(&rows, at as usize, d)]).sum();
        sum += members.len() as f64 * (psi[neighbours] - psi[members.len()]) - within;
    }
    let tied = (0..n).filter(|&i| (i > 0 && rows[i - 1].0 == rows[i].0) || (i + 1 < n && rows[i + 1].0 == rows[i].0)).count();
    Some(NeighbourInformation { estimate: psi[n] + sum / n as f64, ties: tied as f64 / n as f64, rows: n })
}

/// The distance of every member to its k-th nearest other member, by a window of k + 1 members that slides along.
fn distances(rows: &[(f64, u32)], members: &[u32], k: usize) -> Vec<f64> {
    let value = |at: usize| rows[members[at] as usize].0;
    let mut low = 0;
    (0..members.len())
        .map(|at| {
            let reach = |low: usize| (value(at) - value(low)).max(value(low + k) - value(at));
            low = low.max(at.saturating_sub(k));
            while low < at && low + 1 + k < members.len() && reach(low + 1) <= reach(low) {
                low += 1;
            }
            reach(low)
        })
        .collect()
}

/// How many rows, the one itself included, are nearer to it than `distance`; 1 at least.
fn nearer(rows: &[(f64, u32)], at: usize, distance: f64) -> usize {
    let x = rows[at].0;
    // The k-th neighbour is a few rows away, so steps that double find the ends sooner than halving all rows.
    let ahead = gallop(rows.len() - 1 - at, |step| rows[at + step].0 - x < distance);
    let behind = gallop(at, |step| x - rows[at - step].0 < distance);
    ahead + behind + 1
}

/// The largest step up to `most` for which a condition holds that holds up to some step and never after; 0 where none does.
fn gallop(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let mut reach = 1;
    while reach <= most && holds(reach) {
        reach *= 2;
    }
    let (mut low, mut high) = (reach / 2, reach.min(most + 1));
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// ψ of the whole numbers up to n; ψ(0) is not used.
fn digammas(n: usize) -> Vec<f64> {
    (0..=n).map(|m| if m == 0 { 0.0 } else { digamma(m as f64) }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, by looking at every pair of rows.
    fn by_definition(rows: &[(f64, u32)], classes: usize, k: usize) -> f64 {
        let size = |class: u32| rows.iter().filter(|row| row.1 == class).count();
        let rows: Vec<(f64, u32)> = rows.iter().copied().filter(|row| size(row.1) > 1).collect();
        let n = rows.len();
        let _ = classes;
        let mut sum = 0.0;
        for (i, (x, class)) in rows.iter().enumerate() {
            let mut same: Vec<f64> =
                rows.iter().enumerate().filter(|(j, row)| *j != i && row.1 == *class).map(|(_, row)| (row.0 - x).abs()).collect();
            same.sort_by(f64::total_cmp);
            let k = k.min(same.len());
            let m = rows.iter().filter(|row| (row.0 - x).abs() < same[k - 1]).count();
            sum += digamma(k as f64) - digamma(same.len() as f64 + 1.0) - digamma(m as f64);
        }
        digamma(n as f64) + sum / n as f64
    }

    proptest! {
        #[test]
        fn pointers_find_what_the_definition_says(rows in prop::collection::vec((-1.0..1.0f64, 0u32..3), 4..60), k in 1usize..5) {
            if let Some(found) = neighbour_information(rows.clone(), 3, k) {
                let expected = by_definition(&rows, 3, k);
                prop_assert!((found.estimate - expected).abs() < 1e-12, "{} {expected}", found.estimate);
            }
        }
    }

    #[test]
    fn separate_classes_tell_their_entropy() {
        let rows: Vec<(f64, u32)> =
            (0..400).map(|i| (f64::from(i % 200) + if i < 200 { 0.25 * f64::from(i).sin() } else { 1e6 }, u32::from(i >= 200))).collect();
        let found = neighbour_information(rows, 2, 3).unwrap();
        assert!((found.estimate - 2f64.ln()).abs() < 0.01, "{found:?}");
        assert_eq!(found.ties, 0.0);
        assert_eq!(neighbour_information(vec![(1.0, 0), (2.0, 1)], 2, 3), None);
        assert_eq!(neighbour_information(vec![(1.0, 0), (1.0, 0), (1.0, 1), (2.0, 1)], 2, 1).unwrap().ties, 0.75);
    }
}
