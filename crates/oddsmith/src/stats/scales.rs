//! Columns whose squares leave the range of floating-point numbers.
//!
//! Values around 1e200 have infinite squares and values around 1e-200 have none. Such columns show in the sums of the
//! first pass; a second pass then multiplies them by a power of two, which changes no digit, and all sums of the column
//! are in scaled units from there on. Ordinary columns never pay for it.

use std::sync::Arc;

use super::TableStats;
use crate::data::Layout;
use crate::num::MatrixView;

/// Sums of squares below this have lost digits, unless there was nothing to square.
const TINY_SQUARES: f64 = 1e-250;

/// Whether the sums of some cell overflowed or vanished: weight, sum and sum of squares around a shift.
pub(super) fn is_extreme(sum: f64, square: f64) -> bool {
    !sum.is_finite() || !square.is_finite() || (sum != 0.0 && square < TINY_SQUARES)
}

/// Raises `extremes[j]` to the largest absolute value of column `j`.
pub(super) fn note_extreme(extremes: &mut [f64], values: MatrixView<'_>, j: usize) {
    let largest = (0..values.rows()).map(|i| values.get(i, j).abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    extremes[j] = extremes[j].max(largest);
}

/// The power of two that brings numbers up to `largest` to about one; one for ordinary columns.
fn scale_for(largest: f64) -> f64 {
    if largest == 0.0 { 1.0 } else { 2f64.powi(-(largest.log2().floor().clamp(-1020.0, 1020.0) as i32)) }
}

/// A copy of a batch's numbers with every column multiplied by its scale, row after row.
pub(super) fn scaled(values: MatrixView<'_>, scales: &[f64]) -> Vec<f64> {
    (0..values.rows()).flat_map(|i| scales.iter().enumerate().map(move |(j, scale)| values.get(i, j) * scale)).collect()
}

impl TableStats {
    /// What the values of number column `j` were multiplied by before they were summed: a power of two, almost always 1.
    pub fn scale(&self, j: usize) -> f64 {
        self.scales.as_ref().map_or(1.0, |scales| scales[j])
    }

    /// The empty summary of another pass, when a column's squares left the range of floating-point numbers.
    pub fn rescaled(&self) -> Option<TableStats> {
        if self.scales.is_some() || self.extremes.iter().all(|largest| *largest == 0.0) {
            return None;
        }
        let scales = self.extremes.iter().map(|largest| scale_for(*largest)).collect();
        Some(TableStats::new(Arc::clone(&self.layout), self.parts).with_scales(scales))
    }

    /// An empty summary that will scale its columns.
    fn with_scales(mut self, scales: Vec<f64>) -> Self {
        self.scales = Some(Arc::new(scales));
        self
    }

    /// The same sums with other column scales.
    pub(super) fn rescale(&mut self, scales: &[f64]) {
        let factors: Vec<f64> = scales.iter().enumerate().map(|(j, scale)| scale / self.scale(j)).collect();
        if factors.iter().all(|factor| *factor == 1.0) {
            return;
        }
        if let Some(moments) = &mut self.moments {
            moments.rescale(&factors);
        }
        if let Some(scatter) = &mut self.scatter {
            scatter.rescale(&factors);
        }
        self.scales = Some(Arc::new(scales.to_vec()));
    }

    /// The smallest scale that any of the summaries uses for each number column of `layout`.
    pub(super) fn common_scales(layout: &Layout, members: &[&TableStats]) -> Vec<f64> {
        let scale_in = |member: &TableStats, name: &str| {
            let position = member.layout.numbers().iter().position(|&j| member.layout.features()[j].name == name);
            position.map_or(f64::INFINITY, |j| member.scale(j))
        };
        let smallest = |name: &str| members.iter().map(|member| scale_in(member, name)).fold(f64::INFINITY, f64::min);
        layout.numbers().iter().map(|&j| smallest(&layout.features()[j].name)).collect()
    }
}
