//! The marks of a panel.

use std::collections::BTreeSet;

use oddsmith::picture::{AxisScale, Mark, Role};

use super::canvas::Canvas;
use super::contour;
use super::frame::Frame;
use super::ink::Ink;
use super::labels::Labels;
use super::number::{coordinate, pair};
use super::place::{Place, Side, clipped};
use super::text::{Anchor, Style};
use super::{ruler, surface};

/// Half the height of a bar, of a square of an estimate, and of the ends of its limits.
const BAR: f64 = 7.0;
const SQUARE: f64 = 4.0;
const CAP: f64 = 4.0;
/// Most pieces of a contour.
const MOST_PIECES: usize = 12;
/// Length of an arrow.
const ARROW: f64 = 6.0;

/// Draws a mark.
pub(super) fn draw(mark: &Mark, frame: &Frame<'_>, labels: &mut Labels, canvas: &mut Canvas) {
    match mark {
        Mark::Live { by, mark } => {
            canvas.open(&[("data-live", by.clone())]);
            match &**mark {
                // A text that moves has no room of its own.
                Mark::Label { at, text } => {
                    if let (Some(x), Some(y)) = (frame.x.within(at.0), frame.y.within(at.1)) {
                        let style = Style::plain().small().halo();
                        let (place, anchor, on) = beside_bar(at.0 >= 0.0, x, style.width(text), &frame.x);
                        let style = if on { style.reversed() } else { style };
                        canvas.text(&style.at(anchor), (place, y + 4.0), text);
                    }
                }
                mark => draw(mark, frame, labels, canvas),
            }
            canvas.close();
        }
        Mark::Line { role, points, .. } => line(*role, points, frame, canvas),
        Mark::Band { role, points, .. } => band(*role, points, frame, canvas),
        Mark::Points { role, points, .. } => draw_points(*role, points, frame, canvas),
        Mark::Intervals { role, estimates } => estimates.iter().for_each(|estimate| interval(*role, *estimate, frame, canvas)),
        Mark::Bars { role, bars } => bars.iter().for_each(|bar| draw_bar(*role, *bar, frame, labels, canvas)),
        Mark::Blocks { role, blocks, .. } => draw_blocks(*role, blocks, frame, canvas),
        Mark::Rule { role, upright, at } => rule(*role, *upright, *at, frame, canvas),
        Mark::Surface { x, y, values } => surface::draw(x, y, values, frame, canvas),
        Mark::Region { role, x, y, values, level, .. } => surface::draw_region(*role, (x, y, values), *level, frame, canvas),
        Mark::Contour { role, text, x, y, values, level, .. } => {
            let lists = contour::trace(x, y, values, *level);
            let placed = |(x, y): &(f64, f64)| Some((frame.x.at(*x)?, frame.y.at(*y)?));
            let (low, high) = frame.corners();
            let mut drawn: Vec<Vec<(f64, f64)>> =
                lists.iter().flat_map(|list| clipped(&list.iter().map(placed).collect::<Vec<_>>(), low, high)).collect();
            // Of the islands of a noisy surface the largest tell the line.
            drawn.sort_by_key(|list| std::cmp::Reverse(list.len()));
            drawn.truncate(MOST_PIECES);
            drawn.iter_mut().for_each(|list| *list = surface::simplified(list));
            canvas.lines(if *role == Role::Reference { Ink::Dashed(*role) } else { Ink::Thin(*role) }, &drawn);
            labels.along(drawn, *role != Role::Reference, text);
        }
        Mark::Ruler { at, ticks } => ruler::draw(*at, ticks, frame, canvas),
        Mark::Label { at, text } => {
            if let (Some(x), Some(y)) = (frame.x.within(at.0), frame.y.within(at.1)) {
                labels.beside((x, y), 7.0, text);
            }
        }
        Mark::Tree { .. } => {}
    }
}

/// Where the text of a bar from zero to `x` stands: behind its end, or beyond zero where there is no room, or on the bar where there is none either; and
/// whether it stands on the bar.
fn beside_bar(right: bool, x: f64, width: f64, axis: &Place) -> (f64, Anchor, bool) {
    let zero = axis.within(0.0).unwrap_or(x);
    match right {
        true if x + 6.0 + width <= axis.end + 12.0 => (x + 6.0, Anchor::Start, false),
        false if x - 6.0 - width < axis.start => (zero + 6.0, Anchor::Start, false),
        true if zero - 6.0 - width >= axis.start => (zero - 6.0, Anchor::End, false),
        right => (x - 6.0, Anchor::End, right),
    }
}

/// What a line is drawn with: references are dashed.
pub(super) fn line_ink(role: Role) -> Ink {
    if role == Role::Reference { Ink::Dashed(role) } else { Ink::Line(role) }
}

fn line(role: Role, points: &[(f64, f64)], frame: &Frame<'_>, canvas: &mut Canvas) {
    let placed: Vec<Option<(f64, f64)>> = points.iter().map(|(x, y)| Some((frame.x.at(*x)?, frame.y.at(*y)?))).collect();
    let (low, high) = frame.corners();
    let pieces: Vec<Vec<(f64, f64)>> = clipped(&thinned(placed), low, high).iter().map(|piece| surface::simplified(piece)).collect();
    canvas.lines(line_ink(role), &pieces);
}

/// Without the places in the middle of a straight or tiny piece: a curve of many rows has more points than a picture has room for.
fn thinned(places: Vec<Option<(f64, f64)>>) -> Vec<Option<(f64, f64)>> {
    const NEAR: f64 = 0.25;
    let mut kept: Vec<Option<(f64, f64)>> = Vec::new();
    let last = places.len().saturating_sub(1);
    for (at, place) in places.into_iter().enumerate() {
        let near = match (kept.last(), &place) {
            (Some(Some(before)), Some(place)) => (before.0 - place.0).abs() < NEAR && (before.1 - place.1).abs() < NEAR,
            _ => false,
        };
        if !near || at == last {
            kept.push(place);
        }
    }
    kept
}

fn band(role: Role, points: &[(f64, f64, f64)], frame: &Frame<'_>, canvas: &mut Canvas) {
    let placed: Vec<Option<(f64, f64, f64)>> =
        points.iter().map(|(x, low, high)| Some((frame.x.within(*x)?, frame.y.within(*low)?, frame.y.within(*high)?))).collect();
    for run in placed.split(Option::is_none) {
        let low = run.iter().flatten().map(|(x, low, _)| (*x, *low));
        let high = run.iter().flatten().rev().map(|(x, _, high)| (*x, *high));
        canvas.shape(Ink::Band(role), &low.chain(high).collect::<Vec<_>>());
    }
}

/// A point in the shape of its role, so that colour is not all that tells roles apart.
pub(super) fn point(role: Role, (x, y): (f64, f64), radius: f64, canvas: &mut Canvas) {
    let r = radius * 1.15;
    let shape = |corners: &[(f64, f64)]| corners.iter().map(|(dx, dy)| (x + r * dx, y + r * dy)).collect::<Vec<_>>();
    let corners = match role {
        Role::Event => shape(&[(0.0, -1.0), (1.0, 0.8), (-1.0, 0.8)]),
        Role::Third => shape(&[(0.0, -1.15), (1.15, 0.0), (0.0, 1.15), (-1.15, 0.0)]),
        Role::Series(k) if k % 4 == 1 => shape(&[(0.0, -1.0), (1.0, 0.8), (-1.0, 0.8)]),
        Role::Series(k) if k % 4 == 2 => shape(&[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]),
        Role::Series(k) if k % 4 == 3 => shape(&[(0.0, -1.15), (1.15, 0.0), (0.0, 1.15), (-1.15, 0.0)]),
        _ => return canvas.circle(Ink::Dot(role), (x, y), radius),
    };
    canvas.shape(Ink::Dot(role), &corners);
}

fn draw_points(role: Role, points: &[(f64, f64)], frame: &Frame<'_>, canvas: &mut Canvas) {
    let radius = match points.len() {
        // One to a row of a table: there is room.
        _ if frame.panel.y.scale == AxisScale::Categories => 4.5,
        0..=3 => 4.5,
        4..=300 => 2.8,
        301..=1500 => 2.0,
        _ => 1.5,
    };
    let mut drawn = BTreeSet::new();
    for (x, y) in points {
        let (Some(px), Some(py)) = (frame.x.within(*x), frame.y.within(*y)) else { continue };
        if !drawn.insert(pair((px, py))) {
            continue;
        }
        match (frame.x.side(*x), frame.y.side(*y)) {
            (Side::Inside, Side::Inside) => point(role, (px, py), radius, canvas),
            (Side::Inside, Side::Before) => arrow(role, (px, py), (0.0, 1.0), canvas),
            (Side::Inside, Side::After) => arrow(role, (px, py), (0.0, -1.0), canvas),
            (Side::Before, _) => arrow(role, (px, py), (-1.0, 0.0), canvas),
            (Side::After, _) => arrow(role, (px, py), (1.0, 0.0), canvas),
        }
    }
}

/// An arrow whose head touches a place on the edge.
fn arrow(role: Role, (x, y): (f64, f64), (dx, dy): (f64, f64), canvas: &mut Canvas) {
    let back = (x - ARROW * dx, y - ARROW * dy);
    let corners = [(x, y), (back.0 - 4.0 * dy, back.1 + 4.0 * dx), (back.0 + 4.0 * dy, back.1 - 4.0 * dx)];
    canvas.shape(Ink::Fill(role), &corners);
}

fn interval(role: Role, (at, value, low, high): (f64, f64, f64, f64), frame: &Frame<'_>, canvas: &mut Canvas) {
    let Some(y) = frame.y.at(at) else { return };
    let ink = Ink::Line(role);
    if let (Some(from), Some(to)) = (frame.x.within(low), frame.x.within(high)) {
        canvas.line(ink, (from, y), (to, y));
        for (limit, place) in [(low, from), (high, to)] {
            match frame.x.side(limit) {
                Side::Inside => canvas.line(ink, (place, y - CAP), (place, y + CAP)),
                Side::Before => arrow(role, (place, y), (-1.0, 0.0), canvas),
                Side::After => arrow(role, (place, y), (1.0, 0.0), canvas),
            }
        }
    }
    if let Some(x) = frame.x.within(value) {
        match frame.x.side(value) {
            Side::Inside => canvas.rect(Ink::Fill(role), (x - SQUARE, y - SQUARE), (x + SQUARE, y + SQUARE)),
            Side::Before => arrow(role, (x, y), (-1.0, 0.0), canvas),
            Side::After => arrow(role, (x, y), (1.0, 0.0), canvas),
        }
    }
}

fn draw_bar(role: Role, (at, from, to): (f64, f64, f64), frame: &Frame<'_>, labels: &mut Labels, canvas: &mut Canvas) {
    let (Some(y), Some(a), Some(b)) = (frame.y.at(at), frame.x.within(from), frame.x.within(to)) else { return };
    let half = BAR.min(frame.row - 1.0).max(1.0);
    canvas.rect(Ink::Fill(role), (a, y - half), (b, y + half));
    labels.keep_off((a.min(b), y - half, a.max(b), y + half));
    match frame.x.side(to) {
        Side::Inside => {}
        Side::Before => arrow(role, (b - ARROW, y), (-1.0, 0.0), canvas),
        Side::After => arrow(role, (b + ARROW, y), (1.0, 0.0), canvas),
    }
}

fn draw_blocks(role: Role, blocks: &[(f64, f64, f64, f64)], frame: &Frame<'_>, canvas: &mut Canvas) {
    let shown = |place: &Place, a: f64, b: f64| Some((place.within(a)?, place.within(b)?));
    let mut d = String::new();
    for (left, right, from, to) in blocks {
        let (Some((x0, x1)), Some((y0, y1))) = (shown(&frame.x, *left, *right), shown(&frame.y, *from, *to)) else { continue };
        if (y0 - y1).abs() < 0.05 {
            continue;
        }
        // A hair of space tells neighbours apart.
        let x1 = if x1 - x0 > 3.0 { x1 - 0.8 } else { x1 };
        d.push_str(&format!("M{}H{}V{}H{}Z", pair((x0, y0)), coordinate(x1), coordinate(y1), coordinate(x0)));
    }
    canvas.path(Ink::Fill(role), &d);
}

fn rule(role: Role, upright: bool, at: f64, frame: &Frame<'_>, canvas: &mut Canvas) {
    let ((left, top), (right, bottom)) = frame.corners();
    let place = if upright { &frame.x } else { &frame.y };
    let Some(at) = place.at(at).filter(|_| place.side(at) == Side::Inside && place.scale != AxisScale::Categories || !upright) else {
        return;
    };
    let ink = match role {
        Role::Reference => Ink::Axis,
        role => Ink::Thin(role),
    };
    match upright {
        true => canvas.line(ink, (at, top), (at, bottom)),
        false => canvas.line(ink, (left, at.clamp(top, bottom)), (right, at.clamp(top, bottom))),
    }
}
