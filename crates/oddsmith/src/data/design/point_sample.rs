//! A sample of points: the rows whose numbers hash lowest. It does not depend on how rows are cut into batches and lanes, and
//! it is everything while there are no more than [`MOST`] rows.

use std::cmp::Ordering;

use crate::codec::{Codec, Encode};
use crate::data::scattered;
use crate::error::Result;
use crate::record::fault;

/// The most points kept.
const MOST: usize = 1 << 13;

/// A point with its weight.
#[derive(Debug, Clone)]
pub(super) struct SamplePoint {
    key: u64,
    /// Coordinates.
    pub(super) at: Box<[f64]>,
    /// Weight of the row.
    pub(super) weight: f64,
}

impl SamplePoint {
    /// The point in units of `scales` around `mean`.
    pub(super) fn scaled(&self, mean: &[f64], scales: &[f64]) -> Self {
        let at = self.at.iter().zip(mean).zip(scales).map(|((x, m), s)| (x - m) / s).collect();
        SamplePoint { at, ..*self }
    }
}

/// Points of up to [`MOST`] rows.
#[derive(Debug, Clone)]
pub(super) struct PointSample {
    dimensions: usize,
    points: Vec<SamplePoint>,
    /// No key above this can be among the lowest, once that is known.
    limit: Option<u64>,
}

impl Encode for PointSample {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        if !codec.is_reading() {
            self.settle();
        }
        let mut keys: Vec<u64> = self.points.iter().map(|point| point.key).collect();
        let mut weights: Vec<f64> = self.points.iter().map(|point| point.weight).collect();
        let mut coordinates: Vec<f64> = self.points.iter().flat_map(|point| point.at.iter().copied()).collect();
        codec.count_list("keys", &mut keys)?;
        codec.list("weights", 1, &mut weights)?;
        codec.list("coordinates", self.dimensions, &mut coordinates)?;
        if codec.is_reading() {
            if weights.len() != keys.len() || coordinates.len() != keys.len() * self.dimensions {
                return Err(fault("a sample of points has other numbers of weights or coordinates than of points"));
            }
            let places = coordinates.chunks_exact(self.dimensions.max(1)).map(Box::from);
            let points = keys.into_iter().zip(weights).zip(places);
            self.points = points.map(|((key, weight), at)| SamplePoint { key, at, weight }).collect();
            self.settle();
        }
        Ok(())
    }
}

impl PointSample {
    /// No point seen in a space of this many dimensions.
    pub(super) fn new(dimensions: usize) -> Self {
        PointSample { dimensions, points: Vec::new(), limit: None }
    }

    /// Offers the point of a row.
    pub(super) fn push(&mut self, row: u64, weight: f64, at: &[f64]) {
        let key = scattered(row);
        if self.limit.is_none_or(|limit| key <= limit) {
            self.points.push(SamplePoint { key, at: at.into(), weight });
            if self.points.len() >= 2 * MOST {
                self.settle();
            }
        }
    }

    /// Adds the points of another sample.
    pub(super) fn merge(&mut self, other: &Self) {
        self.points.extend_from_slice(&other.points);
        self.settle();
    }

    /// Keeps the lowest keys, in order.
    pub(super) fn settle(&mut self) {
        self.points.sort_by(|a, b| a.key.cmp(&b.key).then_with(|| by_coordinates(&a.at, &b.at)));
        self.points.truncate(MOST);
        self.limit = self.points.get(MOST - 1).map(|last| last.key);
    }

    /// The points, once they are settled: each once with its whole weight, in the order of their coordinates. What is
    /// computed from them depends neither on the order of rows nor on whether a row of weight 2 stands there twice.
    pub(super) fn distinct(&self) -> Vec<SamplePoint> {
        let mut points = self.points.clone();
        points.sort_by(|a, b| by_coordinates(&a.at, &b.at));
        points.dedup_by(|later, kept| {
            let same = later.at == kept.at;
            kept.weight += if same { later.weight } else { 0.0 };
            same
        });
        points
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.points.iter().map(|point| size_of::<SamplePoint>() + size_of_val(&*point.at)).sum()
    }
}

fn by_coordinates(a: &[f64], b: &[f64]) -> Ordering {
    a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_does_not_depend_on_how_rows_are_cut() {
        let rows = 5 * MOST as u64;
        let sample = |lo: u64, hi: u64| {
            let mut sample = PointSample::new(1);
            (lo..hi).for_each(|row| sample.push(row, 1.0, &[row as f64]));
            sample
        };
        let mut whole = sample(0, rows);
        whole.settle();
        let mut merged = sample(0, 100);
        merged.merge(&sample(100, 30_000));
        merged.merge(&sample(30_000, rows));
        let coordinates = |sample: &PointSample| sample.distinct().iter().map(|p| p.at[0]).collect::<Vec<_>>();
        assert_eq!(whole.distinct().len(), MOST);
        assert!(coordinates(&whole) == coordinates(&merged));
    }
}
