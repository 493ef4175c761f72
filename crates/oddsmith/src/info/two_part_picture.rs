//! Descriptions in two parts beside each other: bits of the data, given a model, and of the model.

use super::TwoPart;
use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};

/// Bars of both parts of every description, the part for the data above that of the model that tells them best: the first above. `parts` names the two; `what` says what is
/// told by which models. A description without an end is drawn as far as the picture goes.
pub fn two_part_picture(lengths: &[(String, TwoPart)], parts: [&str; 2], what: &str) -> Picture {
    let least = lengths.iter().map(|(_, length)| length.data).filter(|bits| bits.is_finite()).fold(f64::INFINITY, f64::min);
    let place = |at: usize| (lengths.len() - 1 - at) as f64;
    let of_data = |(at, (_, length)): (usize, &(String, TwoPart))| (place(at), 0.0, length.data - least);
    let of_model = |(at, (_, length)): (usize, &(String, TwoPart))| (place(at), length.data - least, length.total() - least);
    let best = lengths.iter().min_by(|a, b| a.1.total().total_cmp(&b.1.total()));
    let cells = lengths.iter().rev().map(|(_, length)| told(length.total())).collect();
    let y = Axis {
        scale: AxisScale::Categories,
        categories: lengths.iter().rev().map(|(name, _)| name.clone()).collect(),
        columns: vec![Column { title: "total bits".into(), cells, optional: false }],
        ..Axis::default()
    };
    let shortest = best.map_or_else(String::new, |(name, _)| format!(" The shortest description is that of {name}."));
    let [rows, model] = parts;
    // Bars have no names of their own: blocks without any say what the colours stand for.
    let named = |role, name: &str| Mark::Blocks { role, name: name.into(), blocks: Vec::new() };
    let marks = vec![
        named(Role::Other, rows),
        named(Role::Event, model),
        Mark::Bars { role: Role::Other, bars: lengths.iter().enumerate().map(of_data).collect() },
        Mark::Bars { role: Role::Event, bars: lengths.iter().enumerate().map(of_model).collect() },
    ];
    let label = "Bits above the fewest that any of them leaves for the data";
    let panel = Panel { x: Axis { label: label.into(), ..Axis::default() }, y, marks };
    let title = "Descriptions in two parts".into();
    Picture { name: "description".into(), title, summary: format!("{what}{shortest}"), panels: vec![panel] }
}

/// Bits with a decimal; a model that finds something impossible has no end of them.
fn told(bits: f64) -> String {
    if bits == f64::INFINITY { "∞".into() } else { format!("{bits:.1}") }
}
