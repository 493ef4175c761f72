//! From values to places along an axis.

use oddsmith::picture::AxisScale;

/// Furthest place that is computed with; what lies beyond is cut off before it is drawn.
const BEYOND: f64 = 1e5;

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    Inside,
    After,
}

/// An axis with its ends in units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) scale: AxisScale,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) start: f64,
    pub(super) end: f64,
}

/// A value on the scale where equal differences are equal steps; infinite for what the scale has no place for.
pub(super) fn warped(scale: AxisScale, value: f64) -> f64 {
    match scale {
        AxisScale::Linear | AxisScale::Proportion | AxisScale::Categories => value,
        AxisScale::Log if value <= 0.0 => f64::NEG_INFINITY,
        AxisScale::Log => value.ln(),
        AxisScale::Logit if value <= 0.0 => f64::NEG_INFINITY,
        AxisScale::Logit if value >= 1.0 => f64::INFINITY,
        AxisScale::Logit => (value / (1.0 - value)).ln(),
    }
}

impl Place {
    /// The place of a value, which may be outside; `None` for a value that is missing.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        if value.is_nan() {
            return None;
        }
        let [value, from, to] = [value, self.from, self.to].map(|v| warped(self.scale, v));
        let share = if to == from { 0.5 } else { (value - from) / (to - from) };
        let place = self.start + share * (self.end - self.start);
        // Huge ends make infinite differences.
        Some(if place.is_nan() { f64::midpoint(self.start, self.end) } else { place.clamp(-BEYOND, BEYOND) })
    }

    /// The place of a value, or the end that it lies beyond.
    pub(super) fn within(&self, value: f64) -> Option<f64> {
        self.at(value).map(|place| place.clamp(self.start.min(self.end), self.start.max(self.end)))
    }

    /// On which side of the ends a value lies.
    pub(super) fn side(&self, value: f64) -> Side {
        let slack = 1e-9 * (self.to - self.from).abs();
        match value {
            v if v < self.from - slack => Side::Before,
            v if v > self.to + slack => Side::After,
            _ => Side::Inside,
        }
    }

    /// The ends for a script: places, then values.
    pub(super) fn told(&self) -> String {
        let [start, end] = [self.start, self.end].map(super::number::coordinate);
        let value = |v: f64| if v.is_finite() { format!("{v}") } else { "0".into() };
        format!("{start} {end} {} {}", value(self.from), value(self.to))
    }
}

/// The parts of a line through places that lie within a rectangle (Liang and Barsky), as lists of points.
pub(super) fn clipped(points: &[Option<(f64, f64)>], low: (f64, f64), high: (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let mut lists: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for pair in points.windows(2) {
        let (Some(a), Some(b)) = (pair[0], pair[1]) else {
            lists.push(Vec::new());
            continue;
        };
        let Some((from, to)) = segment(a, b, low, high) else {
            lists.push(Vec::new());
            continue;
        };
        let joined = lists.last().and_then(|list| list.last()) == Some(&from);
        if !joined {
            lists.push(vec![from]);
        }
        if let Some(list) = lists.last_mut() {
            list.push(to);
        }
    }
    lists.retain(|list| list.len() > 1);
    lists
}

fn segment(a: (f64, f64), b: (f64, f64), low: (f64, f64), high: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (p, q) in [(-dx, a.0 - low.0), (dx, high.0 - a.0), (-dy, a.1 - low.1), (dy, high.1 - a.1)] {
        if p == 0.0 {
            if q < 0.0 {
                return None;
            }
            continue;
        }
        let t = q / p;
        if p < 0.0 { enter = enter.max(t) } else { leave = leave.min(t) }
    }
    let at = |t: f64| match t {
        0.0 => a,
        1.0 => b,
        t => (a.0 + t * dx, a.1 + t * dy),
    };
    (enter <= leave).then(|| (at(enter), at(leave)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_find_their_place_on_every_scale() {
        let place = |scale, from, to| Place { scale, from, to, start: 0.0, end: 100.0 };
        for (scale, from, to, middle) in [(AxisScale::Log, 0.1, 10.0, 1.0), (AxisScale::Logit, 0.1, 0.9, 0.5)] {
            let at = place(scale, from, to).at(middle).unwrap();
            assert!((at - 50.0).abs() < 1e-9, "{at}");
        }
        assert_eq!(place(AxisScale::Log, 0.1, 10.0).within(0.0), Some(0.0));
        assert_eq!(place(AxisScale::Log, 0.1, 10.0).within(f64::INFINITY), Some(100.0));
        assert_eq!(place(AxisScale::Linear, 2.0, 2.0).at(2.0), Some(50.0));
        assert_eq!(place(AxisScale::Linear, 0.0, 1.0).at(f64::NAN), None);
        assert_eq!(place(AxisScale::Log, 0.1, 10.0).side(f64::INFINITY), Side::After);
    }

    #[test]
    fn lines_are_cut_at_the_edge() {
        let points = [Some((-10.0, 50.0)), Some((50.0, 50.0)), None, Some((50.0, 50.0)), Some((50.0, 500.0))];
        let lists = clipped(&points, (0.0, 0.0), (100.0, 100.0));
        assert_eq!(lists, [vec![(0.0, 50.0), (50.0, 50.0)], vec![(50.0, 50.0), (50.0, 100.0)]]);
    }
}
