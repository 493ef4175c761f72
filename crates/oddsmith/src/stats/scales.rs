//! Columns whose squares leave the range of floating-point numbers.
//!
//! Values around 1e200 have infinite squares and values around 1e-200 have none. Such columns show in the sums of the
//! first pass; a second pass then multiplies them by a power of two, which changes no digit, and all sums of the column
//! are in scaled units from there on. Ordinary columns never pay for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ClassTable, TableStats};
use crate::data::{Layout, SKIP};
use crate::error::{DataFault, Result};
use crate::num::MatrixView;

/// Sums of squares below this have lost digits, unless there was nothing to square.
const TINY_SQUARES: f64 = 1e-250;

/// Squares of numbers between these have all their digits.
const SMALL: f64 = 1e-125;
const LARGE: f64 = 1e150;
/// A number whose square is infinite. Scaled to one, it leaves room for the squares of all others with infinite squares.
const OVERFLOWN: f64 = 1e230;

/// Powers of two beyond which a column cannot be brought to values of about 1: the reciprocal of its unit is a normal number, too.
pub(crate) const MOST_POWER: i32 = 1000;

/// Refuses a column of this size, in the user's units, where no power of two brings it to about 1.
pub(crate) fn check_size(column: &str, size: f64) -> Result<()> {
    let [least, most] = [-MOST_POWER, MOST_POWER].map(|power| 2f64.powi(power));
    if size == 0.0 || (least..=most).contains(&size) {
        return Ok(());
    }
    let fault = DataFault::new(format!("has no value larger than {size:e}, near the end of what numbers can hold"));
    Err(fault.column(column).accepted("values of ordinary size; multiply or divide the column by a power of ten").into())
}

/// Whether the sums of some cell overflowed or vanished: weight, sum and sum of squares around a shift.
pub(super) fn is_extreme(sum: f64, square: f64) -> bool {
    !sum.is_finite() || !square.is_finite() || (sum != 0.0 && square < TINY_SQUARES)
}

/// Raises `extremes[j]` to the largest absolute value of column `j` in the rows that count, and above zero in any case: a row of
/// zeros is extreme beside a tiny mean.
pub(super) fn note_extreme(extremes: &mut [f64], values: MatrixView<'_>, labels: &[u32], j: usize) {
    let counted = (0..values.rows()).filter(|&i| labels[i] != SKIP);
    let largest = counted.map(|i| values.get(i, j).abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    extremes[j] = extremes[j].max(largest).max(f64::MIN_POSITIVE);
}

/// The power of two that brings `largest` to about one; 1 for zero.
pub(crate) fn power_near(largest: f64) -> f64 {
    if largest > 0.0 { scale_for(largest) } else { 1.0 }
}

fn scale_for(largest: f64) -> f64 {
    power_for(largest.log2())
}

fn power_for(log_largest: f64) -> f64 {
    2f64.powi(-(log_largest.floor().clamp(-1020.0, 1020.0) as i32))
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

    /// The empty summary of another pass, when a column's squares left the range of floating-point numbers. The second pass
    /// takes every row as it comes: the scale fits the largest numbers, and what is still too small is small beside them.
    pub fn rescaled(&self) -> Option<TableStats> {
        if self.scales.is_some() || self.extremes.iter().all(|largest| *largest == 0.0) {
            return None;
        }
        let scale = |(j, largest): (usize, &f64)| if *largest == 0.0 { 1.0 } else { scale_for(largest.max(self.size(j))) };
        let scales = self.extremes.iter().enumerate().map(scale).collect();
        Some(TableStats::new(Arc::clone(&self.layout), self.parts).with_scales(scales))
    }

    /// Notes the columns whose squares left the range of numbers when batches were merged that are ordinary in themselves.
    pub(super) fn note_merged(&mut self) {
        for j in (0..self.extremes.len()).filter(|_| self.scales.is_none()) {
            let size = self.size(j);
            if self.sizes(j).any(|size| !size.is_finite()) {
                self.extremes[j] = self.extremes[j].max(size).max(OVERFLOWN);
            } else if size > 0.0 && size < SMALL {
                self.extremes[j] = self.extremes[j].max(size);
            }
        }
    }

    /// The largest mean or typical deviation of column `j`, as far as they are finite.
    fn size(&self, j: usize) -> f64 {
        self.sizes(j).filter(|size| size.is_finite()).fold(0.0, f64::max)
    }

    /// Means and typical deviations of column `j` in the units of the sums; not finite where sums overflowed.
    fn sizes(&self, j: usize) -> impl Iterator<Item = f64> {
        let classes = self.classes.rows.len();
        let of_cells = move |mean: &ClassTable, at: usize, squares: f64, weight: f64| {
            let spread = (weight > 0.0).then(|| (squares / weight).sqrt());
            (0..classes).map(|k| mean.get(k, at).abs()).chain(spread).collect::<Vec<_>>()
        };
        let moments = self.moments.iter().flat_map(move |moments| {
            let squares = moments.squares.cells().iter().skip(j).step_by(moments.columns()).sum();
            of_cells(&moments.mean, j, squares, self.classes.total())
        });
        let groups = self.scatter.iter().flat_map(|scatter| scatter.groups()).flat_map(move |(pattern, group)| {
            let squares = |at: usize| group.products.iter().map(|products| products[at * (pattern.len() + 1)]).sum();
            pattern.binary_search(&j).map_or(Vec::new(), |at| of_cells(&group.mean, at, squares(at), group.total()))
        });
        moments.chain(groups)
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
}

/// Units of number columns in which several summaries can be added up, found by looking at one after the other: the smallest that any of
/// them uses, or another where the sums would leave the range of numbers.
#[derive(Debug, Default)]
pub(super) struct CommonScales {
    /// By number column: the smallest unit, and the logarithm of the largest size.
    columns: BTreeMap<String, (f64, f64)>,
}

impl CommonScales {
    /// Looks at the numbers of a summary.
    pub(super) fn look(&mut self, member: &TableStats) {
        for (j, &feature) in member.layout.numbers().iter().enumerate() {
            let log_size = member.size(j).log2() - member.scale(j).log2();
            let name = member.layout.features()[feature].name.clone();
            let (scale, largest) = self.columns.entry(name).or_insert((f64::INFINITY, f64::NEG_INFINITY));
            (*scale, *largest) = (scale.min(member.scale(j)), largest.max(log_size));
        }
    }

    /// The unit of every number column of a layout.
    pub(super) fn of(&self, layout: &Layout) -> Vec<f64> {
        let common = |name: &str| {
            let (scale, log_size) = self.columns.get(name).copied().unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
            let fits = log_size + scale.log2() > SMALL.log2() && log_size + scale.log2() < LARGE.log2();
            if fits || log_size == f64::NEG_INFINITY { scale } else { power_for(log_size) }
        };
        layout.numbers().iter().map(|&j| common(&layout.features()[j].name)).collect()
    }
}
