//! The ends of an axis that the marks decide.

use oddsmith::picture::{Axis, AxisScale, Mark, Panel};

use super::place::warped;

/// Limits further out than so many times the outermost estimate become arrows, so that one of them does not squeeze the rest.
const FAR_RATIO: f64 = 60.0;
/// Room beyond the outermost value, as a share of the axis.
const MARGIN: f64 = 0.04;

/// Values of the marks along one axis: those that must be seen, and limits that may lie beyond.
#[derive(Default)]
struct Values {
    seen: Vec<f64>,
    limits: Vec<f64>,
    /// Whether bars, blocks or areas begin on the axis, which then needs no room before them.
    based: bool,
}

/// The ends of the horizontal or the vertical axis.
pub(super) fn ends(panel: &Panel, upright: bool) -> (f64, f64) {
    let axis = if upright { &panel.y } else { &panel.x };
    if axis.scale == AxisScale::Categories {
        return (-0.5, axis.categories.len().max(1) as f64 - 0.5);
    }
    if let Some((from, to)) = axis.range
        && warped(axis.scale, from).is_finite()
        && warped(axis.scale, to).is_finite()
        && to > from
    {
        return (from, to);
    }
    if axis.scale == AxisScale::Proportion {
        return (0.0, 1.0);
    }
    let mut values = Values::default();
    panel.marks.iter().for_each(|mark| collect(mark.still(), upright, &mut values));
    of_values(axis, &values)
}

fn of_values(axis: &Axis, values: &Values) -> (f64, f64) {
    let scale = axis.scale;
    let warp = |value: &f64| warped(scale, *value);
    let range = |list: &[f64]| {
        let finite = list.iter().map(warp).filter(|v| v.is_finite());
        finite.fold(None, |ends: Option<(f64, f64)>, v| Some(ends.map_or((v, v), |(low, high)| (low.min(v), high.max(v)))))
    };
    let (mut low, mut high) = match (range(&values.seen), range(&values.limits)) {
        (Some(seen), Some(limits)) => {
            let far = if scale == AxisScale::Log { FAR_RATIO.ln() } else { f64::INFINITY };
            (seen.0.min(limits.0.max(seen.0 - far)), seen.1.max(limits.1.min(seen.1 + far)))
        }
        (Some(ends), None) | (None, Some(ends)) => ends,
        (None, None) => return if matches!(scale, AxisScale::Log) { (0.1, 10.0) } else { (0.0, 1.0) },
    };
    if high - low <= 1e-12 * high.abs().max(low.abs()) {
        let half = if scale == AxisScale::Linear { (0.5 * high.abs()).max(0.5) } else { 1.0 };
        (low, high) = (low - half, high + half);
    } else {
        let margin = MARGIN * (high - low);
        // Bars stand on their base.
        low -= if values.based && low == 0.0 { 0.0 } else { margin };
        high += if values.based && high == 0.0 { 0.0 } else { margin };
    }
    let back = |v: f64| match scale {
        AxisScale::Log => v.exp().clamp(f64::MIN_POSITIVE, f64::MAX),
        AxisScale::Logit => (1.0 / (1.0 + (-v).exp())).clamp(1e-12, 1.0 - 1e-12),
        _ => v.clamp(f64::MIN / 4.0, f64::MAX / 4.0),
    };
    (back(low), back(high))
}

fn collect(mark: &Mark, upright: bool, values: &mut Values) {
    let pick = |(x, y): &(f64, f64)| if upright { *y } else { *x };
    match mark {
        Mark::Line { points, .. } | Mark::Points { points, .. } => values.seen.extend(points.iter().map(pick)),
        Mark::Band { points, .. } if upright => {
            values.based |= points.iter().all(|(_, low, _)| *low == 0.0);
            values.limits.extend(points.iter().flat_map(|(_, low, high)| [*low, *high]));
        }
        Mark::Band { points, .. } => values.seen.extend(points.iter().map(|(x, ..)| *x)),
        Mark::Intervals { estimates, .. } if !upright => {
            values.seen.extend(estimates.iter().map(|(_, value, ..)| *value));
            values.limits.extend(estimates.iter().flat_map(|(.., low, high)| [*low, *high]));
        }
        Mark::Bars { bars, .. } if !upright => {
            values.based = true;
            values.seen.extend(bars.iter().flat_map(|(_, from, to)| [*from, *to]));
        }
        Mark::Blocks { blocks, .. } if upright => {
            values.based = true;
            values.seen.extend(blocks.iter().flat_map(|(.., from, to)| [*from, *to]));
        }
        Mark::Blocks { blocks, .. } => values.seen.extend(blocks.iter().flat_map(|(left, right, ..)| [*left, *right])),
        Mark::Rule { upright: stands, at, .. } if *stands != upright => values.seen.push(*at),
        Mark::Surface { x, y, .. } | Mark::Region { x, y, .. } | Mark::Contour { x, y, .. } => {
            values.seen.extend(if upright { y } else { x })
        }
        Mark::Ruler { ticks, .. } if !upright => values.seen.extend(ticks.iter().map(|(at, _)| *at)),
        Mark::Label { at, .. } => values.seen.push(pick(at)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use oddsmith::picture::Role;

    use super::*;

    fn of(scale: AxisScale, estimates: Vec<(f64, f64, f64, f64)>) -> (f64, f64) {
        let x = Axis { scale, ..Axis::default() };
        ends(&Panel { x, marks: vec![Mark::Intervals { role: Role::Plain, estimates }], ..Panel::default() }, false)
    }

    #[test]
    fn far_limits_do_not_squeeze_the_rest() {
        let (low, high) = of(AxisScale::Log, vec![(0.0, 2.0, 1.0, 4.0), (1.0, 3.0, 0.0, 1e9)]);
        assert!(low > 0.5 && high < 300.0, "{low} {high}");
    }

    #[test]
    fn nothing_and_one_value_still_make_an_axis() {
        assert_eq!(of(AxisScale::Linear, vec![]), (0.0, 1.0));
        assert_eq!(of(AxisScale::Log, vec![(0.0, f64::NAN, f64::INFINITY, 0.0)]), (0.1, 10.0));
        assert_eq!(of(AxisScale::Linear, vec![(0.0, 3.0, 3.0, 3.0)]), (1.5, 4.5));
    }
}
