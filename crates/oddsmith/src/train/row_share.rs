//! Some rows of a table in place of all, where all would take long.
//!
//! A row is taken if a hash of its number, counted from the beginning of the part in which it is read, is low enough, so that neither threads nor the order
//! of merging choose, the same table has the same sample, and a table that is sorted is sampled all over. A model that keeps the rows of its fit compares each row that it judges with all of them: a billion comparisons
//! take a second or two, and ten thousand rows tell any share of the rows to within a hundredth.

use crate::codec::{Codec, Encode};
use crate::data::{RowBuffer, Rows, SKIP, scattered};
use crate::error::Result;
use crate::model::Classifier;
use crate::stats::Statistics;

/// Comparisons of a row with a row of the fit up to which all rows are judged.
const MOST_COMPARISONS: u64 = 1_000_000_000;
/// Rows that are judged however many the fit had.
const FEWEST: u64 = 2_000;

/// A share of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowShare {
    /// The largest hash of a row that is taken.
    last: u64,
}

impl RowShare {
    /// All rows.
    pub const ALL: RowShare = RowShare { last: u64::MAX };

    /// About so many of `rows`, or all where there are no more.
    pub fn of(wanted: u64, rows: u64) -> Self {
        match wanted < rows {
            true => RowShare { last: ((u128::from(wanted) << 64) / u128::from(rows)) as u64 },
            false => RowShare::ALL,
        }
    }

    /// The rows that a report judges of a model: all that are counted here, unless it compares each with very many rows of its fit.
    pub fn judged_of(model: &dyn Classifier, count: impl FnOnce() -> Result<u64>) -> Result<Self> {
        match model.neighbours() {
            Some(kept) => Ok(RowShare::of((MOST_COMPARISONS / kept.rows().max(1)).max(FEWEST), count()?)),
            None => Ok(RowShare::ALL),
        }
    }

    /// Whether no row is left out.
    pub fn is_all(self) -> bool {
        self == RowShare::ALL
    }

    /// Whether a row, counted from 0, is taken.
    pub(super) fn takes(self, row: u64) -> bool {
        scattered(row) <= self.last
    }
}

/// A statistic that sees a share of the rows.
#[derive(Clone)]
pub struct SharedSums<S> {
    share: RowShare,
    sums: S,
    rows: u64,
    /// Copies of the rows of a batch that are taken; no part of the sums.
    taken: RowBuffer,
}

impl<S> SharedSums<S> {
    /// An empty statistic over a share.
    pub fn new(share: RowShare, empty: S) -> Self {
        SharedSums { share, sums: empty, rows: 0, taken: RowBuffer::default() }
    }

    /// How many rows with a class were taken, where not all were.
    pub fn sampled(&self) -> Option<u64> {
        (!self.share.is_all()).then_some(self.rows)
    }

    /// What the statistic has seen.
    pub fn into_sums(self) -> S {
        self.sums
    }
}

impl<S: Encode> Encode for SharedSums<S> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("taken", &mut self.rows)?;
        self.sums.encode(codec)
    }
}

impl<S> Statistics for SharedSums<S>
where
    S: for<'b> Statistics<Input<'b> = Rows<'b>>,
{
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        if self.share.is_all() {
            return self.sums.observe(rows);
        }
        // A weight that is refused is named by its row, which copies do not know.
        let labels = rows.counted_labels()?;
        let chosen: Vec<usize> = (0..labels.len()).filter(|i| labels[*i] != SKIP && self.share.takes(rows.first_row + *i as u64)).collect();
        self.rows += chosen.len() as u64;
        self.taken.fill(&rows, &chosen);
        let sums = &mut self.sums;
        self.taken.with(|rows| sums.observe(rows))
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.rows += other.rows;
        self.sums.merge(&other.sums)
    }

    fn come_after(&mut self, rows: u64) {
        self.sums.come_after(rows);
    }

    fn weight(&self) -> f64 {
        self.sums.weight()
    }

    fn purpose(&self) -> String {
        self.sums.purpose()
    }

    fn discloses(&self) -> Option<String> {
        self.sums.discloses()
    }

    fn bytes(&self) -> usize {
        self.sums.bytes()
    }
}

/// How many rows there are, with or without a class.
#[derive(Debug, Clone, Default)]
pub struct RowCount {
    /// So many.
    pub rows: u64,
}

impl Encode for RowCount {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("rows", &mut self.rows)
    }
}

impl Statistics for RowCount {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.rows += rows.labels.len() as u64;
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.rows += other.rows;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.rows as f64
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Features;
    use crate::num::MatrixView;

    #[test]
    fn a_share_is_as_large_as_was_asked_for_and_lies_all_over() {
        let share = RowShare::of(10_000, 100_000);
        for tenth in 0..10 {
            let taken = (0..10_000).filter(|row| share.takes(10_000 * tenth + row)).count() as f64;
            // Six standard deviations of a binomial count.
            assert!((taken - 1000.0).abs() < 180.0, "{tenth}: {taken}");
        }
        assert!(RowShare::of(5, 5).is_all() && RowShare::of(5, 4).is_all() && RowShare::ALL.takes(7));
    }

    /// The sum of the first column.
    #[derive(Clone, Default)]
    struct Sum(f64);

    impl Encode for Sum {
        fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
            codec.number("sum", &mut self.0)
        }
    }

    impl Statistics for Sum {
        type Input<'b> = Rows<'b>;

        fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
            self.0 += (0..rows.labels.len()).map(|i| rows.features.numbers.get(i, 0)).sum::<f64>();
            Ok(())
        }

        fn merge(&mut self, other: &Self) -> Result<()> {
            self.0 += other.0;
            Ok(())
        }

        fn weight(&self) -> f64 {
            1.0
        }

        fn bytes(&self) -> usize {
            8
        }
    }

    #[test]
    fn a_sample_is_the_same_in_pieces_and_leaves_rows_without_a_class_out() {
        let (values, share): (Vec<f64>, _) = ((0..1000).map(f64::from).collect(), RowShare::of(300, 1000));
        let labels: Vec<u32> = (0..1000).map(|i| if i % 3 == 0 { SKIP } else { 1 }).collect();
        let batch = |lo: usize, hi: usize| {
            let features = Features::of_numbers(MatrixView::row_major(&values[lo..hi], hi - lo, 1).unwrap());
            Rows::new(features, &labels[lo..hi], None, lo as u64)
        };
        let mut whole = SharedSums::new(share, Sum::default());
        whole.observe(batch(0, 1000)).unwrap();
        let (mut first, mut second) = (SharedSums::new(share, Sum::default()), SharedSums::new(share, Sum::default()));
        second.observe(batch(137, 1000)).unwrap();
        first.observe(batch(0, 137)).unwrap();
        first.merge(&second).unwrap();
        let expected = (0..1000).filter(|i| i % 3 != 0 && share.takes(*i));
        let rows = expected.clone().count() as u64;
        assert!(rows > 100 && rows < 300);
        for sums in [whole, first] {
            assert_eq!(sums.sampled(), Some(rows));
            assert_eq!(sums.into_sums().0, expected.clone().sum::<u64>() as f64);
        }
    }
}
