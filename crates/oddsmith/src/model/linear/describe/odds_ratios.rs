//! The table for people: odds ratios first, reference rows, one p-value per coefficient, bits per row that a term brings.

use std::collections::BTreeSet;

use crate::card::{Cell, FixedTable, Table};
use crate::model::linear::describe::card::Line;
use crate::model::linear::infer::account::IntervalKind;
use crate::model::linear::model::LogisticModel;

/// Which columns the table has beside term, level and odds ratio.
struct Shape {
    class: bool,
    counts: bool,
    /// Intervals and p-values in place of coefficients.
    known: bool,
    bits: bool,
}

/// The column with events and rows of a level.
const COUNTS: &str = "events/n";
/// The column with coefficients, where nothing else is known about them.
const COEFFICIENT: &str = "coefficient";
/// The column with the odds ratios.
pub(super) const ODDS_RATIO: &str = "odds ratio";

impl LogisticModel {
    /// Odds ratios; `None` for a model of words, because a table of all words is not what a person reads.
    pub(super) fn odds_ratios(&self) -> Option<Table> {
        if !self.parameters.words.is_empty() {
            return None;
        }
        let shape = Shape {
            class: self.parameters.outputs() > 1,
            counts: (0..self.design.columns().len()).any(|j| self.level_of(j).is_some()) && !self.account.sample.categories.is_empty(),
            known: self.precision.is_some(),
            bits: self.precision.is_some() && !self.account.tests.is_empty(),
        };
        let interval = self.interval_header();
        let mut table =
            FixedTable::new("odds ratios", ["class", "term", "level", COUNTS, ODDS_RATIO, &interval, "p", COEFFICIENT, "Δ bits"]);
        let (mut referred, mut told) = (BTreeSet::new(), BTreeSet::new());
        for line in self.lines() {
            let Some(j) = line.column else { continue };
            let term = self.design.columns()[j].term;
            let fresh = told.insert((line.output, term));
            if let [(_, level)] = &self.design.terms()[term].reference[..]
                && referred.insert((line.output, term))
            {
                table.push(self.reference(line.output, (term, j), level));
            }
            table.push(self.row(&line, j, fresh));
        }
        let mut table = Table::from(table);
        table.retain_columns(|_, name| match name {
            "class" => shape.class,
            COUNTS => shape.counts,
            COEFFICIENT => !shape.known,
            "Δ bits" => shape.bits,
            name => shape.known || (name != "p" && name != interval),
        });
        Some(table)
    }

    fn interval_header(&self) -> String {
        let kind = match self.account.intervals {
            Some(IntervalKind::Profile) => "profile",
            _ => "wald",
        };
        format!("{}% CI ({kind})", percent(self.account.level))
    }

    /// The level that the others are compared with.
    fn reference(&self, output: usize, (term, column): (usize, usize), level: &str) -> [Cell; 9] {
        let (class, counts) = (self.class_cell(output), self.counts_cell(output, Some((term, level.to_owned()))));
        let label = self.term_label(term, column).into();
        [class, label, level.into(), counts, "1".into(), "reference".into(), Cell::Empty, Cell::Empty, Cell::Empty]
    }

    fn row(&self, line: &Line, j: usize, fresh: bool) -> [Cell; 9] {
        let term = self.design.columns()[j].term;
        let unit = self.unit(Some(j));
        let told = fresh && self.design.terms()[term].reference.len() != 1;
        let test = self.account.tests.iter().find(|test| test.label == self.design.terms()[term].label);
        let total: f64 = self.account.class_weights.iter().sum();
        let bits = test.filter(|_| fresh).map(|test| 0.5 * test.statistic / total / std::f64::consts::LN_2);
        [
            self.class_cell(line.output),
            if told { self.term_label(term, j).into() } else { Cell::Empty },
            self.named(Some(j)).1,
            self.counts_cell(line.output, self.level_of(j)),
            ratio((line.estimate * unit).exp()).into(),
            interval(line, unit).map_or(Cell::Empty, Cell::from),
            line.inference.map_or(Cell::Empty, |known| p_for_people(known.p_value).into()),
            line.estimate.into(),
            bits.map_or(Cell::Empty, |bits| format!("{bits:.3}").into()),
        ]
    }

    fn class_cell(&self, output: usize) -> Cell {
        self.layout.classes().label(output + 1).into()
    }

    fn counts_cell(&self, output: usize, level: Option<(usize, String)>) -> Cell {
        let counted = level.and_then(|(term, level)| self.counted(output, term, &level));
        counted.map_or(Cell::Empty, |(n, events)| format!("{}/{}", count(events), count(n)).into())
    }
}

/// A weight as people write it.
fn count(weight: f64) -> String {
    if weight.fract() == 0.0 { format!("{weight}") } else { format!("{weight:.1}") }
}

/// Limits of an odds ratio.
fn interval(line: &Line, unit: f64) -> Option<String> {
    let known = line.inference?;
    Some(between((known.lower * unit).exp(), (known.upper * unit).exp()))
}

/// A confidence in per cent.
pub(super) fn percent(level: f64) -> String {
    let percent = format!("{:.4}", level * 100.0);
    percent.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Two limits of an odds ratio.
pub(super) fn between(low: f64, high: f64) -> String {
    format!("{} – {}", ratio(low), ratio(high))
}

/// An odds ratio with three digits that matter.
pub(crate) fn ratio(value: f64) -> String {
    match value {
        v if v.is_infinite() => "∞".into(),
        0.0 => "0".into(),
        v if !(1e-3..1e5).contains(&v) => format!("{v:.2e}"),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v if v >= 0.01 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

/// p-values as medical journals print them; programs read the full number.
pub(super) fn p_for_people(p: f64) -> String {
    match p {
        p if p.is_nan() => String::new(),
        p if p < 0.001 => "<0.001".into(),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}
