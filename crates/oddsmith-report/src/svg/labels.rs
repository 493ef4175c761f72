//! Texts at places between the marks: each looks for room beside its place, and stays away where there is none.

use super::canvas::Canvas;
use super::frame::Frame;
use super::text::{Anchor, Style, fitted};

/// Height of a small text.
const HEIGHT: f64 = 13.0;
/// Most texts of a panel; more would not be read.
const MOST: usize = 60;

/// Nearest that another line may come to a text on a line.
const APART: f64 = 12.0;
/// Steps along a line in which room is looked for.
const STEP: f64 = 5.0;

/// A rectangle: left, top, right, bottom.
type Room = (f64, f64, f64, f64);

pub(super) struct Labels {
    inside: Room,
    taken: Vec<Room>,
    placed: Vec<((f64, f64), Anchor, String)>,
    lines: Vec<Level>,
}

/// A line with its level.
struct Level {
    pieces: Vec<Vec<(f64, f64)>>,
    /// Whether it is the line that the others are around.
    first: bool,
    text: String,
}

impl Labels {
    pub(super) fn new(frame: &Frame<'_>) -> Self {
        let ((left, top), (right, bottom)) = frame.corners();
        Labels { inside: (left - 2.0, top - 4.0, right + 10.0, bottom + 2.0), taken: Vec::new(), placed: Vec::new(), lines: Vec::new() }
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

    /// A text on a line, which is looked for when all lines are known: where two of them run side by side, a text would not tell which it belongs to.
    pub(super) fn along(&mut self, pieces: Vec<Vec<(f64, f64)>>, first: bool, text: &str) {
        if self.lines.len() < MOST && !text.is_empty() {
            self.lines.push(Level { pieces, first, text: text.to_owned() });
        }
    }

    fn place_levels(&mut self) {
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        order.sort_by_key(|at| !self.lines[*at].first);
        for at in order {
            if let Some((room, (x, y), text)) = self.on_line(at) {
                self.taken.push(room);
                self.placed.push(((x, y + 4.0), Anchor::Middle, text));
            }
        }
    }

    /// Room for the text of a line on its longest piece, from the middle outwards.
    fn on_line(&self, at: usize) -> Option<(Room, (f64, f64), String)> {
        let Level { pieces, first, text } = &self.lines[at];
        let text = fitted(text, (self.inside.2 - self.inside.0) * 0.7);
        let half = Style::plain().small().width(&text) / 2.0;
        let line = along(pieces.first()?, STEP);
        let others: Vec<(f64, f64)> = self
            .lines
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .flat_map(|(_, other)| other.pieces.iter().flat_map(|piece| along(piece, STEP)))
            .collect();
        let middle = line.len() / 2;
        let outwards = (0..=middle).flat_map(|step| [middle + step, middle.wrapping_sub(step)]);
        outwards.filter_map(|place| line.get(place).copied()).find_map(|(x, y)| {
            let room = (x - half - 1.0, y - HEIGHT / 2.0, x + half + 1.0, y + HEIGHT / 2.0);
            let alone = *first || !others.iter().any(|(a, b)| (a - x).hypot(b - y) < APART);
            (alone && self.is_free(room)).then(|| (room, (x, y), text.clone()))
        })
    }

    fn is_free(&self, room: Room) -> bool {
        let inside = room.0 >= self.inside.0 && room.1 >= self.inside.1 && room.2 <= self.inside.2 && room.3 <= self.inside.3;
        inside && !self.taken.iter().any(|other| room.0 < other.2 && other.0 < room.2 && room.1 < other.3 && other.1 < room.3)
    }

    /// Texts come last, above all marks.
    pub(super) fn draw(mut self, canvas: &mut Canvas) {
        self.place_levels();
        for (at, anchor, text) in self.placed {
            canvas.text(&Style::plain().small().halo().at(anchor), at, &text);
        }
    }
}

/// Places along a line, so many units from one to the next.
fn along(points: &[(f64, f64)], step: f64) -> Vec<(f64, f64)> {
    let between = |pair: &[(f64, f64)]| {
        let (from, to) = (pair[0], pair[1]);
        let count = ((to.0 - from.0).hypot(to.1 - from.1) / step).ceil().clamp(1.0, 1e3) as usize;
        (0..count)
            .map(move |at| at as f64 / count as f64)
            .map(move |share| (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1)))
    };
    points.windows(2).flat_map(between).chain(points.last().copied()).collect()
}
