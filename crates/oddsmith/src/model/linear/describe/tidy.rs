//! Every parameter of a regression in one table, for programs.

use std::collections::BTreeSet;

use crate::card::{Cell, FixedTable, Table};
use crate::data::design::MISSING_LEVEL;
use crate::data::{Levels, Space};
use crate::model::coefficient::{COEFFICIENT_COLUMNS, coefficient_row};
use crate::model::hashed_words::{OTHERS, SharedRow};
use crate::model::linear::describe::card::{Line, whole_or_number};
use crate::model::linear::model::LogisticModel;

/// What is said about every parameter: its class, the coefficient, and what it is counted from.
const WIDTH: usize = 18;

fn columns() -> [&'static str; WIDTH] {
    let mut columns = ["class"; WIDTH];
    columns[1..14].copy_from_slice(&COEFFICIENT_COLUMNS);
    columns[14..].copy_from_slice(&["unit", "flag", "n", "events"]);
    columns
}

impl LogisticModel {
    /// Every parameter, with reference rows.
    pub(super) fn tidy(&self) -> Table {
        let mut table = FixedTable::new("tidy", columns());
        let classes = self.layout.classes();
        let mut referred = BTreeSet::new();
        for line in self.lines() {
            let class: Cell = classes.label(line.output + 1).into();
            if let Some(row) = self.reference_row(&line, &class, &mut referred) {
                table.push(row);
            }
            table.push(self.parameter_row(&line, class));
        }
        self.push_words(&mut table);
        table.into()
    }

    /// Variable and level of a column; the intercept has none.
    pub(super) fn named(&self, column: Option<usize>) -> (String, Cell) {
        let Some(j) = column else { return ("(intercept)".into(), Cell::Empty) };
        let column = &self.design.columns()[j];
        let term = &self.design.terms()[column.term];
        let levels: Vec<&str> = column.labels.iter().filter_map(|(_, level)| level.as_deref()).collect();
        let level = if levels.is_empty() { Cell::Empty } else { levels.join(":").into() };
        (term.label.clone(), level)
    }

    fn parameter_row(&self, line: &Line, class: Cell) -> [Cell; WIDTH] {
        let (term, level) = self.named(line.column);
        let column: Cell = line.column.map_or("(intercept)".into(), |j| self.design.columns()[j].name.as_str().into());
        let unit = self.unit(line.column);
        let [n, events] = self.counts(line.output, line.column.and_then(|j| self.level_of(j)));
        let mut row = [const { Cell::Empty }; WIDTH];
        row[0] = class;
        row[1..14].clone_from_slice(&coefficient_row([term.into(), level, column], line.estimate, line.inference, unit));
        (row[14], row[16], row[17]) = (unit.into(), n, events);
        row
    }

    /// A row for the reference level of a term, before its first level.
    fn reference_row(&self, line: &Line, class: &Cell, seen: &mut BTreeSet<(usize, usize)>) -> Option<[Cell; WIDTH]> {
        let term = self.design.columns()[line.column?].term;
        let [(_, level)] = &self.design.terms()[term].reference[..] else { return None };
        if !seen.insert((line.output, term)) {
            return None;
        }
        let label = self.design.terms()[term].label.as_str();
        let [n, events] = self.counts(line.output, Some((term, level.clone())));
        let named = [class.clone(), label.into(), level.as_str().into()];
        Some(without_inference(named, 0.0, [1.0.into(), "reference".into(), n, events]))
    }

    /// Weight and weight of the output's class among the rows of the fit, at a level of a category; nothing where it is not known.
    fn counts(&self, output: usize, level: Option<(usize, String)>) -> [Cell; 2] {
        let counted = level.and_then(|(term, level)| self.counted(output, term, &level));
        counted.map_or([Cell::Empty, Cell::Empty], |(n, events)| [whole_or_number(n), whole_or_number(events)])
    }

    /// The same as numbers.
    pub(super) fn counted(&self, output: usize, term: usize, level: &str) -> Option<(f64, f64)> {
        let &[feature] = &self.design.terms()[term].features[..] else { return None };
        let levels = self.levels(feature)?;
        let missing = (level == MISSING_LEVEL).then_some(levels.len());
        let at = levels.code(level).map(|code| code as usize).or(missing)?;
        let weights = self.account.sample.at_level(&self.layout.features()[feature].name, at)?;
        Some((weights.iter().sum(), weights[output + 1]))
    }

    /// Term and level that a column of zeros and ones stands for; `None` for columns of other contrasts, of numbers and of products.
    pub(super) fn level_of(&self, j: usize) -> Option<(usize, String)> {
        let column = &self.design.columns()[j];
        let term = &self.design.terms()[column.term];
        let ([(_, Some(level))], &[feature]) = (&column.labels[..], &term.features[..]) else { return None };
        let levels = self.levels(feature).map_or(0, Levels::len);
        let marks = term.reference.len() == 1 || term.columns.len() == levels;
        marks.then(|| (column.term, level.clone()))
    }

    /// The levels of a column that has some.
    fn levels(&self, feature: usize) -> Option<&Levels> {
        match &self.layout.features()[feature].space {
            Space::Levels { levels, .. } => Some(levels),
            _ => None,
        }
    }

    /// Words, the heaviest first.
    fn push_words(&self, table: &mut FixedTable<WIDTH>) {
        let outputs = self.parameters.outputs();
        let mut start = 0;
        for (plane, words) in self.layout.word_widths().into_iter().enumerate() {
            let feature = self.layout.words()[plane];
            let weights = &self.parameters.words[start * outputs..(start + words) * outputs];
            let shared = SharedRow::find(&self.layout, feature, weights, outputs);
            for m in 0..outputs {
                let mut order: Vec<usize> = (0..words).collect();
                let size = |word: usize| weights[word * outputs + m].abs();
                order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
                let listed = order.into_iter().filter(|word| !shared.is(&weights[word * outputs..(word + 1) * outputs]));
                let listed = listed.map(|word| (weights[word * outputs + m], self.layout.level_name(feature, word).unwrap_or_default()));
                let others = shared.row().map(|weights| (weights[m], OTHERS.to_owned()));
                for (estimate, level) in listed.chain(others) {
                    let name = self.layout.features()[feature].name.as_str();
                    let named = [self.layout.classes().label(m + 1).into(), name.into(), level.into()];
                    table.push(without_inference(named, estimate, [1.0.into(), Cell::Empty, Cell::Empty, Cell::Empty]));
                }
            }
            start += words;
        }
    }
}

/// The row of an estimate without standard error, tests and limits.
fn without_inference(named: [Cell; 3], estimate: f64, last: [Cell; 4]) -> [Cell; WIDTH] {
    let [class, term, level] = named;
    let [unit, flag, n, events] = last;
    let mut row = [const { Cell::Empty }; WIDTH];
    (row[0], row[1], row[2], row[4], row[11]) = (class, term, level, estimate.into(), estimate.exp().into());
    (row[14], row[15], row[16], row[17]) = (unit, flag, n, events);
    row
}
