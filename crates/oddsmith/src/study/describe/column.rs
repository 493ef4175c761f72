//! What there is to say about a column, by group and over all.

use super::DescribeCounts;
use crate::data::Plane;
use crate::stats::Moment;

/// A number column in one group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberSummary {
    /// Weight of the values that are there.
    pub weight: f64,
    /// Their mean and spread, with the weight that they have as evidence: under sampling weights the effective number of rows.
    pub moment: Moment,
    /// Least value, lower quartile, median, upper quartile and largest value; NaN where there is none.
    pub quantiles: [f64; 5],
}

impl NumberSummary {
    /// Standard deviation with n − 1; NaN for one value.
    pub fn std_dev(&self) -> f64 {
        if self.moment.weight > 1.0 { (self.moment.squares / (self.moment.weight - 1.0)).sqrt() } else { f64::NAN }
    }
}

/// The content of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Summaries {
    /// Numbers by group, all rows last, and the values with their weights by group.
    Numbers {
        /// By group, all rows last.
        groups: Vec<NumberSummary>,
        /// Values in rising order.
        values: Vec<(f64, Vec<f64>)>,
        /// Whether every value was counted as it is.
        exact: bool,
    },
    /// Levels with their counts by group.
    Levels {
        /// Names of levels that occur.
        names: Vec<String>,
        /// Level after level.
        counts: Vec<f64>,
    },
    /// Texts, of which nothing is told.
    Texts,
}

/// A column with what is missing in it.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Weight of the rows without a value, by group.
    pub missing: Vec<f64>,
    /// What the others hold.
    pub content: Summaries,
}

impl DescribeCounts {
    /// Every column in the order of the table.
    pub fn columns(&self) -> Vec<ColumnSummary> {
        (0..self.layout.features().len()).map(|j| self.column(j)).collect()
    }

    fn column(&self, j: usize) -> ColumnSummary {
        let groups = self.groups.weight.len();
        let content = match self.layout.plane(j) {
            Plane::Numbers(at) => self.numbers(at),
            Plane::Codes(at) => self.levels(j, at),
            Plane::Words(_) => Summaries::Texts,
        };
        let present: Vec<f64> = match &content {
            Summaries::Numbers { values, .. } => (0..groups).map(|k| values.iter().map(|(_, weights)| weights[k]).sum()).collect(),
            Summaries::Levels { counts, .. } => (0..groups).map(|k| counts.iter().skip(k).step_by(groups).sum()).collect(),
            Summaries::Texts => self.groups.weight.clone(),
        };
        let missing = self.groups.weight.iter().zip(&present).map(|(all, present)| crate::stats::remainder(*all, *present)).collect();
        ColumnSummary { name: self.layout.features()[j].name.clone(), missing, content }
    }

    fn numbers(&self, at: usize) -> Summaries {
        let (groups, values) = (self.groups.weight.len(), self.values[at].sorted());
        // Zeros and ones are the two levels of a question, not a measurement.
        if !values.is_empty() && values.iter().all(|(value, _)| *value == 0.0 || *value == 1.0) {
            let names = values.iter().map(|(value, _)| value.to_string()).collect();
            return Summaries::Levels { names, counts: values.into_iter().flat_map(|(_, weights)| weights).collect() };
        }
        let of_group = |k: usize| -> Vec<(f64, f64)> { values.iter().map(|(value, weights)| (*value, weights[k])).collect() };
        let summary = |own: Moment, squared: f64, values: &[(f64, f64)]| {
            // Weights of a population have no unit of evidence.
            let rows = self.layout.weighting().effective_rows(own.weight, squared);
            let share = if own.weight > 0.0 { rows / own.weight } else { 1.0 };
            let moment = Moment { weight: own.weight * share, squares: own.squares * share, ..own };
            NumberSummary { weight: own.weight, moment, quantiles: quantiles(values) }
        };
        let mut summaries: Vec<NumberSummary> =
            (0..groups).map(|k| summary(self.moments.get(k, at), self.groups.squared[k], &of_group(k))).collect();
        let all: Vec<(f64, f64)> = values.iter().map(|(value, weights)| (*value, weights.iter().sum())).collect();
        summaries.push(summary(self.moments.pooled(at), self.groups.squared.iter().sum(), &all));
        Summaries::Numbers { groups: summaries, values, exact: self.values[at].is_exact() }
    }

    fn levels(&self, j: usize, at: usize) -> Summaries {
        let groups = self.groups.weight.len();
        let (mut names, mut counts) = (Vec::new(), Vec::new());
        for level in 0..self.layout.level_counts()[at] {
            let own: Vec<f64> = (0..groups).map(|k| self.levels.column(k, at)[level]).collect();
            if own.iter().sum::<f64>() > 0.0 {
                names.push(self.layout.level_name(j, level).unwrap_or_default());
                counts.extend(own);
            }
        }
        Summaries::Levels { names, counts }
    }
}

/// Least value, quartiles and largest value of weighted values in rising order: between order statistics at (W − 1) p, as R's `quantile` has them for
/// rows of weight 1.
fn quantiles(values: &[(f64, f64)]) -> [f64; 5] {
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    if total <= 0.0 {
        return [f64::NAN; 5];
    }
    // The value of the row at a place, counted from 0.
    let at = |place: f64| {
        let mut below = 0.0;
        for (value, weight) in values {
            below += weight;
            if below > place && *weight > 0.0 {
                return *value;
            }
        }
        values.iter().rev().find(|(_, weight)| *weight > 0.0).map_or(f64::NAN, |(value, _)| *value)
    };
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|p| {
        let place = (total - 1.0).max(0.0) * p;
        let (low, high) = (at(place.floor()), at(place.floor() + 1.0));
        let part = place.fract();
        if part == 0.0 || low == high { low } else { low + part * (high - low) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_order_statistics() {
        let rows = |values: &[f64]| values.iter().map(|x| (*x, 1.0)).collect::<Vec<_>>();
        assert_eq!(quantiles(&rows(&[1.0, 2.0, 3.0, 4.0])), [1.0, 1.75, 2.5, 3.25, 4.0]);
        assert_eq!(quantiles(&[(1.0, 2.0), (5.0, 0.0), (7.0, 3.0)]), quantiles(&rows(&[1.0, 1.0, 7.0, 7.0, 7.0])));
        assert_eq!(quantiles(&rows(&[9.0])), [9.0; 5]);
        assert!(quantiles(&[(1.0, 0.0)])[2].is_nan());
    }
}
