//! Texts at places between the marks: each looks for room beside its place, and stays away where there is none.

use super::canvas::Canvas;
use super::frame::Frame;
use super::text::{Anchor, Style, fitted};

/// Height of a small text.
const HEIGHT: f64 = 13.0;
/// Most texts of a panel; more would not be read.
const MOST: usize = 60;

/// A rectangle: left, top, right, bottom.
type Room = (f64, f64, f64, f64);

pub(super) struct Labels {
    inside: Room,
    taken: Vec<Room>,
    placed: Vec<((f64, f64), Anchor, String)>,
}

impl Labels {
    pub(super) fn new(frame: &Frame<'_>) -> Self {
        let ((left, top), (right, bottom)) = frame.corners();
        Labels { inside: (left - 2.0, top - 4.0, right + 10.0, bottom + 2.0), taken: Vec::new(), placed: Vec::new() }
    }

    /// Keeps other texts away from a rectangle.
    pub(super) fn keep_off(&mut self, room: Room) {
        if self.taken.len() < 4 * MOST {
            self.taken.push(room);
        }
    }

    /// A text beside a place, `reach` units away from it.
    pub(super) fn beside(&mut self, (x, y): (f64, f64), reach: f64, text: &str) {
        if self.placed.len() >= MOST || text.is_empty() {
            return;
        }
        let style = Style::plain().small();
        let text = fitted(text, (self.inside.2 - self.inside.0) * 0.7);
        let width = style.width(&text);
        let options = [
            ((x + reach, y + 4.0), Anchor::Start),
            ((x - reach, y + 4.0), Anchor::End),
            ((x, y - reach - 2.0), Anchor::Middle),
            ((x, y + reach + HEIGHT - 2.0), Anchor::Middle),
        ];
        for (at, anchor) in options {
            let left = match anchor {
                Anchor::Start => at.0,
                Anchor::Middle => at.0 - width / 2.0,
                Anchor::End => at.0 - width,
            };
            let room = (left, at.1 - HEIGHT + 3.0, left + width, at.1 + 3.0);
            if self.is_free(room) {
                self.taken.push(room);
                self.placed.push((at, anchor, text));
                return;
            }
        }
    }

    fn is_free(&self, room: Room) -> bool {
        let inside = room.0 >= self.inside.0 && room.1 >= self.inside.1 && room.2 <= self.inside.2 && room.3 <= self.inside.3;
        inside && !self.taken.iter().any(|other| room.0 < other.2 && other.0 < room.2 && room.1 < other.3 && other.1 < room.3)
    }

    /// Texts come last, above all marks.
    pub(super) fn draw(self, canvas: &mut Canvas) {
        for (at, anchor, text) in self.placed {
            canvas.text(&Style::plain().small().halo().at(anchor), at, &text);
        }
    }
}
