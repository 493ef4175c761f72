//! What colours and shapes stand for, above the panels.

use oddsmith::picture::{Mark, Panel};

use super::canvas::Canvas;
use super::ink::Ink;
use super::marks::{line_ink, point};
use super::text::{Style, fitted};

/// Length of a piece of a line.
const SWATCH: f64 = 18.0;
const LINE: f64 = 18.0;

/// Draws one item per name; comes back with where the legend ends.
pub(super) fn draw(panels: &[Panel], width: f64, canvas: &mut Canvas) -> f64 {
    let mut items: Vec<(&str, &Mark)> = Vec::new();
    for mark in panels.iter().flat_map(|panel| &panel.marks) {
        let same = |(name, other): &(&str, &Mark)| *name == mark.name() && other.kind() == mark.kind() && other.role() == mark.role();
        if !mark.name().is_empty() && !items.iter().any(same) {
            items.push((mark.name(), mark.still()));
        }
    }
    if items.is_empty() {
        return 2.0;
    }
    let (mut x, mut y) = (4.0, 14.0);
    for (name, mark) in items {
        let name = fitted(name, width - SWATCH - 20.0);
        let room = SWATCH + 6.0 + Style::plain().width(&name);
        if x + room > width - 4.0 && x > 4.0 {
            (x, y) = (4.0, y + LINE);
        }
        swatch(mark, (x, y - 4.0), canvas);
        canvas.text(&Style::plain(), (x + SWATCH + 6.0, y), &name);
        x += room + 18.0;
    }
    y + 8.0
}

fn swatch(mark: &Mark, (x, y): (f64, f64), canvas: &mut Canvas) {
    let role = mark.role();
    match mark {
        Mark::Points { .. } => point(role, (x + SWATCH / 2.0, y), 3.6, canvas),
        Mark::Blocks { .. } => canvas.rect(Ink::Fill(role), (x + 3.0, y - 5.0), (x + SWATCH - 3.0, y + 5.0)),
        Mark::Band { .. } | Mark::Region { .. } => canvas.rect(Ink::Band(role), (x, y - 5.0), (x + SWATCH, y + 5.0)),
        Mark::Contour { .. } => canvas.line(Ink::Thin(role), (x, y), (x + SWATCH, y)),
        _ => canvas.line(line_ink(role), (x, y), (x + SWATCH, y)),
    }
}
