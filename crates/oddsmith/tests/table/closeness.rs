//! When two summaries of the same rows are equal up to rounding.

use std::ops::Range;

use oddsmith::stats::{ClassTable, ScatterGroup, TableStats};

use super::{COLUMNS, Cell, Row};

/// The natural scale of the sums over some rows: rounding errors are measured against it.
pub(crate) struct Scale {
    /// Total weight.
    weight: f64,
    /// Whether all weights are whole, so that counts must be exact.
    whole: bool,
    /// Smallest and largest value of each column.
    ranges: Vec<Range<f64>>,
}

impl Scale {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let range = |j: usize| {
            let values = rows.iter().filter_map(|row| if let Cell::Number(x) = row.cells[j] { Some(x) } else { None });
            let wider = |range: Option<Range<f64>>, x: f64| Some(range.map_or(x..x, |range| range.start.min(x)..range.end.max(x)));
            values.fold(None, wider).unwrap_or(0.0..0.0)
        };
        Scale {
            weight: rows.iter().map(|row| row.weight * row.weight.max(1.0)).sum(),
            whole: rows.iter().all(|row| row.weight.fract() == 0.0),
            ranges: (0..COLUMNS.len()).map(range).collect(),
        }
    }

    fn range(&self, column: &str) -> &Range<f64> {
        &self.ranges[COLUMNS.iter().position(|(name, _)| *name == column).unwrap()]
    }

    fn spread(&self, column: &str) -> f64 {
        let range = self.range(column);
        range.end - range.start
    }

    fn largest(&self, column: &str) -> f64 {
        let range = self.range(column);
        range.start.abs().max(range.end.abs())
    }

    fn near(&self, what: &str, a: f64, b: f64, scale: f64) {
        const ROUNDING: f64 = 1e-12;
        assert!((a - b).abs() <= ROUNDING * scale, "{what}: {a} and {b} differ by {} of {scale}", a - b);
    }

    fn same_counts(&self, what: &str, a: &[f64], b: &[f64]) {
        match self.whole {
            true => assert_eq!(a, b, "{what}"),
            false => {
                assert_eq!(a.len(), b.len(), "{what}");
                a.iter().zip(b).for_each(|(a, b)| self.near(what, *a, *b, 4.0 * self.weight));
            }
        }
    }

    /// Asserts that the summaries are equal: counts exactly when weights are whole, other sums within 1e-12 of their
    /// natural scale. Sums of deviations are measured against the spread of a column, never against its offset.
    pub(crate) fn assert_equal(&self, left: &TableStats, right: &TableStats) {
        assert_eq!(left.layout(), right.layout());
        assert_eq!(left.parts(), right.parts());
        assert_eq!(left.classes().rows, right.classes().rows);
        self.same_counts("weight", &left.classes().weight, &right.classes().weight);
        self.same_counts("squared", &left.classes().squared, &right.classes().squared);
        let names: Vec<&str> = left.layout().numbers().iter().map(|&j| left.layout().features()[j].name.as_str()).collect();
        assert_eq!(left.moments().is_some(), right.moments().is_some());
        if let Some((a, b)) = left.moments().zip(right.moments()) {
            self.same_counts("moments.weight", a.weight.cells(), b.weight.cells());
            for (k, (j, name)) in (0..left.classes().rows.len()).flat_map(|k| names.iter().enumerate().map(move |at| (k, at))) {
                let (a, b) = (a.get(k, j), b.get(k, j));
                let spread = self.spread(name);
                self.near("mean", (a.mean - b.mean) * a.weight, (b.mean_low - a.mean_low) * a.weight, self.weight * spread);
                self.near("squares", a.squares, b.squares, self.weight * spread * spread);
                assert!(a.squares >= 0.0 && b.squares >= 0.0);
            }
        }
        assert_eq!(left.tallies().is_some(), right.tallies().is_some());
        if let Some((a, b)) = left.tallies().zip(right.tallies()) {
            self.same_counts("tallies.weight", a.weight.cells(), b.weight.cells());
            self.same_counts("positive", a.positive.cells(), b.positive.cells());
            self.same_counts("negative", &a.negative, &b.negative);
            for (at, (a, b)) in a.totals.cells().iter().zip(b.totals.cells()).enumerate() {
                self.near("totals", *a, *b, self.weight * self.largest(names[at % names.len()]));
            }
        }
        assert_eq!(left.levels().map(|levels| &levels.offsets), right.levels().map(|levels| &levels.offsets));
        if let Some((a, b)) = left.levels().zip(right.levels()) {
            self.same_counts("levels", a.counts.cells(), b.counts.cells());
        }
        for (a, b) in left.words().iter().zip(right.words()) {
            self.same_counts("documents", &a.documents, &b.documents);
            let cells = |table: &Option<ClassTable>| table.as_ref().map_or(vec![], |table| table.cells().to_vec());
            self.same_counts("totals", &cells(&a.totals), &cells(&b.totals));
            self.same_counts("presence", &cells(&a.presence), &cells(&b.presence));
        }
        assert_eq!(left.scatter().is_some(), right.scatter().is_some());
        if let Some((a, b)) = left.scatter().zip(right.scatter()) {
            assert_eq!(a.incomplete(), b.incomplete());
            assert_eq!(a.groups().keys().collect::<Vec<_>>(), b.groups().keys().collect::<Vec<_>>());
            for ((pattern, a), b) in a.groups().iter().zip(b.groups().values()) {
                let names: Vec<&str> = pattern.iter().map(|&j| names[j]).collect();
                self.assert_groups_equal(&names, a, b);
            }
        }
    }

    fn assert_groups_equal(&self, names: &[&str], left: &ScatterGroup, right: &ScatterGroup) {
        assert_eq!(left.rows, right.rows);
        self.same_counts("scatter.weight", &left.weight, &right.weight);
        self.same_counts("scatter.squared", &left.squared, &right.squared);
        for (k, weight) in left.weight.iter().enumerate() {
            for (j, name) in names.iter().enumerate() {
                let low = (right.mean_low.get(k, j) - left.mean_low.get(k, j)) * weight;
                let high = (left.mean.get(k, j) - right.mean.get(k, j)) * weight;
                self.near("scatter.mean", high, low, self.weight * self.spread(name));
            }
        }
        assert_eq!(left.products.len(), right.products.len());
        for (a, b) in left.products.iter().zip(&right.products) {
            for (at, (x, y)) in a.iter().zip(b).enumerate() {
                let (row, column) = (at / names.len(), at % names.len());
                self.near("products", *x, *y, self.weight * self.spread(names[row]) * self.spread(names[column]));
                assert!(row != column || (*x >= 0.0 && *y >= 0.0), "a sum of squares is negative");
                assert!(row <= column || (*x == 0.0 && *y == 0.0), "the lower triangle is used");
            }
        }
    }
}
