//! Which number columns hold only 0 and 1, from sums alone, and the same sums with those columns as booleans.
//!
//! With S = Σ w x, Q = Σ w x² and P = Σ w [x > 0], the sum of w (x − 1)² over positive values and of w (x² − 2x) over the others is
//! Q − 2S + P. If Q = S = P it is zero, and as no addend is negative, every positive value is 1 and every other one is 0.

use std::sync::Arc;

use super::TableStats;
use crate::data::{Feature, Layout, Plane};
use crate::error::Result;

/// Rounding of sums, as a share of the weight.
const ROUNDING: f64 = 1e-12;

impl TableStats {
    /// The features that are number columns whose only values are 0 and 1, both of them; none where the sums cannot tell.
    pub fn flag_columns(&self) -> Vec<usize> {
        let (Some(moments), Some(tallies)) = (self.moments(), self.tallies()) else { return Vec::new() };
        if tallies.threshold != 0.0 {
            return Vec::new();
        }
        let classes = self.layout().classes().len();
        let holds_flags = |j: usize| {
            let all = moments.pooled(j);
            let sum: f64 = (0..classes).map(|k| tallies.totals.get(k, j)).sum();
            let positive: f64 = (0..classes).map(|k| tallies.positive.get(k, j)).sum();
            let squares = all.squares + all.weight * all.mean * all.mean;
            let near = |a: f64, b: f64| (a - b).abs() <= ROUNDING * all.weight;
            tallies.negative[j] == 0.0 && near(sum, positive) && near(squares, positive) && positive > 0.0 && !near(positive, all.weight)
        };
        let numbers = self.layout().numbers().iter().enumerate();
        numbers.filter(|(j, _)| holds_flags(*j)).map(|(_, feature)| *feature).collect()
    }

    /// The sums of the same rows with number columns of zeros and ones read as booleans, but for the named ones: exactly what reading the
    /// rows so would have summed.
    pub fn flags_as_booleans(&self, except: &[String]) -> Result<TableStats> {
        let features = self.layout().features();
        let flags: Vec<usize> = self.flag_columns().into_iter().filter(|&j| !except.contains(&features[j].name)).collect();
        let Some(tallies) = self.tallies().filter(|_| !flags.is_empty()) else { return Ok(self.clone()) };
        let others: Vec<usize> = (0..features.len()).filter(|j| !flags.contains(j)).collect();
        let read = |(j, feature): (usize, &Feature)| if flags.contains(&j) { Feature::boolean(&feature.name) } else { feature.clone() };
        let spaces = features.iter().enumerate().map(read).collect();
        let old = self.layout();
        let layout = Layout::new(old.target(), spaces, old.classes().clone(), old.weighting())?;
        let mut sums = self.select(&others)?.project(Arc::new(layout))?;
        let planes: Vec<(Plane, Plane)> = flags.iter().map(|&j| (old.plane(j), sums.layout().plane(j))).collect();
        let Some(levels) = &mut sums.levels else { return Ok(sums) };
        for (from, to) in planes {
            let (Plane::Numbers(from), Plane::Codes(to)) = (from, to) else { continue };
            let start = levels.offsets[to];
            for k in 0..old.classes().len() {
                let set = tallies.positive.get(k, from);
                levels.counts.row_mut(k)[start..start + 2].copy_from_slice(&[tallies.weight.get(k, from) - set, set]);
            }
        }
        Ok(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, CodesView, Features, Levels, MISSING, Rows, Weighting};
    use crate::num::MatrixView;
    use crate::stats::{Parts, Statistics};

    fn flags(columns: &[&[f64]], weights: Option<&[f64]>) -> Vec<usize> {
        let features = (0..columns.len()).map(|j| Feature::number(format!("x{j}"))).collect();
        let weighting = if weights.is_some() { Weighting::Frequency } else { Weighting::None };
        let layout = Layout::new("y", features, Classes::new(vec!["no".into(), "yes".into()]).unwrap(), weighting).unwrap();
        let mut stats = TableStats::new(Arc::new(layout), Parts::all());
        let rows = columns[0].len();
        let labels: Vec<u32> = (0..rows as u32).map(|i| i % 2).collect();
        let numbers = columns.concat();
        let features = Features::of_numbers(MatrixView::column_major(&numbers, rows, columns.len()).unwrap());
        stats.observe(Rows::new(features, &labels, weights, 0)).unwrap();
        stats.flag_columns()
    }

    #[test]
    fn only_zeros_and_ones_are_flags() {
        let gap = f64::NAN;
        let columns: [&[f64]; 8] = [
            &[0.0, 1.0, 1.0, 0.0, gap, 0.0],
            &[0.0, 1.0, 2.0, 0.0, 0.0, 1.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
            // The squares add up to the sum, but not to the number of positive values.
            &[-0.5, 0.5, 0.5, 0.5, 0.0, 0.0],
            &[0.5, 0.5, 1.0, 0.0, 0.0, 0.0],
            &[0.0, 1.0, 1.0 + 1e-4, 1.0 - 1e-4, 0.0, 0.0],
            &[gap, gap, gap, gap, gap, gap],
        ];
        assert_eq!(flags(&columns, None), [0]);
        assert_eq!(flags(&columns, Some(&[0.1, 0.7, 3.0, 1e-3, 12.3, 0.3])), [0]);
    }

    #[test]
    fn booleans_from_sums_are_booleans_from_rows() {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let sums = |flags: bool| {
            let flag = |name: &str| if flags { Feature::boolean(name) } else { Feature::number(name) };
            let features =
                vec![flag("a"), Feature::number("x"), Feature::category("c", Levels::sorted(vec!["u".into(), "v".into()])), flag("b")];
            let layout = Layout::new("y", features, classes.clone(), Weighting::None).unwrap();
            let mut stats =
                TableStats::new(Arc::new(layout), Parts { patterns: 1, scatter: crate::stats::ScatterPart::None, ..Parts::all() });
            let (a, b) = ([0.0, 1.0, f64::NAN, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0, 1.0]);
            let (x, c) = ([2.5, 0.0, 1.0, f64::NAN, -3.0], [0, 1, 1, MISSING, 0]);
            let code = |x: f64| if x.is_nan() { MISSING } else { x as u32 };
            let (numbers, codes) = match flags {
                true => (x.to_vec(), [a.map(code), c, b.map(code)].concat()),
                false => ([a, x, b].concat(), c.to_vec()),
            };
            let features = Features {
                codes: CodesView::column_major(&codes, 5, codes.len() / 5).unwrap(),
                ..Features::of_numbers(MatrixView::column_major(&numbers, 5, numbers.len() / 5).unwrap())
            };
            stats.observe(Rows::new(features, &[0, 1, 0, 1, 1], None, 0)).unwrap();
            stats
        };
        assert_eq!(sums(false).flags_as_booleans(&[]).unwrap(), sums(true));
        assert_eq!(sums(false).flags_as_booleans(&["a".into(), "b".into()]).unwrap(), sums(false));
        let one = sums(false).flags_as_booleans(&["a".into()]).unwrap();
        assert_eq!(
            one.layout().features().iter().map(|f| f.kind().name()).collect::<Vec<_>>(),
            ["number", "number", "category", "boolean"]
        );
    }

    #[test]
    fn a_million_rows_hide_no_other_value() {
        let mut column: Vec<f64> = (0..1_000_000).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        assert_eq!(flags(&[&column], None), [0]);
        column[500_000] = 0.999;
        assert!(flags(&[&column], None).is_empty());
        column[500_000] = 2.0;
        assert!(flags(&[&column], None).is_empty());
    }
}
