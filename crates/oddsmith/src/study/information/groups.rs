//! Classes within strata: the groups by which everything is counted.

use std::borrow::Cow;
use std::sync::Arc;

use super::Information;
use crate::codec::{Codec, Encode};
use crate::data::{KeyPlace, Layout, Levels, Plane, Role, Rows, SKIP, Space};
use crate::error::{DataFault, Result};
use crate::info::Joint;
use crate::stats::ClassWeights;

/// Most pairs of a class and a stratum.
const MOST_GROUPS: usize = 1 << 20;

/// Rows and weights by group, group z·K + k being class k within stratum z.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    layout: Arc<Layout>,
    strata: Option<(KeyPlace, usize)>,
    classes: ClassWeights,
}

impl Groups {
    /// Nothing seen.
    pub(super) fn new(layout: &Arc<Layout>, options: &Information) -> Result<Self> {
        let strata = options.strata.as_ref().map(|column| strata_of(layout, column)).transpose()?;
        let groups = layout.classes().len().saturating_mul(strata.map_or(1, |(_, levels)| levels));
        if groups > MOST_GROUPS {
            let column = options.strata.clone().unwrap_or_else(|| layout.target().to_owned());
            let what = format!("there are {groups} pairs of a class and a stratum, more than {MOST_GROUPS}");
            return Err(DataFault::new(what).column(column).accepted("use a column with fewer values").into());
        }
        Ok(Groups { strata, classes: ClassWeights::new(groups), layout: Arc::clone(layout) })
    }

    /// Counts a batch; gives the group of every row that counts.
    pub(super) fn observe<'a>(&mut self, rows: &Rows<'a>) -> Result<Cow<'a, [u32]>> {
        rows.features.check(&self.layout)?;
        let groups = self.of_rows(rows)?;
        self.classes.observe(&groups, rows.weights)?;
        Ok(groups)
    }

    fn of_rows<'a>(&self, rows: &Rows<'a>) -> Result<Cow<'a, [u32]>> {
        let labels = rows.counted_labels()?;
        let Some((place, strata)) = self.strata else { return Ok(labels) };
        let classes = self.layout.classes().len() as u32;
        let mut groups = labels.into_owned();
        for (i, group) in groups.iter_mut().enumerate().filter(|(_, group)| **group != SKIP) {
            // A row without its stratum is compared with no other.
            *group = match place.of_row(rows, i) {
                Some(stratum) if (stratum as usize) < strata => stratum as u32 * classes + *group,
                _ => SKIP,
            };
        }
        Ok(groups.into())
    }

    /// Adds other counts of the same groups.
    pub(super) fn merge(&mut self, other: &Self) {
        self.classes.merge(&other.classes);
    }

    /// The layout.
    pub(super) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        self.classes.rows.len()
    }

    /// Rows and weights by group.
    pub(super) fn classes(&self) -> &ClassWeights {
        &self.classes
    }

    /// How many strata there are.
    pub(super) fn strata(&self) -> usize {
        self.strata.map_or(1, |(_, levels)| levels)
    }

    /// Values by class, one table for every stratum that has rows, of counts by group, value after value.
    pub(super) fn tables(&self, counts: &[f64]) -> Result<Vec<Joint>> {
        let (classes, groups) = (self.layout.classes().len(), self.len());
        let stratum =
            |z: usize| -> Vec<f64> { counts.chunks_exact(groups).flat_map(|value| &value[z * classes..][..classes]).copied().collect() };
        (0..self.strata())
            .map(|z| Joint::new(classes, stratum(z)))
            .filter(|table| table.as_ref().map_or(true, |t| t.total() > 0.0))
            .collect()
    }

    /// Rows that a weight is worth as evidence.
    pub(super) fn evidence_of(&self, weight: f64) -> f64 {
        self.classes.effective_rows(self.layout.weighting()) * (weight / self.classes.total())
    }
}

impl Encode for Groups {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("classes", &mut self.classes)
    }
}

/// Where the strata of rows lie, and how many there are.
fn strata_of(layout: &Layout, column: &str) -> Result<(KeyPlace, usize)> {
    let place = KeyPlace::find(layout, Role::Stratum, column)?;
    let levels = match place {
        KeyPlace::Key(at) => Some(&layout.keys()[at].levels),
        KeyPlace::Feature(Plane::Codes(at)) => match &layout.features()[layout.codes()[at]].space {
            Space::Levels { levels, .. } => Some(levels),
            _ => None,
        },
        KeyPlace::Feature(_) => None,
    };
    match levels.map(Levels::len) {
        Some(count) => Ok((place, count)),
        None => Err(DataFault::new("strata are no numbers or texts").column(column).accepted(crate::error::Advice::ChangeKind).into()),
    }
}
