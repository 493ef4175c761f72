//! Categories stand below each other, where their names have room: a panel with upright bars is turned.

use oddsmith::picture::{AxisScale, Mark, Panel};

/// The panel, with its categories on the vertical axis.
pub(super) fn turned(panel: &Panel) -> Panel {
    if panel.x.scale != AxisScale::Categories || panel.y.scale == AxisScale::Categories {
        return panel.clone();
    }
    let last = panel.x.categories.len() as f64 - 1.0;
    let mut y = panel.x.clone();
    y.categories.reverse();
    y.columns.iter_mut().for_each(|column| column.cells.reverse());
    Panel { x: panel.y.clone(), y, marks: panel.marks.iter().map(|mark| of_mark(mark, last)).collect() }
}

fn of_mark(mark: &Mark, last: f64) -> Mark {
    let swap = |points: &[(f64, f64)]| points.iter().map(|(x, y)| (*y, last - x)).collect();
    match mark.clone() {
        Mark::Line { role, name, points } => Mark::Line { role, name, points: swap(&points) },
        Mark::Points { role, name, points } => Mark::Points { role, name, points: swap(&points) },
        Mark::Intervals { role, estimates } => {
            Mark::Intervals { role, estimates: estimates.iter().map(|(at, value, low, high)| (last - at, *value, *low, *high)).collect() }
        }
        Mark::Bars { role, bars } => Mark::Bars { role, bars: bars.iter().map(|(at, from, to)| (last - at, *from, *to)).collect() },
        Mark::Rule { role, upright, at } => Mark::Rule { role, upright: !upright, at: if upright { last - at } else { at } },
        Mark::Label { at, text } => Mark::Label { at: (at.1, last - at.0), text },
        Mark::Live { by, mark } => Mark::Live { by, mark: Box::new(of_mark(&mark, last)) },
        mark => mark,
    }
}
