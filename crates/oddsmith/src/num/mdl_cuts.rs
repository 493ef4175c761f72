//! Cuts of a number into intervals that pay for themselves (Fayyad and Irani's description length).
//!
//! A cut of N rows into two parts is made where it lowers the entropy of the class most, and kept when
//!
//! ```text
//! gain = H − (N₁/N) H₁ − (N₂/N) H₂  >  ( log2(N − 1) + log2(3^c − 2) − (c H − c₁ H₁ − c₂ H₂) ) / N
//! ```
//!
//! with c, c₁, c₂ the classes that occur in the whole and in the parts: saying where the cut is and what its sides look like must be cheaper
//! than what it saves. Parts are cut again. It needs nothing but counts of classes in ordered bins, so it works on sums of any size.
//! Cost O(bins · classes) a level of cuts.

use super::logspace::NeumaierSum;

/// Places at which to cut: `b` says that bin `b` begins an interval. `counts` holds the classes of every bin in order.
pub fn mdl_cuts(counts: &[f64], classes: usize) -> Vec<usize> {
    let mut cuts = Vec::new();
    if classes == 0 {
        return cuts;
    }
    let bins = counts.len() / classes;
    let mut open = vec![(0, bins)];
    while let Some((low, high)) = open.pop() {
        if let Some(cut) = best_cut(&counts[low * classes..high * classes], classes) {
            cuts.push(low + cut);
            open.extend([(low, low + cut), (low + cut, high)]);
        }
    }
    cuts.sort_unstable();
    cuts
}

/// The best cut of a run of bins, if it pays.
fn best_cut(counts: &[f64], classes: usize) -> Option<usize> {
    let mut whole = vec![0.0; classes];
    counts.chunks_exact(classes).for_each(|bin| whole.iter_mut().zip(bin).for_each(|(sum, n)| *sum += n));
    let total: f64 = whole.iter().sum();
    let h = bits(&whole);
    if h == 0.0 || total <= 2.0 {
        return None;
    }
    let (mut left, mut right) = (vec![0.0; classes], vec![0.0; classes]);
    let mut best: Option<(f64, usize, [f64; 4])> = None;
    for (at, bin) in counts.chunks_exact(classes).enumerate() {
        let below: f64 = left.iter().sum();
        // A cut after nothing but empty bins is none, and of a run of empty bins only the first place is tried.
        if below > 0.0 && bin.iter().any(|n| *n > 0.0) {
            right.iter_mut().zip(&whole).zip(&left).for_each(|((right, all), n)| *right = all - n);
            let (h1, h2) = (bits(&left), bits(&right));
            let rest = (below * h1 + (total - below) * h2) / total;
            if best.as_ref().is_none_or(|(least, ..)| rest < *least) {
                best = Some((rest, at, [h1, h2, seen(&left), seen(&right)]));
            }
        }
        left.iter_mut().zip(bin).for_each(|(sum, n)| *sum += n);
    }
    let (rest, at, [h1, h2, c1, c2]) = best?;
    let c = seen(&whole);
    let sides = libm::log2(libm::pow(3.0, c) - 2.0) - (c * h - c1 * h1 - c2 * h2);
    (h - rest > (libm::log2(total - 1.0) + sides) / total).then_some(at)
}

/// Entropy of the classes, in bits.
fn bits(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    let mut sum = NeumaierSum::default();
    counts.iter().filter(|count| **count > 0.0).for_each(|count| sum.add(-count / total * (count / total).ln()));
    sum.value().max(0.0) * std::f64::consts::LOG2_E
}

fn seen(counts: &[f64]) -> f64 {
    counts.iter().filter(|n| **n > 0.0).count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irises_are_cut_where_the_literature_cuts_them() {
        // The cuts of a separate program, written from the definition in Fayyad and Irani (1993).
        let text = include_str!("../../../../testdata/golden/data/iris.csv");
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.trim_matches('"')).collect()).collect();
        let species = ["setosa", "versicolor", "virginica"];
        for (column, known) in [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]].into_iter().enumerate() {
            let mut values: Vec<f64> = rows.iter().map(|row| row[column].parse().unwrap()).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            let mut counts = vec![0.0; 3 * values.len()];
            for row in &rows {
                let value: f64 = row[column].parse().unwrap();
                let bin = values.partition_point(|v| *v < value);
                counts[3 * bin + species.iter().position(|name| *name == row[4]).unwrap()] += 1.0;
            }
            let cuts: Vec<f64> = mdl_cuts(&counts, 3).into_iter().map(|b| 0.5 * (values[b - 1] + values[b])).collect();
            assert_eq!(cuts.len(), 2, "{cuts:?}");
            assert!(cuts.iter().zip(known).all(|(cut, known)| (cut - known).abs() < 1e-9), "{cuts:?} {known:?}");
        }
    }

    #[test]
    fn noise_is_not_cut() {
        let even: Vec<f64> = (0..40).flat_map(|i| [f64::from(5 + i % 3), f64::from(5 + (i + 1) % 3)]).collect();
        assert!(mdl_cuts(&even, 2).is_empty());
        assert!(mdl_cuts(&[5.0, 0.0, 7.0, 0.0], 2).is_empty());
        assert_eq!(mdl_cuts(&[50.0, 0.0, 0.0, 0.0, 0.0, 50.0], 2), [2]);
        assert!(mdl_cuts(&[], 0).is_empty());
    }
}
