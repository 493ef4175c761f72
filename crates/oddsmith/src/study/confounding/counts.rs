//! Counts of every candidate by exposure and outcome: for every exposure n[candidate value, level of the exposure, class]. One pass; time O(rows ·
//! exposures · candidates), memory O(exposures · Σ values of candidates).

use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{Layout, MISSING, Plane, Rows, SKIP, Space};
use crate::error::{DataFault, Result};
use crate::stats::{LevelCounts, Statistics, ValueCounts};

/// Values of a number column that are counted one by one, before they are cut into strata.
const MOST_VALUES: usize = 1 << 12;
/// Most pairs of an exposure and a candidate.
const MOST_PAIRS: usize = 1 << 16;

/// The counts of one exposure.
#[derive(Debug, Clone)]
pub(super) struct ExposureCounts {
    /// Its place among the features.
    pub(super) feature: usize,
    /// Its column of codes.
    codes: usize,
    /// Categories by group, a group being a level of the exposure and a class.
    pub(super) levels: LevelCounts,
    /// Numbers in the same way.
    pub(super) numbers: Vec<ValueCounts>,
}

/// The sums of the analysis.
#[derive(Debug, Clone)]
pub struct ConfoundingCounts {
    pub(super) layout: Arc<Layout>,
    pub(super) exposures: Vec<ExposureCounts>,
    weight: f64,
}

impl ConfoundingCounts {
    /// Nothing counted yet.
    pub(super) fn new(layout: &Arc<Layout>, exposures: &[String]) -> Result<Self> {
        let pairs = exposures.len().saturating_mul(layout.features().len());
        if pairs > MOST_PAIRS {
            let what = format!("there are {pairs} pairs of an exposure and another column, more than {MOST_PAIRS}");
            return Err(DataFault::new(what).accepted("name fewer exposures or candidates").into());
        }
        let own = |name: &String| -> Result<ExposureCounts> {
            let feature = layout.index(name)?;
            let (Space::Levels { levels, .. }, Plane::Codes(codes)) = (&layout.features()[feature].space, layout.plane(feature)) else {
                let what = format!("the exposure is a {}", layout.features()[feature].kind().name());
                return Err(DataFault::new(what).column(name).accepted("an exposure of two levels").into());
            };
            let groups = levels.len() * layout.classes().len();
            Ok(ExposureCounts {
                feature,
                codes,
                levels: LevelCounts::new(groups, &layout.level_counts()),
                numbers: layout.numbers().iter().map(|_| ValueCounts::new(groups, MOST_VALUES)).collect(),
            })
        };
        Ok(ConfoundingCounts { exposures: exposures.iter().map(own).collect::<Result<_>>()?, layout: Arc::clone(layout), weight: 0.0 })
    }
}

impl ExposureCounts {
    fn observe(&mut self, rows: &Rows<'_>, labels: &[u32], classes: usize) {
        let codes = rows.features.codes;
        let group = |i: usize| match (labels[i], codes.get(i, self.codes)) {
            (SKIP, _) | (_, MISSING) => SKIP,
            (label, code) => code * classes as u32 + label,
        };
        let groups: Vec<u32> = (0..labels.len()).map(group).collect();
        self.levels.observe(codes, &groups, rows.weights);
        for (j, values) in self.numbers.iter_mut().enumerate() {
            for (i, group) in groups.iter().enumerate().filter(|(_, group)| **group != SKIP) {
                let x = rows.features.numbers.get(i, j);
                // An infinite value is larger than all others, which is all that matters for a stratum.
                values.add(x.clamp(f64::MIN, f64::MAX), *group as usize, rows.weights.map_or(1.0, |weights| weights[i]));
            }
        }
    }
}

impl Encode for ConfoundingCounts {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        for (at, exposure) in self.exposures.iter_mut().enumerate() {
            codec.within(&format!("exposure{at}"), |codec| {
                codec.weights("levels", exposure.levels.counts.cells_mut())?;
                exposure.numbers.iter_mut().enumerate().try_for_each(|(j, values)| codec.part(&format!("values{j}"), values))
            })?;
        }
        Ok(())
    }
}

impl Statistics for ConfoundingCounts {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        rows.features.check(&self.layout)?;
        let labels = rows.counted_labels()?;
        let classes = self.layout.classes().len();
        self.exposures.iter_mut().for_each(|exposure| exposure.observe(&rows, &labels, classes));
        let counted = labels.iter().enumerate().filter(|(_, label)| **label != SKIP);
        self.weight += counted.map(|(i, _)| rows.weights.map_or(1.0, |weights| weights[i])).sum::<f64>();
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        for (mine, theirs) in self.exposures.iter_mut().zip(&other.exposures) {
            mine.levels.merge(&theirs.levels);
            mine.numbers.iter_mut().zip(&theirs.numbers).for_each(|(mine, theirs)| mine.merge(theirs));
        }
        self.weight += other.weight;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn purpose(&self) -> String {
        format!("counts of {} by exposure and every other column", self.layout.target())
    }

    fn discloses(&self) -> Option<String> {
        let numbers = !self.layout.numbers().is_empty();
        numbers.then(|| "the values of every number column by exposure and outcome, though not which of them stand in the same row".into())
    }

    fn bytes(&self) -> usize {
        let own =
            |exposure: &ExposureCounts| exposure.levels.counts.bytes() + exposure.numbers.iter().map(ValueCounts::bytes).sum::<usize>();
        self.exposures.iter().map(own).sum::<usize>() + 64
    }
}
