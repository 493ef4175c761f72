//! Odds ratios below each other with their limits, on a scale of ratios: the same numbers as in the table for people.

use std::collections::BTreeSet;

use crate::error::visible;
use crate::model::linear::describe::odds_ratios::{between, p_for_people, percent, ratio};
use crate::model::linear::model::LogisticModel;
use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};

/// Most rows of the picture; a model of hundreds of levels is not read from one.
const MOST: usize = 70;

/// A row: its name, and the odds ratio with limits and p-value where it has one.
struct ForestRow {
    name: String,
    estimate: Option<(f64, f64, f64)>,
    reference: bool,
    p_value: Option<f64>,
}

impl ForestRow {
    fn heading(name: String) -> Self {
        ForestRow { name, estimate: None, reference: false, p_value: None }
    }

    fn told(&self) -> String {
        match self.estimate {
            _ if self.reference => "1 (reference)".into(),
            Some((value, low, _)) if low.is_nan() => ratio(value),
            Some((value, low, high)) => format!("{} ({})", ratio(value), between(low, high).replace(" – ", "–")),
            None => String::new(),
        }
    }
}

impl LogisticModel {
    /// The forest plot; `None` for a model of words or of nothing but an intercept.
    pub(super) fn forest(&self) -> Option<Picture> {
        let mut rows = if self.parameters.words.is_empty() { self.forest_rows() } else { Vec::new() };
        if rows.iter().all(|row| row.estimate.is_none()) {
            return None;
        }
        let left_out = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        rows.reverse();
        let known = self.precision.is_some();
        // Zero and infinity have no place on a scale of logarithms; they stand beside it in figures.
        let placed = |value: &f64| *value > 0.0 && value.is_finite();
        let place = |(at, row): (usize, &ForestRow)| {
            row.estimate.filter(|(value, ..)| placed(value)).map(|(value, low, high)| (at as f64, value, low, high))
        };
        let drawn = |reference: bool| -> Vec<(f64, f64, f64, f64)> {
            rows.iter().enumerate().filter(|(_, row)| row.reference == reference).filter_map(place).collect()
        };
        let marks = vec![
            Mark::Rule { role: Role::Reference, upright: true, at: 1.0 },
            Mark::Intervals { role: Role::Reference, estimates: drawn(true) },
            Mark::Intervals { role: Role::Other, estimates: drawn(false) },
        ];
        let level = percent(self.account.level);
        let title = if known { format!("odds ratio ({level}% CI)") } else { "odds ratio".into() };
        let mut columns = vec![Column { title, cells: rows.iter().map(ForestRow::told).collect(), optional: false }];
        if rows.iter().any(|row| row.p_value.is_some_and(|p| !p.is_nan())) {
            let cells = rows.iter().map(|row| row.p_value.map_or_else(String::new, p_for_people)).collect();
            columns.push(Column { title: "p".into(), cells, optional: true });
        }
        let classes = self.layout.classes().labels();
        let event = match classes {
            [_, event] => visible(event),
            _ => "the class".into(),
        };
        let kind = match (known, self.account.unfinished) {
            (true, _) => format!("; lines are {level}% limits"),
            (false, true) => "; the search stopped before the optimum, where there are no limits".into(),
            (false, false) => "; this fit has no limits".into(),
        };
        let rest = if left_out > 0 { format!(" {left_out} more rows are not drawn.") } else { String::new() };
        let summary = format!("Right of the line {event} is more likely, left of it less, with the other columns held equal{kind}.{rest}");
        let ends = Some(("less likely".into(), "more likely".into()));
        let x = Axis { label: "Odds ratio (log scale)".into(), scale: AxisScale::Log, ends, ..Axis::default() };
        let categories = rows.into_iter().map(|row| row.name).collect();
        let y = Axis { scale: AxisScale::Categories, categories, columns, ..Axis::default() };
        Some(Picture { name: "forest".into(), title: "Odds ratios".into(), summary, panels: vec![Panel { x, y, marks }] })
    }

    /// Rows from the top down: a heading for every class of several, and for every term with levels.
    fn forest_rows(&self) -> Vec<ForestRow> {
        let (mut rows, mut headed, mut classes) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let several = self.parameters.outputs() > 1;
        for line in self.lines() {
            let Some(j) = line.column else { continue };
            if several && classes.insert(line.output) {
                let (class, first) = (self.layout.classes().label(line.output + 1), self.layout.classes().label(0));
                rows.push(ForestRow::heading(format!("{} against {}", visible(class), visible(first))));
            }
            let inset = if several { "  " } else { "" };
            let term = self.design.columns()[j].term;
            let label = visible(&self.term_label(term, j));
            let level = match self.named(Some(j)).1 {
                crate::card::Cell::Text(level) => Some(visible(&level)),
                _ => None,
            };
            let grouped = self.design.terms()[term].reference.len() == 1;
            if grouped && headed.insert((line.output, term)) {
                rows.push(ForestRow::heading(format!("{inset}{label}")));
                let name = format!("{inset}  {}", visible(&self.design.terms()[term].reference[0].1));
                rows.push(ForestRow { name, estimate: Some((1.0, 1.0, 1.0)), reference: true, p_value: None });
            }
            let name = match (grouped, level) {
                (true, Some(level)) => format!("{inset}  {level}"),
                (false, Some(level)) => format!("{inset}{label}: {level}"),
                (_, None) => format!("{inset}{label}"),
            };
            let unit = self.unit(Some(j));
            let ends = line.inference.map_or((f64::NAN, f64::NAN), |known| ((known.lower * unit).exp(), (known.upper * unit).exp()));
            let estimate = Some(((line.estimate * unit).exp(), ends.0, ends.1));
            rows.push(ForestRow { name, estimate, reference: false, p_value: line.inference.map(|known| known.p_value) });
        }
        rows
    }
}
