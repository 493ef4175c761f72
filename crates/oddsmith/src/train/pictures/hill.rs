//! A likelihood over two parameters: the surface, and the lines around what a likelihood-ratio test does not refuse.

use crate::num::special::chi_squared;
use crate::picture::{Mark, Role};

/// The levels that lines are drawn for.
const LEVELS: [f64; 4] = [0.5, 0.8, 0.95, 0.99];
/// The level of the outermost line.
pub(super) const LAST_LEVEL: f64 = LEVELS[LEVELS.len() - 1];

/// How far below the top the line of a level lies: twice the difference is a quantile of χ² with two degrees of freedom.
pub(super) fn drop_of(level: f64) -> f64 {
    0.5 * chi_squared::quantile(level, 2.0)
}

/// Marks of log likelihoods over a grid, row after row from below, under the largest of all, which need not lie on the grid; and of an estimate.
pub(super) fn hill((x, y): (&[f64], &[f64]), values: &[f64], top: f64, estimate: (f64, f64)) -> Vec<Mark> {
    // Below one half every shade is one of the same colour, the deeper the less likely.
    let likelihood = values.iter().map(|value| 0.49 * (1.0 - (value - top).exp())).collect();
    let mut marks = vec![Mark::Surface { x: x.to_vec(), y: y.to_vec(), values: likelihood }];
    marks.extend(LEVELS.map(|level| Mark::Contour {
        role: Role::Plain,
        name: String::new(),
        text: format!("{:.0}%", 100.0 * level),
        x: x.to_vec(),
        y: y.to_vec(),
        values: values.to_vec(),
        level: top - drop_of(level),
    }));
    marks.push(Mark::Points { role: Role::Event, name: "estimate".into(), points: vec![estimate] });
    marks
}
