//! Which rows move the coefficients: Cook's distance over leverage.
//!
//! One pass; the rows with the largest distances are kept for certain, others by a hash of their number.

use std::collections::BTreeMap;

use crate::codec::{Codec, Encode};
use crate::data::{Rows, SKIP, scattered};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Classifier, RowMetrics};
use crate::picture::{Axis, Mark, Panel, Picture, Role};
use crate::stats::Statistics;

/// Rows with the largest distances, and others, that are kept.
const TOP: usize = 12;
const OTHERS: usize = 260;
/// Rows that are named.
const NAMED: usize = 5;

/// Row, class, leverage and Cook's distance.
type Point = (u64, u32, f64, f64);

/// Distances of the rows of a regression.
#[derive(Clone)]
pub struct Influence<'a> {
    metrics: &'a dyn RowMetrics,
    places: (usize, usize),
    /// By a hash of the row's number in its part of the table, and its number in the whole.
    kept: BTreeMap<(u64, u64), Point>,
    top: Vec<Point>,
    rows: u64,
}

impl<'a> Influence<'a> {
    /// Nothing seen; an error for a model without leverages, or whose weights are not known by a column.
    pub fn new(model: &dyn Classifier, metrics: &'a dyn RowMetrics) -> Result<Self> {
        let place = |name: &str| metrics.names().iter().position(|known| known == name);
        let known = metrics.has_labels() && metrics.knows_weights() && metrics.layout() == model.layout();
        match (place("leverage"), place("cooks_distance")) {
            (Some(leverage), Some(distance)) if known => {
                Ok(Influence { metrics, places: (leverage, distance), kept: BTreeMap::new(), top: Vec::new(), rows: 0 })
            }
            _ => Err(ErrorKind::Unsupported {
                model: model.card().title,
                what: "tell the influence of rows".into(),
                advice: "that takes a regression of labels without weights, fitted by likelihood".into(),
            }
            .into()),
        }
    }

    fn keep(&mut self, hash: u64, point: Point) {
        self.kept.insert((hash, point.0), point);
        if self.kept.len() > OTHERS {
            self.kept.pop_last();
        }
        self.keep_top(point);
    }

    fn keep_top(&mut self, point: Point) {
        let enters = self.top.len() < TOP || self.top.last().is_some_and(|least| point.3 >= least.3);
        if !enters || self.top.iter().any(|known| known.0 == point.0) {
            return;
        }
        self.top.push(point);
        self.top.sort_by(|a, b| b.3.total_cmp(&a.3).then(a.0.cmp(&b.0)));
        self.top.truncate(TOP);
    }

    /// What was seen, where any row has a leverage: one whose weight the pass does not tell has none.
    pub fn known(self) -> Result<Self> {
        match self.top.is_empty() {
            true => Err(Error::data("no row has a leverage here: those of a weighted fit are told when the fit lists its rows")),
            false => Ok(self),
        }
    }

    /// The rows with the largest distances, the first first: row from 0, class, leverage, distance.
    pub fn largest(&self) -> &[Point] {
        &self.top
    }

    /// The picture.
    pub fn picture(&self) -> Picture {
        let layout = self.metrics.layout();
        let classes = layout.classes();
        let mut marks = Vec::new();
        for k in 0..classes.len() {
            let mut drawn: Vec<Point> = self.kept.values().chain(&self.top).filter(|point| point.1 as usize == k).copied().collect();
            drawn.sort_by_key(|point| point.0);
            drawn.dedup_by_key(|point| point.0);
            let points = drawn.into_iter().map(|(_, _, leverage, distance)| (leverage, distance)).collect();
            marks.push(Mark::Points { role: Role::of_class(k, classes.len()), name: classes.named(k, layout.target()), points });
        }
        let named = self
            .top
            .iter()
            .take(NAMED)
            .map(|(row, _, leverage, distance)| Mark::Label { at: (*leverage, *distance), text: format!("row {}", row + 1) });
        marks.extend(named);
        let sample = if self.rows as usize > OTHERS {
            format!(" Drawn are {OTHERS} of {} rows and those with the largest distances.", self.rows)
        } else {
            String::new()
        };
        let first = self
            .top
            .first()
            .map_or_else(String::new, |(row, _, _, distance)| format!(" The largest is {distance:.3}, of row {}.", row + 1));
        let summary = format!(
            "How much the coefficients would move without a row (Cook's distance), over how unusual its columns are.{first}{sample}"
        );
        let axis = |label: &str| Axis { label: label.into(), ..Axis::default() };
        Picture {
            name: "influence".into(),
            title: "Influence".into(),
            summary,
            panels: vec![Panel { x: axis("Leverage"), y: axis("Cook's distance"), marks }],
        }
    }
}

impl Statistics for Influence<'_> {
    type Input<'b> = Rows<'b>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        let found = self.metrics.of_rows(&rows.features, Some(&labels), rows.first_row)?;
        for (i, values) in found.metrics.iter().enumerate().filter(|(i, _)| labels[*i] != SKIP) {
            let (leverage, distance) = (values[self.places.0], values[self.places.1]);
            if leverage.is_finite() && distance.is_finite() {
                self.rows += 1;
                let row = rows.first_row + i as u64;
                self.keep(scattered(row), (row, labels[i], leverage, distance));
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.rows += other.rows;
        other.kept.iter().for_each(|((hash, _), point)| self.keep(*hash, *point));
        other.top.iter().for_each(|point| self.keep_top(*point));
        Ok(())
    }

    fn come_after(&mut self, rows: u64) {
        let moved = |point: Point| (point.0 + rows, point.1, point.2, point.3);
        self.kept = std::mem::take(&mut self.kept).into_iter().map(|((hash, row), point)| ((hash, row + rows), moved(point))).collect();
        self.top.iter_mut().for_each(|point| *point = moved(*point));
    }

    fn weight(&self) -> f64 {
        self.rows as f64
    }

    fn discloses(&self) -> Option<String> {
        Some("leverages and distances of single rows".into())
    }

    fn bytes(&self) -> usize {
        64 * (OTHERS + TOP)
    }
}

impl Encode for Influence<'_> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.count("rows", &mut self.rows)?;
        // First what was drawn, by its hash, then the largest.
        let points: Vec<Point> = self.kept.values().chain(&self.top).copied().collect();
        let mut hashes: Vec<u64> = self.kept.keys().map(|(hash, _)| *hash).collect();
        let mut places: Vec<u64> = points.iter().map(|point| point.0).collect();
        let mut labels: Vec<u32> = points.iter().map(|point| point.1).collect();
        let mut values: Vec<f64> = points.iter().flat_map(|point| [point.2, point.3]).collect();
        codec.count_list("places", &mut places)?;
        codec.count_list("hashes", &mut hashes)?;
        codec.labels("labels", &mut labels, self.metrics.layout().classes().len())?;
        codec.cells("values", 2 * places.len(), &mut values)?;
        if codec.is_reading() {
            for (at, (place, label)) in places.iter().zip(&labels).enumerate() {
                let point = (*place, *label, values[2 * at], values[2 * at + 1]);
                match hashes.get(at) {
                    Some(hash) => self.keep(*hash, point),
                    None => self.keep_top(point),
                }
            }
        }
        Ok(())
    }
}
