//! Tables that lie apart (files, row groups, partitions of an engine) one after the other as one table.
//!
//! Partitions and rows are numbered through all parts, whoever holds them: a worker that has only some of the parts reads the same
//! partitions under the same numbers as a machine that has all of them. What decides how a pass is cut into lanes (bytes, partitions,
//! memory) is given or counted and never depends on what a part keeps in memory.

use std::sync::Arc;

use super::{AlignedSource, Alignment, Layout, Rows, Source};
use crate::error::{Error, Result};

/// Most lanes of a pass over many parts, whose workers may be on many machines.
const MOST_LANES: usize = 1024;

/// How much there is in one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Rows that count.
    pub rows: u64,
    /// Partitions.
    pub partitions: usize,
}

/// Several tables as one.
pub struct JoinedSource {
    layout: Layout,
    parts: Vec<Part>,
    /// The first partition of every part, and the number of all.
    starts: Vec<usize>,
    bytes: u64,
    rows: u64,
}

/// The rows of a part and the way to the common layout, where it is another than their own.
type Held = (Arc<dyn Source + Send>, Option<Arc<Alignment>>);

struct Part {
    /// `None` where others hold the rows.
    held: Option<Held>,
    /// Rows of all parts before.
    first_row: u64,
}

impl JoinedSource {
    /// All parts over a layout that has their columns, classes and levels; together they take about `bytes`.
    pub fn new(parts: Vec<Arc<dyn Source + Send>>, layout: Layout, bytes: u64) -> Result<Self> {
        let extent = |part: &Arc<dyn Source + Send>| {
            let rows = part.rows().ok_or_else(|| Error::internal("a part does not know how many rows it has"))?;
            Ok(Extent { rows, partitions: part.partitions() })
        };
        let extents = parts.iter().map(extent).collect::<Result<Vec<_>>>()?;
        JoinedSource::some(parts.into_iter().enumerate().collect(), &extents, layout, bytes)
    }

    /// Only some parts, each with its number among all of those that `extents` lists.
    pub fn some(parts: Vec<(usize, Arc<dyn Source + Send>)>, extents: &[Extent], layout: Layout, bytes: u64) -> Result<Self> {
        let (mut starts, mut rows, mut all) = (vec![0], 0, Vec::new());
        for extent in extents {
            all.push(Part { held: None, first_row: rows });
            rows += extent.rows;
            starts.push(starts[starts.len() - 1] + extent.partitions);
        }
        for (at, source) in parts {
            let extent = extents.get(at).ok_or_else(|| Error::internal("a part has a number that no part has"))?;
            if source.rows() != Some(extent.rows) || source.partitions() != extent.partitions {
                let now = source.rows().unwrap_or(0);
                return Err(Error::data(format!("there were {} rows in the first pass and {now} in this one", extent.rows)));
            }
            // Layouts that differ in the levels of their keys alone are equal, and their codes are not.
            let same = *source.layout() == layout && source.layout().keys() == layout.keys();
            let alignment = (!same).then(|| Alignment::between(source.layout(), &layout)).transpose()?;
            all[at].held = Some((source, alignment.map(Arc::new)));
        }
        Ok(JoinedSource { layout, parts: all, starts, bytes, rows })
    }
}

impl Source for JoinedSource {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn partitions(&self) -> usize {
        self.starts[self.parts.len()]
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    /// Nothing is kept of the rows of many parts: whoever concludes may not be where they are.
    fn memory(&self) -> u64 {
        0
    }

    fn most_lanes(&self) -> usize {
        MOST_LANES
    }

    fn scan(&self, partition: usize, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let at = self.starts.partition_point(|start| *start <= partition) - 1;
        let part = self.parts.get(at).ok_or_else(|| Error::internal("a partition that no part has"))?;
        let (source, alignment) = part.held.as_ref().ok_or_else(|| Error::internal("the rows of a partition are elsewhere"))?;
        let own = partition - self.starts[at];
        let mut placed = |rows: Rows<'_>| sink(Rows { first_row: rows.first_row + part.first_row, ..rows });
        match alignment {
            None => source.scan(own, &mut placed),
            Some(alignment) => AlignedSource::through(&**source, alignment).scan(own, &mut placed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::OneBatch;
    use crate::data::{Classes, Feature, Features, Weighting};
    use crate::num::MatrixView;

    fn two_rows(sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        sink(Rows::new(Features::of_numbers(MatrixView::row_major(&[1.0, 2.0], 2, 1)?), &[0, 0], None, 0))
    }

    fn part(class: &str) -> Arc<dyn Source + Send> {
        Arc::new(OneBatch { layout: layout(&[class]), rows: 2, give: two_rows })
    }

    fn layout(classes: &[&str]) -> Layout {
        let classes = Classes::new(classes.iter().map(|class| (*class).to_owned()).collect()).unwrap();
        Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap()
    }

    fn seen(source: &JoinedSource, partition: usize) -> Result<(Vec<u32>, u64)> {
        let mut seen = (Vec::new(), 0);
        source.scan(partition, &mut |rows| {
            seen = (rows.labels.to_vec(), rows.first_row);
            Ok(())
        })?;
        Ok(seen)
    }

    #[test]
    fn rows_and_classes_are_numbered_through_all_parts() {
        let joined = JoinedSource::new(vec![part("b"), part("a")], layout(&["a", "b"]), 32).unwrap();
        assert_eq!((joined.partitions(), joined.rows(), joined.memory()), (2, Some(4), 0));
        assert_eq!(seen(&joined, 0).unwrap(), (vec![1, 1], 0));
        assert_eq!(seen(&joined, 1).unwrap(), (vec![0, 0], 2));
    }

    #[test]
    fn whoever_has_some_parts_reads_them_under_the_same_numbers() {
        let extents = [Extent { rows: 7, partitions: 3 }, Extent { rows: 2, partitions: 1 }];
        let joined = JoinedSource::some(vec![(1, part("a"))], &extents, layout(&["a"]), 32).unwrap();
        assert_eq!(seen(&joined, 3).unwrap(), (vec![0, 0], 7));
        assert!(seen(&joined, 0).is_err());
        let changed = JoinedSource::some(vec![(0, part("a"))], &extents, layout(&["a"]), 32).err().unwrap();
        assert_eq!(changed.to_string(), "there were 7 rows in the first pass and 2 in this one");
    }
}
