//! Numbers in fine bins: cuts from a sample of rows, counts from all of them.
//!
//! A cut lies in the middle between two neighbouring values of the sample; where there are more different values than bins, between those at
//! equal steps of rank. Bin b holds cut_{b−1} ≤ x < cut_b. Time O(log bins) a value, memory O(groups · bins) a column.

use crate::codec::{Codec, Encode};
use crate::data::SKIP;
use crate::error::Result;
use crate::num::MatrixView;
use crate::stats::{QuantileSketch, add};

/// Most fine bins of a column.
const MOST_BINS: usize = 512;

/// Most cells of all bins of a column, so that many classes do not take all memory.
const MOST_CELLS: usize = 1 << 18;

/// Cuts of every number column, in rising order.
pub(super) fn fine_cuts(sketch: &QuantileSketch, columns: usize, groups: usize) -> Vec<Vec<f64>> {
    let most = (MOST_CELLS / groups.max(1)).clamp(16, MOST_BINS);
    (0..columns).map(|j| sketch.bins(j, most).cuts).collect()
}

/// At most `most` − 1 cuts between weighted values.
pub(super) fn cuts_of(mut values: Vec<(f64, f64)>, most: usize) -> Vec<f64> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        kept.1 += if same { later.1 } else { 0.0 };
        same
    });
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let step = if values.len() <= most { 0.0 } else { total / most as f64 };
    let (mut below, mut last_cut) = (0.0, 0.0);
    let mut cuts = Vec::new();
    for pair in values.windows(2) {
        below += pair[0].1;
        if below - last_cut >= step && cuts.len() + 1 < most {
            let middle = 0.5 * pair[0].0 + 0.5 * pair[1].0;
            cuts.push(if middle > pair[0].0 { middle } else { pair[1].0 });
            last_cut = below;
        }
    }
    cuts
}

/// Counts of bins by group.
#[derive(Debug, Clone)]
pub(super) struct NumberBins {
    groups: usize,
    cuts: std::sync::Arc<Vec<Vec<f64>>>,
    /// Where the counts of each column begin.
    starts: Vec<usize>,
    counts: Vec<f64>,
}

impl NumberBins {
    /// Nothing seen of columns with these cuts.
    pub(super) fn new(groups: usize, cuts: Vec<Vec<f64>>) -> Self {
        let mut starts = vec![0];
        for cuts in &cuts {
            starts.push(starts[starts.len() - 1] + (cuts.len() + 1) * groups);
        }
        NumberBins { groups, counts: vec![0.0; starts[starts.len() - 1]], starts, cuts: std::sync::Arc::new(cuts) }
    }

    /// Adds a batch; missing values are left out.
    pub(super) fn observe(&mut self, values: MatrixView<'_>, groups: &[u32], weights: Option<&[f64]>) {
        for (j, cuts) in self.cuts.iter().enumerate() {
            let counts = &mut self.counts[self.starts[j]..self.starts[j + 1]];
            for (i, &group) in groups.iter().enumerate().filter(|(_, group)| **group != SKIP) {
                let x = values.get(i, j);
                if !x.is_nan() {
                    let bin = cuts.partition_point(|cut| *cut <= x);
                    counts[bin * self.groups + group as usize] += weights.map_or(1.0, |weights| weights[i]);
                }
            }
        }
    }

    /// Adds counts of the same bins.
    pub(super) fn merge(&mut self, other: &Self) {
        add(&mut self.counts, &other.counts);
    }

    /// Cuts by column.
    pub(super) fn cuts(&self) -> &[Vec<f64>] {
        &self.cuts
    }

    /// Counts of a column by group, bin after bin.
    pub(super) fn column(&self, j: usize) -> &[f64] {
        &self.counts[self.starts[j]..self.starts[j + 1]]
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.counts.len() * size_of::<f64>()
    }
}

impl Encode for NumberBins {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.weights("counts", &mut self.counts)
    }
}

/// Counts by group of wider bins: bin `starts[b]` is the first of wide bin b + 1.
pub(super) fn joined(counts: &[f64], groups: usize, starts: &[usize]) -> Vec<f64> {
    let mut wide = vec![0.0; (starts.len() + 1) * groups];
    for (bin, fine) in counts.chunks_exact(groups).enumerate() {
        let to = starts.partition_point(|start| *start <= bin);
        add(&mut wide[to * groups..][..groups], fine);
    }
    wide
}

/// Where bins of about as many rows each begin, without a look at the groups: about the cube root of the rows of them, 16 at most.
pub(super) fn quantile_starts(counts: &[f64], groups: usize) -> Vec<usize> {
    let weights: Vec<f64> = counts.chunks_exact(groups).map(|bin| bin.iter().sum()).collect();
    let total: f64 = weights.iter().sum();
    let wanted = libm::round(libm::cbrt(total)).clamp(2.0, 16.0);
    let (mut below, mut last) = (0.0, 0.0);
    let mut starts = Vec::new();
    for (bin, weight) in weights.iter().enumerate() {
        if bin > 0 && below - last >= total / wanted && below < total {
            starts.push(bin);
            last = below;
        }
        below += weight;
    }
    // A value that most rows share leaves one cut at least where there are two values.
    if starts.is_empty()
        && let Some(first) = weights.iter().position(|weight| *weight > 0.0)
    {
        starts.extend((first + 1..weights.len()).find(|bin| weights[*bin] > 0.0));
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_lie_between_values() {
        let values = |list: &[f64]| list.iter().map(|x| (*x, 1.0)).collect::<Vec<_>>();
        assert_eq!(cuts_of(values(&[3.0, 1.0, 1.0, 2.0]), 10), [1.5, 2.5]);
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        let cuts = cuts_of(values(&many), 4);
        assert_eq!(cuts, [249.5, 499.5, 749.5]);
        assert!(cuts_of(values(&[7.0, 7.0]), 4).is_empty());
        // Neighbours of which the middle rounds to the lower.
        let next = f64::from_bits(1f64.to_bits() + 1);
        assert_eq!(cuts_of(values(&[1.0, next]), 4), [next]);
    }

    #[test]
    fn bins_join_to_wider_ones() {
        let counts = [1.0, 0.0, 2.0, 1.0, 0.0, 5.0, 3.0, 3.0];
        assert_eq!(joined(&counts, 2, &[2]), [3.0, 1.0, 3.0, 8.0]);
        assert_eq!(joined(&counts, 2, &[]), [6.0, 9.0]);
        // The bin between is empty, so a cut on either side of it parts the same rows.
        assert_eq!(quantile_starts(&[100.0, 0.0, 0.0, 0.0, 1.0, 0.0], 2), [1]);
        let even: Vec<f64> = vec![10.0; 2 * 100];
        assert_eq!(quantile_starts(&even, 2).len() + 1, 13);
    }
}
