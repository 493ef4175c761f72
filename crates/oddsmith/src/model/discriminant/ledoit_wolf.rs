//! How far to shrink: Ledoit and Wolf's share, class by class, from a second pass over the rows.
//!
//! With z the row in its class's own units around the class mean, R = Σ w z zᵀ / W the class's correlation matrix, μ = tr(R)/p and
//! n the number of rows (W under frequency weights, W²/V under sampling weights with V = Σ w²):
//! β = (Σ w |z|⁴ / W − |R|²) / (p n), the uncertainty of R; d = (|R|² − 2 μ tr R + p μ²)/p, its distance from μ I;
//! δ = min(β, d)/d. Only Σ w |z|⁴ is new in the second pass. Time O(rows · p), memory O(K).

use std::sync::Arc;

use super::covariance::class_units;
use super::moments::Moments;
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows, SKIP};
use crate::error::{Error, Result};
use crate::record::{Record, fault};
use crate::stats::Statistics;

/// Sums of fourth powers around the means of the first pass.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FourthMoments {
    centre: Arc<ClassCentres>,
    /// The sums of the first pass; `None` for whoever sums rows up for another place.
    moments: Option<Arc<Moments>>,
    /// Σ w |z|⁴ per class.
    fourth: Vec<f64>,
    weight: f64,
}

/// Where the rows of every class lie, and in which units.
#[derive(Debug, PartialEq)]
struct ClassCentres {
    layout: Arc<Layout>,
    /// Positions in the number plane of the columns that vary.
    columns: Vec<usize>,
    centre: Vec<f64>,
    scale: Vec<f64>,
    /// Class means in scaled coordinates, class by class.
    offsets: Vec<Vec<f64>>,
    /// 1 / (column's unit in the class) in scaled coordinates: `inverse_units[k][at]`.
    inverse_units: Vec<Vec<f64>>,
}

impl FourthMoments {
    /// Nothing seen, around the means of `moments`.
    pub(super) fn new(moments: Moments) -> Self {
        let classes = moments.products.len();
        let inverse = |k: usize| class_units(&moments, k).squares.iter().map(|square| 1.0 / square.sqrt()).collect();
        let centre = ClassCentres {
            layout: Arc::clone(&moments.layout),
            columns: moments.columns.clone(),
            centre: moments.centre.clone(),
            scale: moments.scale.clone(),
            offsets: moments.offsets.clone(),
            inverse_units: (0..classes).map(inverse).collect(),
        };
        FourthMoments { centre: Arc::new(centre), moments: Some(Arc::new(moments)), fourth: vec![0.0; classes], weight: 0.0 }
    }

    /// Writes the centres down.
    pub(super) fn write_point(&self, point: &mut Record) {
        let ClassCentres { columns, centre, scale, offsets, inverse_units, .. } = &*self.centre;
        point.put_counts("fourth.columns", &columns.iter().map(|&j| j as u64).collect::<Vec<_>>());
        point.put("fourth.centre", centre);
        point.put("fourth.scale", scale);
        point.put("fourth.offsets", &offsets.concat());
        point.put("fourth.inverse_units", &inverse_units.concat());
    }

    /// Nothing seen around centres that another place wrote down; `None` when it asks for another pass.
    pub(super) fn at_point(layout: &Arc<Layout>, point: &Record) -> Result<Option<Self>> {
        if !point.arrays.contains_key("fourth.columns") {
            return Ok(None);
        }
        let (classes, numbers) = (layout.classes().len(), layout.numbers().len());
        let columns = point.counts("fourth.columns")?;
        if columns.last().is_some_and(|last| *last >= numbers as u64) || columns.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(fault(format!("`fourth.columns` lists columns that do not rise or are not among the {numbers}")));
        }
        let width = columns.len();
        let by_class = |name: &str| -> Result<Vec<Vec<f64>>> {
            let cells = point.finite(name, classes * width)?;
            Ok((0..classes).map(|k| cells[k * width..(k + 1) * width].to_vec()).collect())
        };
        let centre = ClassCentres {
            layout: Arc::clone(layout),
            columns: columns.iter().map(|&j| j as usize).collect(),
            centre: point.numbers("fourth.centre", width)?,
            scale: point.numbers("fourth.scale", width)?,
            offsets: by_class("fourth.offsets")?,
            inverse_units: by_class("fourth.inverse_units")?,
        };
        Ok(Some(FourthMoments { centre: Arc::new(centre), moments: None, fourth: vec![0.0; classes], weight: 0.0 }))
    }

    /// The sums of the first pass.
    pub(super) fn moments(&self) -> Result<&Moments> {
        self.moments.as_deref().ok_or_else(|| Error::internal("a second pass is finished where the first one is not known"))
    }

    /// The share of shrinkage of every class.
    pub(super) fn shares(&self, moments: &Moments) -> Vec<f64> {
        (0..self.fourth.len()).map(|k| self.share(moments, k)).collect()
    }

    fn share(&self, moments: &Moments, k: usize) -> f64 {
        let width = moments.width();
        // With one column every share gives the same matrix.
        if width < 2 {
            return 0.0;
        }
        let (weight, squared) = (moments.classes.weight[k], moments.classes.squared[k]);
        let units = class_units(moments, k);
        let deviations: Vec<f64> = units.squares.iter().map(|square| square.sqrt()).collect();
        let correlation = |i: usize, j: usize| moments.products[k][(i, j)] / (weight * deviations[i] * deviations[j]);
        let norm: f64 = (0..width).map(|i| (0..width).map(|j| correlation(i, j).powi(2)).sum::<f64>()).sum();
        let (p, mean) = (width as f64, units.mean_variance);
        let rows = moments.layout.weighting().effective_rows(weight, squared);
        let distance = (norm - 2.0 * mean * (mean * p) + p * mean * mean) / p;
        let uncertainty = ((self.fourth[k] / weight - norm) / (p * rows)).max(0.0).min(distance);
        if uncertainty > 0.0 { uncertainty / distance } else { 0.0 }
    }
}

impl Encode for FourthMoments {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.weights("fourth", &mut self.fourth)?;
        codec.weights("weight", std::slice::from_mut(&mut self.weight))
    }
}

impl Statistics for FourthMoments {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let ClassCentres { layout, columns, centre, scale, offsets, inverse_units } = &*self.centre;
        rows.features.check(layout)?;
        let numbers = rows.features.numbers;
        for (i, &label) in rows.labels.iter().enumerate().filter(|(_, label)| **label != SKIP) {
            // A row with a gap anywhere took no part in the first pass either.
            if (0..numbers.cols()).any(|j| numbers.get(i, j).is_nan()) {
                continue;
            }
            let k = label as usize;
            let w = rows.weights.map_or(1.0, |weights| weights[i]);
            let scaled = |at: usize| (numbers.get(i, columns[at]) - centre[at]) / scale[at];
            let z = |at: usize| (scaled(at) - offsets[k][at]) * inverse_units[k][at];
            let length: f64 = (0..columns.len()).map(|at| z(at).powi(2)).sum();
            self.fourth[k] += w * length * length;
            self.weight += w;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        if !Arc::ptr_eq(&self.centre, &other.centre) && self.centre != other.centre {
            return Err(Error::internal("second passes around different means were merged"));
        }
        crate::stats::add(&mut self.fourth, &other.fourth);
        self.weight += other.weight;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn bytes(&self) -> usize {
        self.fourth.len() * size_of::<f64>()
    }
}
