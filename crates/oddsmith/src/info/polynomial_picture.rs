//! Polynomials of several degrees through the rows that they were fitted to.

use super::polynomial_fits;
use crate::data::scattered;
use crate::error::Result;
use crate::picture::{Axis, Mark, Panel, Picture, Role};

/// Places along a curve.
const PLACES: usize = 241;
/// Most rows that are drawn.
const ROWS: usize = 400;

/// Curves of these degrees, each with what is said of it beside its name, over the rows; `names` are those of x and y. What a curve does far beyond the rows is cut off:
/// those of high degrees would leave no room for anything else.
pub fn polynomial_picture(names: (&str, &str), x: &[f64], y: &[f64], degrees: &[(usize, String)]) -> Result<Picture> {
    let ends =
        |values: &[f64]| values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    let ((from, to), (low, high)) = (ends(x), ends(y));
    let places: Vec<f64> = (0..PLACES).map(|at| from + (to - from) * at as f64 / (PLACES - 1) as f64).collect();
    let most = degrees.iter().map(|(degree, _)| *degree).max().unwrap_or(0);
    let fits = polynomial_fits(x, y, None, most, &places)?;
    let mut rows: Vec<usize> = (0..x.len()).collect();
    if rows.len() > ROWS {
        rows.sort_by_key(|row| scattered(*row as u64));
        rows.truncate(ROWS);
        rows.sort_unstable();
    }
    let points = rows.iter().map(|row| (x[*row], y[*row])).collect();
    let mut marks = vec![Mark::Points { role: Role::Plain, name: "rows".into(), points }];
    let drawn = degrees.iter().filter_map(|(degree, told)| Some((degree, told, fits.get(*degree)?)));
    marks.extend(drawn.enumerate().map(|(at, (degree, told, fit))| Mark::Line {
        role: Role::Series(u8::try_from(at).unwrap_or(0)),
        name: format!("degree {degree}{told}"),
        points: places.iter().copied().zip(fit.values.iter().copied()).collect(),
    }));
    let spare = 0.15 * (high - low);
    let axis = |label: &str, range| Axis { label: label.into(), range, ..Axis::default() };
    let panel = Panel { x: axis(names.0, None), y: axis(names.1, (high > low).then_some((low - spare, high + spare))), marks };
    let summary =
        format!("Least-squares polynomials of {} for {} through the rows; what leaves the picture goes on beyond it.", names.0, names.1);
    Ok(Picture { name: "curves".into(), title: "Curves of several degrees".into(), summary, panels: vec![panel] })
}
