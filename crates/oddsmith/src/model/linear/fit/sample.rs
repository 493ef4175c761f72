//! Which partitions of a source a pass looks at.
//!
//! A regression on a sample is a good start for the regression on all rows: it costs its share of a pass, and ends within a few of
//! the full fit's standard errors times √(n/n_s). Partitions are spread evenly over the source, so that an order in the rows
//! (by date, by hospital) does not matter much; whatever the sample hides is found by the passes over all rows.

/// Partitions that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sample {
    /// All.
    All,
    /// One in sixteen.
    Share,
    /// About this many.
    Partitions(usize),
}

/// Fewest partitions of which a share is taken.
const FEWEST: usize = 8;
/// The share.
const ONE_IN: usize = 16;

impl Sample {
    /// How many of `partitions` are looked at.
    pub(crate) fn size(self, partitions: usize) -> usize {
        match self {
            Sample::All => partitions,
            Sample::Share if partitions < FEWEST => partitions,
            Sample::Share => partitions.div_ceil(ONE_IN),
            Sample::Partitions(wanted) => wanted.min(partitions),
        }
    }

    /// Whether a partition is left out.
    pub(crate) fn skips(self, partition: usize, partitions: usize) -> bool {
        let size = self.size(partitions);
        (partition + 1) * size / partitions.max(1) == partition * size / partitions.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_their_size_and_are_spread_evenly() {
        for (sample, partitions, want) in [
            (Sample::All, 9, 9),
            (Sample::Share, 7, 7),
            (Sample::Share, 64, 4),
            (Sample::Partitions(3), 10, 3),
            (Sample::Partitions(30), 10, 10),
        ] {
            let taken: Vec<usize> = (0..partitions).filter(|p| !sample.skips(*p, partitions)).collect();
            assert_eq!(taken.len(), want);
            assert!(taken.windows(2).all(|pair| pair[1] - pair[0] <= partitions.div_ceil(want)));
        }
    }
}
