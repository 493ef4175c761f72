//! Rulers of a nomogram: a line with ticks, and texts above those that have room.

use super::canvas::Canvas;
use super::frame::Frame;
use super::ink::Ink;
use super::text::{Anchor, Style, fitted};
use oddsmith::picture::Role;

/// Units between two texts.
const GAP: f64 = 5.0;

/// Draws a ruler at a place of the axis of categories. Texts that would touch one before them go below the line, and stay away where there is
/// no room either.
pub(super) fn draw(at: f64, ticks: &[(f64, String)], frame: &Frame<'_>, canvas: &mut Canvas) {
    let Some(middle) = frame.y.at(at) else { return };
    let y = middle + 3.0;
    let mut placed: Vec<(f64, &str)> = ticks.iter().filter_map(|(value, text)| Some((frame.x.within(*value)?, text.as_str()))).collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (placed.first(), placed.last()) else { return };
    canvas.line(Ink::Thin(Role::Plain), (first.0, y), (last.0, y));
    let style = Style::plain().small();
    let (mut above, mut below) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (x, text) in &placed {
        let text = fitted(text, 120.0);
        let half = style.width(&text) / 2.0;
        let centre = x.max(half + 1.0).min((frame.x.end + 12.0 - half).max(half + 1.0));
        if centre - half > above + GAP {
            canvas.line(Ink::Thin(Role::Plain), (*x, y), (*x, y - 4.0));
            canvas.text(&style.at(Anchor::Middle), (centre, y - 7.0), &text);
            above = centre + half;
        } else if centre - half > below + GAP {
            canvas.line(Ink::Thin(Role::Plain), (*x, y), (*x, y + 4.0));
            canvas.text(&style.at(Anchor::Middle), (centre, y + 14.0), &text);
            below = centre + half;
        } else {
            canvas.line(Ink::Thin(Role::Plain), (*x, y - 2.0), (*x, y + 2.0));
        }
    }
}
