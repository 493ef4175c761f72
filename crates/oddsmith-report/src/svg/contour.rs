//! Lines of equal values in a grid (marching squares), joined to lists of points.
//!
//! A crossing lies on an edge of the grid and is known by that edge, so pieces of neighbouring squares join exactly. O(squares log squares).

use std::collections::BTreeMap;

/// An edge: the grid point it begins at, and whether it goes up.
type Edge = (usize, usize, bool);

/// The lines along which `values` (row after row, of `x` × `y`) have the level.
pub(super) fn trace(x: &[f64], y: &[f64], values: &[f64], level: f64) -> Vec<Vec<(f64, f64)>> {
    let (columns, rows) = (x.len(), y.len());
    if columns < 2 || rows < 2 || values.len() < columns * rows {
        return Vec::new();
    }
    let value = |i: usize, j: usize| values[i * columns + j];
    let mut next: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
    for i in 0..rows - 1 {
        for j in 0..columns - 1 {
            let corners = [value(i, j), value(i, j + 1), value(i + 1, j + 1), value(i + 1, j)];
            if corners.iter().any(|corner| corner.is_nan()) {
                continue;
            }
            let edges: [Edge; 4] = [(i, j, false), (i, j + 1, true), (i + 1, j, false), (i, j, true)];
            for (a, b) in pieces(corners, level) {
                next.entry(edges[a]).or_default().push(edges[b]);
                next.entry(edges[b]).or_default().push(edges[a]);
            }
        }
    }
    let place = |(i, j, up): Edge| {
        let other = if up { value(i + 1, j) } else { value(i, j + 1) };
        let share = (level - value(i, j)) / (other - value(i, j));
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
        let between = |a: f64, b: f64| a + share * (b - a);
        if up { (x[j], between(y[i], y[i + 1])) } else { (between(x[j], x[j + 1]), y[i]) }
    };
    joined(next).into_iter().map(|edges| edges.into_iter().map(place).collect()).collect()
}

/// Pairs of sides (below, right, above, left) that the level connects within a square.
fn pieces(corners: [f64; 4], level: f64) -> Vec<(usize, usize)> {
    let above = corners.map(|corner| corner > level);
    let crossed: Vec<usize> = (0..4).filter(|&side| above[side] != above[(side + 1) % 4]).collect();
    match crossed[..] {
        [a, b] => vec![(a, b)],
        [_, _, _, _] => {
            let middle = corners.iter().sum::<f64>() / 4.0 > level;
            if middle == above[0] { vec![(0, 1), (2, 3)] } else { vec![(0, 3), (1, 2)] }
        }
        _ => Vec::new(),
    }
}

/// Chains of edges: open ones from their ends, then rings.
fn joined(mut next: BTreeMap<Edge, Vec<Edge>>) -> Vec<Vec<Edge>> {
    let mut chains = Vec::new();
    while !next.is_empty() {
        let end = next.iter().find(|(_, others)| others.len() == 1).or_else(|| next.iter().next()).map(|(edge, _)| *edge);
        let Some(mut at) = end else { break };
        let mut chain = vec![at];
        while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
            if next.get(&at).is_some_and(Vec::is_empty) {
                next.remove(&at);
            }
            if let Some(back) = next.get_mut(&to) {
                if let Some(place) = back.iter().position(|edge| *edge == at) {
                    back.remove(place);
                }
                if back.is_empty() {
                    next.remove(&to);
                }
            }
            chain.push(to);
            at = to;
        }
        next.remove(&at);
        chains.push(chain);
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hill_has_a_ring_and_a_slope_a_line() {
        let grid: Vec<f64> = (0..21).map(|at| f64::from(at) / 10.0 - 1.0).collect();
        let hill: Vec<f64> = grid.iter().flat_map(|y| grid.iter().map(move |x| 1.0 - x * x - y * y)).collect();
        let rings = trace(&grid, &grid, &hill, 0.5);
        assert_eq!(rings.len(), 1);
        assert_eq!(rings[0].first(), rings[0].last());
        assert!(rings[0].iter().all(|(x, y)| ((x * x + y * y).sqrt() - 0.5f64.sqrt()).abs() < 0.01));
        let slope: Vec<f64> = grid.iter().flat_map(|_| grid.iter().copied()).collect();
        let lines = trace(&grid, &grid, &slope, 0.05);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].len(), 21);
        assert!(lines[0].iter().all(|(x, _)| (x - 0.05).abs() < 1e-12));
        assert!(trace(&grid, &grid, &slope, 5.0).is_empty());
    }
}
