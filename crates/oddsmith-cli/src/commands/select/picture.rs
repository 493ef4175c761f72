//! The picture of a stepwise search: what decides, step by step.

use oddsmith::card::Picture;
use oddsmith::picture::{Axis, AxisScale, Column, Mark, Panel, Role};
use oddsmith::train::Selection;

use super::change;

/// The criterion after every step, from the start down.
pub(super) fn picture(criterion: &str, selection: &Selection, names: &[String]) -> Picture {
    let value = |at: usize| selection.steps[at].criterion.unwrap_or(f64::NAN);
    let known: Vec<usize> = (0..selection.steps.len()).filter(|at| value(*at).is_finite()).collect();
    let points: Vec<(f64, f64)> = known.iter().map(|at| (*at as f64, value(*at))).collect();
    let marks = vec![
        Mark::Line { role: Role::Reference, name: String::new(), points: points.clone() },
        Mark::Points { role: Role::Other, name: String::new(), points },
    ];
    let cells = (0..selection.steps.len()).map(|at| match value(at).is_finite() {
        true => format!("{:.4}", value(at)),
        false => "–".to_owned(),
    });
    let x = Axis {
        scale: AxisScale::Categories,
        categories: selection.steps.iter().map(|step| change(step, names)).collect(),
        columns: vec![Column { title: criterion.to_owned(), cells: cells.collect(), optional: false }],
        ..Axis::default()
    };
    let ends = match (known.first(), known.last()) {
        (Some(first), Some(last)) if first != last => format!(": from {:.4} to {:.4}", value(*first), value(*last)),
        _ => String::new(),
    };
    Picture {
        name: "steps".into(),
        title: "The way of the search".into(),
        summary: format!("{criterion} after each of {} steps{ends}.", selection.steps.len()),
        panels: vec![Panel { x, y: Axis { label: criterion.to_owned(), ..Axis::default() }, marks }],
    }
}
