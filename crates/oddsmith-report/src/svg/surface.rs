//! Grids of values as areas: what lies above a level is the inside of its contours, which are closed along the edges of the grid.
//!
//! A surface is ten such areas on one another, from the lowest colour up, so that colours end where values do and not at the squares of a grid.

use oddsmith::picture::Role;

use super::canvas::Canvas;
use super::contour;
use super::frame::Frame;
use super::ink::{Ink, STEPS};
use super::place::Place;

/// Most points of a surface while there is a coarser one to draw: noise has as many edges as a grid has points.
const MOST_POINTS: usize = 3600;
/// Log odds of the largest probability below 1 that a floating-point number can tell from it.
const MOST_LOG_ODDS: f64 = 36.0;
/// A point that lies this near to the line between its neighbours adds nothing, in units.
const STRAIGHT: f64 = 0.12;

/// Places across, places up, and values row after row.
type Grid = (Vec<f64>, Vec<f64>, Vec<f64>);
/// Closed lines through points.
type Rings = Vec<Vec<(f64, f64)>>;

/// Values from 0 to 1 as colours.
pub(super) fn draw(x: &[f64], y: &[f64], values: &[f64], frame: &Frame<'_>, canvas: &mut Canvas) {
    // Probabilities are straighter as log odds, between the points of a grid as elsewhere.
    let straight = |value: &f64| match *value {
        value if value.is_nan() => f64::NAN,
        value => (value.clamp(0.0, 1.0) / (1.0 - value.clamp(0.0, 1.0))).ln().clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS),
    };
    let mut grid = in_units(x, y, values.iter().map(straight).collect(), frame);
    let mut areas = colours(&grid);
    while areas.iter().flatten().map(Vec::len).sum::<usize>() > MOST_POINTS && grid.0.len().min(grid.1.len()) > 8 {
        grid = every_other(&grid);
        areas = colours(&grid);
    }
    areas.iter().enumerate().for_each(|(colour, rings)| canvas.area(Ink::Step(colour), rings));
}

/// The places above a level.
pub(super) fn draw_region(role: Role, (x, y, values): (&[f64], &[f64], &[f64]), level: f64, frame: &Frame<'_>, canvas: &mut Canvas) {
    canvas.area(Ink::Band(role), &above(&in_units(x, y, values.to_vec(), frame), level));
}

/// The areas of the colours, from the lowest on.
fn colours(grid: &Grid) -> Vec<Rings> {
    let level = |step: usize| match step {
        0 => -2.0 * MOST_LOG_ODDS,
        step => (step as f64 / (STEPS - step) as f64).ln(),
    };
    (0..STEPS).map(|step| above(grid, level(step))).collect()
}

/// The grid with its places in units; one that lacks values has none.
fn in_units(x: &[f64], y: &[f64], values: Vec<f64>, frame: &Frame<'_>) -> Grid {
    if values.len() < x.len() * y.len() {
        return (Vec::new(), Vec::new(), Vec::new());
    }
    let places = |grid: &[f64], axis: &Place| grid.iter().map(|value| axis.within(*value).unwrap_or(axis.start)).collect::<Vec<f64>>();
    (places(x, &frame.x), places(y, &frame.y), values)
}

/// Closed lines around all places above a level: the grid is given an edge without width that lies below every level.
fn above((x, y, values): &Grid, level: f64) -> Rings {
    let (Some(first), Some(last), Some(bottom), Some(top)) = (x.first(), x.last(), y.first(), y.last()) else { return Vec::new() };
    let edged = |grid: &[f64], from: f64, to: f64| [&[from], grid, &[to]].concat();
    let columns = x.len() + 2;
    let mut wide = vec![f64::NEG_INFINITY; columns];
    for row in values.chunks(x.len()).take(y.len()) {
        wide.push(f64::NEG_INFINITY);
        wide.extend_from_slice(row);
        wide.push(f64::NEG_INFINITY);
    }
    wide.extend(std::iter::repeat_n(f64::NEG_INFINITY, columns));
    let rings = contour::trace(&edged(x, *first, *last), &edged(y, *bottom, *top), &wide, level);
    rings.into_iter().map(|ring| simplified(&ring)).filter(|ring| ring.len() > 2).collect()
}

/// Every other place of a grid, and its last.
fn every_other((x, y, values): &Grid) -> Grid {
    let kept = |length: usize| (0..length).filter(move |at| at % 2 == 0 || at + 1 == length);
    let rows = kept(y.len()).flat_map(|i| kept(x.len()).map(move |j| values[i * x.len() + j]));
    (kept(x.len()).map(|j| x[j]).collect(), kept(y.len()).map(|i| y[i]).collect(), rows.collect())
}

/// Without points that lie on the way between those beside them.
pub(super) fn simplified(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    let mut skipped: Vec<(f64, f64)> = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let Some(before) = kept.last().copied() else {
            kept.push(*point);
            continue;
        };
        let Some(after) = points.get(at + 1) else {
            kept.push(*point);
            continue;
        };
        skipped.push(*point);
        // All that was left out since must lie near the way to the next point, or a curve would be cut straight bit by bit.
        if skipped.iter().any(|left| distance(*left, before, *after) > STRAIGHT) {
            kept.push(*point);
            skipped.clear();
        }
    }
    kept
}

/// How far a point lies from the piece of a line between two others.
fn distance(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx * dx + dy * dy;
    let share = if length > 0.0 { (((point.0 - from.0) * dx + (point.1 - from.1) * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (point.0 - from.0 - share * dx).hypot(point.1 - from.1 - share * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(ring: &[(f64, f64)]) -> f64 {
        let next = ring.iter().cycle().skip(1);
        ring.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>().abs() / 2.0
    }

    #[test]
    fn an_area_is_closed_along_the_edges_of_the_grid() {
        let grid: Vec<f64> = (0..11).map(f64::from).collect();
        let slope: Vec<f64> = grid.iter().flat_map(|_| grid.iter().copied()).collect();
        let rings = above(&(grid.clone(), grid.clone(), slope.clone()), 2.5);
        assert_eq!(rings.len(), 1);
        assert!((area(&rings[0]) - 75.0).abs() < 1e-9, "{rings:?}");
        assert!(rings[0].len() < 8, "straight edges need no points between their ends: {rings:?}");
        assert!((area(&above(&(grid.clone(), grid.clone(), slope), -1.0)[0]) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_circle_stays_round() {
        let ring: Vec<(f64, f64)> = (0..=360).map(|at| f64::from(at).to_radians()).map(|a| (100.0 * a.cos(), 100.0 * a.sin())).collect();
        let kept = simplified(&ring);
        assert!(kept.len() < 100 && (area(&kept) / area(&ring) - 1.0).abs() < 2e-3, "{} {}", kept.len(), area(&kept) / area(&ring));
    }

    #[test]
    fn a_coarser_grid_has_the_same_corners() {
        let grid: Vec<f64> = (0..6).map(f64::from).collect();
        let values: Vec<f64> = (0..36).map(f64::from).collect();
        let (x, y, values) = every_other(&(grid.clone(), grid, values));
        assert_eq!((x.clone(), y, values.len(), values[values.len() - 1]), (vec![0.0, 2.0, 4.0, 5.0], x, 16, 35.0));
    }
}
