//! What one pass adds up: moments and values of numbers, counts of levels, all by group. Gaps are what is lacking in the counts of a column.

use std::borrow::Cow;
use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows, SKIP};
use crate::error::{DataFault, Result};
use crate::stats::{ClassWeights, LevelCounts, NumberMoments, Statistics, ValueCounts};

/// Values of a column that are counted one by one; beyond, the last digits are dropped.
const MOST_VALUES: usize = 1 << 15;
/// Most groups of a table that people read.
const MOST_GROUPS: usize = 24;

/// The sums of a description.
#[derive(Debug, Clone)]
pub struct DescribeCounts {
    pub(super) layout: Arc<Layout>,
    pub(super) groups: ClassWeights,
    pub(super) moments: NumberMoments,
    pub(super) values: Vec<ValueCounts>,
    pub(super) levels: LevelCounts,
}

impl DescribeCounts {
    /// Nothing seen. Without a target all rows are one group.
    pub fn new(layout: &Arc<Layout>) -> Result<Self> {
        let groups = layout.classes().len().max(1);
        if groups > MOST_GROUPS {
            let what = format!("has {groups} levels, and a table for people holds no more than {MOST_GROUPS} groups");
            return Err(DataFault::new(what).column(layout.target()).accepted("group by a column of few levels").into());
        }
        let numbers = layout.numbers().len();
        Ok(DescribeCounts {
            groups: ClassWeights::new(groups),
            moments: NumberMoments::new(groups, numbers),
            values: (0..numbers).map(|_| ValueCounts::new(groups, MOST_VALUES)).collect(),
            levels: LevelCounts::new(groups, &layout.level_counts()),
            layout: Arc::clone(layout),
        })
    }

    /// The group of every row that counts.
    fn groups_of<'a>(&self, rows: &Rows<'a>) -> Result<Cow<'a, [u32]>> {
        if !self.layout.classes().is_empty() {
            return rows.counted_labels();
        }
        let one_group = Rows { labels: &vec![0; rows.labels.len()], ..*rows };
        Ok(Cow::Owned(one_group.counted_labels()?.into_owned()))
    }
}

impl Encode for DescribeCounts {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("groups", &mut self.groups)?;
        codec.weights("present", self.moments.weight.cells_mut())?;
        codec.finite("means", self.moments.mean.cells_mut())?;
        codec.finite("means-low", self.moments.mean_low.cells_mut())?;
        codec.numbers("squares", self.moments.squares.cells_mut())?;
        for (at, values) in self.values.iter_mut().enumerate() {
            codec.part(&format!("values{at}"), values)?;
        }
        codec.weights("levels", self.levels.counts.cells_mut())
    }
}

impl Statistics for DescribeCounts {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        rows.features.check(&self.layout)?;
        let labels = self.groups_of(&rows)?;
        let (layout, numbers) = (Arc::clone(&self.layout), rows.features.numbers);
        self.groups.observe(&labels, rows.weights)?;
        let name = |j: usize| layout.features()[layout.numbers()[j]].name.clone();
        // Names the first infinite value, so that none is counted below.
        self.moments.observe(numbers, &labels, rows.weights, rows.first_row, &name, None)?;
        for (j, values) in self.values.iter_mut().enumerate() {
            for (i, group) in labels.iter().enumerate().filter(|(_, group)| **group != SKIP) {
                values.add(numbers.get(i, j), *group as usize, rows.weights.map_or(1.0, |weights| weights[i]));
            }
        }
        if !layout.codes().is_empty() {
            self.levels.observe(rows.features.codes, &labels, rows.weights);
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.groups.merge(&other.groups);
        self.moments.merge(&other.moments);
        self.values.iter_mut().zip(&other.values).for_each(|(mine, theirs)| mine.merge(theirs));
        self.levels.merge(&other.levels);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.groups.total()
    }

    fn purpose(&self) -> String {
        "moments, values and levels of every column by group".into()
    }

    fn discloses(&self) -> Option<String> {
        let numbers = !self.values.is_empty();
        numbers.then(|| "the values of every number column by group, though not which of them stand in the same row".into())
    }

    fn bytes(&self) -> usize {
        self.moments.bytes() + self.levels.counts.bytes() + self.values.iter().map(ValueCounts::bytes).sum::<usize>()
    }
}
