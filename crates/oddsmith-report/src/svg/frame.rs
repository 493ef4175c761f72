//! A panel: room for its texts, grid, axes, and the marks between them.

use oddsmith::picture::{AxisScale, Column, Mark, Panel};

use super::canvas::Canvas;
use super::ink::Ink;
use super::labels::Labels;
use super::place::Place;
use super::text::{Anchor, Style, fitted, whole_words, width, with_last_words};
use super::ticks::{Tick, ticks};
use super::{extent, marks};

/// Height of the row of a category, and of one with a ruler.
const ROW: f64 = 26.0;
const RULER_ROW: f64 = 40.0;
/// Space between columns of texts.
const COLUMN_GAP: f64 = 16.0;
/// Below this width columns that may be left out are left out.
const NARROW_BELOW: f64 = 520.0;
/// What a level is set in below its column.
const INDENT: f64 = 14.0;
/// Height of a line of text.
const LINE: f64 = 18.0;

/// The place of everything around a panel.
pub(super) struct Frame<'a> {
    pub(super) panel: &'a Panel,
    pub(super) x: Place,
    pub(super) y: Place,
    /// Half the height of a row of categories.
    pub(super) row: f64,
    width: f64,
    columns: Vec<(&'a Column, f64)>,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
}

/// Draws a panel from `top` down; comes back with where it ends. A further panel of measurements is flatter than the first.
pub(super) fn draw(panel: &Panel, (width, top): (f64, f64), further: bool, canvas: &mut Canvas) -> f64 {
    let frame = Frame::new(panel, width, top, further);
    canvas.open(&[("class", "panel".into()), ("data-x", frame.x.told()), ("data-y", frame.y.told())]);
    frame.draw_ground(canvas);
    let mut labels = Labels::new(&frame);
    panel.marks.iter().for_each(|mark| marks::draw(mark, &frame, &mut labels, canvas));
    frame.draw_texts(canvas);
    labels.draw(canvas);
    canvas.close();
    frame.bottom()
}

impl<'a> Frame<'a> {
    fn new(panel: &'a Panel, width: f64, top: f64, further: bool) -> Self {
        let narrow = width < NARROW_BELOW;
        let columns = columns(panel, narrow);
        let beside: f64 = columns.iter().map(|(_, room)| room + COLUMN_GAP).sum();
        let (x_ends, y_ends) = (extent::ends(panel, false), extent::ends(panel, true));
        let named = panel.y.scale == AxisScale::Categories;
        let tall = height(panel, width, further);
        let head = top + head(panel, !columns.is_empty());
        let y = Place { scale: panel.y.scale, from: y_ends.0, to: y_ends.1, start: head + tall, end: head };
        let mut y_ticks = if panel.y.bare { Vec::new() } else { ticks(&y, true) };
        if panel.y.mirrored {
            y_ticks.iter_mut().for_each(|(_, text)| *text = text.replace('−', ""));
        }
        let gutter = match named {
            true => {
                panel
                    .y
                    .categories
                    .iter()
                    .map(|name| category_width(name))
                    .fold(24.0, f64::max)
                    .min(width * if narrow { 0.36 } else { 0.34 })
                    + 12.0
            }
            false => y_ticks.iter().map(|(_, text)| Style::plain().width(text)).fold(10.0, f64::max) + 10.0,
        };
        let right = (width - beside - 14.0).max(gutter + 60.0);
        let x = Place { scale: panel.x.scale, from: x_ends.0, to: x_ends.1, start: gutter, end: right };
        let x_ticks = if panel.x.bare { Vec::new() } else { ticks(&x, false) };
        let row = 0.5 * tall / panel.y.categories.len().max(1) as f64;
        Frame { panel, x, y, row, width, columns, x_ticks, y_ticks }
    }

    /// Upper left and lower right corner of the room for marks.
    pub(super) fn corners(&self) -> ((f64, f64), (f64, f64)) {
        ((self.x.start, self.y.end), (self.x.end, self.y.start))
    }

    fn bottom(&self) -> f64 {
        let axis = &self.panel.x;
        let mut lines = 0.0;
        lines += if self.x_ticks.is_empty() { 0.0 } else { 1.0 };
        lines += if axis.ends.is_some() { 1.0 } else { 0.0 };
        lines += if axis.label.is_empty() { 0.0 } else { 1.0 };
        self.y.start + lines * LINE + 10.0
    }

    fn draw_ground(&self, canvas: &mut Canvas) {
        let ((left, top), (right, bottom)) = self.corners();
        if self.panel.y.scale == AxisScale::Categories {
            for at in (0..self.panel.y.categories.len()).filter(|at| at % 2 == 1) {
                let middle = self.y.at(at as f64).unwrap_or(top);
                canvas.rect(Ink::Zebra, (0.0, middle - self.row), (self.width, middle + self.row));
            }
        }
        for (value, _) in &self.x_ticks {
            if let Some(x) = self.x.at(*value) {
                canvas.line(Ink::Grid, (x, top), (x, bottom));
            }
        }
        for (value, _) in &self.y_ticks {
            if let Some(y) = self.y.at(*value) {
                canvas.line(Ink::Grid, (left, y), (right, y));
            }
        }
        if !self.panel.x.bare {
            canvas.line(Ink::Axis, (left, bottom), (right, bottom));
        }
    }

    fn draw_texts(&self, canvas: &mut Canvas) {
        let ((left, top), (right, bottom)) = self.corners();
        let mut line = bottom;
        if !self.x_ticks.is_empty() {
            line += LINE - 2.0;
            for (value, text) in &self.x_ticks {
                let Some(x) = self.x.at(*value) else { continue };
                // Texts at the ends stay within the picture.
                let half = Style::plain().width(text) / 2.0;
                canvas.text(&Style::muted().at(Anchor::Middle), (x.min(self.width - half), line), text);
            }
        }
        if let Some((less, more)) = &self.panel.x.ends {
            line += LINE;
            let room = (right - left) / 2.0 - 6.0 - width("← ");
            canvas.text(&Style::muted().small(), (left, line), &format!("← {}", whole_words(less, room)));
            canvas.text(&Style::muted().small().at(Anchor::End), (right, line), &format!("{} →", whole_words(more, room)));
        }
        if !self.panel.x.label.is_empty() {
            let text = fitted(&self.panel.x.label, self.width - 16.0);
            let half = width(&text) / 2.0;
            let middle = f64::midpoint(left, right).clamp(half.min(self.width / 2.0), (self.width - half).max(self.width / 2.0));
            canvas.titled(&Style::muted().at(Anchor::Middle), (middle, line + LINE), &text, Some(&self.panel.x.label));
        }
        for (value, text) in &self.y_ticks {
            if let Some(y) = self.y.at(*value) {
                canvas.text(&Style::muted().at(Anchor::End), (left - 6.0, y + 4.0), text);
            }
        }
        self.draw_above(canvas, top);
        self.draw_categories(canvas);
        self.draw_columns(canvas, top);
    }

    /// What stands above the marks: the name of the vertical axis, and the second reading of the horizontal one.
    fn draw_above(&self, canvas: &mut Canvas, top: f64) {
        let mut line = top - 8.0;
        if let Some((label, also)) = &self.panel.x.also {
            let mut last = f64::NEG_INFINITY;
            for (value, text) in also {
                let Some(x) = self.x.at(*value).filter(|x| *x >= self.x.start - 0.5 && *x <= self.x.end + 0.5) else { continue };
                let half = Style::plain().width(text) / 2.0;
                // Beside the headings of columns there is no room beyond the end.
                let fits = self.columns.is_empty() || x + half <= self.x.end + 2.0;
                if fits && x - half > last + 6.0 {
                    canvas.line(Ink::Axis, (x, top - 4.0), (x, top));
                    canvas.text(&Style::muted().at(Anchor::Middle), (x, line), text);
                    last = x + half;
                }
            }
            canvas.line(Ink::Axis, (self.x.start, top), (self.x.end, top));
            line -= LINE;
            canvas.text(&Style::muted().at(Anchor::End), (self.x.end, line), label);
        }
        let label = &self.panel.y.label;
        if !label.is_empty() {
            let text = fitted(label, self.width - 8.0);
            // The uppermost number stands half above the marks.
            let above = if self.y_ticks.is_empty() { top - 8.0 } else { top - 12.0 };
            canvas.titled(&Style::muted(), (2.0, if self.panel.x.also.is_some() { line } else { above }), &text, Some(label));
        }
    }

    fn draw_categories(&self, canvas: &mut Canvas) {
        if self.panel.y.scale != AxisScale::Categories {
            return;
        }
        for (at, name) in self.panel.y.categories.iter().enumerate() {
            let Some(y) = self.y.at(at as f64) else { continue };
            let inset = 4.0 + indent(name);
            let whole = name.trim();
            // Half a unit more than was made room for, which rounding may take.
            canvas.titled(&Style::plain(), (inset, y + 4.0), &with_last_words(whole, self.x.start - inset - 7.5), Some(whole));
        }
    }

    fn draw_columns(&self, canvas: &mut Canvas, top: f64) {
        let mut right = self.x.end + 14.0;
        for (column, room) in &self.columns {
            right += COLUMN_GAP + room;
            let edge = right - 10.0;
            canvas.text(&Style::muted().at(Anchor::End), (edge, top - 8.0), &fitted(&column.title, room + COLUMN_GAP));
            for (at, cell) in column.cells.iter().enumerate().take(self.panel.y.categories.len()) {
                if let Some(y) = self.y.at(at as f64) {
                    canvas.titled(&Style::plain().at(Anchor::End), (edge, y + 4.0), &fitted(cell, room + 2.0), Some(cell));
                }
            }
        }
    }
}

/// Space before the name of a level.
fn indent(name: &str) -> f64 {
    INDENT * (name.len() - name.trim_start_matches(' ').len()).min(8) as f64 / 2.0
}

fn category_width(name: &str) -> f64 {
    indent(name) + width(name.trim())
}

/// Columns that there is room for, with their widths.
fn columns(panel: &Panel, narrow: bool) -> Vec<(&Column, f64)> {
    let room = |column: &Column| column.cells.iter().chain([&column.title]).map(|cell| width(cell)).fold(10.0, f64::max).min(190.0);
    panel.y.columns.iter().filter(|column| !(narrow && column.optional)).map(|column| (column, room(column))).collect()
}

/// Room above the marks.
fn head(panel: &Panel, columns: bool) -> f64 {
    let mut head = 8.0;
    head += if !panel.y.label.is_empty() || columns || panel.x.also.is_some() { LINE } else { 0.0 };
    head + if panel.x.also.is_some() { LINE } else { 0.0 }
}

fn height(panel: &Panel, width: f64, further: bool) -> f64 {
    if panel.y.scale == AxisScale::Categories {
        let ruled = panel.marks.iter().any(|mark| matches!(mark.still(), Mark::Ruler { .. }));
        return panel.y.categories.len().max(1) as f64 * if ruled { RULER_ROW } else { ROW };
    }
    let square = panel.x.scale == AxisScale::Proportion && panel.y.scale == AxisScale::Proportion;
    let surface = panel.marks.iter().any(|mark| matches!(mark.still(), Mark::Surface { .. } | Mark::Region { .. } | Mark::Contour { .. }));
    match (further, square || surface) {
        (true, _) => 84.0,
        (false, true) => (width - 70.0).min(420.0),
        (false, false) => (0.62 * width).clamp(180.0, 330.0),
    }
}
