//! The sums of all lanes, merged in one order wherever they are merged.
//!
//! Lanes are added from the first to the last. Where all summaries together are large they are added in groups of [`FAN_IN`] first, and the
//! groups in groups again, until what is left is small: workers far away then merge a group each, and whoever concludes receives few
//! sums. The groups follow from the number of lanes and the size of a summary alone, so a machine that has all lanes merges in the same
//! order, and comes to the same bits.

use std::collections::BTreeMap;

use crate::data::Rows;
use crate::error::{Error, Result};
use crate::stats::Statistics;

/// Summaries in a group.
pub(super) const FAN_IN: usize = 32;
/// Bytes of all summaries of a pass above which groups of them are merged first.
const LARGE: u128 = 256 << 20;

/// How lanes are grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MergeTree {
    /// Lanes, groups of lanes, groups of groups …: how many there are of each.
    counts: Vec<usize>,
}

impl MergeTree {
    /// The groups of so many lanes with summaries of so many bytes.
    pub(super) fn of(lanes: usize, bytes: usize) -> MergeTree {
        let (mut counts, mut left) = (vec![lanes], lanes);
        while left > 1 && left as u128 * bytes as u128 > LARGE {
            left = left.div_ceil(FAN_IN);
            counts.push(left);
        }
        MergeTree { counts }
    }

    /// The lanes of one group of a level, numbered from 0, with the groups that it is made of.
    pub(super) fn of_group(lanes: usize, level: usize) -> MergeTree {
        MergeTree { counts: (0..=level).map(|below| lanes.div_ceil(FAN_IN.saturating_pow(below as u32))).collect() }
    }

    /// How many lanes there are, how many groups of lanes, how many groups of groups.
    pub(super) fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The lanes of a group; a group of level 0 is a lane.
    pub(super) fn lanes_of(&self, level: usize, group: usize) -> std::ops::Range<usize> {
        let (lanes, width) = (self.counts[0], self.width(level));
        (group * width).min(lanes)..((group + 1) * width).min(lanes)
    }

    /// Lanes in a group that is not the last.
    pub(super) fn width(&self, level: usize) -> usize {
        FAN_IN.saturating_pow(level as u32)
    }
}

/// Sums on their way to one.
pub(super) struct Merged<S> {
    tree: MergeTree,
    /// The group under way of every level. The first sum of a group is kept and the others are added to it: a wide summary is neither
    /// cleared nor merged needlessly.
    open: Vec<Option<S>>,
    /// The first lane that is not merged yet.
    next: usize,
    /// Sums that came too early, with their level, by their first lane.
    waiting: BTreeMap<usize, (usize, S)>,
    /// The error of the earliest lane that failed, so that the message does not depend on threads.
    pub(super) failed: Option<(usize, Error)>,
}

impl<S> Merged<S>
where
    S: for<'a> Statistics<Input<'a> = Rows<'a>>,
{
    pub(super) fn new(tree: MergeTree) -> Self {
        let open = tree.counts.iter().map(|_| None).collect();
        Merged { tree, open, next: 0, waiting: BTreeMap::new(), failed: None }
    }

    /// The first lane whose sum is still missing.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Takes the sum of a lane, or its failure.
    pub(super) fn take(&mut self, lane: usize, sum: Result<S>) {
        match sum {
            Ok(sum) => self.take_group(0, lane, sum),
            Err(error) => self.fail(lane, error),
        }
    }

    /// Takes the sum of a whole group.
    pub(super) fn take_group(&mut self, level: usize, group: usize, sum: S) {
        self.waiting.insert(self.tree.lanes_of(level, group).start, (level, sum));
        while let Some((level, sum)) = self.waiting.remove(&self.next) {
            let lane = self.next;
            self.next = self.tree.lanes_of(level, lane / self.tree.width(level)).end;
            let added = self.add(level, sum).and_then(|()| self.close_groups(level));
            if let Err(error) = added {
                self.fail(lane, error);
            }
        }
    }

    fn add(&mut self, level: usize, sum: S) -> Result<()> {
        match &mut self.open[level] {
            Some(total) => total.merge(&sum),
            none => {
                *none = Some(sum);
                Ok(())
            }
        }
    }

    /// Hands groups that are complete to the level above.
    fn close_groups(&mut self, from: usize) -> Result<()> {
        let (top, all) = (self.open.len() - 1, self.next == self.tree.counts[0]);
        for level in from..top {
            if !all && !self.next.is_multiple_of(self.tree.width(level + 1)) {
                return Ok(());
            }
            if let Some(group) = self.open[level].take() {
                self.add(level + 1, group)?;
            }
        }
        Ok(())
    }

    fn fail(&mut self, lane: usize, error: Error) {
        if self.failed.as_ref().is_none_or(|(earlier, _)| lane < *earlier) {
            self.failed = Some((lane, error));
        }
    }

    /// The sum of all lanes.
    pub(super) fn finish(mut self, empty: &S) -> Result<S> {
        match self.failed {
            Some((_, error)) => Err(error),
            None => Ok(self.open.pop().flatten().unwrap_or_else(|| empty.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Codec, Encode};

    /// A statistic that remembers how it was merged.
    #[derive(Debug, Clone, PartialEq, Default)]
    struct Shape(String);

    impl Encode for Shape {
        fn encode(&mut self, _codec: &mut Codec<'_>) -> Result<()> {
            Ok(())
        }
    }

    impl Statistics for Shape {
        type Input<'a> = Rows<'a>;

        fn observe(&mut self, _rows: Rows<'_>) -> Result<()> {
            Ok(())
        }

        fn merge(&mut self, other: &Self) -> Result<()> {
            self.0 = format!("({}+{})", self.0, other.0);
            Ok(())
        }

        fn weight(&self) -> f64 {
            0.0
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    fn shape(lane: usize) -> Shape {
        Shape(lane.to_string())
    }

    fn of_lanes(tree: &MergeTree, order: impl Iterator<Item = usize>) -> Shape {
        let mut merged = Merged::new(tree.clone());
        order.for_each(|lane| merged.take(lane, Ok(shape(lane))));
        merged.finish(&Shape::default()).unwrap()
    }

    #[test]
    fn small_summaries_are_added_one_after_the_other() {
        let tree = MergeTree::of(4, 1 << 20);
        assert_eq!(tree.counts(), [4]);
        assert_eq!(of_lanes(&tree, [2, 0, 3, 1].into_iter()), Shape("(((0+1)+2)+3)".into()));
        assert_eq!(of_lanes(&MergeTree::of(0, 1), 0..0), Shape::default());
    }

    #[test]
    fn large_summaries_are_added_in_groups_until_few_are_left() {
        assert_eq!(MergeTree::of(1000, 1 << 20).counts(), [1000, 32]);
        assert_eq!(MergeTree::of(1000, 200 << 20).counts(), [1000, 32, 1]);
        assert_eq!(MergeTree::of(2, 200 << 20).counts(), [2, 1]);
        assert_eq!(MergeTree::of(1, usize::MAX).counts(), [1]);
        let tree = MergeTree::of(40, 100 << 20);
        let chain =
            |lanes: std::ops::Range<usize>| lanes.map(|lane| lane.to_string()).reduce(|sum, lane| format!("({sum}+{lane})")).unwrap();
        assert_eq!(of_lanes(&tree, (0..40).rev()).0, format!("({}+{})", chain(0..32), chain(32..40)));
    }

    #[test]
    fn groups_that_others_merged_come_to_the_same() {
        for (lanes, bytes) in [(1000, 2 << 20), (1000, 200 << 20), (70, 5 << 20), (33, 100 << 20)] {
            let tree = MergeTree::of(lanes, bytes);
            let expected = of_lanes(&tree, 0..lanes);
            for level in 0..tree.counts().len() {
                let mut merged = Merged::new(tree.clone());
                for group in (0..tree.counts()[level]).rev() {
                    // A worker has the groups below this level alone, and merges them as the tree says.
                    let own = tree.lanes_of(level, group);
                    let mut inner = Merged::new(MergeTree::of_group(own.len(), level));
                    own.clone().for_each(|lane| inner.take(lane - own.start, Ok(shape(lane))));
                    merged.take_group(level, group, inner.finish(&Shape::default()).unwrap());
                }
                assert_eq!(merged.finish(&Shape::default()).unwrap(), expected, "{lanes} lanes, level {level}");
            }
        }
    }

    #[test]
    fn the_earliest_failure_is_told() {
        let mut merged = Merged::new(MergeTree::of(3, 1));
        merged.take(2, Err(Error::data("late")));
        merged.take(1, Err(Error::data("early")));
        merged.take(0, Ok(shape(0)));
        assert_eq!(merged.finish(&Shape::default()).unwrap_err().to_string(), "early");
    }
}
