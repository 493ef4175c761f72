//! Parts of cards that all tables share: the table of counts, rows of measures and tests.

use super::super::cells::{count, known, p_value};
use super::super::estimate::{ChiSquared, Estimate};
use super::super::table::Independence;
use super::CrossTable;
use crate::card::{Cell, FixedTable, Table};
use crate::notice::{self, Notice};

/// Measures, one row each.
pub(super) struct Measures {
    tidy: FixedTable<9>,
    read: FixedTable<7>,
}

impl Measures {
    pub(super) fn new(level: f64) -> Self {
        let percent = format!("{}%", (level * 1e6).round() / 1e4);
        let (low, high) = (format!("{percent} low"), format!("{percent} high"));
        Measures {
            tidy: FixedTable::new(
                "tidy",
                ["term", "level", "stratum", "measure", "method", "estimate", "std_error", "conf_low", "conf_high"],
            ),
            read: FixedTable::new("measures", ["level", "stratum", "measure", "estimate", &low, &high, "method"]),
        }
    }

    /// A measure of a level against the first, in a stratum or over all.
    pub(super) fn push(&mut self, table: &CrossTable, level: usize, stratum: &str, (measure, method): (&str, &str), told: &Estimate) {
        let text = |text: &str| if text.is_empty() { Cell::Empty } else { Cell::from(text) };
        let level = table.levels.get(level).map_or(Cell::Empty, |level| level.as_str().into());
        let [estimate, error, low, high] = [told.value, told.std_error, told.low, told.high].map(known);
        let tidy_row = [
            table.exposure.as_str().into(),
            level.clone(),
            text(stratum),
            measure.into(),
            method.into(),
            estimate.clone(),
            error,
            low.clone(),
            high.clone(),
        ];
        self.tidy.push(tidy_row);
        self.read.push([level, text(stratum), measure.into(), estimate, low, high, method.into()]);
    }

    /// The table for programs, and the one for people without columns that say nothing.
    pub(super) fn tables(self) -> (Table, Table) {
        let mut read = Table::from(self.read);
        let same: Vec<bool> = (0..2).map(|at| read.rows().iter().all(|row| row[at] == read.rows()[0][at])).collect();
        read.retain_columns(|at, _| at >= 2 || !same[at]);
        (self.tidy.into(), read)
    }
}

/// Tests, one row each.
pub(super) struct Tests(FixedTable<4>);

impl Tests {
    pub(super) fn new() -> Self {
        Tests(FixedTable::new("tests", ["test", "statistic", "df", "p_value"]))
    }

    pub(super) fn push(&mut self, name: &str, test: &ChiSquared) {
        let df = if test.df == 0 { Cell::Empty } else { test.df.into() };
        self.0.push([name.into(), known(test.statistic), df, p_value(test.p_value)]);
    }

    /// A test that has a p-value alone.
    pub(super) fn push_exact(&mut self, name: &str, p: f64) {
        self.0.push([name.into(), Cell::Empty, Cell::Empty, p_value(p)]);
    }

    pub(super) fn independence(&mut self, tests: &Independence) {
        self.push("Pearson χ²", &tests.pearson);
        if let Some(yates) = &tests.yates {
            self.push("Pearson χ² with Yates' correction", yates);
        }
        self.push("likelihood ratio G", &tests.g);
    }

    pub(super) fn table(self) -> Table {
        self.0.into()
    }
}

impl CrossTable {
    /// Counts by level and class over all strata, with the proportion of the event.
    pub(super) fn counts_table(&self) -> Table {
        let mut columns = vec![self.exposure.clone()];
        columns.extend(self.classes.iter().map(|class| format!("{} = {class}", self.outcome)));
        columns.extend(["n".to_owned(), "proportion".to_owned()]);
        let (all, classes) = (self.all(), self.classes.len());
        Table::tabulate("counts", columns, self.levels.len(), |i, j| {
            let counts = &all[i * classes..(i + 1) * classes];
            let n: f64 = counts.iter().sum();
            match j {
                0 => self.levels[i].as_str().into(),
                j if j <= classes => count(counts[j - 1]),
                j if j == classes + 1 => count(n),
                _ => known(counts[classes - 1] / n),
            }
        })
    }

    /// Facts that every card begins with.
    pub(super) fn facts(&self) -> Vec<(String, Cell)> {
        let (all, classes) = (self.all(), self.classes.len());
        let events: f64 = all.iter().skip(classes - 1).step_by(classes).sum();
        vec![
            ("outcome".into(), format!("{} = {}", self.outcome, self.classes[classes - 1]).into()),
            ("exposure".into(), self.exposure.as_str().into()),
            ("rows".into(), count(all.iter().sum())),
            ("events".into(), count(events)),
        ]
    }

    /// How the groups fare, in words: `smoke = 1: 30 of 74`.
    pub(super) fn groups(&self) -> Vec<(String, Cell)> {
        let (all, classes) = (self.all(), self.classes.len());
        let group = |(level, counts): (&String, &[f64])| {
            let n: f64 = counts.iter().sum();
            let text = format!("{} of {} ({:.1} %)", counts[classes - 1], n, 100.0 * counts[classes - 1] / n);
            (format!("{} = {level}:", self.exposure), text.into())
        };
        self.levels.iter().zip(all.chunks(classes)).map(group).collect()
    }

    /// What must be known of the rows.
    pub(super) fn notices(&self) -> Vec<Notice> {
        let gaps = (self.excluded > 0).then(|| {
            let text = format!("{} excluded for missing values", notice::counted(self.excluded, "row"));
            Notice::new(notice::MISSING_VALUES, text).column(&self.exposure)
        });
        gaps.into_iter().collect()
    }
}
