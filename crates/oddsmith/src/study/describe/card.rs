//! The card: one table for people, one row per column, level and group for programs, and the tests.

use super::super::cells::{count, known, p_text};
use super::super::groups::{self, GroupTest};
use super::differences::differences;
use super::{ColumnSummary, Describe, DescribeCounts, NumberSummary, Numbers, Summaries};
use crate::card::{Card, Cell, FixedTable, Summary, Table};
use crate::data::Weighting;
use crate::error::{Error, Result};
use crate::notice::{self, Notice};

/// Most levels of a category that are listed; an identifier has more.
const MOST_LEVELS: usize = 40;

/// The card on its way.
struct Report<'a> {
    describe: &'a Describe,
    counts: &'a DescribeCounts,
    /// Whether rows are units of evidence, so that groups can be tested.
    tested: bool,
    read: Vec<Vec<Cell>>,
    tidy: FixedTable<13>,
    tests: FixedTable<7>,
    /// Standardised differences by column.
    apart: Vec<(String, f64)>,
    /// Tests in the order of their first use; a letter stands for each.
    named: Vec<&'static str>,
    notices: Vec<Notice>,
}

const TIDY: [&str; 13] =
    ["term", "level", "group", "n", "missing", "percent", "mean", "std_dev", "min", "quartile_1", "median", "quartile_3", "max"];
const TESTS: [&str; 7] = ["term", "test", "statistic", "df", "df_within", "p_value", "std_difference"];

impl Describe {
    pub(super) fn card(&self, counts: &DescribeCounts) -> Result<Card> {
        if counts.groups.total() <= 0.0 {
            return Err(Error::data("there is no row to describe"));
        }
        let (layout, several) = (&counts.layout, counts.groups.weight.len() > 1);
        let mut report = Report {
            describe: self,
            counts,
            tested: several && self.tests && layout.weighting() != Weighting::Sampling,
            read: Vec::new(),
            tidy: FixedTable::new("tidy", TIDY),
            tests: FixedTable::new("tests", TESTS),
            apart: Vec::new(),
            named: Vec::new(),
            notices: Vec::new(),
        };
        report.sizes();
        counts.columns().iter().for_each(|column| report.column(column));
        if several && self.tests && layout.weighting() == Weighting::Sampling {
            let text = "weights say how much of a population a row stands for, so groups are not tested as if they were rows";
            report.notices.push(Notice::new(notice::UNTESTED_GROUPS, text));
        }
        Ok(report.finish())
    }
}

impl Report<'_> {
    fn groups(&self) -> usize {
        self.counts.groups.weight.len()
    }

    /// All rows, then group by group where there are several.
    fn places(&self) -> Vec<Option<usize>> {
        let groups = self.groups();
        std::iter::once(None).chain((0..groups).filter(|_| groups > 1).map(Some)).collect()
    }

    fn label(&self, group: Option<usize>) -> Cell {
        group.map_or(Cell::Empty, |k| self.counts.layout.classes().label(k).into())
    }

    /// The first row: how many rows there are.
    fn sizes(&mut self) {
        let weight = |group: Option<usize>| group.map_or(self.counts.groups.total(), |k| self.counts.groups.weight[k]);
        let cells: Vec<Cell> = self.places().into_iter().map(|group| amount(weight(group)).into()).collect();
        self.push_read("n", "", cells, f64::NAN, None);
    }

    /// The letter of a test.
    fn mark(&self, name: &str) -> char {
        let at = self.named.iter().position(|known| *known == name).unwrap_or(0);
        char::from(b'a' + at.min(25) as u8)
    }

    /// A row for people.
    fn push_read(&mut self, name: &str, level: &str, cells: Vec<Cell>, difference: f64, test: Option<GroupTest>) {
        let text = |text: &str| if text.is_empty() { Cell::Empty } else { text.into() };
        let mut row = vec![text(name), text(level)];
        row.extend(cells);
        if self.groups() > 1 {
            row.push(match difference {
                difference if difference.is_nan() => Cell::Empty,
                f64::INFINITY => "∞".into(),
                difference => format!("{difference:.3}").into(),
            });
            let marked = |test: GroupTest| format!("{} {}", p_text(test.p_value), self.mark(test.name)).into();
            row.push(test.filter(GroupTest::is_known).map_or(Cell::Empty, marked));
        }
        self.read.push(row);
    }

    fn column(&mut self, column: &ColumnSummary) {
        match &column.content {
            Summaries::Numbers { groups, values, exact } => self.numbers(column, groups, values, *exact),
            Summaries::Levels { names, counts } => self.levels(column, names, counts),
            Summaries::Texts => {
                let text = "a column of texts is not described";
                return self.notices.push(Notice::new(notice::NOT_DESCRIBED, text).column(&column.name));
            }
        }
        let total: f64 = column.missing.iter().sum();
        if total > 0.0 {
            let of = |group: Option<usize>| group.map_or(total, |k| column.missing[k]);
            let whole = |group: Option<usize>| group.map_or(self.counts.groups.total(), |k| self.counts.groups.weight[k]);
            let cells = self.places().into_iter().map(|group| share(of(group), whole(group)).into()).collect();
            self.push_read("", "missing", cells, f64::NAN, None);
        }
    }

    fn numbers(&mut self, column: &ColumnSummary, groups: &[NumberSummary], values: &[(f64, Vec<f64>)], exact: bool) {
        let several = self.groups() > 1;
        let of = |group: Option<usize>| groups[group.unwrap_or(groups.len() - 1)];
        let moments: Vec<_> = groups[..groups.len() - 1].iter().map(|group| group.moment).collect();
        let difference = if several { groups::of_means(&moments) } else { f64::NAN };
        self.apart.push((column.name.clone(), difference));
        let how = self.describe.of_column(&column.name);
        let (mut name, mut told) = (column.name.as_str(), difference);
        if how != Numbers::Median {
            let test = self.tested.then(|| groups::means(&moments, self.describe.variances));
            let cells = self.places().into_iter().map(|group| mean_and_deviation(&of(group)).into()).collect();
            self.push_test(&column.name, test, difference);
            self.push_read(name, "mean (SD)", cells, told, test);
            (name, told) = ("", f64::NAN);
        }
        if how != Numbers::Mean {
            let test = self.tested.then(|| groups::ranks(values));
            let cells = self.places().into_iter().map(|group| median_and_quartiles(&of(group)).into()).collect();
            self.push_test(&column.name, test, difference);
            self.push_read(name, "median [IQR]", cells, told, test);
            if !exact {
                let text = "has so many different values that they were cut to fewer digits for medians, quartiles and ranks";
                self.notices.push(Notice::new(notice::CUT_VALUES, text).column(&column.name));
            }
        }
        for group in self.places() {
            let (of, missing) = (of(group), group.map_or(column.missing.iter().sum(), |k| column.missing[k]));
            let [min, low, median, high, max] = of.quantiles.map(known);
            let row = [
                column.name.as_str().into(),
                Cell::Empty,
                self.label(group),
                count(of.weight),
                count(missing),
                Cell::Empty,
                known(if of.weight > 0.0 { of.moment.mean } else { f64::NAN }),
                known(of.std_dev()),
                min,
                low,
                median,
                high,
                max,
            ];
            self.tidy.push(row);
        }
    }

    fn levels(&mut self, column: &ColumnSummary, names: &[String], counts: &[f64]) {
        let groups = self.groups();
        if names.len() > MOST_LEVELS {
            let text = format!("has {}, of which none is listed", notice::counted(names.len() as u64, "level"));
            return self.notices.push(Notice::new(notice::NOT_DESCRIBED, text).column(&column.name));
        }
        let of = |level: usize, group: Option<usize>| {
            let own = &counts[level * groups..(level + 1) * groups];
            group.map_or(own.iter().sum::<f64>(), |k| own[k])
        };
        let whole = |group: Option<usize>| (0..names.len()).map(|level| of(level, group)).sum::<f64>();
        let difference = if groups > 1 { groups::of_levels(counts, groups) } else { f64::NAN };
        self.apart.push((column.name.clone(), difference));
        let tested = self.tested.then(|| groups::counts(counts, groups));
        if let Some((test, true)) = tested.filter(|(test, _)| test.is_known()) {
            let text = format!("small counts and too many tables for an exact test: the p-value of {} is an approximation", test.name);
            self.notices.push(Notice::new(notice::DOUBTFUL_TEST, text).column(&column.name));
        }
        let test = tested.map(|(test, _)| test);
        self.push_test(&column.name, test, difference);
        for (level, name) in names.iter().enumerate() {
            let cells = self.places().into_iter().map(|group| share(of(level, group), whole(group)).into()).collect();
            let first = level == 0;
            let (shown, told) = if first { (column.name.as_str(), difference) } else { ("", f64::NAN) };
            self.push_read(shown, name, cells, told, test.filter(|_| first));
            for group in self.places() {
                let missing: f64 = group.map_or(column.missing.iter().sum(), |k| column.missing[k]);
                let mut row = [const { Cell::Empty }; TIDY.len()];
                (row[0], row[1], row[2]) = (column.name.as_str().into(), name.as_str().into(), self.label(group));
                (row[3], row[4]) = (count(of(level, group)), count(missing));
                row[5] = known(100.0 * of(level, group) / whole(group));
                self.tidy.push(row);
            }
        }
    }

    fn push_test(&mut self, column: &str, test: Option<GroupTest>, difference: f64) {
        let Some(test) = test.filter(GroupTest::is_known) else {
            if self.groups() > 1 {
                let mut row = [const { Cell::Empty }; TESTS.len()];
                (row[0], row[6]) = (column.into(), known(difference));
                self.tests.push(row);
            }
            return;
        };
        if !self.named.contains(&test.name) {
            self.named.push(test.name);
        }
        let [statistic, df, within] = [test.statistic, test.df, test.df_within].map(known);
        self.tests.push([column.into(), test.name.into(), statistic, df, within, Cell::PValue(test.p_value), known(difference)]);
    }

    fn finish(self) -> Card {
        let (layout, groups) = (&self.counts.layout, self.groups());
        let by = layout.target();
        let mut columns = vec!["column".to_owned(), "level".to_owned(), "all".to_owned()];
        if groups > 1 {
            columns.extend(layout.classes().labels().iter().map(|label| format!("{by} = {label}")));
            columns.extend(["SMD".to_owned(), "p".to_owned()]);
        }
        let read = Table::tabulate("description", columns, self.read.len(), |i, j| self.read[i][j].clone());
        let mut footnotes = Vec::new();
        if groups > 1 {
            let pairs = if groups > 2 { ", the largest of all pairs of groups" } else { "" };
            footnotes.push(format!("SMD: standardised difference{pairs}; percentages are of the rows with a value"));
            let told: Vec<String> = self.named.iter().map(|name| format!("{} {name}", self.mark(name))).collect();
            if !told.is_empty() {
                footnotes.push(format!("p: {}", told.join("; ")));
            }
        } else {
            footnotes.push("percentages are of the rows with a value".into());
        }
        let facts = vec![
            ("rows".into(), count(self.counts.groups.total())),
            ("columns".into(), layout.features().len().into()),
            ("groups".into(), groups.into()),
        ];
        Card {
            pictures: if groups > 1 { vec![differences(self.apart, by, groups)] } else { Vec::new() },
            title: if groups > 1 { format!("Description by {by}") } else { "Description".into() },
            facts,
            tidy: self.tidy.into(),
            summary: Some(Summary { facts: Vec::new(), table: Some(read), footnotes }),
            tables: if groups > 1 { vec![self.tests.into()] } else { Vec::new() },
            notices: self.notices,
        }
    }
}

/// A count as people write it.
fn amount(weight: f64) -> String {
    if weight.fract() == 0.0 { format!("{weight}") } else { format!("{weight:.1}") }
}

/// `59 (31.2%)`.
fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{} ({:.1}%)", amount(part), 100.0 * part / whole) } else { "–".into() }
}

/// Decimals that show a spread with three digits.
fn decimals(spread: f64) -> usize {
    if spread > 0.0 && spread.is_finite() { (2.0 - spread.log10().floor()).clamp(0.0, 6.0) as usize } else { 2 }
}

fn mean_and_deviation(of: &NumberSummary) -> String {
    let (mean, deviation) = (of.moment.mean, of.std_dev());
    match (of.weight > 0.0, deviation.is_finite()) {
        (false, _) => "–".into(),
        (true, false) => plain(mean),
        (true, true) => {
            let places = decimals(deviation);
            format!("{mean:.places$} ({deviation:.places$})")
        }
    }
}

fn median_and_quartiles(of: &NumberSummary) -> String {
    let [_, low, median, high, _] = of.quantiles;
    if median.is_nan() {
        return "–".into();
    }
    let places = decimals(high - low);
    // As many decimals as the values need, and no more than their spread bears.
    let short = |x: f64| {
        let text = format!("{x:.places$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    };
    format!("{} [{}, {}]", short(median), short(low), short(high))
}

fn plain(value: f64) -> String {
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
